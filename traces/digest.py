"""What judges need of a run, gathered in one pass over each layer and with bounded memory.

The layers may be hundreds of megabytes; the digest keeps the requests that commit the task, the latest requests that
change state, the steps, the last pages shown, and the first page that showed each kind of wall. Whatever had to be let
go is named in the trace's problems.
"""

from __future__ import annotations

import dataclasses
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from clawjudge.traces.clock import Skew, estimate_skew
from clawjudge.traces.lexicon import mention
from clawjudge.traces.matcher import match_request
from clawjudge.traces.payload import Payload
from clawjudge.traces.records import ActionEvent, Message, RequestEvent
from clawjudge.traces.steps import MAX_STEPS, Step, build_steps, is_state_changing, walls_shown
from clawjudge.traces.task import EvalSchema
from clawjudge.traces.trace import Trace
from clawjudge.traces.transcripts.pages import PageState, page_states
from clawjudge.traces.transcripts.persona import ShownFile, personas_shown
from clawjudge.traces.urls import host, is_web, same_site

_SPEAKS_TO_JUDGE = re.compile(
    r"(?i)\b(?:judges?|evaluators?|graders?|reviewing model|llm)\b[^\n]{0,120}\b(?:pass|passed|success|verdict|ignore|approve)"
)
KEPT_BODY_BYTES = 16 * 1024 * 1024
KEPT_CHANGES = 2000
KEPT_PAGES = 6
KEPT_COMMITS = 200
KEPT_DOCUMENTS = 5000
KEPT_QUERIES = 300


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
    skew: Skew = Skew(0, 0, 0)
    """How far the clock of the actions runs ahead of that of the requests."""
    conflict: str = ""
    """Set where `interception.json` and `requests.jsonl` contradict each other."""


def digest(trace: Trace, schema: EvalSchema | None) -> RunDigest:
    """Read every layer of `trace` once. `schema` is the task's terminal request, if the task is known."""
    out = RunDigest(trace)
    requests = _scan_requests(out, schema)
    _add_interception(out, schema)
    pages = _scan_messages(out)
    terminal = {id(event) for event in out.commits}
    chosen = sorted(requests, key=lambda event: event.line)
    steps = build_steps(
        _counted(out, trace.actions()), [(event, id(event) in terminal) for event in chosen], pages, out.skew.offset_ms
    )
    if len(steps) > MAX_STEPS:
        half = MAX_STEPS // 2
        file = trace.files.relative("actions") if trace.has("actions") else "requests.jsonl"
        trace.problems.add(
            "too_many_steps", "actions", file, f"{len(steps) - MAX_STEPS} steps in the middle not aligned"
        )
        steps = steps[:half] + steps[-half:]
    out.steps = steps
    out.visits = [(host(step.url), step) for step in steps if step.kind == "navigate"]
    return out


def _scan_requests(out: RunDigest, schema: EvalSchema | None) -> list[RequestEvent]:
    """Fills commits, changes and sites; returns the events that become steps."""
    trace = out.trace
    loads = [(event.url, event.t_ms) for event in trace.actions() if event.type == "pageLoad" and is_web(event.url)]
    out.sites = frozenset(host(url) for url, _ in loads) - {""}
    queries: deque[RequestEvent] = deque(maxlen=KEPT_QUERIES)
    documents: list[RequestEvent] = []
    kept: deque[RequestEvent] = deque()
    held = 0
    total = 0
    for event in trace.requests():
        total += 1
        if event.method == "GET" and event.resource_type in ("Document", "XHR", "Fetch", ""):
            if event.resource_type == "Document" and len(documents) < KEPT_DOCUMENTS:
                documents.append(dataclasses.replace(event, body=None, headers={}))
            if "?" in event.url:
                queries.append(event)
        if event.method == "GET" and event.t_ms is not None and is_captcha(event.url) and len(out.captcha_loads) < 200:
            out.captcha_loads.append(event.t_ms)
        commit = schema is not None and is_commit(schema, event)
        if commit and len(out.commits) < KEPT_COMMITS:
            out.commits.append(event)
        if commit or is_state_changing(event, out.sites):
            kept.append(event)
            held += event.size
        while kept and (held > KEPT_BODY_BYTES or len(kept) > KEPT_CHANGES):
            held -= kept[0].size
            dropped = kept.popleft()
            message = "an early state-changing request was not kept for comparison"
            trace.problems.add("old_request_let_go", "http", trace.files.relative("http"), message, dropped.line)
    out.counts["http"] = total
    opened = [(event.url, event.t_ms) for event in documents if event.t_ms is not None]
    out.skew = estimate_skew([(url, t_ms) for url, t_ms in loads if t_ms is not None], opened)
    out.sites = out.sites or frozenset(host(event.url) for event in documents) - {""}
    out.changes = [
        event for event in kept if any(event is c for c in out.commits) or is_state_changing(event, out.sites)
    ]
    out.queries = [event for event in queries if any(same_site(host(event.url), site) for site in out.sites)]
    present = {id(event) for event in kept}
    # Without actions the documents that were fetched are the only record of the pages that were opened.
    pages = [] if loads else [event for event in documents if id(event) not in {id(c) for c in out.commits}]
    return out.changes + [event for event in out.commits if id(event) not in present] + pages


def is_captcha(url: str) -> bool:
    """Whether a request fetches a CAPTCHA challenge, by the names that such services go by."""
    lowered = url.casefold()
    return ("captcha" in lowered or "turnstile" in lowered) and mention("captcha", url) is not None


def is_commit(schema: EvalSchema, event: RequestEvent) -> bool:
    """Whether a request is the task's terminal request, by the one matcher."""
    if not match_request(without_body(schema), event.method, event.url, None).matched:
        return False
    payload: Payload | None = event.payload() if schema.body else None
    return match_request(schema, event.method, event.url, payload).matched


def without_body(schema: EvalSchema) -> EvalSchema:
    """The schema's cheap part; bodies are parsed only for the few requests that pass it."""
    return schema.model_copy(update={"body": None}) if schema.body else schema


def _add_interception(out: RunDigest, schema: EvalSchema | None) -> None:
    """Holds `interception.json` against the request log; the log decides, and a contradiction is kept as such."""
    claim = out.trace.interception
    if claim is None or not claim.intercepted or claim.request is None:
        return
    if schema is None or schema.never_matches:
        return
    request = claim.request
    if not is_commit(schema, request):
        out.conflict = "interception.json claims a block, but its request does not match the task's terminal request"
        return
    same = [c for c in out.commits if c.url == request.url and c.method == request.method.upper()]
    if any(c.payload().value == request.payload().value for c in same) or (same and request.body is None):
        return
    if out.counts.get("http"):
        out.conflict = "interception.json holds a request that requests.jsonl does not have"
        return
    out.commits.append(dataclasses.replace(request, method=request.method.upper()))


def _scan_messages(out: RunDigest) -> list[PageState]:
    """Fills what the transcript shows; returns the pages that make wall steps."""
    tail: deque[PageState] = deque(maxlen=KEPT_PAGES)
    first: dict[str, PageState] = {}
    readers: list[Message] = []

    def watched() -> Iterator[Message]:
        total = 0
        for message in out.trace.messages():
            total += 1
            if message.role in ("assistant", "result") and message.text.strip():
                out.closing = message
            if _may_read_a_file(message) or (readers and message.tool_results and len(readers) < 200):
                readers.append(message)
            yield message
        out.counts["messages"] = total

    for page in page_states(watched()):
        if not out.notices and _SPEAKS_TO_JUDGE.search(page.raw):
            out.notices.append(f"a page shown to the agent speaks to the judge (line {page.line}); ignored")
        if page.controls or page.url:
            tail.append(page)
        for kind in walls_shown(page):
            first.setdefault(kind, page)
            out.walls[kind] = page
    out.pages = list(tail)
    out.shown = personas_shown(readers)
    return list(first.values())


def _may_read_a_file(message: Message) -> bool:
    return any(".json" in str(call.arguments) for call in message.tool_calls)


def _counted(out: RunDigest, actions: Iterator[ActionEvent]) -> Iterator[ActionEvent]:
    total = 0
    for event in actions:
        total += 1
        yield event
    out.counts["actions"] = total
