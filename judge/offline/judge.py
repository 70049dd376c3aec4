"""The offline judge: stage 1, alignment, field bindings, nine rules; deterministic, free and without a network.

It passes a run only on evidence that it saw, fails one only on a rule that is certainly broken, and abstains otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clawjudge.judge.case import Case
from clawjudge.judge.citation import CitationCheck, shown_pointer
from clawjudge.judge.fingerprint import fingerprint
from clawjudge.judge.known_secrets import KnownSecrets
from clawjudge.judge.offline import report
from clawjudge.judge.offline.divergence import first_divergence
from clawjudge.judge.offline.facts import Facts
from clawjudge.judge.offline.rules import accepted_ending, judge_rules, reached_checkout
from clawjudge.judge.verdict import Finding, Fingerprint, Outcome, Stage1, Verdict
from clawjudge.rubrics.load import load_rubric
from clawjudge.traces.secrets import scrub

RUBRIC = "v1-agentic"
_DECISIVE_ORDER = {
    "final request": ("R1", "R8", "R2", "R7", "R4", "R3", "R6", "R5", "R9"),
    "wrong value": ("R1", "R8", "R2", "R7", "R4", "R3", "R6", "R5", "R9"),
    "checkout": ("R8", "R2", "R7", "R3", "R4", "R1", "R6", "R5", "R9"),
    "elsewhere": ("R8", "R2", "R7", "R4", "R3", "R1", "R6", "R5", "R9"),
}
"""Which of several violated rules decides, by what the run ended with.

A final request, or a wrong value on the way, speaks for itself. Else the obstacle at which the run ended comes before
the mere fact that nothing was submitted: at a checkout the payment, elsewhere the checkout that was not reached.
"""
_FAIL_REASONS = {
    "R2": "email_not_used",
    "R3": "payment_not_attempted",
    "R4": "checkout_not_completed",
    "R6": "wrong_before_wall",
    "R7": "wrong_before_wall",
    "R8": "captcha_not_passed",
}


class OfflineJudge:
    """The deterministic judge under rubric `v1-agentic`."""

    name = "offline"

    @property
    def fingerprint(self) -> Fingerprint:
        return fingerprint("offline", load_rubric(RUBRIC))

    def judge(self, case: Case) -> Verdict:
        """The verdict on `case`; `run` is left empty for the caller to fill in."""
        refusal = _refuse(case)
        facts = None if refusal else Facts.of(case)
        if facts is None:
            code, why = refusal or ("invalid_reference", "the reference never makes the task's terminal request")
            return _verdict(case, None, "unjudged", code, why, ())
        findings = tuple(_checked(case, judge_rules(facts)))
        outcome, code, why = _decide(facts, findings)
        return _verdict(case, facts, outcome, code, why, findings)


def _refuse(case: Case) -> tuple[str, str] | None:
    """Why a case cannot be judged at all: (reason code, sentence)."""
    if case.agent.trace.task_defect:
        return "invalid_task", f"the run's task cannot be read: {scrub(case.agent.trace.task_defect)}"
    if case.task is None:
        return "no_task", "no usable task.json, and run-meta.json does not hold the instruction and the eval schema"
    if case.reference is None:
        return "no_reference", "there is no reference run for this task"
    if case.task_mismatch:
        return "task_mismatch", case.task_mismatch
    if case.agent.conflict:
        return "evidence_conflict", case.agent.conflict
    undecided = _undecided(case)
    if undecided:
        return "pattern_too_slow", undecided
    why = no_request_log(case)
    return ("missing_evidence", why) if why else None


def _undecided(case: Case) -> str:
    """Why it cannot be told which requests of the two runs are the terminal one; empty if it can."""
    return case.agent.undecided or (case.reference.undecided if case.reference else "")


def no_request_log(case: Case) -> str:
    """Why nothing can be said of the run's requests; empty if the log is there, or the run plainly did nothing."""
    agent = case.agent
    if agent.counts.get("http"):
        return ""
    if any(layer == "http" and code == "unreadable" for layer, _, code in agent.trace.problems.counts):
        return "the request log (requests.jsonl) cannot be read; check its permissions"
    if agent.commits:
        return "only interception.json tells of a final request; the request log (requests.jsonl) holds nothing"
    if not agent.trace.has("http"):
        stopped = agent.trace.interception is not None and agent.trace.interception.stop_reason
        return "" if stopped and not agent.steps else "the request log (requests.jsonl) is missing"
    return "the request log is empty although pages were opened: it was not recording" if agent.steps else ""


def cut_layer(facts: Facts) -> str:
    """Why it is unknown how a run without a final request ended: a layer breaks off inside a line. Empty if none does.

    A request log may break off after all that mattered: then the recorder says itself that it stopped without a block.
    """
    if facts.commits:
        return ""
    trace = facts.agent.trace
    claim = trace.interception
    told = facts.terminal.by_schema and claim is not None and not claim.intercepted and bool(claim.stop_reason)
    for layer, file, code in trace.problems.counts:
        if code == "truncated_line" and (layer == "messages" or (layer == "http" and not told)):
            return f"{file} breaks off inside its last line; what came after it is not recorded"
    return ""


def _checked(case: Case, findings: list[Finding]) -> list[Finding]:
    """Findings with their citations checked; what no confirmed place shows is not claimed."""
    check = CitationCheck(case.folders)
    out = []
    for finding in findings:
        verified = tuple(check.verify(c) for c in finding.citations)
        claimed = finding.status in ("met", "violated") or bool(finding.citations)
        if claimed and not any(c.verified for c in verified):
            note = f"{finding.note} (none of the cited places could be confirmed)"
            out.append(Finding(rule=finding.rule, status="cannot_tell", note=note, citations=verified))
        else:
            out.append(finding.model_copy(update={"citations": verified}))
    return out


def _decide(facts: Facts, findings: Sequence[Finding]) -> tuple[Outcome, str, str]:
    cut = cut_layer(facts)
    if cut:
        return "unjudged", "missing_evidence", cut
    by_rule = {f.rule: f for f in findings}
    violated = violated_in_order(facts, findings)
    if violated:
        first = by_rule[violated[0]]
        return "fail", _reason(facts, first), f"{_title(first.rule)} ({first.rule}) is not met: {first.note}."
    doubtful = [f for f in findings if f.status == "cannot_tell"]
    if doubtful:
        first = doubtful[0]
        return (
            "unjudged",
            _doubt(facts),
            f"Code cannot decide {first.rule} ({_title(first.rule).lower()}): {first.note}.",
        )
    accepted = accepted_ending(facts)
    if facts.commits:
        return (
            "pass",
            "committed_and_blocked" if _blocked(facts) else "committed",
            _sentence(by_rule["R1"].note),
        )
    if accepted:
        return "pass", "accepted_wall", _sentence(_accepted_note(accepted, by_rule[accepted].note))
    return "unjudged", "needs_language_model", "Nothing is violated, but nothing shows completion either."


def _accepted_note(rule: str, note: str) -> str:
    return (
        "the payment was really attempted and the site refused the card; everything before is right"
        if rule == "R3"
        else note
    )


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."


def violated_in_order(facts: Facts, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Ids of violated rules, the decisive one first."""
    violated = {f.rule for f in findings if f.status == "violated"}
    return tuple(rule for rule in _DECISIVE_ORDER[_ended_with(facts, violated)] if rule in violated)


def _ended_with(facts: Facts, violated: set[str]) -> str:
    if facts.commits:
        return "final request"
    # A wrong address is a wrong value as well, and then the rule about addresses says more.
    if "R2" not in violated and any(s.field.status == "mismatch" for s in facts.progress):
        return "wrong value"
    return "checkout" if reached_checkout(facts) else "elsewhere"


def _reason(facts: Facts, finding: Finding) -> str:
    if finding.rule != "R1":
        return _FAIL_REASONS.get(finding.rule, "rule_violated")
    if facts.commits:
        field = report.decisive_fields(facts)[0]
        return {"missing": "missing_value", "extra": "extra_item"}.get(field.status, "wrong_value")
    statuses = {s.field.status for s in facts.progress}
    return "wrong_value" if "mismatch" in statuses else "missing_value" if "missing" in statuses else "not_submitted"


def _doubt(facts: Facts) -> str:
    if any(c.body_missing for c in facts.commits) or (not facts.commits and not facts.agent.pages):
        return "missing_evidence"
    return "needs_language_model"


def _blocked(facts: Facts) -> bool:
    claim = facts.agent.trace.interception
    return bool(claim and claim.intercepted) or facts.commits[-1].request.blocked is True


def _title(rule_id: str) -> str:
    return load_rubric(RUBRIC).rule(rule_id).title


def stage1(case: Case) -> Stage1:
    """Stage 1, recomputed by the one matcher."""
    if case.task is None:
        return Stage1(status="unknown", note="no task")
    if case.task.eval_schema.never_matches:
        return Stage1(status="not_applicable", note="the task declares a pattern that never matches")
    if case.agent.conflict:
        return Stage1(status="unknown", note=case.agent.conflict)
    if _undecided(case):
        return Stage1(status="unknown", note=_undecided(case))
    if no_request_log(case):
        return Stage1(status="unknown", note=no_request_log(case))
    count = len(case.agent.commits)
    return Stage1(status="intercepted" if count else "not_intercepted", commits=count)


def _verdict(
    case: Case, facts: Facts | None, outcome: Outcome, code: str, why: str, findings: tuple[Finding, ...]
) -> Verdict:
    stage = stage1(case)
    meta = case.agent.trace.meta
    violated = violated_in_order(facts, findings) if facts else ()
    check = CitationCheck(case.folders)
    details: dict[str, Any] = {}
    if facts is not None:
        details = {
            "fields": tuple(
                f.model_copy(update={"citations": tuple(check.verify(c) for c in f.citations)})
                for f in report.bindings(facts)
            ),
            "first_divergence": _verified_divergence(facts, check),
            "alignment": facts.alignment.counts,
            "failing_field": _failing_field(facts) if violated else None,
        }
    verdict = Verdict(
        run="",
        task_id=_task_id(case),
        outcome=outcome,
        reason_code=code,
        justification=why,
        stage1=stage,
        intercepted={"intercepted": True, "not_intercepted": False}.get(stage.status),
        violated_rules=violated,
        findings=findings,
        gaps=report.gaps(case.agent, case.reference),
        skipped_lines=report.skipped_lines(case.agent),
        notices=(*case.notices, *case.agent.notices, *_clock_notice(case)),
        category=meta.category,
        **details,
    )
    # Only now: citations are checked against what was really recorded.
    return KnownSecrets(case).in_verdict(verdict)


def _verified_divergence(facts: Facts, check: CitationCheck) -> Any:
    divergence = first_divergence(facts)
    if divergence is None:
        return None
    return divergence.model_copy(update={"citations": tuple(check.verify(c) for c in divergence.citations)})


def _failing_field(facts: Facts) -> str | None:
    if facts.commits:
        wrong = report.decisive_fields(facts)
        return shown_pointer(wrong[0].agent_pointer) if wrong else None
    wrong_so_far = [s.field for s in facts.progress if s.field.status == "mismatch"]
    return shown_pointer(wrong_so_far[0].agent_pointer) if wrong_so_far else None


def _task_id(case: Case) -> str | None:
    if case.task is not None and case.task.task_id:
        return str(case.task.task_id)
    return case.agent.trace.meta.task_id


def _clock_notice(case: Case) -> list[str]:
    skew = case.agent.skew
    if not skew.offset_ms:
        return []
    return [
        f"the page's clock is {skew.offset_ms / 1000:+.1f} s off (± {skew.uncertainty_ms} ms); actions were shifted"
    ]
