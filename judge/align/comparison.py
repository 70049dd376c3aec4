"""Two runs of one task, compared: what every judge may be given and the offline judge's rules rest on."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from clawjudge.judge.align.acts import pressed_elsewhere, same_acts
from clawjudge.judge.align.alignment import Alignment, align, vary
from clawjudge.judge.align.bindings import Field, bind_fields
from clawjudge.judge.align.context import BindingContext
from clawjudge.judge.align.coverage import earlier_fields, sent_before
from clawjudge.judge.align.payloads import request_tree
from clawjudge.judge.align.progress import Seen, expected_fields, observe, same_as_reference
from clawjudge.judge.align.terminal import Terminal, find_terminal, mark_commits, operations, query_texts
from clawjudge.judge.align.visits import mailbox_visit
from clawjudge.judge.case import Case
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.occurrences import Occurrences
from clawjudge.traces.pointers import leaf_values
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.steps import Step
from clawjudge.traces.urls import host, path, same_site

_DAMAGE = frozenset({"bad_json", "bad_multipart", "multipart_damaged"})
"""What a body is called that breaks off, or does not parse as its type says."""
_TWO_READINGS = "its body can be read in two ways ({})"


@dataclass(frozen=True)
class JudgedCommit:
    """One terminal request of the agent, compared with the reference's."""

    request: RequestEvent
    fields: tuple[Field, ...]
    body_missing: bool
    """Whether the body was not recorded, or not whole."""
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


@dataclass
class RunComparison:
    """A case with its terminal request, alignment and field bindings. The reference made a terminal request."""

    case: Case
    reference: RunDigest
    terminal: Terminal
    context: BindingContext
    alignment: Alignment
    commits: list[JudgedCommit] = field(default_factory=list)
    """The agent's terminal requests, each compared with the reference's."""

    @classmethod
    def of(cls, case: Case) -> Self | None:
        """The comparison of `case`, or None if it has no reference or that never made a terminal request."""
        reference = case.reference
        if reference is None:
            return None
        terminal = find_terminal(case.task, reference, case.sources)
        if terminal is None:
            return None
        mark_commits(reference, terminal)
        mark_commits(case.agent, terminal)
        context = _context(case, reference)
        alignment = _aligned(case, reference, context)
        context.same_acts = same_acts(alignment, case.agent.steps, reference.steps, case.sources)
        context.pressed_elsewhere = pressed_elsewhere(alignment, case.agent.steps, reference.steps)
        comparison = cls(case, reference, terminal, context, alignment)
        wanted_body = terminal.request.payload().kind != "none"
        for request in case.agent.commits:
            fields = tuple(bind_fields(terminal.request, request, context))
            missing = wanted_body and (_body_not_recorded(request) or is_damaged(terminal.request, request))
            suspicion = _suspicion(terminal.request, request)
            if request.line in case.agent.two_readings:
                suspicion = suspicion or _TWO_READINGS.format("duplicate_key")
            comparison.commits.append(JudgedCommit(request, fields, missing, suspicion))
        comparison.alignment = vary(alignment, comparison._differing_commits())
        return comparison

    def _differing_commits(self) -> dict[int, str]:
        """The agent's steps that are terminal requests with other values, and which fields differ."""
        steps = {step.line.line: step.index for step in self.agent.steps if step.terminal}
        reasons = {}
        for commit in self.commits:
            differing = [field.agent_pointer for field in (*commit.wrong, *commit.uncertain)]
            if differing and commit.request.line in steps:
                more = f" and {len(differing) - 1} more" if len(differing) > 1 else ""
                reasons[steps[commit.request.line]] = f"differs in {differing[0]}{more}"
        return reasons

    @property
    def agent(self) -> RunDigest:
        return self.case.agent

    @functools.cached_property
    def earlier(self) -> list[Field]:
        """Fields sent ahead of the terminal request and not repeated by it; none for a run that never made one."""
        if not self.commits:
            return []
        commit = self.commits[-1]
        terminal_lines = {c.request.line for c in self.commits} | {self.terminal.request.line}
        mine = [r for r in self.agent.changes if r.line not in terminal_lines]
        return earlier_fields(self.before_terminal, mine, list(commit.fields), self.context)

    @property
    def before_terminal(self) -> list[RequestEvent]:
        """The reference's state-changing requests ahead of its terminal request."""
        return [r for r in self.reference.changes if r.line < self.terminal.request.line]

    @functools.cached_property
    def progress(self) -> list[Seen]:
        """For a run that never committed: where each bound field stands."""
        wanted = expected_fields(self.terminal.request, self.context)
        return observe(
            wanted + sent_before(self.before_terminal, wanted, self.context),
            self.agent.changes,
            self.agent.steps,
            self.reference.steps,
            self.alignment,
            self.context,
            self.agent.pages,
        )


def align_runs(case: Case) -> Alignment | None:
    """The steps of both runs, paired, where no terminal request is known that could anchor them; None without a
    reference."""
    if case.reference is None:
        return None
    return _aligned(case, case.reference, _context(case, case.reference))


def _aligned(case: Case, reference: RunDigest, context: BindingContext) -> Alignment:
    return align(case.agent.steps, reference.steps, lambda theirs, mine: bool(same_as_reference(theirs, mine, context)))


def _body_not_recorded(request: RequestEvent) -> bool:
    """A body that the recorder did not get is no evidence that it was empty; a Content-Length of 0 is."""
    if request.payload().kind != "none":
        return False
    lengths = [v for k, v in request.headers.items() if k.casefold() == "content-length"]
    return lengths != ["0"]


def is_damaged(reference: RequestEvent, agent: RequestEvent) -> bool:
    """Whether the body of one of the two was cut off or broken by the recording, so that what it lacks says nothing."""
    theirs, mine = (request.payload() for request in (reference, agent))
    # Some sites write their forms in a way that no parser likes; then the human's has the same defect.
    shared = _DAMAGE & set(mine.problems) & set(theirs.problems) if "multipart" in mine.kind else set()
    return bool((_DAMAGE & (set(mine.problems) | set(theirs.problems))) - shared) or any(
        map(_shorter, (reference, agent))
    )


def _shorter(request: RequestEvent) -> bool:
    """Whether fewer bytes were recorded than the request says that it sent."""
    payload = request.payload()
    said = [v.strip() for k, v in request.headers.items() if k.casefold() == "content-length" and isinstance(v, str)]
    if payload.kind in ("none", "binary") or payload.raw is None or len(said) != 1:
        return False
    return said[0].isascii() and said[0].isdecimal() and len(said[0]) < 12 and len(payload.raw) < int(said[0])


def _suspicion(reference: RequestEvent, agent: RequestEvent) -> str:
    if not same_site(host(reference.url), host(agent.url)):
        return f"it went to another site, {host(agent.url)}, than the reference's, {host(reference.url)}"
    if _origin(reference.url) != _origin(agent.url):
        return f"it went to {_origin(agent.url)}, and the reference's to {_origin(reference.url)}"
    if operations(reference) != operations(agent):
        return "it calls another GraphQL operation than the reference's"
    if query_texts(reference) != query_texts(agent):
        return "the text of its GraphQL operation is another than the reference's"
    doubts = [p for p in agent.payload().problems if p not in reference.payload().problems]
    return _TWO_READINGS.format(", ".join(doubts)) if doubts else ""


def _origin(url: str) -> str:
    """Scheme and host; the same site with and without `www.` is one."""
    return f"{url.partition('://')[0].casefold()}://{host(url).removeprefix('www.')}"


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
        was_met=functools.cache(lambda text: _was_met(case.agent, text)),
        in_agent=Occurrences(case.agent.trace).hold,
        in_reference=Occurrences(reference.trace).hold,
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


def _was_met(run: RunDigest, text: str) -> bool:
    """Whether a page's address or a request ahead of the run's terminal requests holds `text`."""
    terminal = {request.line for request in run.commits}
    earlier = [r for r in (*run.changes, *run.queries) if r.line not in terminal]
    leaves = (str(value) for request in earlier for value in leaf_values(request_tree(request)))
    return any(text in step.url for step in run.steps if step.kind == "navigate") or text in leaves


def _was_shown(run: RunDigest, text: str) -> bool:
    """Whether a page or a message that the agent read held `text`; a second pass over the transcript, on demand."""
    return any(text in result.text for message in run.trace.messages() for result in message.tool_results)
