"""The files for ClawBench's tools, read by ClawBench's own code (clawbench-eval 0.11.0 from PyPI)."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest
from clawbench.eval import analyze, reproduce
from clawbench.eval import rescore as clawbench_rescore
from tests.judge.store.bundles import JUDGES, Case, entry_of, records_of, write_run

from clawjudge.judge.store.dropin import (
    Answer,
    RunEntry,
    RunFacts,
    leaderboard_row,
    summarise,
    write_run_files,
    write_summary_files,
)
from clawjudge.traces.errors import UnsafePath

RUBRICS = ["lenient", "strict"]


def write(bundle: Path, cases: list[Case], **more: Any) -> dict[str, Any]:
    entries = []
    for case in cases:
        facts, records = write_run(bundle, case), records_of(case)
        write_run_files(bundle, facts, records)
        entries.append(entry_of(facts, records))
    return write_summary_files(bundle, bundle.name, entries, JUDGES, **more)


def complete(seed: int) -> list[Case]:
    """A bundle in which every request was judged, with the attempts and layouts that occur."""
    dice = random.Random(seed)
    cases = []
    for number in range(dice.randint(1, 40)):
        made = dice.random() < 0.6
        strict, lenient = (dice.choice(("pass", "fail")) if made else "fail" for _ in range(2))
        run = dice.choice(("m/{}", "{}", "batch-x/m/{}")).format(f"v2-{number}-shop")
        cases.append(Case(run, made, strict, lenient, task_id=dice.choice((number % 5, str(number)))))
    return cases


@pytest.mark.parametrize("seed", range(8))
def test_on_complete_data_every_number_is_clawbenchs(seed: int, tmp_path: Path) -> None:
    bundle = tmp_path / "batch-1"
    bundle.mkdir()
    ours = write(bundle, complete(seed))
    # ClawBench adds up what it reads from our verdict files.
    theirs = clawbench_rescore.aggregate_batch(bundle, RUBRICS)
    tasks = theirs.pop("tasks")
    theirs.pop("batch_dir")
    assert {key: ours[key] for key in theirs} == theirs
    key = ("task_id", "test_case", "intercepted", "match_lenient", "match_strict", "reason_lenient", "reason_strict")
    assert _bag(ours["tasks"], key) == _bag(tasks, key)
    assert json.loads((bundle / "rescore-summary.json").read_text()) == ours


def _bag(tasks: list[dict[str, Any]], keys: tuple[str, ...]) -> list[str]:
    return sorted(repr([task[key] for key in keys]) for task in tasks)


@pytest.mark.parametrize("seed", range(8, 12))
def test_the_results_folder_is_clawbenchs(seed: int, tmp_path: Path) -> None:
    bundle = tmp_path / "glm-5.1" / "batch-1"
    bundle.mkdir(parents=True)
    summary = write(bundle, complete(seed))
    clawbench_rescore.write_eval_results(
        bundle, {**summary, "batch_dir": "batch-1"}, RUBRICS, "glm-5.1", tmp_path / "theirs"
    )
    ours, theirs = bundle / "eval_results" / "batch-1", tmp_path / "theirs" / "batch-1"
    short, expected = (json.loads((place / "summary.json").read_text()) for place in (ours, theirs))
    expected["batch_dir"] = "batch-1"
    assert {key: short[key] for key in expected} == expected
    rows, expected_rows = (
        list(csv.DictReader((place / "per_task.csv").read_text().splitlines())) for place in (ours, theirs)
    )
    assert [{key: row[key] for key in expected_rows[0]} for row in rows] == expected_rows


def test_clawbenchs_analysis_and_reproduction_read_the_files(tmp_path: Path) -> None:
    cases = [
        Case("a"),
        Case("b", strict="fail"),
        Case("c", intercepted=False),
        Case("d", strict="fail", lenient="fail"),
    ]
    summary = write(tmp_path, cases)
    stats = analyze.analyze_batch(tmp_path)
    assert (stats["n_runs"], stats["stage1_intercepted"]) == (4, 3)
    assert (stats["stage2_judged_of"], stats["stage2_pass"]) == (3, 1)
    observed = tuple(100 * summary[key] for key in ("pass_rate_stage1_only", "reward_pct_lenient", "reward_pct_strict"))
    assert observed == (75, 50, 25)
    assert reproduce.verdict((*observed, 4), (75, 50, 25, 4), 0.1)[0]


def test_clawbenchs_rescorer_takes_our_verdicts_for_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = tmp_path / "batch-1"
    bundle.mkdir()
    write(bundle, [Case("a"), Case("b", lenient="unjudged")])
    models = tmp_path / "models.yaml"
    models.write_text("m: {api_key: k, base_url: http://localhost:1, api_type: openai-completions}")
    asked = []
    monkeypatch.setattr("clawbench.runner.judge_llm.judge_request", lambda *a: asked.append(a) or {"match": True})
    line = ["x", "--only-batch", str(bundle), "--judge-model", "m", "--models-yaml", str(models), "--no-eval-results"]
    monkeypatch.setattr("sys.argv", line)
    assert clawbench_rescore.main() == 0
    # Only the run without a verdict is judged again.
    assert len(asked) == 1


def test_an_unjudged_run_is_no_failure(tmp_path: Path) -> None:
    cases = [Case("a"), Case("b", strict="fail"), Case("c", strict="unjudged"), Case("d", intercepted=False)]
    summary = write(tmp_path, cases)
    assert clawbench_rescore.aggregate_batch(tmp_path, RUBRICS)["reward_pct_strict"] == 0.25
    assert summary["reward_pct_strict"] == pytest.approx(1 / 3)
    assert summary["reward_bounds_strict"] == [0.25, 0.5]
    assert (summary["n_judged_strict"], summary["n_judge_err_strict"], summary["n_total"]) == (3, 1, 4)
    assert json.loads((tmp_path / "c/judge.json").read_text())["match"] is None
    assert json.loads((tmp_path / "c/judge.json").read_text())["error"] == "judge_unavailable"
    assert not (tmp_path / "d/judge.json").exists()
    folder = tmp_path / "eval_results" / tmp_path.name
    assert (folder / "leaderboard-strict.csv").read_text().count("\n") == 1
    row = "glm-5.1,hermes,v2,3,4,75.00,0.40"
    header = "model,harness,dataset,passed,total,pass_rate,wall_hours"
    assert (folder / "leaderboard-lenient.csv").read_text() == f"{header}\n{row}\n"


def test_a_judge_that_was_down_for_all_makes_no_rate(tmp_path: Path) -> None:
    summary = write(tmp_path, [Case("a", True, "unjudged", "unjudged"), Case("b", intercepted=False)])
    assert summary["reward_pct_strict"] is None
    assert summary["pass_rate_with_judge"] is None
    assert summary["reward_bounds_strict"] == [0, 0.5]
    short = json.loads((tmp_path / "eval_results" / tmp_path.name / "summary.json").read_text())
    assert short["reward_lenient_pct"] is None


def test_stage_one_that_does_not_apply_is_not_zero(tmp_path: Path) -> None:
    summary = write(tmp_path, [Case("a"), Case("b", intercepted=None)])
    assert (summary["pass_rate_stage1_only"], summary["n_stage1_unknown"]) == (1.0, 1)
    assert (summary["reward_pct_lenient"], summary["reward_bounds_lenient"]) == (1.0, [0.5, 1.0])
    assert summary["tasks"][1]["intercepted"] is None


def test_missing_tasks_are_listed_and_leave_no_row(tmp_path: Path) -> None:
    summary = write(tmp_path, [Case("a")], missing=["9", "12"])
    assert (summary["n_missing"], summary["missing_tasks"]) == (2, ["9", "12"])
    assert (tmp_path / "eval_results" / tmp_path.name / "leaderboard-strict.csv").read_text().count("\n") == 1


def test_one_judge_alone_has_the_old_names(tmp_path: Path) -> None:
    facts = write_run(tmp_path, Case("a"))
    entry = entry_of(facts, records_of(Case("a", lenient="fail")))
    summary = summarise("b", [entry], ["request-lenient"])
    assert summary["rubrics"] == ["lenient"]
    assert (summary["n_judge_match"], summary["n_judge_mismatch"], summary["pass_rate_with_judge"]) == (0, 1, 0)
    assert "n_match_strict" not in summary
    assert "n_judge_match" not in summarise("b", [entry], ["offline"])


def test_the_same_verdicts_give_the_same_bytes_and_are_not_written_twice(tmp_path: Path) -> None:
    cases = complete(3)
    for name in ("one", "two"):
        (tmp_path / name / "b").mkdir(parents=True)
    write(tmp_path / "one" / "b", cases)
    write(tmp_path / "two" / "b", cases[::-1])
    one, two = (
        {p.relative_to(r): p.read_bytes() for p in r.rglob("*") if p.is_file()}
        for r in (tmp_path / "one", tmp_path / "two")
    )
    assert one == two
    stamp = (tmp_path / "one/b/rescore-summary.json").stat().st_mtime_ns
    facts = [RunFacts.of(case.run, _meta(tmp_path / "one/b" / case.run), case.intercepted) for case in cases]
    write_summary_files(
        tmp_path / "one/b", "b", [entry_of(f, records_of(c)) for f, c in zip(facts, cases, strict=True)], JUDGES
    )
    assert (tmp_path / "one/b/rescore-summary.json").stat().st_mtime_ns == stamp


def _meta(run: Path) -> Any:
    from clawjudge.traces.meta import parse_meta

    return parse_meta(json.loads((run / "run-meta.json").read_text()))


def test_hostile_text_starts_no_formula_and_breaks_no_file(tmp_path: Path) -> None:
    answer = Answer("fail", "judged", '=HYPERLINK("http://evil")\n\x1b[2J\ud800', "m")
    facts = RunFacts("r", True, task_id="@SUM(A1)", test_case="-1+1", model="=cmd", seconds=float("1"))
    entry = RunEntry(facts, {"request-strict": answer})
    write_summary_files(tmp_path, "b", [entry], ["request-strict"])
    [row] = csv.DictReader((tmp_path / "eval_results/b/per_task.csv").read_text().splitlines())
    assert row["task_id"] == "'@SUM(A1)"
    assert row["reason_strict"].startswith("'=HYPERLINK")
    assert "\x1b" not in row["reason_strict"]
    assert json.loads((tmp_path / "rescore-summary.json").read_text())["tasks"][0]["reason_strict"][-1] == "\ufffd"
    assert (
        leaderboard_row(summarise("b", [entry], ["request-strict"]), [entry], "strict")
        .splitlines()[1]
        .startswith("'=cmd,")
    )


def test_a_link_out_of_the_bundle_is_not_written_through(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    facts = write_run(bundle, Case("a"))
    outside = tmp_path / "outside.json"
    outside.write_text("mine")
    (bundle / "a/judge.json").symlink_to(outside)
    with pytest.raises(UnsafePath):
        write_run_files(bundle, facts, records_of(Case("a")))
    (bundle / "eval_results").symlink_to(tmp_path)
    with pytest.raises(UnsafePath):
        write_summary_files(bundle, "b", [entry_of(facts, records_of(Case("a")))], JUDGES)
    assert outside.read_text() == "mine"
    assert not (tmp_path / "b").exists()


def test_odd_metadata_is_no_obstacle(tmp_path: Path) -> None:
    odd = {"task_id": [1], "test_case": 3, "duration_seconds": float("nan"), "provenance": {"corpus": 1}, "model": None}
    facts = write_run(tmp_path, Case("a", meta=odd))
    assert facts == RunFacts("a", True, harness="hermes")
    entry = entry_of(facts, records_of(Case("a")))
    assert leaderboard_row(summarise("b", [entry], JUDGES), [entry], "lenient").endswith(",hermes,,1,1,100.00,\n")


def test_an_empty_bundle_has_no_rates() -> None:
    summary = summarise("b", [], JUDGES)
    assert (summary["n_total"], summary["pass_rate_stage1_only"], summary["reward_pct_strict"]) == (0, None, None)
