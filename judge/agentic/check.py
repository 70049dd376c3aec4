"""The check of an answer: every citation holds, the outcome follows from the findings, and the words agree with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from clawjudge.judge.agentic.answer import Answer, Cited, FieldCheck, RuleFinding, outcome_of, rule_complaints
from clawjudge.judge.agentic.evidence.manifest import Manifest, UnknownPlace
from clawjudge.judge.agentic.hostile import speaks_to_the_judge
from clawjudge.judge.citation import CitationCheck
from clawjudge.judge.reply import contradiction
from clawjudge.judge.verdict import Citation, FieldBinding, Finding
from clawjudge.rubrics.load import Rubric
from clawjudge.traces.secrets import mask, scrub

Kind = Literal["unparseable", "citation_failed", "contradiction"]
_ORDER: tuple[Kind, ...] = ("unparseable", "citation_failed", "contradiction")
_RECORDED = frozenset({"http", "interception", "actions"})
"""Layers that show what was done in a form that code can look up and that nobody but the browser wrote."""
_PICTURES = frozenset({"screenshots", "video"})


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing that is wrong with an answer, in words that can be sent back."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer in the form of a verdict's parts, with everything that is wrong with it."""

    answer: Answer
    findings: tuple[Finding, ...]
    fields: tuple[FieldBinding, ...]
    complaints: tuple[Complaint, ...]

    @property
    def reason(self) -> Kind | None:
        """The reason code if the answer cannot stand: that of its gravest complaint."""
        kinds = {complaint.kind for complaint in self.complaints}
        return next((kind for kind in _ORDER if kind in kinds), None)


class AnswerCheck:
    """Checks answers about one case, as often as asked."""

    def __init__(self, manifest: Manifest, rubric: Rubric) -> None:
        self._manifest = manifest
        self._rubric = rubric
        self._runs = {whose: trace.root for whose, trace in manifest.runs.items()}
        self._citations = CitationCheck(dict(self._runs))

    def check(self, answer: Answer) -> CheckedAnswer:
        complaints = [Complaint("unparseable", text) for text in rule_complaints(answer, self._rubric)]
        findings = []
        for found in answer.findings:
            citations, wrong = self._resolve(found.citations, f"{found.rule}")
            complaints += wrong
            complaints += self._support(found, citations)
            note = scrub(found.reason)
            findings.append(Finding(rule=found.rule[:20], status=found.status, note=note, citations=citations))
        fields = []
        for field in answer.fields:
            citations, wrong = self._resolve(field.citations, f"field {field.field[:60]!r}")
            complaints += wrong
            if field.status == "mismatch" and not citations and not wrong:
                text = f"field {field.field[:60]!r}: says that the value is wrong and cites nothing"
                complaints.append(Complaint("citation_failed", text))
            fields.append(_binding(field, citations))
        complaints += [Complaint("contradiction", text) for text in _contradictions(answer)]
        return CheckedAnswer(answer, tuple(findings), tuple(fields), tuple(complaints))

    def _resolve(self, cited: Iterable[Cited], where: str) -> tuple[tuple[Citation, ...], list[Complaint]]:
        """The citations that hold, and a complaint for each that does not."""
        holding, complaints = [], []
        for one in cited:
            try:
                citation = self._citations.verify(self._manifest.to_citation(one.address, one.quote))
            except UnknownPlace as error:
                complaints.append(Complaint("citation_failed", f"{where}: {error}"))
                continue
            if citation.verified:
                holding.append(citation)
            else:
                text = f"{where}: `{one.address[:200]}` does not say {one.quote[:200]!r}"
                complaints.append(Complaint("citation_failed", text))
        return tuple(holding), complaints

    def _support(self, found: RuleFinding, citations: tuple[Citation, ...]) -> Iterator[Complaint]:
        """What is missing to a finding that claims something: a citation, one that proves it, one not meant for us."""
        if found.status not in ("met", "violated"):
            return
        where = f"{found.rule} is said to be {found.status}"
        if not citations:
            if not found.citations:
                yield Complaint("citation_failed", f"{where} and cites nothing")
            return
        sound = [c for c in citations if not speaks_to_the_judge(c, self._runs)]
        if not sound:
            yield Complaint(
                "citation_failed",
                f"{where}, and all that is cited is text that speaks to the judge; it proves nothing but itself",
            )
        elif found.status == "met" and found.rule == "R1" and not self._is_proof(sound):
            yield Complaint(
                "citation_failed",
                f"{where}, and neither the agent's messages nor pictures prove that alone; cite a request or an"
                " action that shows it",
            )

    def _is_proof(self, citations: list[Citation]) -> bool:
        """Whether any is of a layer that can prove what was done: recorded lines, where the judge was given any."""
        given = self._manifest.layers
        proof = _RECORDED if {"http", "actions"} & set(given) else _PICTURES
        return any(c.layer in proof for c in citations) or not ({"http", "actions"} | _PICTURES) & set(given)


def _binding(field: FieldCheck, citations: tuple[Citation, ...]) -> FieldBinding:
    return FieldBinding(
        pointer=field.field,
        agent_pointer=next((c.pointer for c in citations if c.run == "agent" and c.pointer), None),
        reference=mask(scrub(field.expected), field.field),
        agent=mask(scrub(field.found), field.field) if field.found else None,
        kind="bound",
        status=field.status,
        note="as the judge says",
        citations=citations,
    )


def _contradictions(answer: Answer) -> Iterator[str]:
    follows = outcome_of(finding.status for finding in answer.findings)
    if follows != answer.outcome:
        yield (
            f"the outcome is {answer.outcome}, but by the declared rule {follows} follows from your findings: fail if"
            " any is violated, else unjudged if any cannot be told, else pass"
        )
    wrong = [field.field[:60] for field in answer.fields if field.status in ("mismatch", "missing")]
    if wrong and answer.outcome == "pass":
        yield f"the outcome is pass, but these fields are said to be wrong or missing: {', '.join(wrong[:5])}"
    if answer.outcome != "unjudged":
        said = contradiction(answer.outcome == "pass", answer.justification)
        if said:
            opposite = said.partition('says "')[2].rstrip('"')
            yield f'the outcome is {answer.outcome}, but the justification says "{opposite}"'
