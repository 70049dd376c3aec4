"""`clawjudge verdicts`."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from tests.judge.store.bundles import Case, judged_bundle, record

from clawjudge.judge.cli.main import main
from clawjudge.judge.store.verdict_store import VerdictStore

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """Four runs, judged on the 29th, and one of them again on the 30th under another prompt."""
    cases = [
        Case("m/a", strict="pass", task_id=1),
        Case("m/b", strict="fail", task_id=2),
        Case("m/c", intercepted=False, task_id=3),
        Case("m/d", strict="unjudged", lenient="fail", task_id=4),
    ]
    home = judged_bundle(tmp_path / "runs", cases, "2026-11-29T10:00:00Z")
    with VerdictStore.open(home) as store:
        again = record("request-strict", "m/a", "fail", prompt_sha256="new", reason="Three \x1b[31mwere ordered.")
        store.put(again)
    return home


def printed(arguments: list[str], capture: Capture, code: int = 0) -> str:
    assert main(["verdicts", *arguments]) == code
    return capture.readouterr().out


def document(arguments: list[str], capture: Capture) -> Any:
    value = json.loads(printed([*arguments, "--format", "json"], capture))
    assert value["schema_version"] == 1
    return value


def test_ls_shows_what_stands(bundle: Path, capsys: Capture) -> None:
    out = printed(["ls", str(bundle)], capsys)
    assert "request-lenient=anthropic:claude-judge  4 runs: 2 pass, 2 fail, 0 unjudged\n" in out
    assert "request-strict=anthropic:claude-judge  4 runs: 0 pass, 3 fail, 1 unjudged\n" in out
    assert "✗ FAIL      m/a  Three ␛were ordered.  judged" in out
    assert "\x1b" not in out


def test_ls_chooses_by_judge_time_and_outcome(bundle: Path, capsys: Capture) -> None:
    arguments = ["ls", str(bundle), "--judge", "request-strict@2026-11-29"]
    found = document(arguments, capsys)["verdicts"]
    assert [(one["run"], one["outcome"]) for one in found] == [
        ("m/a", "pass"),
        ("m/b", "fail"),
        ("m/c", "fail"),
        ("m/d", "unjudged"),
    ]
    assert len(found[0]["key"]) == 64
    assert found[0]["judged_at"] == "2026-11-29T10:00:00Z"
    only = document([*arguments, "--outcome", "unjudged"], capsys)["verdicts"]
    assert [one["run"] for one in only] == ["m/d"]


def test_show_tells_everything(bundle: Path, capsys: Capture) -> None:
    out = printed(["show", str(bundle), "m/a/", "--judge", "request-strict"], capsys)
    assert out.startswith("✗ FAIL  m/a\n  Three ␛were ordered.\n")
    assert "judged by request-strict@" in out
    [found] = document(["show", str(bundle), "m/a", "--judge", "request-strict"], capsys)["verdicts"]
    assert (found["rests_on"]["prompt_sha256"], found["replies"]) == ("new", ['{"match": true}'])
    assert len(document(["show", str(bundle), "m/a"], capsys)["verdicts"]) == 2


def test_history_tells_what_changed(bundle: Path, capsys: Capture) -> None:
    out = printed(["history", str(bundle), "m/a", "--judge", "request-strict"], capsys)
    first, _, second, _, reason = out.splitlines()
    assert first.startswith("2026-11-29T10:00:00Z  ✓ PASS      m/a")
    assert second.startswith("2026-11-30T10:00:00Z  ✗ FAIL      m/a")
    assert reason.strip() == "was pass; another prompt"
    assert len(document(["history", str(bundle)], capsys)["verdicts"]) == 9


def test_diff_of_two_judges(bundle: Path, capsys: Capture) -> None:
    made = document(["diff", str(bundle), "request-lenient", "request-strict"], capsys)
    counts = {key: made[key] for key in ("n_pairs", "n_judged", "lost", "gained", "both_fail", "n_changed")}
    assert counts == {"n_pairs": 4, "n_judged": 3, "lost": 2, "gained": 0, "both_fail": 1, "n_changed": 3}
    assert (made["paired_by"], made["p_value"]) == ("run", 0.5)
    assert {change["new"]["run"]: change["kind"] for change in made["changes"]} == {
        "m/a": "pass_to_fail",
        "m/b": "pass_to_fail",
        "m/d": "fail_to_unjudged",
    }
    assert "another judge: request-lenient → request-strict" in made["changes"][0]["why"]


def test_diff_of_two_times_says_why(bundle: Path, capsys: Capture) -> None:
    out = printed(["diff", str(bundle), "request-strict@2026-11-29", "request-strict"], capsys)
    assert out.startswith("1 of 4 verdicts changed  request-strict@2026-11-29 → request-strict, paired by run\n")
    assert "why: another prompt (1)" in out
    assert "lost: passed before, fails now (1)\n  m/a  Three ␛were ordered.  judged" in out
    assert "1 run unjudged on both sides" in out


def test_export_as_csv_and_json_lines(bundle: Path, capsys: Capture, tmp_path: Path) -> None:
    rows = list(csv.DictReader(printed(["export", str(bundle)], capsys).splitlines()))
    assert len(rows) == 8
    strict = {row["run"]: row for row in rows if row["judge"] == "request-strict"}
    assert (strict["m/a"]["outcome"], strict["m/a"]["intercepted"], strict["m/c"]["intercepted"]) == (
        "fail",
        "true",
        "false",
    )
    assert strict["m/a"]["justification"] == "Three ␛were ordered."
    lines = printed(
        ["export", str(bundle), "--format", "jsonl", "--all", "--judge", "request-strict"], capsys
    ).splitlines()
    assert [json.loads(line)["outcome"] for line in lines] == ["pass", "fail", "fail", "unjudged", "fail"]


def test_export_as_parquet(bundle: Path, capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "verdicts.parquet"
    assert main(["verdicts", "export", str(bundle), "--format", "parquet", "-o", str(file)]) == 0
    table = pyarrow.parquet.read_table(file)
    assert (table.num_rows, str(table.schema.field("cost_usd").type), str(table.schema.field("final").type)) == (
        8,
        "double",
        "bool",
    )
    assert sorted(table["run"].to_pylist())[0] == "m/a"
    assert main(["verdicts", "export", str(bundle), "--format", "parquet"]) == 2


def test_parquet_without_its_library_says_what_to_install(bundle: Path) -> None:
    code = "import sys; sys.modules['pyarrow'] = None; from clawjudge.judge.cli.main import main; "
    code += "sys.exit(main(sys.argv[1:]))"
    line = ["verdicts", "export", str(bundle), "--format", "parquet", "-o", str(bundle.parent / "x")]
    done = subprocess.run([sys.executable, "-c", code, *line], capture_output=True, text=True)
    assert done.returncode == 4
    assert "pip install 'clawjudge[parquet]'" in done.stderr


def test_import_says_that_there_was_nothing(tmp_path: Path, make_run: Any, capsys: Capture) -> None:
    make_run(tmp_path / "bundle" / "a")
    assert main(["verdicts", "import", str(tmp_path / "bundle")]) == 0
    assert "no run holds a judge.json or judge_llm.json" in capsys.readouterr().err


def test_import_reads_what_a_bundle_came_with(bundle: Path, capsys: Capture) -> None:
    theirs = {"match": True, "reason": "fine", "judge_model": "deepseek-v4-pro"}
    (bundle / "m/b/judge.json").write_text(json.dumps(theirs))
    (bundle / "m/d/data/judge_llm.json").write_text('{"match":')
    assert main(["verdicts", "import", str(bundle)]) == 0
    out, err = capsys.readouterr()
    assert out == "1 verdict read, 0 known already, 1 file without a verdict\n"
    assert "m/d/data/judge_llm.json: not JSON" in err
    made = document(["diff", str(bundle), "clawbench-strict", "request-strict"], capsys)
    assert (made["lost"], made["only_new"]) == (1, ["m/a", "m/c", "m/d"])
    assert document(["import", str(bundle)], capsys)["n_known"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["ls", "{}", "--judge", "offline"], 5, "no verdict of offline; verdicts are there of: request-lenient="),
        (["ls", "{}", "--outcome", "nothing"], 2, "'nothing' is not one of"),
        (["ls", "{}", "--judge", "x@never"], 2, "names no judge; write JUDGE[=MODEL][@TIME]"),
        (["ls", "{}/m"], 5, "holds no verdicts (.clawjudge/verdicts.sqlite); run clawjudge rescore"),
        (["ls", "{}/none"], 2, "does not exist"),
        (["show", "{}", "m/z"], 5, "no such verdict of a run 'm/z'"),
        (["diff", "{}", "request-strict"], 2, "Missing argument"),
        (["export", "{}", "-o", "{}"], 2, "is a folder; name a file"),
    ],
)
def test_errors_say_what_to_do(arguments: list[str], code: int, said: str, bundle: Path, capsys: Capture) -> None:
    assert main(["verdicts", *(argument.format(bundle) for argument in arguments)]) == code
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_damaged_store_is_no_crash(bundle: Path, capsys: Capture) -> None:
    (bundle / ".clawjudge/verdicts.sqlite").write_bytes(b"nonsense" * 1000)
    assert main(["verdicts", "ls", str(bundle)]) == 4
    assert "move it away to start a new one" in capsys.readouterr().err
