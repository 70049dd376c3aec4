"""Facts that code is certain of and that contradict a judge's answer.

They are few on purpose: what needs judgement is the judge's. An answer that one of them contradicts counts for nothing,
neither as a pass nor as a fail, until a person has looked.
"""

from __future__ import annotations

from collections.abc import Iterator

from clawjudge.judge.case import Case
from clawjudge.judge.verdict import Finding, Outcome, Verdict

_ABOUT_SUBMITTING = frozenset({"R4", "R5", "R9"})
"""Rules that only a missing final request can violate."""


def disputes(case: Case, computed: Verdict, outcome: Outcome, findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """What contradicts `outcome`. `computed` is the offline judge's verdict on the whole case, every layer included."""
    if outcome == "pass":
        return tuple(_against_pass(case, computed))
    if outcome == "fail":
        return tuple(_against_fail(computed, findings))
    return ()


def _against_pass(case: Case, computed: Verdict) -> Iterator[str]:
    if computed.stage1.status == "not_intercepted" and not _stopped_at_a_wall(case, computed):
        yield "pass, but the run never made the task's final request, and no page that it was shown has a wall"
    if computed.stage1.status == "unknown":
        yield f"pass, but whether the final request was made cannot be told: {computed.stage1.note or 'no request log'}"
    if computed.outcome == "fail" and "R1" in computed.violated_rules:
        for field in computed.fields:
            if field.kind == "bound" and field.status in ("mismatch", "missing") and field.bound_by:
                yield f"pass, but the value of {field.pointer} is not the one that the task gives"


def _stopped_at_a_wall(case: Case, computed: Verdict) -> bool:
    """Whether anything but the agent's word shows an obstacle that a rule accepts."""
    return bool(case.agent.walls) or computed.reason_code == "accepted_wall"


def _against_fail(computed: Verdict, findings: tuple[Finding, ...]) -> Iterator[str]:
    violated = {finding.rule for finding in findings if finding.status == "violated"}
    if computed.stage1.status == "intercepted" and violated and violated <= _ABOUT_SUBMITTING:
        rules = ", ".join(sorted(violated))
        yield f"fail under {rules} alone, but the request log holds the task's final request"
