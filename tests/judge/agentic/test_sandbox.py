"""Which confinement can be had, and what is said where it is less than the full one."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from play import EXAMPLES, needs_sandbox

from clawjudge.judge.agentic.confinement import sandbox
from clawjudge.judge.agentic.confinement.sandbox import NoSandbox, choose
from clawjudge.judge.cli.main import main


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A PATH of its own, in which the test may put a program."""
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox.unavailable.cache_clear()
    yield tmp_path
    sandbox.unavailable.cache_clear()


def test_without_bubblewrap(path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    kind, notice = choose("auto")
    assert kind == "tools"
    assert "because bubblewrap (bwrap) is not installed" in notice
    with pytest.raises(NoSandbox, match="apt-get install bubblewrap"):
        choose("os")
    assert choose("tools")[0] == "tools"
    # Refused before anything is asked, with what to do.
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    arguments = ["evaluate", "--agent-trace", str(EXAMPLES), "--judge", "agentic", "--sandbox", "os"]
    assert main(arguments) == 4
    assert "--sandbox tools" in capsys.readouterr().err


def test_where_the_kernel_forbids_it(path: Path) -> None:
    program = path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    assert "No permissions to create new namespace" in choose("auto")[1]


@needs_sandbox
def test_where_it_works() -> None:
    assert choose("auto") == choose("os") == ("os", "")
    assert "only" in choose("tools")[1]


def test_nothing_of_ours_stands_in_what_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "canary")
    evidence, private = tmp_path / "evidence", tmp_path / "private"
    evidence.mkdir()
    private.mkdir()
    place = sandbox.prepare("tools", private, evidence, Path("/bin/true"), private / "model.sock")
    sandbox.add_environment(place, {"ANTHROPIC_API_KEY": "a-token"})
    written = "".join(file.read_text() for file in private.iterdir() if file.is_file())
    assert "canary" not in written
    assert "a-token" in written
    assert os.environ["PATH"] not in written
