"""Everything that the rules of the offline judge ask about, computed once for a case."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from clawjudge.judge.align.acts import ENTRIES, same_acts
from clawjudge.judge.align.alignment import Alignment, align
from clawjudge.judge.align.bindings import Field, bind_fields
from clawjudge.judge.align.context import BindingContext
from clawjudge.judge.align.coverage import Unseen, earlier_fields, sent_before, uncovered
from clawjudge.judge.align.payloads import request_tree
from clawjudge.judge.align.progress import Seen, expected_fields, observe, same_as_reference
from clawjudge.judge.align.terminal import Terminal, find_terminal, mark_commits, operations, query_texts
from clawjudge.judge.case import Case
from clawjudge.judge.offline.endings import Ending, find_ending, last_page
from clawjudge.judge.offline.visits import mailbox_visit
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.jsonl import line_at
from clawjudge.traces.lexicon import plain
from clawjudge.traces.pointers import flatten
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.steps import Step
from clawjudge.traces.urls import endpoint, host, path, same_site


@dataclass(frozen=True)
class JudgedCommit:
    """One terminal request of the agent, compared with the reference's."""

    request: RequestEvent
    fields: tuple[Field, ...]
    body_missing: bool
    suspicion: str = ""
    """Why it may be another request than it seems: another site, another operation, a body of two readings."""

    @property
    def wrong(self) -> list[Field]:
        """Fields that are certainly wrong, the most firmly bound first, then in the order of the payload."""
        found = [
            f for f in self.fields if f.status in ("mismatch", "missing") or (f.status == "extra" and f.kind == "bound")
        ]
        return sorted(found, key=lambda f: -f.strength)

    @property
    def uncertain(self) -> list[Field]:
        return [f for f in self.fields if f.status == "uncertain" or (f.status == "extra" and f.kind != "bound")]


@dataclass(frozen=True, slots=True)
class Named:
    """Something that the instruction names, and the human's step that came to it."""

    what: str
    step: Step


@dataclass
class Facts:
    """A case with its alignment, field bindings and ending. Requires a reference with a terminal request."""

    case: Case
    reference: RunDigest
    terminal: Terminal
    context: BindingContext
    alignment: Alignment
    commits: list[JudgedCommit] = field(default_factory=list)

    @property
    def agent(self) -> RunDigest:
        return self.case.agent

    @functools.cached_property
    def unseen(self) -> list[Unseen]:
        """What the instruction asks for and no comparison shows; only asked once all else agrees.

        The same acts as the human's show the same things, whatever a site keeps to itself.
        """
        if self.context.same_acts:
            return []
        if self.commits:
            commit = self.commits[-1]
            before = [r for r in self.agent.changes if r.line and r.line < commit.request.line] or self.agent.changes
            fields = [*commit.fields, *self.earlier]
        else:
            before, fields = self.agent.changes, [s.field for s in self.progress]
        return uncovered(fields, self.context, self.agent.steps, before)

    @functools.cached_property
    def never_touched(self) -> Named | None:
        """Something that the instruction quotes, that the human opened or chose, and that occurs nowhere in the agent's
        acts and requests: whatever the agent did, it did to something else."""
        for text in self.case.sources.quoted:
            wanted = plain(text)
            theirs = next((s for s in self.reference.steps if wanted in plain(f"{s.label} {s.value or ''}")), None)
            if theirs is None or theirs.kind not in ("navigate", "click", "submit", "select"):
                continue
            mine = (f"{s.label} {s.value or ''} {s.url}" for s in self.agent.steps)
            sent = (str(v) for r in self.agent.changes + self.agent.commits for _, v in flatten(request_tree(r)))
            if self.agent.steps and not any(wanted in plain(words) for words in [*mine, *sent]):
                return Named(text, theirs)
        return None

    @functools.cached_property
    def earlier(self) -> list[Field]:
        """Fields sent ahead of the terminal request and not repeated by it."""
        commit = self.commits[-1]
        terminal_lines = {c.request.line for c in self.commits} | {self.terminal.request.line}
        mine = [r for r in self.agent.changes if r.line not in terminal_lines]
        return earlier_fields(self._before_terminal, mine, list(commit.fields), self.context)

    @functools.cached_property
    def stray_change(self) -> RequestEvent | None:
        """Where the site keeps what the terminal request commits: a change that the human did not make so often.

        Only requests near those by which the human filled it are looked at (`/cart/…`), so that noise stays noise.
        """
        if not self.earlier:
            return None
        theirs = Counter(_operation(r) for r in self._before_terminal)
        places = {_root(r) for r in self._before_terminal if any(f.note.endswith(_operation(r)) for f in self.earlier)}
        terminal = {c.request.line for c in self.commits}
        mine = [
            r
            for r in self.agent.changes
            if r.line not in terminal and any(f"{endpoint(r.url)}/".startswith(f"{place}/") for place in places)
        ]
        for request in mine:
            theirs[_operation(request)] -= 1
            if theirs[_operation(request)] < 0:
                return request
        return None

    @property
    def _before_terminal(self) -> list[RequestEvent]:
        return [r for r in self.reference.changes if r.line < self.terminal.request.line]

    @functools.cached_property
    def progress(self) -> list[Seen]:
        """For a run that never committed: where each bound field stands."""
        wanted = expected_fields(self.terminal.request, self.context)
        return observe(
            wanted + sent_before(self._before_terminal, wanted, self.context),
            self.agent.changes,
            self.agent.steps,
            self.reference.steps,
            self.alignment,
            self.context,
            self.agent.pages,
        )

    @functools.cached_property
    def pressed_last(self) -> bool:
        """Whether the agent's last act was to press what the human pressed on the way: what came then is the answer."""
        acts = [s for s in self.agent.steps if s.kind in ("click", "submit") or (s.kind in ENTRIES and s.value)]
        pair = next((p for p in self.alignment.pairs if acts and p.agent == acts[-1].index), None)
        if pair is None or pair.reference is None:
            return False
        return acts[-1].kind in ("click", "submit") and self.reference.steps[pair.reference].kind in ("click", "submit")

    @functools.cached_property
    def unreadable_commit(self) -> int | None:
        """A line of the request log that could not be read and that names the terminal request's address."""
        trace = self.agent.trace
        address = path(self.terminal.request.url).encode()
        for problem in trace.problems.of("http"):
            if problem.code in ("bad_json", "truncated_line", "line_too_long") and problem.line is not None:
                raw = line_at(trace.files.found["http"], problem.line)
                if raw is None or address in raw:
                    return problem.line
        return None

    @property
    def site_pages(self) -> bool:
        """Whether the transcript shows the page of the task's site on which the run ended."""
        return last_page(self.case, self.reference) is not None

    @functools.cached_property
    def ending(self) -> Ending | None:
        """The page on which an unfinished run stopped, if it shows a reason."""
        return find_ending(self.case, self.reference)


def _operation(request: RequestEvent) -> str:
    return " ".join([request.method, endpoint(request.url), *operations(request)])


def _root(request: RequestEvent) -> str:
    """Host and the path up to the thing that is changed: `shop.example/api/cart`."""
    return "/".join(endpoint(request.url).split("/")[:-1])


def establish(case: Case) -> Facts | None:
    """The facts of `case`, or None if its reference never made a terminal request."""
    reference = case.reference
    if reference is None:
        return None
    terminal = find_terminal(case.task, reference, case.sources)
    if terminal is None:
        return None
    mark_commits(reference, terminal)
    mark_commits(case.agent, terminal)
    context = _context(case, reference)
    alignment = align(
        case.agent.steps,
        reference.steps,
        lambda theirs, mine: bool(same_as_reference(theirs, mine, context)),
    )
    context.same_acts = same_acts(alignment, case.agent.steps, reference.steps, case.sources)
    facts = Facts(case, reference, terminal, context, alignment)
    wanted_body = terminal.request.payload().kind != "none"
    for request in case.agent.commits:
        fields = tuple(bind_fields(terminal.request, request, context))
        missing = wanted_body and _body_not_recorded(request)
        facts.commits.append(JudgedCommit(request, fields, missing, _suspicion(terminal.request, request)))
    return facts


def _body_not_recorded(request: RequestEvent) -> bool:
    """A body that the recorder did not get is no evidence that it was empty; a Content-Length of 0 is."""
    if request.payload().kind != "none":
        return False
    lengths = [v for k, v in request.headers.items() if k.casefold() == "content-length"]
    return lengths != ["0"]


def _suspicion(reference: RequestEvent, agent: RequestEvent) -> str:
    if not same_site(host(reference.url), host(agent.url)):
        return f"it went to another site, {host(agent.url)}, than the reference's, {host(reference.url)}"
    if operations(reference) != operations(agent):
        return "it calls another GraphQL operation than the reference's"
    if query_texts(reference) != query_texts(agent):
        return "the text of its GraphQL operation is another than the reference's"
    doubts = [p for p in agent.payload().problems if p not in reference.payload().problems]
    return f"its body can be read in two ways ({', '.join(doubts)})" if doubts else ""


def _context(case: Case, reference: RunDigest) -> BindingContext:
    entered = set()
    for step in case.agent.steps:
        for text in (step.value, step.label if step.kind in ("click", "submit") else None):
            if text:
                entered.add(text.strip().casefold())
    return BindingContext(
        sources=case.sources,
        reference_emails=case.reference_emails,
        reference_times=_times(reference),
        agent_times=_times(case.agent),
        region=case.region,
        agent_entered=frozenset(entered),
        headers=frozenset(_header_values(case.agent)),
        mail_read=mailbox_visit(reference) is not None and mailbox_visit(case.agent) is not None,
        titles=(_titles(reference), _titles(case.agent)),
        options={s.value.strip().casefold(): s.element.text for s in reference.steps if s.value and _is_list(s)},  # type: ignore[union-attr]
        was_shown=functools.cache(lambda text: _was_shown(case.agent, text)),
    )


def _titles(run: RunDigest) -> dict[str, frozenset[str]]:
    """Each part of an opened page's path to the titles of the pages that had it."""
    titles: dict[str, frozenset[str]] = {}
    for step in run.steps:
        if step.kind == "navigate":
            for part in path(step.url).split("/"):
                titles[part] = titles.get(part, frozenset()) | {step.label}
    return titles


def _header_values(run: RunDigest) -> Iterator[str]:
    """Cookies and other header values of the run's requests: where session tokens stand."""
    for request in run.changes:
        for name, value in request.headers.items():
            yield value.strip()
            if name.casefold() == "cookie":
                yield from (part.split("=", 1)[-1].strip() for part in value.split(";"))


def _is_list(step: Step) -> bool:
    return step.element is not None and step.element.tag == "SELECT"


def _times(run: RunDigest) -> tuple[int, int] | None:
    times = [s.t_ms for s in run.steps if s.t_ms is not None]
    return (min(times), max(times)) if times else None


def _was_shown(run: RunDigest, text: str) -> bool:
    """Whether a page or a message that the agent read held `text`; a second pass over the transcript, on demand."""
    return any(text in result.text for message in run.trace.messages() for result in message.tool_results)
