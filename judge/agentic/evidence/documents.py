"""The small files of the evidence: task, rubric, facts, alignment and field bindings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from clawjudge.judge.agentic.evidence.address import Run, seconds
from clawjudge.judge.agentic.evidence.leaves import Limits, shortened
from clawjudge.judge.agentic.evidence.redact import EvidenceRedactor
from clawjudge.judge.align.alignment import Alignment, StepPair
from clawjudge.judge.align.bindings import Field, leaf_name
from clawjudge.judge.align.comparison import RunComparison
from clawjudge.judge.align.parting import first_parting
from clawjudge.judge.align.payloads import ABSENT, request_tree
from clawjudge.judge.case import Case
from clawjudge.judge.fence import quoted
from clawjudge.judge.offline.judge import stage1
from clawjudge.judge.offline.report import gaps
from clawjudge.rubrics.load import Rubric
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.pointers import flatten
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.steps import Step

_MAX_TEXT = 600
_MAX_INSTRUCTION = 50_000
_MAX_DOCUMENTS = 20
_MAX_GAPS = 60
_DOCUMENT = Limits(characters=4000, leaves=1000, total=60_000)
_PAIR_BYTES = {True: 1_000_000, False: 1_500_000}
"""Of pairs that match and of those that do not; what is beyond comes in brief."""
_BINDING_BYTES = {True: 500_000, False: 1_500_000}
"""Of fields that match and of those that do not; what is beyond is counted."""


@dataclass(frozen=True)
class Documents:
    """Writes what is known of a case, given the layers that the judge may see."""

    case: Case
    layers: tuple[str, ...]
    redactor: EvidenceRedactor
    start_ms: dict[str, int]
    _leaves: dict[int, dict[str, Any]] = field(default_factory=dict, repr=False)

    def task(self) -> dict[str, Any]:
        """The task and what it gave the agent to enter."""
        task = self.case.task
        documents = self.case.sources.documents
        instruction = self.redactor.text(task.instruction if task else "")
        said: dict[str, Any] = {"instruction": instruction[:_MAX_INSTRUCTION]}
        if len(instruction) > _MAX_INSTRUCTION:
            said["instruction_left_out"] = f"{len(instruction) - _MAX_INSTRUCTION} characters more"
        if task is not None:
            schema = task.eval_schema
            said["sites"] = self._cut(list(task.metadata.sites_involved))
            said["final_request"] = {
                "url_pattern": schema.url_pattern,
                "method": list(schema.methods),
                "body": self._cut(schema.body),
                "params": self._cut(schema.params),
                "never_matches": schema.never_matches,
            }
            said["time_limit_minutes"] = task.time_limit
            said["extra_info"] = self._cut([{"path": i.path, "description": i.description} for i in task.extra_info])
        said["email_given"] = self._cut(sorted(self.case.sources.own_emails))
        said["details_given"] = [
            {"kind": d.source, "name": self._text(d.name), "content": self._cut(d.value)}
            for d in documents[:_MAX_DOCUMENTS]
        ]
        said["details_left_out"] = max(0, len(documents) - _MAX_DOCUMENTS)
        return said

    def _cut(self, value: Any) -> Any:
        """A document of the task without secrets, cut to size."""
        shown, cut = shortened(value, _DOCUMENT, self.redactor)
        if not cut.leaves and not cut.lengths:
            return shown
        gone = cut.characters + sum(length - _DOCUMENT.characters for length in cut.lengths.values())
        return {"shown": shown, "left_out": f"{cut.leaves} values, {gone} characters"}

    def facts(self, compared: RunComparison | None, alignment: Alignment) -> dict[str, Any]:
        """Stage 1 and what is known of the recordings themselves."""
        case = self.case
        found = [g for g in gaps(case.agent, case.reference) if g.layer not in _withheld(self.layers)]
        said: dict[str, Any] = {
            "layers_given": list(self.layers),
            "events": {whose: dict(sorted(run.counts.items())) for whose, run in self._runs()},
            "gaps": [
                {
                    "run": g.run,
                    "layer": g.layer,
                    "code": g.code,
                    "count": g.count,
                    "what": self._text(self._placeless(g.message)),
                }
                for g in found[:_MAX_GAPS]
            ],
            "gaps_left_out": max(0, len(found) - _MAX_GAPS),
            "notices": [self._text(n) for n in (*case.notices, *case.agent.notices)],
        }
        if case.task_mismatch:
            said["task_mismatch"] = self._text(case.task_mismatch)
        if case.reference is not None:
            binds = case.sources.bind
            first = first_parting(alignment, case.agent.steps, case.reference.steps, lambda value: bool(binds(value)))
            said["steps"] = alignment.counts
            said["first_divergence"] = None if first is None else alignment.pairs.index(first)
        if "http" in self.layers:
            stage = stage1(case)
            said["stage1"] = {"status": stage.status, "final_requests": stage.commits, "note": self._text(stage.note)}
            said["final_requests"] = self._commits(compared)
            said["recorder_says"] = self._claims()
            if case.agent.conflict:
                said["conflict"] = self._text(case.agent.conflict)
        return said

    def _placeless(self, message: str) -> str:
        """A report on a recording without the place where it lies: the names of folders may tell what to find."""
        for whose, run in self._runs():
            for root in sorted({str(run.trace.root), str(run.trace.root.resolve())}, key=len, reverse=True):
                # A folder may be called by a word that stands in the report as well.
                place = rf"(?<![\w./-]){re.escape(root)}(?![\w-])"
                message = re.sub(place, f"the {whose}'s recording", message)
        return message

    def _commits(self, compared: RunComparison | None) -> dict[str, Any]:
        if compared is None:
            mine = [self._place("agent", request) for request in self.case.agent.commits]
            return {"reference": None, "agent": [{"at": at} for at in mine]}
        return {
            "reference": self._place("reference", compared.terminal.request),
            "agent": [
                {
                    "at": self._place("agent", commit.request),
                    "body_missing": commit.body_missing,
                    "doubt": self._text(commit.suspicion),
                }
                for commit in compared.commits
            ],
        }

    def _claims(self) -> dict[str, Any]:
        said: dict[str, Any] = {}
        for whose, run in self._runs():
            claim = run.trace.interception
            said[whose] = (
                None
                if claim is None
                else {
                    "at": f"{whose} interception",
                    "intercepted": claim.intercepted,
                    "stop_reason": self._text(claim.stop_reason),
                }
            )
        return said

    def alignment(self, alignment: Alignment, pictures: dict[tuple[str, int, str], str]) -> Iterator[str]:
        """One line of JSON per pair of steps. `pictures` are the names by run, step and moment."""
        left = dict(_PAIR_BYTES)
        for place, pair in enumerate(alignment.pairs):
            line = quoted(self._pair(place, pair, pictures))
            left[pair.status == "match"] -= len(line)
            if left[pair.status == "match"] < 0:
                line = quoted(self._brief(place, pair))
            yield line

    def _pair(self, place: int, pair: StepPair, pictures: dict[tuple[str, int, str], str]) -> dict[str, Any]:
        return {
            "pair": place,
            "status": pair.status,
            "why": pair.reason,
            **({"reordered": True} if pair.reordered else {}),
            **({"detour": True} if pair.detour else {}),
            "agent": self._step("agent", pair, pictures),
            "reference": self._step("reference", pair, pictures),
        }

    def _brief(self, place: int, pair: StepPair) -> dict[str, Any]:
        """A pair of a very long run: where it stands."""
        said: dict[str, Any] = {"pair": place, "status": pair.status, "brief": True}
        sides: tuple[tuple[Run, RunDigest | None, int | None], ...] = (
            ("agent", self.case.agent, pair.agent),
            ("reference", self.case.reference, pair.reference),
        )
        for whose, run, position in sides:
            step = None if run is None or position is None else run.steps[position]
            said[whose] = None if step is None else {"step": step.index, "at": _sources(whose, step)}
        return said

    def _step(self, whose: Run, pair: StepPair, pictures: dict[tuple[str, int, str], str]) -> dict[str, Any] | None:
        position = pair.agent if whose == "agent" else pair.reference
        run = self.case.agent if whose == "agent" else self.case.reference
        if position is None or run is None:
            return None
        step = run.steps[position]
        said: dict[str, Any] = {"step": step.index, "kind": step.kind}
        if step.t_ms is not None and whose in self.start_ms:
            said["time"] = f"@{seconds(step.t_ms - self.start_ms[whose])}"
        said["what"] = self._text(step.label or step.target)
        if step.value is not None and step.kind not in ("click", "submit", "navigate"):
            said["value"] = self._text(str(self._value(step)))
        said["url"] = self._text(step.url)
        said |= {"final_request": True} if step.terminal else {}
        said["at"] = _sources(whose, step)
        screens = {m: pictures[whose, step.index, m] for m in ("before", "after") if (whose, step.index, m) in pictures}
        return {**said, "screens": screens} if screens else said

    def _value(self, step: Step) -> Any:
        # A field is known as one for secrets by any of its names.
        value: Any = step.value
        for name in step.names:
            value = self.redactor.redact(value, name)
        return value

    def bindings(self, compared: RunComparison | None) -> Iterator[str]:
        """One line of JSON per field of each final request of the agent, or of where each field stands without one."""
        if compared is None:
            return
        left, left_out = dict(_BINDING_BYTES), {True: 0, False: 0}
        for said in self._compared(compared):
            line, match = quoted(said), said["status"] == "match"
            left[match] -= len(line)
            if left[match] < 0:
                left_out[match] += 1
            else:
                yield line
        if any(left_out.values()):
            yield quoted({"left_out": {"fields_that_match": left_out[True], "fields_that_do_not": left_out[False]}})

    def _compared(self, compared: RunComparison) -> Iterator[dict[str, Any]]:
        for number, commit in enumerate(compared.commits):
            for one in commit.fields:
                yield {"final_request": number, **self._field(one, compared, commit.request)}
        if compared.commits:
            for one in compared.earlier:
                yield {"sent_before": True, **self._field(one, compared, None)}
            return
        for seen in compared.progress:
            yield {"never_sent": True, **self._field(seen.field, compared, seen.request)}

    def _field(self, field: Field, compared: RunComparison, request: RequestEvent | None) -> dict[str, Any]:
        name = leaf_name(field.pointer)
        said = {
            "field": field.pointer[:_MAX_TEXT],
            "reference": self._leaf(field.reference, name),
            "agent": self._leaf(field.agent, name),
            "kind": field.kind,
            "status": field.status,
            "bound_by": [{"source": b.source, "words": self._text(b.quote)} for b in field.bound_by[:3]],
        }
        said |= {"normalised_by": list(field.normalisations)} if field.normalisations else {}
        said |= {"note": self._text(field.note)} if field.note else {}
        if self._stands_in(compared.terminal.request, field):
            said["reference_at"] = self._field_place("reference", compared.terminal.request, field.pointer)
        if request is not None and field.agent is not ABSENT and field.agent is not None:
            said["agent_at"] = self._field_place("agent", request, field.agent_pointer)
        return said

    def _leaf(self, value: Any, name: str) -> Any:
        if value is ABSENT:
            return {"absent": True}
        shown = self.redactor.redact(value, name)
        return self._text(shown) if isinstance(shown, str) else shown

    def _text(self, text: str) -> str:
        """Text of a trace, short; where it is cut, it says so."""
        said = self.redactor.text(text)
        return said if len(said) <= _MAX_TEXT else f"{said[:_MAX_TEXT]}… ({len(said) - _MAX_TEXT} characters more)"

    def _place(self, whose: Run, request: RequestEvent) -> str:
        # A final request that the log does not have stands in what the recorder wrote of it.
        return f"{whose} http:{request.line}" if request.line else f"{whose} interception"

    def _stands_in(self, request: RequestEvent, field: Field) -> bool:
        """Whether the reference's value is one of its final request, not of one that it sent before."""
        if id(request) not in self._leaves:
            self._leaves[id(request)] = dict(flatten(request_tree(request)))
        there = self._leaves[id(request)].get(field.pointer, ABSENT)
        return there is not ABSENT and bool(there == field.reference)

    def _field_place(self, whose: Run, request: RequestEvent, pointer: str) -> str:
        """Where a field can be looked up. Parts of an address are compared one by one and recorded as a whole."""
        run = self.case.agent if whose == "agent" else self.case.reference
        pointer = "/url" if pointer.startswith("/url/") else pointer[:_MAX_TEXT]
        nested = run is not None and isinstance(run.trace.interception_document.get("request"), dict)
        return f"{self._place(whose, request)} {'/request' if nested and not request.line else ''}{pointer}"

    def _runs(self) -> Iterator[tuple[Run, RunDigest]]:
        yield "agent", self.case.agent
        if self.case.reference is not None:
            yield "reference", self.case.reference


def _sources(whose: Run, step: Step) -> list[str]:
    return [f"{whose} {source.layer}:{source.line}" for source in step.sources]


def _withheld(layers: tuple[str, ...]) -> frozenset[str]:
    gone = frozenset({"video", "screenshots", "http", "actions", "messages"}) - set(layers)
    return gone | {"interception"} if "http" in gone else gone


def rubric_lines(rubric: Rubric) -> list[str]:
    """The rubric as text, with the hash that goes into the verdict."""
    lines = [f"Rubric {rubric.id}, version {rubric.version}, sha256 {rubric.sha256}", rubric.title, "", rubric.preamble]
    for rule in rubric.rules:
        needs = f" (needs: {', '.join(rule.needs)})" if rule.needs else ""
        lines += ["", f"{rule.id} {rule.name}: {rule.title}{needs}", rule.text]
    return lines
