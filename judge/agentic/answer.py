"""What the sub-agent has to answer: findings first, then fields, and the outcome last; and how the outcome follows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clawjudge.judge.verdict import FieldStatus, FindingStatus, Outcome
from clawjudge.rubrics.load import Rubric

ANSWER_VERSION = "1"
"""Part of every verdict's key: raise it when an answer may come to be read or checked differently."""

_Text = Annotated[str, Field(max_length=4000)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Cited(_Model):
    """A place in the evidence."""

    address: Annotated[
        _Text, Field(description="As the evidence writes it: `agent http:12 /body/qty`, a picture's name.")
    ]
    quote: Annotated[_Text, Field(description="Words that stand there, exactly; empty for a picture.")]


class RuleFinding(_Model):
    """What was found for one rule. The reason comes first."""

    rule: Annotated[str, Field(max_length=20, description="Id of the rule, for example R1.")]
    reason: Annotated[_Text, Field(description="One or two plain sentences.")]
    citations: Annotated[tuple[Cited, ...], Field(max_length=20, description="Met and violated need at least one.")]
    status: FindingStatus


class FieldCheck(_Model):
    """One value that the task settles, as the run sent it."""

    field: Annotated[_Text, Field(description="What it is, in a few words, or its pointer in the final request.")]
    expected: _Text
    found: Annotated[_Text, Field(description="Empty if it is missing.")]
    citations: Annotated[tuple[Cited, ...], Field(max_length=20)]
    status: FieldStatus


class Answer(_Model):
    """The judge's answer. Its order is the order of thinking: evidence, then reasons, then the outcome."""

    findings: Annotated[tuple[RuleFinding, ...], Field(max_length=40, description="One for each rule of the rubric.")]
    fields: Annotated[
        tuple[FieldCheck, ...], Field(max_length=200, description="The values that decided, wrong ones above all.")
    ]
    justification: Annotated[_Text, Field(description="Two to four sentences that a reader can check.")]
    outcome: Annotated[
        Outcome,
        Field(description="By the findings: fail if any is violated, else unjudged if any cannot be told, else pass."),
    ]
    confidence: Annotated[float, Field(ge=0, le=1, description="How sure you are of the outcome.")]


def answer_schema() -> dict[str, Any]:
    """The JSON schema that the program is given."""
    return Answer.model_json_schema()


def outcome_of(statuses: Iterable[FindingStatus]) -> Outcome:
    """The declared function: a violated rule fails a run, one that cannot be told keeps it unjudged, else it passes"""
    given = set(statuses)
    if "violated" in given:
        return "fail"
    if "cannot_tell" in given or "met" not in given:
        return "unjudged"
    return "pass"


def read_answer(raw: object) -> tuple[Answer | None, str]:
    """The answer, or None and what is wrong with it."""
    try:
        return Answer.model_validate(raw), ""
    except ValidationError as error:
        said = (f"{'.'.join(map(str, e['loc']))[:100]}: {e['msg']}" for e in error.errors()[:8])
        return None, "; ".join(said)


def rule_complaints(answer: Answer, rubric: Rubric) -> list[str]:
    """Rules that are missing, unknown or there twice."""
    named = [finding.rule for finding in answer.findings]
    known = [rule.id for rule in rubric.rules]
    complaints = [f"there is no finding for rule {rule}" for rule in known if rule not in named]
    complaints += [f"{rule[:20]!r} is no rule of this rubric" for rule in dict.fromkeys(named) if rule not in known]
    return complaints + [f"there are two findings for rule {rule}" for rule in known if named.count(rule) > 1]
