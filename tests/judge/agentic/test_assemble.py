"""From answers to a verdict: disputes, samples, supervisors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from play import answer, case_of, staged

from clawjudge.judge.agentic.answer import Answer, outcome_of
from clawjudge.judge.agentic.assemble import decided, flip_rate, sampled, supervised, verdict_of
from clawjudge.judge.agentic.check import AnswerCheck
from clawjudge.judge.agentic.examine import Examined
from clawjudge.judge.agentic.settings import Settings
from clawjudge.judge.evaluate import summarise
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.judge.receipt import Receipt
from clawjudge.judge.verdict import Verdict
from clawjudge.rubrics.load import load_rubric

RECEIPT = Receipt(cost_usd=0.25, input_tokens=100, calls=2, seconds=3.0)


def examined(tmp_path: Path, name: str, whole: dict[str, Any]) -> Verdict:
    case = case_of(name)
    checked = AnswerCheck(staged(tmp_path, name), load_rubric("v1-agentic")).check(Answer.model_validate(whole))
    assert checked.reason is None, checked.complaints
    done = Examined("", "", checked, RECEIPT, (), ())
    return verdict_of(case, OfflineJudge().judge(case), done, ["a notice"])


def test_a_pass_that_the_final_request_contradicts_is_disputed(tmp_path: Path) -> None:
    verdict = examined(tmp_path, "wrong-quantity", answer("pass", "wrong-quantity"))
    assert (verdict.outcome, verdict.reason_code, verdict.answered) == ("unjudged", "disputed", "pass")
    assert "/body/cart/items/0/quantity is not the one that the task gives" in verdict.disputed[0]
    summary = summarise((verdict,), 1)
    assert (summary["n_pass"], summary["n_fail"], summary["n_unjudged"], summary["n_disputed"]) == (0, 0, 1, 1)
    assert summary["success_rate"] is None
    assert summary["success_rate_bounds"] == [0.0, 1.0]


def test_a_pass_without_a_final_request(tmp_path: Path) -> None:
    whole = answer("pass", "right-order")
    line = next(s.sources[0] for s in case_of("phone-wall").agent.steps if s.sources[0].layer == "http").line
    for finding in whole["findings"][:1]:
        finding["citations"] = [{"address": f"agent http:{line} /url", "quote": "http"}]
    case = case_of("phone-wall")
    checked = AnswerCheck(staged(tmp_path, "phone-wall"), load_rubric("v1-agentic")).check(Answer.model_validate(whole))
    done = Examined("", "", checked, RECEIPT, (), ())
    computed = OfflineJudge().judge(case)
    # With the wall that this run shows it may pass; without one it may not.
    assert verdict_of(case, computed, done).disputed == ()
    case.agent.walls.clear()
    verdict = verdict_of(case, computed.model_copy(update={"reason_code": "x"}), done)
    assert verdict.reason_code == "disputed"
    assert "never made the task's final request" in verdict.disputed[0]


def test_a_fail_for_not_submitting_what_was_submitted(tmp_path: Path) -> None:
    whole = answer("fail")
    whole["findings"][3] = {**whole["findings"][0], "rule": "R4"}
    whole["findings"][0]["status"] = "not_applicable"
    verdict = examined(tmp_path, "right-order", whole)
    assert (verdict.outcome, verdict.answered) == ("unjudged", "fail")
    assert "the request log holds the task's final request" in verdict.disputed[0]


def test_what_stands_and_what_does_not(tmp_path: Path) -> None:
    verdict = examined(tmp_path, "right-order", answer("pass"))
    assert (verdict.outcome, verdict.reason_code, verdict.disputed) == ("pass", "committed", ())
    assert verdict.confidence == 0.9
    assert verdict.cost_usd == 0.25
    assert verdict.notices[-1] == "a notice"
    case = case_of()
    failed = Examined("timeout", "no answer within 3 s.", None, RECEIPT, (), ())
    verdict = verdict_of(case, OfflineJudge().judge(case), failed)
    assert (verdict.outcome, verdict.reason_code, verdict.findings, verdict.fields) == ("unjudged", "timeout", (), ())
    assert verdict.justification == "No answer within 3 s."
    assert verdict.stage1.status == "intercepted"


@pytest.mark.parametrize(
    ("statuses", "outcome"),
    [
        (["met", "violated", "cannot_tell"], "fail"),
        (["met", "cannot_tell"], "unjudged"),
        (["met", "not_applicable"], "pass"),
        (["not_applicable"], "unjudged"),
        ([], "unjudged"),
    ],
)
def test_the_declared_function(statuses: list[Any], outcome: str) -> None:
    assert outcome_of(statuses) == outcome


def test_samples_are_decided_by_more_than_half_of_those_planned() -> None:
    assert decided(["pass", "pass"], 3) == "pass"
    assert decided(["pass", "fail"], 3) is None
    assert decided(["unjudged", "unjudged"], 3) is None
    assert decided(["fail", "unjudged", "pass", "fail"], 4) is None
    assert flip_rate(["pass", "fail", "pass"]) == pytest.approx(2 / 3)
    assert flip_rate(["pass", "unjudged"]) is None


def verdicts(*outcomes: str) -> list[Verdict]:
    base = OfflineJudge().judge(case_of())
    made = {"receipt": RECEIPT, "cost_usd": 0.25, "opinions": ()}
    return [
        base.model_copy(update={**made, "outcome": o, "reason_code": o, "justification": f"{n}"})
        for n, o in enumerate(outcomes)
    ]


def test_samples_together() -> None:
    verdict = sampled(verdicts("fail", "pass", "pass"), Settings(samples=3))
    assert (verdict.outcome, verdict.justification) == ("pass", "1")
    assert verdict.flips is not None
    assert (verdict.flips.n_planned, verdict.flips.n_run) == (3, 3)
    assert verdict.flips.outcomes == {"fail": 1, "pass": 2}
    assert verdict.cost_usd == pytest.approx(0.75)
    assert [opinion.outcome for opinion in verdict.opinions] == ["fail", "pass", "pass"]
    split = sampled(verdicts("fail", "pass"), Settings(samples=2))
    assert (split.outcome, split.reason_code) == ("unjudged", "samples_disagree")
    assert sampled(verdicts("unjudged"), Settings(samples=1)).reason_code == "unjudged"


def test_a_supervisor_confirms_overturns_or_fails() -> None:
    one, same, other, none = verdicts("pass", "pass", "fail", "unjudged")
    confirmed = supervised(one, same)
    assert (confirmed.outcome, confirmed.justification) == ("pass", "0")
    overturned = supervised(one, other)
    assert overturned.outcome == "fail"
    assert "overturned the first answer (pass)" in overturned.justification
    assert supervised(one, none).outcome == "unjudged"
    assert [(o.role, o.outcome) for o in overturned.opinions] == [("sample", "pass"), ("supervisor", "fail")]
    assert overturned.cost_usd == pytest.approx(0.5)
