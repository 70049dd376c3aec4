"""What judges need of a run, gathered in one pass over each layer and with bounded memory.

The layers may be hundreds of megabytes; the digest keeps the requests that commit the task, the latest requests that
change state, the steps, the last pages shown, and the first page that showed each kind of wall. Whatever had to be let
go is named in the trace's problems.
"""

from __future__ import annotations

import dataclasses
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from clawjudge.traces.clock import Skew, estimate_skew
from clawjudge.traces.lexicon import mention, mention_then
from clawjudge.traces.matcher import match_request
from clawjudge.traces.payload import Payload
from clawjudge.traces.pointers import flatten
from clawjudge.traces.records import ActionEvent, Message, RequestEvent
from clawjudge.traces.repeated_keys import lines_with_repeated_keys
from clawjudge.traces.steps import Step, build_steps, is_state_changing
from clawjudge.traces.task import EvalSchema
from clawjudge.traces.trace import Trace
from clawjudge.traces.transcripts.pages import PageState, page_states
from clawjudge.traces.transcripts.persona import ShownFile, personas_shown
from clawjudge.traces.urls import host, is_web, same_site
from clawjudge.traces.walls import walls_shown

_NO_FIELD = object()
_NO_SKEW = Skew(0, 0, 0)
KEPT_BODY_BYTES = 16 * 1024 * 1024
"""Of requests that change state."""
KEPT_COMMIT_BYTES = 64 * 1024 * 1024
KEPT_READING_BYTES = 32 * 1024 * 1024
KEPT_READINGS = 2000
KEPT_URL_BYTES = 64 * 1024
"""Longest line of a GET request that is kept; a page's address is not that long, an address with data in it is."""
KEPT_CHANGES = 2000
KEPT_PAGES = 6
KEPT_COMMITS = 200
KEPT_DOCUMENTS = 5000
KEPT_QUERIES = 300
MATCHING_SECONDS = 10.0
"""Processor time for holding the requests of a run against the task's pattern; a sound pattern takes thousandths."""
_PAGE_PARTS = frozenset({"Script", "Stylesheet", "Font", "Ping"})
"""What a page loads with a CAPTCHA service's badge, whether it challenges anybody or not."""


@dataclass(slots=True)
class RunDigest:
    """One run, ready to be aligned and judged."""

    trace: Trace
    commits: list[RequestEvent] = field(default_factory=list)
    """Requests that match the task's terminal request, in order."""
    changes: list[RequestEvent] = field(default_factory=list)
    """State-changing requests on the run's own sites, commits included, in order."""
    steps: list[Step] = field(default_factory=list)
    pages: list[PageState] = field(default_factory=list)
    """The last pages that the agent was shown."""
    walls: dict[str, PageState] = field(default_factory=dict)
    """Kind of wall to the latest page that showed it."""
    shown: list[ShownFile] = field(default_factory=list)
    """Files of the task that the agent read."""
    closing: Message | None = None
    """The agent's last words."""
    visits: list[tuple[str, Step]] = field(default_factory=list)
    """Hosts in order of page loads."""
    sites: frozenset[str] = frozenset()
    queries: list[RequestEvent] = field(default_factory=list)
    """The latest GET requests with a query on the run's own sites: where a task commits by GET, one of them does."""
    captcha_loads: list[int] = field(default_factory=list)
    """Times at which a CAPTCHA challenge was fetched."""
    notices: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    skew: Skew = _NO_SKEW
    """How far the clock of the actions runs ahead of that of the requests."""
    conflict: str = ""
    """Set where `interception.json` and `requests.jsonl` contradict each other."""
    two_readings: frozenset[int] = frozenset()
    """Lines of terminal requests whose record repeats a key: what they held depends on who reads them."""
    undecided: str = ""
    """Set where it cannot be told which requests are the task's terminal request."""


def digest(trace: Trace, schema: EvalSchema | None) -> RunDigest:
    """Read every layer of `trace` as a stream. `schema` is the task's terminal request, if the task is known."""
    out = RunDigest(trace)
    requests = _scan_requests(out, schema)
    _add_interception(out, schema)
    _find_repeated_keys(out)
    pages = _scan_messages(out)
    terminal = {id(event) for event in out.commits}
    chosen = sorted(requests, key=lambda event: event.line)

    def too_many(let_go: int) -> None:
        file = trace.files.relative("actions") if trace.has("actions") else "requests.jsonl"
        trace.problems.add("too_many_steps", "actions", file, f"{let_go} steps in the middle not aligned")

    marked = [(event, id(event) in terminal) for event in chosen]
    out.steps = build_steps(_counted(out, trace.actions()), marked, pages, out.skew.offset_ms, too_many)
    out.visits = [(host(step.url), step) for step in out.steps if step.kind == "navigate"]
    return out


def _scan_requests(out: RunDigest, schema: EvalSchema | None) -> list[RequestEvent]:
    """Fills commits, changes, queries, sites and skew; returns the events that become steps."""
    loads = _page_loads(out)
    scan = _RequestScan(out, schema)
    for event in out.trace.requests():
        scan.see(event)
    documents, kept = scan.documents, scan.kept
    opened = [(event.url, event.t_ms) for event in documents if event.t_ms is not None]
    out.skew = estimate_skew([(url, t_ms) for url, t_ms in loads if t_ms is not None], opened)
    out.sites = out.sites or frozenset(host(event.url) for event in documents) - {""}
    commits = {id(event) for event in out.commits}
    out.changes = [event for event in kept if id(event) in commits or is_state_changing(event, out.sites)]
    out.queries = [event for event in scan.queries if any(same_site(host(event.url), site) for site in out.sites)]
    present = {id(event) for event in kept}
    # Without actions the documents that were fetched are the only record of the pages that were opened.
    pages = [] if loads else [event for event in documents if event.line not in {c.line for c in out.commits}]
    return out.changes + [event for event in out.commits if id(event) not in present] + pages


def _page_loads(out: RunDigest) -> list[tuple[str, int | None]]:
    """Fills the run's sites; returns the first page loads, as many as there are documents kept to hold against them."""
    loads: list[tuple[str, int | None]] = []
    sites: set[str] = set()
    for event in out.trace.actions():
        if event.type == "pageLoad" and is_web(event.url):
            sites.add(host(event.url))
            if len(loads) < KEPT_DOCUMENTS:
                loads.append((event.url, event.t_ms))
    out.sites = frozenset(sites) - {""}
    return loads


class _RequestScan:
    """Sorts the requests of a run as they come by, and lets go of what would be too much to hold."""

    def __init__(self, out: RunDigest, schema: EvalSchema | None) -> None:
        self.out = out
        self.schema = schema
        self.cheap = without_body(schema) if schema else None
        self.kept: deque[RequestEvent] = deque()
        self.queries: deque[RequestEvent] = deque(maxlen=KEPT_QUERIES)
        self.documents: list[RequestEvent] = []
        self._kept_bytes = 0
        self._commit_bytes = 0
        self._matching_seconds = 0.0

    def see(self, event: RequestEvent) -> None:
        self.out.counts["http"] = self.out.counts.get("http", 0) + 1
        if event.method == "GET":
            self._see_get(event)
        commit = self._is_commit(event)
        if commit:
            event = self._keep_commit(event)
        if commit or is_state_changing(event, self.out.sites):
            self.kept.append(event)
            self._kept_bytes += event.size
        while self.kept and (self._kept_bytes > KEPT_BODY_BYTES or len(self.kept) > KEPT_CHANGES):
            dropped = self.kept.popleft()
            self._kept_bytes -= dropped.size
            if not any(dropped is known for known in self.out.commits):
                self._let_go(
                    "old_request_let_go", "an early state-changing request was not kept for comparison", dropped
                )

    def _see_get(self, event: RequestEvent) -> None:
        page = event.resource_type == "Document"
        if page or (event.resource_type in ("XHR", "Fetch", "") and "?" in event.url):
            if event.size > KEPT_URL_BYTES:
                self._let_go("long_request_let_go", "a GET request was too long to be kept for comparison", event)
            else:
                if page and is_web(event.url) and len(self.documents) < KEPT_DOCUMENTS:
                    self.documents.append(dataclasses.replace(event, body=None, headers={}))
                if "?" in event.url:
                    self.queries.append(event)
        loads = self.out.captcha_loads
        if event.t_ms is not None and len(loads) < 200 and event.resource_type not in _PAGE_PARTS:
            if is_captcha(event.url):
                loads.append(event.t_ms)

    def _is_commit(self, event: RequestEvent) -> bool:
        if self.schema is None or self.cheap is None or self.out.undecided:
            return False
        started = time.process_time()
        answer = match_request(self.cheap, event.method, event.url, None)
        self._matching_seconds += time.process_time() - started
        if answer.undecided or self._matching_seconds > MATCHING_SECONDS:
            _give_up(self.out, event)
            return False
        # Bodies are parsed only for the few requests that pass the cheap part of the schema.
        return answer.matched and is_commit(self.schema, event)

    def _keep_commit(self, event: RequestEvent) -> RequestEvent:
        if self._commit_bytes + event.size > KEPT_COMMIT_BYTES:
            self._let_go("commit_body_let_go", "the body of a terminal request was too large to keep", event)
            event = dataclasses.replace(event, body=None, size=0)
        self._commit_bytes += event.size
        if len(self.out.commits) < KEPT_COMMITS:
            self.out.commits.append(event)
        else:
            self._let_go("commit_let_go", f"more than {KEPT_COMMITS} terminal requests; this one is not judged", event)
        return event

    def _let_go(self, code: str, message: str, event: RequestEvent) -> None:
        trace = self.out.trace
        trace.problems.add(code, "http", trace.files.relative("http"), message, event.line)


def _give_up(out: RunDigest, event: RequestEvent) -> None:
    """Without an answer for one request none can be given for the run: that one may have been the terminal one."""
    out.undecided = "the task's url_pattern takes too long to search, so it cannot be told what the run submitted"
    layer = "http" if event.line else "interception"
    file = out.trace.files.relative(layer)
    out.trace.problems.add(
        "pattern_too_slow", layer, file, f"{out.undecided}; simplify the pattern", event.line or None
    )


def is_captcha(url: str) -> bool:
    """Whether a request fetches a CAPTCHA challenge, by the names that such services go by."""
    lowered = url.casefold()
    return ("captcha" in lowered or "turnstile" in lowered) and mention("captcha", url) is not None


def is_commit(schema: EvalSchema, event: RequestEvent) -> bool:
    """Whether a request is the task's terminal request, by the one matcher."""
    payload: Payload | None = event.payload() if schema.body else None
    return match_request(schema, event.method, event.url, payload).matched


def without_body(schema: EvalSchema) -> EvalSchema:
    """The part of the schema that needs no body."""
    return schema.model_copy(update={"body": None}) if schema.body else schema


def _add_interception(out: RunDigest, schema: EvalSchema | None) -> None:
    """Holds `interception.json` against the request log; the log decides, and a contradiction is kept as such."""
    claim = out.trace.interception
    if claim is not None and not claim.intercepted and claim.stop_reason:
        out.conflict = _unclaimed(out.commits)
    if claim is None or not claim.intercepted or claim.request is None:
        return
    if schema is None or schema.never_matches:
        return
    request = claim.request
    if out.undecided:
        return
    if match_request(without_body(schema), request.method, request.url, None).undecided:
        _give_up(out, request)
        return
    if not is_commit(schema, request):
        out.conflict = "interception.json claims a block, but its request does not match the task's terminal request"
        return
    same = [c for c in out.commits if c.url == request.url and c.method == request.method]
    if same and all(c.blocked is False for c in same):
        out.conflict = f"interception.json claims a block that requests.jsonl:{same[-1].line} denies"
        return
    # A body that was not recorded, or was let go, contradicts nothing.
    if same and (request.body is None or any(c.body is None for c in same)):
        return
    value = request.payload().value
    if any(c.payload().value == value for c in same):
        return
    if out.counts.get("http"):
        out.conflict = _contradiction(request, same)
        return
    out.commits.append(request)


def _find_repeated_keys(out: RunDigest) -> None:
    """A body that was recorded as text tells of a repeated key itself; one recorded as an object only by its line."""
    lines = {c.line for c in out.commits if isinstance(c.body, dict | list) and c.line}
    if lines:
        out.two_readings = lines_with_repeated_keys(out.trace.files.found["http"], lines)


def _unclaimed(commits: list[RequestEvent]) -> str:
    """Why the log contradicts a recorder that ended without a block; empty if it tells what became of the requests."""
    unanswered = [c for c in commits if c.blocked is None and c.status is None]
    if not unanswered or len(unanswered) < len(commits):
        return ""
    return (
        "interception.json says that the run ended without the terminal request,"
        f" and requests.jsonl:{unanswered[0].line} holds one that nothing says was answered"
    )


def _contradiction(claimed: RequestEvent, logged: list[RequestEvent]) -> str:
    """In words: where the claimed request differs from the logged one of the same address."""
    if not logged:
        return "interception.json holds a request that requests.jsonl does not have; one of the two was changed or cut"
    mine, theirs = dict(flatten(claimed.payload().value)), dict(flatten(logged[-1].payload().value))
    where = next((p for p in [*mine, *theirs] if mine.get(p, _NO_FIELD) != theirs.get(p, _NO_FIELD)), "")
    return (
        f"interception.json and requests.jsonl:{logged[-1].line} differ at /body{where};"
        " one of the two was changed, so neither can be believed"
    )


def _scan_messages(out: RunDigest) -> list[PageState]:
    """Fills what the transcript shows; returns the pages that make wall steps."""
    tail: deque[PageState] = deque(maxlen=KEPT_PAGES)
    first: dict[str, PageState] = {}
    readings: list[Message] = []

    def watched() -> Iterator[Message]:
        total = held = 0
        for message in out.trace.messages():
            total += 1
            if message.role in ("assistant", "result") and message.text.strip():
                out.closing = message
            arguments = _arguments(message)
            names_file = ".json" in arguments
            if names_file or (readings and message.tool_results):
                held += len(message.text) + len(arguments) + sum(len(result.text) for result in message.tool_results)
                # Once full, full for good: whether the agent wrote a file itself must be known of every one kept.
                if len(readings) < KEPT_READINGS and held <= KEPT_READING_BYTES:
                    readings.append(message)
                elif names_file:
                    file = out.trace.files.relative("messages")
                    note = "too much was read before; what this file says was not kept"
                    out.trace.problems.add("file_let_go", "messages", file, note, message.line)
            yield message
        out.counts["messages"] = total

    for page in page_states(watched()):
        if not out.notices and mention_then("judge", "approval", page.raw):
            out.notices.append(f"a page shown to the agent speaks to the judge (line {page.line}); ignored")
        if page.controls or page.url:
            tail.append(page)
        for kind in walls_shown(page):
            first.setdefault(kind, page)
            out.walls[kind] = page
    out.pages = list(tail)
    out.shown = personas_shown(readings)
    return list(first.values())


def _arguments(message: Message) -> str:
    try:
        return " ".join(str(call.arguments) for call in message.tool_calls)
    except RecursionError:
        # Nobody names a file hundreds of brackets deep.
        return ""


def _counted(out: RunDigest, actions: Iterator[ActionEvent]) -> Iterator[ActionEvent]:
    total = 0
    for event in actions:
        total += 1
        yield event
    out.counts["actions"] = total
