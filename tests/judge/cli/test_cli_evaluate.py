from __future__ import annotations

import csv
import json
import os
import pty
import signal
import subprocess
import sys
import time
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from clawjudge.judge.cli.evaluate import evaluate as command
from clawjudge.judge.cli.main import main

PROGRAM = [sys.executable, "-c", "from clawjudge.judge.cli.entry import run; run()"]
EVIL = "\x1b[2J\x1b]0;PASS\x07\u202eSSAP\u2066 peanuts" + "A" * 100_000


def clawjudge(*arguments: Any, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, **more)


def test_a_single_run_ends_with_0_whatever_the_verdict(runs, capsys):
    for name, sign in (("right", "✓ PASS"), ("wrong", "✗ FAIL")):
        assert main(["evaluate", "--agent-trace", str(runs / name)]) == 0
        streams = capsys.readouterr()
        assert streams.out.startswith(sign)
        assert streams.err == ""


def test_unjudged_runs_end_with_3(runs, capsys):
    assert main(["evaluate", "--agent-trace", str(runs)]) == 3
    assert "3 runs in" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("gate", "name", "code"),
    [
        (["--fail-under", "0.5"], "wrong", 1),
        (["--fail-under", "0"], "wrong", 0),
        (["--fail-under", "1"], "right", 0),
        (["--fail-on", "fail"], "wrong", 1),
        (["--fail-on", "fail"], "right", 0),
        (["--fail-on", "any"], "wrong", 1),
        (["--fail-on", "unjudged"], "wrong", 0),
        (["--fail-on", "fail"], "unclear", 3),
        (["--fail-on", "unjudged"], "unclear", 1),
        (["--fail-under", "0.5"], "unclear", 1),
        (["--fail-on", "any"], ".", 1),
    ],
)
def test_gates(runs, capsys, gate, name, code):
    assert main(["evaluate", "--agent-trace", str(runs / name), *gate, "--format", "json"]) == code
    streams = capsys.readouterr()
    assert json.loads(streams.out)["schema_version"] == 1
    assert ("gate failed" in streams.err) == (code == 1)


@pytest.mark.parametrize(
    ("name", "gate", "said"),
    [
        ("unclear", "0.5", "gate failed: no run was judged, so --fail-under 0.5 cannot hold"),
        (".", "0.8", "gate failed: the success rate 50.0 % is under 80.0 % (--fail-under 0.8)"),
    ],
)
def test_a_gate_says_why_it_failed_after_the_report(runs, name, gate, said):
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "timeout": 120}
    shown = subprocess.run([*PROGRAM, "evaluate", "--agent-trace", runs / name, "--fail-under", gate], **both).stdout
    assert shown.splitlines()[-1] == said
    assert "judged by offline" in shown.splitlines()[-2]


@pytest.mark.parametrize("share", ["60", "60%", "60 %"])
def test_a_share_in_percent_gets_a_hint(capsys, share):
    assert main(["evaluate", "--agent-trace", "x", "--fail-under", share]) == 2
    assert "give a number from 0 to 1, so 0.6 for 60 %" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["--agent-trace", "x", "--judge", "nobody"],
        ["--agent-trace", "x", "--judge", "offline", "--samples", "3"],
        ["--agent-trace", "x", "--judge", "agentic", "--layers", "smells"],
        ["--agent-trace", "x", "--fail-under", "80"],
        ["--agent-trace", "x", "--fail-under", "nan"],
        ["--agent-trace", "x", "--fail-under", "0.5%"],
        ["--agent-trace", "x", "--limit", "0"],
        ["--agent-trace", "x", "--format", "xml"],
        ["--agent-trace", "x", "-o", "/nowhere/at/all.json"],
        ["--agent-trace", "x", "-o", "/"],
        ["--agent-trace", "x", "surplus"],
    ],
)
def test_usage_errors_end_with_2_and_nothing_on_stdout(capsys, wrong):
    assert main(["evaluate", *wrong]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert "Error: " in streams.err
    assert "Traceback" not in streams.err


def test_invalid_input_ends_with_4_and_names_file_and_remedy(runs, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "list.json").write_text("[]")
    for arguments, named in (
        (["--agent-trace", tmp_path / "nowhere"], "nowhere"),
        (["--agent-trace", tmp_path / "list.json"], "list.json"),
        (["--agent-trace", runs / "right", "--reference-trace", tmp_path / "empty"], "empty"),
        (["--agent-trace", runs / "right", "--reference-trace", tmp_path / "nowhere"], "nowhere"),
        (["--agent-trace", runs / "right", "--persona", tmp_path / "list.json"], "list.json"),
        (["--agent-trace", runs / "right", "--persona", tmp_path / "nowhere"], "nowhere"),
    ):
        assert main(["evaluate", *map(str, arguments)]) == 4
        streams = capsys.readouterr()
        assert streams.out == ""
        assert streams.err.startswith("clawjudge: ")
        assert named in streams.err
        assert streams.err.count("\n") == 1


def test_a_folder_without_runs_ends_with_5(tmp_path, make_run, capsys):
    make_run(tmp_path / "reference")
    assert main(["evaluate", "--agent-trace", str(tmp_path)]) == 5
    assert "holds no agent run" in capsys.readouterr().err


def test_every_format_has_all_runs(runs, capsys):
    out = {}
    for form in ("json", "jsonl", "csv", "junit", "human"):
        main(["evaluate", "--agent-trace", str(runs), "--format", form])
        out[form] = capsys.readouterr().out
    names = ["right", "unclear", "wrong"]
    assert [v["run"] for v in json.loads(out["json"])["verdicts"]] == names
    assert [json.loads(line)["run"] for line in out["jsonl"].splitlines()] == names
    assert [row["run"] for row in csv.DictReader(out["csv"].splitlines())] == names
    assert [case.get("name") for case in ET.fromstring(out["junit"]).iter("testcase")] == names
    assert all(name in out["human"] for name in names)


def test_the_result_goes_whole_into_a_file(runs, tmp_path, capsys):
    target = tmp_path / "verdicts.json"
    target.write_text("old")
    assert main(["evaluate", "--agent-trace", str(runs), "--format", "json", "-o", str(target)]) == 3
    assert json.loads(target.read_text())["summary"]["n_total"] == 3
    streams = capsys.readouterr()
    assert (streams.out, streams.err) == ("", f"wrote {target}\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["runs", "verdicts.json"]


def test_a_file_of_a_recording_is_never_overwritten(runs, capsys):
    for place in ("run-meta.json", "data/requests.jsonl", "judge.json"):
        target = runs / "right" / place
        before = target.read_bytes() if target.exists() else None
        assert main(["evaluate", "--agent-trace", str(runs), "-o", str(target)]) == 2
        assert (target.read_bytes() if target.exists() else None) == before
    assert "inputs are never changed" in capsys.readouterr().err


def test_inputs_are_not_touched(runs):
    before = {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in sorted(runs.rglob("*"))}
    main(["evaluate", "--agent-trace", str(runs)])
    assert {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in sorted(runs.rglob("*"))} == before


def test_limit_judges_the_first_runs(runs, capsys):
    assert main(["evaluate", "--agent-trace", str(runs), "--limit", "1"]) == 0
    assert "only 1 of 3 runs were judged" in capsys.readouterr().out


def test_help_has_examples_and_needs_no_judge():
    result = CliRunner().invoke(command, ["--help"])
    assert result.exit_code == 0
    assert "Examples:" in result.output
    assert "Exit codes:" in result.output


@pytest.mark.parametrize("form", ["human", "json", "jsonl", "csv", "junit"])
def test_hostile_values_come_out_inert(tmp_path, make_run, form):
    make_run(tmp_path / "reference")
    run = make_run(tmp_path / "evil\x1b[2J\u202erun", {"note": EVIL, EVIL[:50]: EVIL})
    result = clawjudge("evaluate", "--agent-trace", run, "--format", form)
    assert result.returncode in (0, 3), result.stderr
    for text in (result.stdout, result.stderr):
        assert not {"\x1b", "\x07", "\u202e", "\u2066"} & set(text)
    if form in ("human", "csv"):
        assert len(result.stdout) < 50_000


def test_hostile_names_in_errors_come_out_inert(tmp_path):
    result = clawjudge("-v", "evaluate", "--agent-trace", tmp_path / "evil\x1b[2J\u202e")
    assert result.returncode == 4
    assert not {"\x1b", "\u202e"} & set(result.stderr)
    assert "Traceback" in result.stderr


def test_results_and_notices_keep_to_their_streams(runs):
    result = clawjudge("evaluate", "--agent-trace", runs, "--format", "csv", "--fail-on", "fail")
    assert result.returncode == 1
    assert [row["outcome"] for row in csv.DictReader(result.stdout.splitlines())] == ["pass", "unjudged", "fail"]
    assert result.stderr.splitlines() == ["gate failed: 1 fail (--fail-on fail)"]


def test_a_reader_that_leaves_early_is_no_error(runs):
    with subprocess.Popen(
        [*PROGRAM, "evaluate", "--agent-trace", str(runs), "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 3


def test_ascii_terminals_get_an_answer_too(runs):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    result = clawjudge("evaluate", "--agent-trace", runs / "wrong", env=environment)
    assert result.returncode == 0, result.stderr
    assert "quantity: 3 instead of 2" in result.stdout


SLOW_JUDGE = """
import time
from clawjudge.judge.offline.judge import OfflineJudge
judge = OfflineJudge.judge
def slowly(self, case):
    if seen:
        print("second run", file=__import__("sys").stderr, flush=True)
        time.sleep(60)
    seen.append(case)
    return judge(self, case)
seen = []
OfflineJudge.judge = slowly
from clawjudge.judge.cli.main import run
run()
"""


def test_ctrl_c_prints_what_is_done_and_ends_with_130(runs):
    with subprocess.Popen(
        [sys.executable, "-c", SLOW_JUDGE, "evaluate", "--agent-trace", str(runs), "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background passes on that interrupts are ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "second run\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    document = json.loads(out)
    assert [v["run"] for v in document["verdicts"]] == ["right"]
    assert (document["summary"]["n_found"], document["summary"]["n_total"]) == (3, 1)
    assert "interrupted after 1 of 3 runs" in err


def on_a_terminal(arguments: list[str], environment: dict[str, str]) -> str:
    """Everything that the program writes to a terminal of 80 columns."""
    leader, follower = pty.openpty()
    variables = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **environment}
    with subprocess.Popen(
        [*PROGRAM, *arguments], stdin=follower, stdout=follower, stderr=follower, env=variables
    ) as process:
        os.close(follower)
        pieces = []
        started = time.monotonic()
        while time.monotonic() - started < 60:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            pieces.append(piece)
        process.wait(60)
    os.close(leader)
    return b"".join(pieces).decode()


def test_colours_on_a_terminal_unless_unwanted(runs):
    arguments = ["evaluate", "--agent-trace", str(runs / "wrong")]
    variables = {"NO_COLOR": ""}
    assert "\x1b[1;31m✗ FAIL" in on_a_terminal(arguments, variables)
    assert "\x1b" not in on_a_terminal(arguments, {"NO_COLOR": "1"})


def test_hostile_values_come_out_inert_on_a_terminal(tmp_path, make_run):
    make_run(tmp_path / "reference")
    run = make_run(tmp_path / "run", {"note": EVIL})
    shown = on_a_terminal(["evaluate", "--agent-trace", str(run)], {"NO_COLOR": "1"})
    assert "FAIL" in shown
    assert not {"\x1b", "\x07", "\u202e", "\u2066"} & set(shown)
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.slow
def test_the_corpus_from_the_command_line(dev_corpus):
    result = clawjudge("evaluate", "--agent-trace", dev_corpus / "food-order", "--format", "jsonl")
    assert result.returncode in (0, 3), result.stderr
    verdicts = [json.loads(line) for line in result.stdout.splitlines()]
    assert [v["run"] for v in verdicts] == sorted(v["run"] for v in verdicts)
    assert len(verdicts) == 11


def test_a_path_without_its_option_is_recognised(capsys):
    for more in ([], ["--agent-trace", "x"]):
        assert main(["evaluate", "runs/42", *more]) == 2
        assert "did you mean --agent-trace runs/42?" in capsys.readouterr().err


def test_a_run_without_reference_says_how_to_give_one(tmp_path, make_run, capsys):
    assert main(["evaluate", "--agent-trace", str(make_run(tmp_path / "alone"))]) == 3
    said = " ".join(capsys.readouterr().out.split())
    assert "--reference-trace PATH" in said
    assert "folder `reference` beside the run" in said
