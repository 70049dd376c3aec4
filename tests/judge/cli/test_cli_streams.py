"""Where results go, and what ends a command: odd files, closed streams, interrupts, plain terminals, gates."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from clawjudge.judge.cli.main import main

PROGRAM = [sys.executable, "-c", "from clawjudge.judge.cli.entry import run; run()"]


def clawjudge(*arguments: Any, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, **more)


def test_dash_is_standard_output(runs, tmp_path):
    result = clawjudge("evaluate", "--agent-trace", runs / "right", "--format", "csv", "-o", "-", cwd=tmp_path)
    assert result.returncode == 0
    assert result.stdout.startswith("run,task_id,")
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [("fifo", "a pipe"), ("folder", "a folder"), ("/dev/zero", "a device"), ("huge", "larger than 2 MB"),
     ("deep", "nested too deeply"), ("levels", "nested more than"), ("list", "a persona is a JSON object"),
     ("text", "not JSON"), ("nothing", "cannot be read"), ("task fifo", "a pipe")],
)  # fmt: skip
def test_a_persona_that_is_none_is_refused_at_once(runs, tmp_path, given, said):
    path = tmp_path / given
    if "fifo" in given:
        os.mkfifo(path)
    elif given == "folder":
        path.mkdir()
    elif given == "huge":
        with path.open("wb") as file:
            file.truncate(3 * 1024**3)
    elif given in ("deep", "levels", "list", "text"):
        levels = {"deep": 100_000, "levels": 100}.get(given, 0)
        path.write_text('{"a":' * levels + "1" + "}" * levels if levels else {"list": "[]", "text": "x"}[given])
    command = ["evaluate", "--agent-trace", runs / "right", "--persona", path]
    if given == "task fifo":
        (tmp_path / "tasks").mkdir()
        os.mkfifo(tmp_path / "tasks" / "task.json")
        command = ["traces", "lint", tmp_path / "tasks"]
    result = clawjudge(*command)
    assert result.returncode == 4
    assert said in result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == (0 if given == "task fifo" else 1)


@pytest.mark.parametrize(("redirection", "code"), [(">&-", 0), (">&- 2>&-", 0), ("<&- >&- 2>&-", 0), (">/dev/full", 4)])
def test_a_closed_or_full_standard_output_is_no_traceback(runs, redirection, code):
    line = f'exec "$@" {redirection}'
    words = [*PROGRAM, "evaluate", "--agent-trace", str(runs / "right")]
    result = subprocess.run(["bash", "-c", line, "x", *words], capture_output=True, text=True, timeout=120)
    assert result.returncode == code
    assert "Traceback" not in result.stderr
    assert "Exception ignored" not in result.stderr
    assert ("No space left" in result.stderr) == (code == 4)


def test_a_document_is_utf8_and_a_screen_plain_words_where_the_language_is_c(runs):
    environment = {**os.environ, "LC_ALL": "C"}
    screen = subprocess.run(
        [*PROGRAM, "evaluate", "--agent-trace", runs / "right"], capture_output=True, timeout=120, env=environment
    )
    assert screen.returncode == 0
    assert screen.stdout.isascii()
    assert screen.stdout.startswith(b"ok PASS")
    latin = {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "latin-1"}
    xml = subprocess.run(
        [*PROGRAM, "evaluate", "--agent-trace", runs, "--format", "junit"], capture_output=True, timeout=120, env=latin
    )
    assert ET.fromstring(xml.stdout).tag == "testsuites"


@pytest.mark.parametrize("wait", [0.0, 0.02, 0.05, 0.1, 0.2, 0.4])
def test_an_early_interrupt_is_no_traceback(runs, wait):
    # The child says when it has come to our first line; what comes before belongs to Python itself.
    code = "import clawjudge.judge.cli.entry as e, os; e.signal.signal(2, e._leave); os.write(2, b'!'); e.run()"
    words = [sys.executable, "-c", code, "evaluate", "--agent-trace", str(runs)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr is not None
    assert process.stderr.read(1) == b"!"
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode in (130, 3)
    assert b"Traceback" not in err


def test_an_interrupted_batch_keeps_the_older_file_and_says_where_the_part_is(runs, tmp_path, monkeypatch, capsys):
    output = tmp_path / "verdicts.json"
    arguments = ["evaluate", "--agent-trace", str(runs), "--format", "json", "-o", str(output)]
    assert main(arguments) == 3
    whole = output.read_bytes()
    from clawjudge.judge import evaluate as judging

    real = judging.judge_pairings

    def interrupted(*given):
        yield next(real(*given))
        raise KeyboardInterrupt

    monkeypatch.setattr(judging, "judge_pairings", interrupted)
    capsys.readouterr()
    assert main(arguments) == 130
    assert output.read_bytes() == whole
    part = tmp_path / "verdicts.partial.json"
    assert len(json.loads(part.read_text())["verdicts"]) == 1
    assert str(part) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("share", "said"), [("60", "so 0.6 for 60 %"), ("-1", "from 0 to 1"), ("nan", "no"), ("x", "no")]
)
def test_a_gate_that_is_no_share_is_explained(runs, capsys, share, said):
    assert main(["evaluate", "--agent-trace", str(runs), f"--fail-under={share}"]) == 2
    assert f"'{share}' is not a share; give a number from 0 to 1" in capsys.readouterr().err
