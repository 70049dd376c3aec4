"""`clawjudge compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.judge.store.bundles import Case, judged_bundle

from clawjudge.judge.cli.main import main
from clawjudge.judge.verdict import Outcome

Capture = pytest.CaptureFixture[str]


def report(path: Path, outcomes: dict[str, Outcome], task: str = "") -> Path:
    verdicts = [
        {
            "run": run,
            "task_id": task + run[-1],
            "outcome": outcome,
            "reason_code": "x",
            "justification": "because",
            "more": [1],
        }
        for run, outcome in outcomes.items()
    ]
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(one) + "\n" for one in verdicts))
    else:
        judge = {"name": "offline", "model": None, "rubric": "v1-agentic"}
        path.write_text(json.dumps({"schema_version": 1, "judge": judge, "summary": {}, "verdicts": verdicts}))
    return path


def compared(capture: Capture, *arguments: Any, code: int = 0) -> Any:
    assert main(["compare", *map(str, arguments), "--format", "json"]) == code
    return json.loads(capture.readouterr().out)


def test_two_reports(tmp_path: Path, capsys: Capture) -> None:
    old = report(tmp_path / "old.json", {"a": "pass", "b": "pass", "c": "fail"})
    new = report(tmp_path / "new.jsonl", {"a": "fail", "b": "pass", "c": "pass", "d": "pass"})
    made = compared(capsys, old, new)
    assert (made["lost"], made["gained"], made["both_pass"], made["only_new"]) == (1, 1, 1, ["d"])
    assert (made["paired_by"], made["difference"], made["p_value"]) == ("run", 0, 1)
    assert main(["compare", str(old), str(new)]) == 0
    assert "2 of 3 verdicts changed" in capsys.readouterr().out


def test_other_folders_are_paired_by_task(tmp_path: Path, capsys: Capture) -> None:
    old = report(tmp_path / "old.json", {"x/1": "pass", "x/2": "pass"}, task="t")
    new = report(tmp_path / "new.json", {"y/1": "pass", "y/2": "fail"}, task="t")
    made = compared(capsys, old, new)
    assert (made["paired_by"], made["lost"], made["both_pass"]) == ("task", 1, 1)
    assert main(["compare", str(old), str(new), "--by", "run"]) == 5
    assert "no run of" in capsys.readouterr().err


def test_the_gate_on_regressions(tmp_path: Path, capsys: Capture) -> None:
    names = "abcdefgh"
    old = report(tmp_path / "old.json", dict.fromkeys(names, "pass"))
    one = report(tmp_path / "one.json", {name: "fail" if name == "a" else "pass" for name in names})
    six = report(tmp_path / "six.json", {name: "fail" if name in "abcdef" else "pass" for name in names})
    assert main(["compare", str(old), str(one)]) == 0
    assert main(["compare", str(old), str(one), "--fail-on", "regression"]) == 1
    assert "gate failed: 1 that passed before fail now" in capsys.readouterr().err
    assert main(["compare", str(old), str(one), "--fail-on", "significant"]) == 0
    assert main(["compare", str(old), str(six), "--fail-on", "significant"]) == 1
    assert "p = 0.031" in capsys.readouterr().err
    # More that pass are no regression, however sure.
    assert main(["compare", str(six), str(old), "--fail-on", "significant"]) == 0
    assert main(["compare", str(six), str(old), "--fail-on", "regression"]) == 0


def test_a_pass_that_is_missing_is_a_regression(tmp_path: Path, capsys: Capture) -> None:
    old = report(tmp_path / "old.json", {"a": "pass", "b": "pass", "c": "fail", "d": "unjudged"})
    without_passes = report(tmp_path / "one.json", {"b": "pass", "c": "fail", "d": "unjudged", "e": "pass"})
    made = compared(capsys, old, without_passes, "--fail-on", "regression", code=1)
    assert (made["lost"], made["missing_passes"], made["only_old"]) == (0, ["task a"], ["task a"])
    assert main(["compare", str(old), str(without_passes), "--by", "run", "--fail-on", "regression"]) == 1
    streams = capsys.readouterr()
    assert "gate failed: 1 that passed before are not in NEW (--fail-on regression)" in streams.err
    assert "0 of 3 verdicts changed, 1 run only in OLD, 1 run only in NEW" in streams.out.splitlines()[0]
    without_failures = report(tmp_path / "two.json", {"a": "pass", "b": "pass"})
    assert main(["compare", str(old), str(without_failures), "--fail-on", "regression"]) == 0
    assert "2 runs only in OLD" in capsys.readouterr().out.splitlines()[0]


def test_unjudged_pairs_are_neither_lost_nor_gained(tmp_path: Path, capsys: Capture) -> None:
    old = report(tmp_path / "old.json", {"a": "pass", "b": "pass"})
    new = report(tmp_path / "new.json", {"a": "unjudged", "b": "pass"})
    made = compared(capsys, old, new, "--fail-on", "regression", code=3)
    assert (made["lost"], made["n_judged"], made["n_changed"], len(made["unjudged"])) == (0, 1, 1, 1)


def test_two_bundles(tmp_path: Path, capsys: Capture) -> None:
    old = judged_bundle(tmp_path / "old", [Case("a", task_id=1), Case("b", strict="fail", task_id=2)])
    new = judged_bundle(tmp_path / "new", [Case("a", strict="fail", task_id=1), Case("b", task_id=2)])
    made = compared(capsys, old, new, "--judge", "request-strict")
    assert (made["lost"], made["gained"]) == (1, 1)
    assert main(["compare", str(old), str(new)]) == 2
    assert "name one with --judge" in capsys.readouterr().err
    assert main(["compare", str(old), str(tmp_path / "old" / "a"), "--judge", "request-strict"]) == 5
    assert "holds no verdicts" in capsys.readouterr().err
    out = tmp_path / "out.json"
    assert main(["compare", str(old), str(new), "--judge", "request-lenient", "--format", "json", "-o", str(out)]) == 0
    assert json.loads(out.read_text())["n_changed"] == 0


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"verdicts": 1}', '{"run": "a"}\n', '{"verdicts": [{"run": "a", "outcome": "yes"}]}']
)
def test_a_file_that_is_no_report_is_named(content: str, tmp_path: Path, capsys: Capture) -> None:
    good = report(tmp_path / "good.json", {"a": "pass"})
    bad = tmp_path / "bad.json"
    bad.write_text(content)
    assert main(["compare", str(good), str(bad)]) == (5 if not content else 4)
    assert "bad.json" in capsys.readouterr().err
