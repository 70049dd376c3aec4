from __future__ import annotations

import logging
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from clawjudge.judge.cli import main as module
from clawjudge.judge.cli.main import COMMANDS, main
from clawjudge.judge.cli.streams import Exit, gravest
from clawjudge.traces.errors import InvalidInput, InvalidTask

SCRIPT = Path(sys.executable).parent / "clawjudge"


@pytest.fixture(autouse=True)
def _quiet_logger():
    logger = logging.getLogger("clawjudge")
    before = logger.level, list(logger.handlers)
    yield
    logger.setLevel(before[0])
    logger.handlers[:] = before[1]


def failing(error: BaseException) -> Any:
    def invoke(*_: Any) -> None:
        raise error

    return invoke


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidTask("task.json: bad; mend it"), 4),
        (InvalidInput("x.json: not JSON"), 4),
        (ValueError("of our own making"), 70),
        (PermissionError(13, "Permission denied", "/x"), 4),
        (ZeroDivisionError("oh"), 70),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 0),
    ],
)
def test_errors_become_exit_codes_without_a_traceback(monkeypatch, capsys, error, code):
    monkeypatch.setattr(module, "silence_stdout", lambda: None)
    monkeypatch.setattr(module.cli, "invoke", failing(error))
    assert main(["rubrics", "list"]) == code
    streams = capsys.readouterr()
    assert streams.out == ""
    assert "Traceback" not in streams.err
    assert streams.err.count("\n") == (0 if code == 0 else 1)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_verbose_shows_the_traceback_wherever_it_stands(capsys, place):
    arguments = ["traces", "info", "/nowhere/at/all"]
    arguments.insert(place, "-v")
    if place == 1:
        # `traces` itself takes no option: its commands do.
        assert main(arguments) == 2
        return
    assert main(arguments) == 4
    assert "Traceback" in capsys.readouterr().err


def test_internal_errors_say_how_to_see_more(monkeypatch, capsys):
    monkeypatch.setattr(module.cli, "invoke", failing(ZeroDivisionError("oh")))
    assert main(["-v", "rubrics", "list"]) == 70
    assert "Traceback" in capsys.readouterr().err
    assert main(["rubrics", "list"]) == 70
    assert (
        capsys.readouterr().err == "clawjudge: internal error: ZeroDivisionError: oh; run again with -v to see where\n"
    )


def test_one_code_wins():
    order = [130, 70, 2, 4, 5, 6, 1, 3, 0]
    for place, code in enumerate(order):
        assert gravest(map(Exit, order[place:])) == code
    assert gravest([]) == 0


def test_unknown_commands_are_told_what_there_is(capsys):
    assert main(["evalute"]) == 2
    assert "there are: " + ", ".join(COMMANDS) in capsys.readouterr().err


def test_no_command_shows_the_help(capsys):
    assert main([]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert "Commands:" in streams.err
    assert streams.err.count("Usage:") == 1


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_help_with_examples(capsys, name):
    assert main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Usage: clawjudge {name}")
    command = module.cli.get_command(module.click.Context(module.cli), name)
    parts = list(getattr(command, "commands", {})) or [None]
    for part in parts:
        assert main([name, *([part] if part else []), "--help"]) == 0
        assert "Example" in capsys.readouterr().out


def test_the_line_in_the_list_is_the_commands_own_help():
    for name, (_, about) in COMMANDS.items():
        command = module.cli.get_command(module.click.Context(module.cli), name)
        assert command is not None
        assert command.help
        assert about.endswith(".")


@pytest.mark.skipif(not SCRIPT.exists(), reason="the command is not installed beside this Python")
def test_the_installed_command():
    help_text = subprocess.run([SCRIPT, "--help"], capture_output=True, text=True, timeout=60)
    assert help_text.returncode == 0
    assert "clawjudge evaluate --agent-trace" in help_text.stdout
    told = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True, timeout=60)
    assert told.stdout == f"clawjudge {version('clawjudge')}\n"


def test_help_is_quick_because_it_imports_no_judge():
    code = (
        "import sys; from clawjudge.judge.cli.main import main; main(['--help']); "
        "print(sorted(m for m in sys.modules if m.partition('.')[0] in "
        "('rich', 'pydantic', 'numpy', 'av', 'cv2', 'msgspec', 'dateparser', 'babel')), file=sys.stderr)"
    )
    started = time.monotonic()
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stderr == "[]\n"
    # It takes a fifth of a second; a loaded machine may need more.
    assert time.monotonic() - started < 5
