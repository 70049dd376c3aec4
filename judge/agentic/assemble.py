"""From what was examined to a verdict, with what code works out about the case beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from clawjudge.judge.agentic.disputes import disputes
from clawjudge.judge.agentic.examine import Examined
from clawjudge.judge.agentic.settings import Settings
from clawjudge.judge.case import Case
from clawjudge.judge.receipt import Flips, Receipt
from clawjudge.judge.verdict import Finding, Opinion, Outcome, Verdict
from clawjudge.traces.secrets import scrub

_DECISIVE = ("R1", "R8", "R2", "R7", "R3", "R4", "R6", "R5", "R9")


def verdict_of(case: Case, computed: Verdict, examined: Examined, notices: Iterable[str] = ()) -> Verdict:
    """The verdict of one examination. `computed` is the offline judge's on the same case."""
    checked = examined.checked
    findings = checked.findings if checked else ()
    answered: Outcome | None = checked.answer.outcome if checked else None
    outcome: Outcome = "unjudged" if examined.reason or answered is None else answered
    contradicted = disputes(case, computed, outcome, findings)
    parts: dict[str, Any] = {}
    if examined.reason or checked is None:
        # What the service or the program said may bring its own full stop.
        reason, why = examined.reason, f"{examined.message[:1].upper()}{examined.message[1:].rstrip(' .')}."
    elif contradicted:
        outcome, reason = "unjudged", "disputed"
        why = f"The judge answered {answered}, and facts contradict it: {'; '.join(contradicted)}."
    else:
        reason, why = _reason(outcome, findings, computed), checked.answer.justification
    if checked is not None:
        # What an answer that cannot stand found is kept for the reader; it decides nothing.
        parts = {"findings": findings, "fields": checked.fields, "confidence": checked.answer.confidence}
    return computed.model_copy(
        update={
            "outcome": outcome,
            "reason_code": reason,
            "justification": scrub(why),
            "violated_rules": violated(findings) if outcome == "fail" else (),
            "failing_field": _failing_field(parts.get("fields", ())) if outcome == "fail" else None,
            "findings": (),
            "fields": (),
            "answered": answered,
            "disputed": contradicted,
            "cost_usd": examined.receipt.cost_usd,
            "receipt": examined.receipt,
            "notices": tuple(dict.fromkeys((*computed.notices, *notices))),
            **parts,
        }
    )


def violated(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Violated rules, the decisive one first."""
    found = {finding.rule for finding in findings if finding.status == "violated"}
    return tuple([rule for rule in _DECISIVE if rule in found] + sorted(found - set(_DECISIVE)))


def _reason(outcome: Outcome, findings: Sequence[Finding], computed: Verdict) -> str:
    if outcome == "fail":
        return "rule_violated"
    if outcome == "unjudged":
        return "cannot_tell"
    return "committed" if computed.stage1.commits or computed.stage1.status == "not_applicable" else "accepted_wall"


def _failing_field(fields: Sequence[Any]) -> str | None:
    wrong = [field for field in fields if field.status in ("mismatch", "missing")]
    return (wrong[0].agent_pointer or wrong[0].pointer) if wrong else None


def opinion_of(verdict: Verdict, role: Any) -> Opinion:
    """A verdict as one of several."""
    return Opinion(
        role=role,
        outcome=verdict.outcome,
        reason_code=verdict.reason_code,
        justification=verdict.justification,
        confidence=verdict.confidence,
        violated_rules=verdict.violated_rules,
        findings=verdict.findings,
        receipt=verdict.receipt,
    )


def supervised(first: Verdict, second: Verdict) -> Verdict:
    """The verdict after a supervisor: confirmed, overturned, or, if the supervisor gave none, none."""
    opinions = (opinion_of(first, "sample"), opinion_of(second, "supervisor"))
    if second.outcome == "unjudged":
        why = f"The supervisor reached no verdict: {second.justification}"
        kept = second.model_copy(update={"justification": why})
    elif second.outcome == first.outcome:
        kept = first
    else:
        why = f"The supervisor overturned the first answer ({first.outcome}): {second.justification}"
        kept = second.model_copy(update={"justification": why})
    return _together(kept, opinions)


def decided(outcomes: Sequence[Outcome], planned: int) -> Outcome | None:
    """The outcome that more than half of all planned samples have already, if there is one."""
    counts = Counter(outcome for outcome in outcomes if outcome != "unjudged")
    return next((outcome for outcome, count in counts.items() if 2 * count > planned), None)


def sampled(verdicts: Sequence[Verdict], settings: Settings) -> Verdict:
    """The verdict of several samples: what more than half of the planned ones say, else none."""
    outcomes = [verdict.outcome for verdict in verdicts]
    winner = decided(outcomes, settings.samples)
    opinions = tuple(o for v in verdicts for o in (v.opinions or (opinion_of(v, "sample"),)))
    flips = Flips(
        n_planned=settings.samples,
        n_run=len(verdicts),
        outcomes=dict(sorted(Counter(outcomes).items())),
        rate=flip_rate(outcomes),
    )
    if winner is not None:
        kept = next(verdict for verdict in verdicts if verdict.outcome == winner)
    else:
        counted = ", ".join(f"{count} {outcome}" for outcome, count in flips.outcomes.items())
        reasons = {verdict.reason_code for verdict in verdicts if verdict.outcome == "unjudged"}
        # All samples failed in one way: then that is why there is no verdict.
        reason = reasons.pop() if len(reasons) == 1 and set(outcomes) == {"unjudged"} else "samples_disagree"
        why = f"No outcome has more than half of {settings.samples} samples ({counted})."
        kept = verdicts[0].model_copy(
            update={
                "outcome": "unjudged",
                "reason_code": reason,
                "justification": why,
                "answered": None,
                "violated_rules": (),
            }
        )
    return _together(kept, opinions).model_copy(update={"flips": flips})


def flip_rate(outcomes: Sequence[Outcome]) -> float | None:
    """Share of pairs of judged samples that differ."""
    judged = [outcome for outcome in outcomes if outcome != "unjudged"]
    pairs = list(combinations(judged, 2))
    return round(sum(one != other for one, other in pairs) / len(pairs), 6) if pairs else None


def _together(kept: Verdict, opinions: tuple[Opinion, ...]) -> Verdict:
    receipts = [opinion.receipt for opinion in opinions if opinion.receipt is not None]
    total = summed(receipts)
    return kept.model_copy(
        update={"opinions": opinions, "receipt": total, "cost_usd": total.cost_usd if total else 0.0}
    )


def summed(receipts: Sequence[Receipt]) -> Receipt | None:
    """One receipt for all: numbers added, the rest as the first has it. The tool logs stay with the opinions."""
    if not receipts:
        return None
    names = ("calls", "input_tokens", "cached_tokens", "output_tokens", "cost_usd", "turns", "model_seconds", "seconds")
    sums = {name: round(sum(getattr(receipt, name) for receipt in receipts), 6) for name in names}
    return receipts[0].model_copy(
        update={
            **sums,
            "repaired": any(r.repaired for r in receipts),
            "tools": (),
            "refused_calls": (),
            "transcript": "",
        }
    )
