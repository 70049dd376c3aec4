"""Bundles of recorded runs, and the command line against a scripted model."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # tests are no package; `servers` is one of its folders
sys.path.insert(0, str(Path(__file__).parent))

from rescored import Said, write_run
from servers.openai import ScriptedChat

from clawjudge.judge.cli.main import main

MakeBundle = Callable[..., Path]


@pytest.fixture
def make_bundle(tmp_path: Path) -> MakeBundle:
    """`make_bundle(10, every=2, name="bundle")`: ten runs, each second one with its request made."""

    def make(number: int, every: int = 1, name: str = "bundle") -> Path:
        for index in range(number):
            write_run(tmp_path / name / f"run-{index:05d}", index, intercepted=index % every == 0)
        return tmp_path / name

    return make


Run = Callable[..., Said]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """`run(server, bundle, "--judge", ...)`: rescores with a model of `server` (None: the arguments say which)."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)

    def run(server: ScriptedChat | None, bundle: Path | str, *arguments: str) -> Said:
        if server is not None:
            monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-42")
            monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
            arguments = ("--judge-model", "openai:gpt-5", *arguments)
        capsys.readouterr()
        code = main(["rescore", str(bundle), *arguments])
        said = capsys.readouterr()
        assert "sk-very-secret-42" not in said.out + said.err
        return Said(code, said.out, said.err)

    return run
