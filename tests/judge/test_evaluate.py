from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from clawjudge.judge import evaluate as module
from clawjudge.judge.availability import UnavailableJudge
from clawjudge.judge.evaluate import Choice, evaluate, judge_pairings, report, summarise
from clawjudge.judge.intervals import wilson
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.judge.pairing import pair
from clawjudge.judge.verdict import Fingerprint, Stage1, Verdict
from clawjudge.traces.errors import InvalidInput, InvalidRun


class BrokenJudge:
    """Fails on the runs of one task."""

    name = "broken"

    @property
    def fingerprint(self) -> Fingerprint:
        return OfflineJudge().fingerprint

    def judge(self, case: Any) -> Verdict:
        if case.task.task_id == "8":
            raise ZeroDivisionError("no such luck")
        return OfflineJudge().judge(case)


def verdict(outcome: Any, stage: Any = "unknown", code: str = "x") -> Verdict:
    return Verdict(
        run=f"{outcome}-{stage}",
        task_id=None,
        outcome=outcome,
        reason_code=code,
        justification="so",
        stage1=Stage1(status=stage),
        intercepted=None,
    )


def test_one_run_is_judged_against_its_reference(tmp_path, make_run):
    make_run(tmp_path / "reference", human=True)
    right = evaluate(make_run(tmp_path / "right"))
    wrong = evaluate(make_run(tmp_path / "wrong", {"quantity": 3}))
    assert [(v.run, v.outcome) for v in right.verdicts] == [(".", "pass")]
    assert [(v.outcome, v.failing_field) for v in wrong.verdicts] == [("fail", "/body/quantity")]


def test_a_batch_keeps_its_order_and_tells_each_verdict_at_once(tmp_path, make_run):
    make_run(tmp_path / "reference", human=True)
    for name, order in (("b", {}), ("a", {"note": "peanuts"}), ("c/d", None)):
        make_run(tmp_path / name, order)
    told: list[str] = []
    result = evaluate(tmp_path, on_verdict=lambda v: told.append(v.run))
    assert told == [v.run for v in result.verdicts] == ["a", "b", "c/d"]
    assert [v.outcome for v in result.verdicts] == ["fail", "pass", "unjudged"]
    assert result.summary["n_found"] == 3
    assert result.summary["stage1"] == {"n_applicable": 3, "n_intercepted": 2, "rate": 0.666667}


def test_a_limit_judges_the_first_runs_and_says_how_many_there_are(tmp_path, make_run):
    make_run(tmp_path / "reference")
    for name in "abc":
        make_run(tmp_path / name)
    summary = evaluate(tmp_path, limit=2).summary
    assert (summary["n_found"], summary["n_total"]) == (3, 2)


def test_auto_says_whom_it_took(tmp_path, make_run):
    judge = evaluate(make_run(tmp_path / "a")).judge
    fingerprint = OfflineJudge().fingerprint
    assert (judge["requested"], judge["name"]) == ("auto", "offline")
    assert judge["why"]
    assert judge["rubric_sha256"] == fingerprint.rubric_sha256
    assert evaluate(tmp_path, judge="offline").judge["requested"] == "offline"


@pytest.mark.parametrize("name", ["request-moody", ""])
def test_other_judges_are_refused_before_any_work(tmp_path, name):
    with pytest.raises(UnavailableJudge, match="not available yet"):
        evaluate(tmp_path / "nowhere", judge=name)


def test_paths_without_runs_are_refused(tmp_path, make_run):
    with pytest.raises(InvalidRun):
        evaluate(tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match="not JSON"):
        evaluate(make_run(tmp_path / "a"), persona=make_run(tmp_path / "b") / "data" / "actions.jsonl")


def test_no_reference_is_unjudged_with_stage_one_known(tmp_path, make_run):
    [v] = evaluate(make_run(tmp_path / "a")).verdicts
    assert (v.outcome, v.reason_code, v.intercepted) == ("unjudged", "no_reference", True)


def test_duplicate_references_are_unjudged_with_their_names(tmp_path, make_run):
    make_run(tmp_path / "gold" / "one")
    make_run(tmp_path / "gold" / "two")
    [v] = evaluate(make_run(tmp_path / "a"), tmp_path / "gold").verdicts
    assert (v.outcome, v.reason_code, v.intercepted) == ("unjudged", "duplicate_reference", True)
    assert "gold/one" in v.justification


def test_a_reference_of_another_task_is_a_mismatch(tmp_path, make_run):
    gold = make_run(tmp_path / "gold", task_id=8, instruction="Buy a mug.")
    [v] = evaluate(make_run(tmp_path / "a"), gold).verdicts
    assert (v.outcome, v.reason_code) == ("unjudged", "task_mismatch")


def test_a_run_that_vanishes_does_not_end_the_batch(tmp_path, make_run):
    make_run(tmp_path / "reference")
    make_run(tmp_path / "a")
    make_run(tmp_path / "b")
    pairings = pair(tmp_path, None)
    (tmp_path / "a").rename(tmp_path / "gone")
    verdicts = list(judge_pairings(pairings, OfflineJudge()))
    assert [(v.run, v.outcome, v.reason_code) for v in verdicts] == [
        ("a", "unjudged", "invalid_run"),
        ("b", "pass", "committed_and_blocked"),
    ]


def test_a_reference_that_vanishes_is_no_fault_of_the_run(tmp_path, make_run):
    reference = make_run(tmp_path / "reference")
    make_run(tmp_path / "a")
    pairings = pair(tmp_path, None)
    reference.rename(tmp_path / "gone")
    [v] = judge_pairings(pairings, OfflineJudge())
    assert (v.outcome, v.reason_code, v.task_id) == ("unjudged", "invalid_reference", "7")


def test_a_judge_that_breaks_is_not_the_agents_failure(tmp_path, make_run, caplog):
    make_run(tmp_path / "8" / "reference", task_id=8)
    make_run(tmp_path / "8" / "a", task_id=8)
    make_run(tmp_path / "reference")
    make_run(tmp_path / "b")
    with caplog.at_level(logging.DEBUG, logger="clawjudge"):
        verdicts = list(judge_pairings(pair(tmp_path, None), BrokenJudge()))
    assert [(v.outcome, v.reason_code) for v in verdicts] == [
        ("unjudged", "judge_error"),
        ("pass", "committed_and_blocked"),
    ]
    assert "ZeroDivisionError" in verdicts[0].justification
    assert "Traceback" in caplog.text


def test_ctrl_c_is_not_swallowed_as_a_broken_judge(tmp_path, make_run, monkeypatch):
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "build_case", interrupted)
    with pytest.raises(KeyboardInterrupt):
        evaluate(make_run(tmp_path / "a"))


def test_totals_keep_unjudged_runs_apart():
    verdicts = (
        verdict("pass", "intercepted", "committed"),
        verdict("pass", "not_applicable", "committed"),
        verdict("fail", "intercepted", "wrong_value"),
        verdict("unjudged", "not_intercepted", "needs_language_model"),
    )
    summary = summarise(verdicts, 9)
    assert summary["success_rate"] == 0.666667
    assert summary["success_rate_bounds"] == [0.5, 0.75]
    assert summary["success_rate_ci"]["n"] == 3
    assert summary["stage1"] == {"n_applicable": 3, "n_intercepted": 2, "rate": 0.666667}
    assert summary["reasons"] == {"committed": 2, "needs_language_model": 1, "wrong_value": 1}
    assert [entry["run"] for entry in summary["unjudged"]] == ["unjudged-not_intercepted"]


def test_nothing_judged_has_no_rate():
    summary = summarise((verdict("unjudged"),), 1)
    assert (summary["success_rate"], summary["success_rate_ci"]) == (None, None)
    assert summary["success_rate_bounds"] == [0.0, 1.0]
    assert summary["stage1"]["rate"] is None
    assert summarise((), 0)["success_rate_bounds"] is None


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Newcombe 1998, table I, method 3; and the closed forms at both ends.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0),
    ],
)
def test_the_interval_is_wilsons(successes, n, low, high):
    interval = wilson(successes, n)
    assert interval is not None
    assert (round(interval["low"], 4), round(interval["high"], 4)) == (low, high)
    assert (interval["method"], interval["n"]) == ("wilson", n)


def test_the_report_is_one_json_document():
    choice = Choice("offline", OfflineJudge(), "asked for by name")
    document = json.loads(report(choice, [verdict("pass")]).model_dump_json())
    assert document["schema_version"] == 1
    assert {"judge", "summary", "verdicts"} < set(document)


@pytest.mark.slow
def test_the_corpus_through_the_public_interface(dev_corpus):
    result = evaluate(dev_corpus)
    assert result.summary["n_total"] == 83
    assert not [v.run for v in result.verdicts if v.reason_code in ("judge_error", "invalid_run", "no_reference")]
    assert not [v.run for v in result.verdicts if v.outcome == "pass" and "/fail-" in f"/{v.run}"]
