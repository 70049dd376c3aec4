"""`clawjudge reproduce`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.judge.store.bundles import Case, judged_bundle

from clawjudge.judge.cli.main import main
from clawjudge.judge.store.prior import import_prior
from clawjudge.judge.store.verdict_store import VerdictStore

Capture = pytest.CaptureFixture[str]


def bundle(home: Path, n: int = 10, strict: int = 3, lenient: int = 5, made: int = 6) -> Path:
    cases = [
        Case(f"r{i}", i < made, "pass" if i < strict else "fail", "pass" if i < lenient else "fail", task_id=i)
        for i in range(n)
    ]
    return judged_bundle(home, cases)


def row(tmp_path: Path, **values: Any) -> str:
    file = tmp_path / "row.json"
    file.write_text(json.dumps({"model": "m", "n": 10, "intercepted": 6, "lenient": 5, "strict": 3} | values))
    return str(file)


def answer(capture: Capture, code: int, *arguments: str) -> Any:
    assert main(["reproduce", *arguments, "--format", "json"]) == code
    return json.loads(capture.readouterr().out)


def test_reproduced(tmp_path: Path, capsys: Capture) -> None:
    home = bundle(tmp_path / "runs")
    made = answer(capsys, 0, "--row", row(tmp_path), str(home))
    assert (made["answer"], [column["observed"] for column in made["columns"]]) == ("reproduced", [6, 5, 3])
    assert main(["reproduce", "--row", row(tmp_path, strict=2), str(home)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("REPRODUCED  m, 10 tasks\n")
    assert "✓ reward, strict          2 (20.0 %)        3 (30.0 %)  −9.5 to +10.0 pp, 1 changed, p = 1\n" in out


def test_not_reproduced(tmp_path: Path, capsys: Capture) -> None:
    home = bundle(tmp_path / "runs", made=7)
    made = answer(capsys, 1, "--row", row(tmp_path), str(home))
    assert [column["reproduced"] for column in made["columns"]] == [False, True, True]
    assert main(["reproduce", "--row", row(tmp_path), str(home)]) == 1
    assert capsys.readouterr().out.startswith("NOT REPRODUCED  m, 10 tasks\n")


def test_the_runs_of_several_bundles_make_one_row(tmp_path: Path, capsys: Capture) -> None:
    cases = [
        Case(f"r{i}", i < 6, "pass" if i < 3 else "fail", "pass" if i < 5 else "fail", task_id=i) for i in range(10)
    ]
    homes = [judged_bundle(tmp_path / name, part) for name, part in (("one", cases[:5]), ("two", cases[5:]))]
    assert answer(capsys, 0, "--row", row(tmp_path), *map(str, homes))["n_tasks"] == 10
    # The same bundle twice is not twice the tasks.
    again = answer(capsys, 4, "--row", row(tmp_path), *map(str, [homes[0], homes[0]]))
    assert again["problems"][0] == "the row is of 10 tasks, and verdicts are there for 5"


def test_five_tasks_do_not_reproduce_a_row_of_130(tmp_path: Path, capsys: Capture) -> None:
    home = bundle(tmp_path / "runs", n=5, strict=1, lenient=2, made=3)
    made = answer(capsys, 4, "--row", "claude-opus-4-7", str(home))
    assert (made["answer"], made["columns"]) == ("invalid", [])
    assert "clawbench-eval 0.11.0" in made["row"]["source"]


def test_unjudged_runs_are_said_with_their_own_code(tmp_path: Path, capsys: Capture) -> None:
    home = judged_bundle(
        tmp_path / "runs", [Case(f"r{i}", strict="unjudged" if i else "pass", task_id=i) for i in range(4)]
    )
    few = row(tmp_path, n=4, intercepted=4, lenient=4, strict=2)
    assert answer(capsys, 3, "--row", few, str(home))["problems"] == [
        "strict: 3 of 4 runs are unjudged; rescore them first"
    ]
    assert answer(capsys, 0, "--row", few, "--rubric", "lenient", str(home))["answer"] == "reproduced"


def test_published_verdicts_in_the_bundle_are_paired_with_ours(tmp_path: Path, capsys: Capture) -> None:
    home = bundle(tmp_path / "runs")
    for i in range(6):
        (home / f"r{i}/judge.json").write_text(json.dumps({"match": 1 <= i < 4, "judge_model": "deepseek-v4-pro"}))
    with VerdictStore.open(home) as store:
        import_prior(store, home, [f"r{i}" for i in range(10)])
    made = answer(capsys, 0, "--row", row(tmp_path, judge_model="deepseek-v4-pro"), str(home))
    strict = made["columns"][2]
    assert (strict["paired"], strict["lost"], strict["gained"], strict["difference"]) == (True, 1, 1, 0)
    assert made["columns"][1]["paired"] is False
    assert made["notices"] == ["the row was judged by deepseek-v4-pro, this rescore by anthropic:claude-judge"]


def test_the_public_rows_are_listed(capsys: Capture) -> None:
    assert main(["reproduce", "--list"]) == 0
    assert "glm-5.1                  hermes    130          63       45      23" in capsys.readouterr().out
    assert main(["reproduce", "--list", "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 8


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["{}"], 2, "give a row with --row and at least one bundle"),
        (["--row", "gpt-9", "{}"], 4, "is no file, and no public row"),
        (["--row", "glm-5.1"], 2, "at least one bundle"),
        (["--row", "glm-5.1", "{}/r0"], 5, "holds no verdicts"),
    ],
)
def test_errors(arguments: list[str], code: int, said: str, tmp_path: Path, capsys: Capture) -> None:
    home = bundle(tmp_path / "runs", n=2)
    assert main(["reproduce", *(argument.format(home) for argument in arguments)]) == code
    assert said in capsys.readouterr().err
