"""Bundles of recorded runs, and the command line against a scripted model."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # tests are no package; `servers` is one of its folders

from servers.messages_script import Text
from servers.openai import ScriptedChat

from clawjudge.judge.cli.main import main

YES = Text('{"reason": "It is what was asked for.", "match": true}', usage={"input_tokens": 900, "output_tokens": 60})
NO = Text('{"reason": "The quantity is 9, and 2 was asked for.", "match": false}')

MakeBundle = Callable[..., Path]


def write_run(folder: Path, number: int, *, intercepted: bool = True, **meta: Any) -> Path:
    """One run as ClawBench records it: number `number` of a made-up shop."""
    (folder / "data").mkdir(parents=True)
    about = {
        "task_id": number,
        "test_case": f"v2-{number:03d}-shop",
        "instruction": f"Order {number + 1} teapots on shop.test.",
        "model": "agent-x",
        "harness": "hermes",
        "intercepted": intercepted,
        "timestamp": "20261130-101112",
        "duration_seconds": 60,
    }
    (folder / "run-meta.json").write_text(json.dumps({**about, **meta}))
    body = {"item": "teapot", "quantity": number + 1, "session": f"s{number:08d}"}
    headers = {"content-type": "application/json"}
    request = {"url": "https://shop.test/api/orders", "method": "POST", "headers": headers, "body": body}
    schema = {"url_pattern": r"shop\.test/api/orders", "method": "POST"}
    block: dict[str, Any] = {"intercepted": False, "stop_reason": "agent_exited"}
    if intercepted:
        block = {"intercepted": True, "intercepted_at": 1_796_000_000, "request": request, "schema": schema}
    (folder / "data" / "interception.json").write_text(json.dumps(block))
    return folder


@pytest.fixture
def make_bundle(tmp_path: Path) -> MakeBundle:
    """`make_bundle(10, every=2, name="bundle")`: ten runs, each second one with its request made."""

    def make(number: int, every: int = 1, name: str = "bundle") -> Path:
        for index in range(number):
            write_run(tmp_path / name / f"run-{index:05d}", index, intercepted=index % every == 0)
        return tmp_path / name

    return make


@dataclass
class Said:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def line(self) -> dict[str, str]:
        """The closing line."""
        [line] = [text for text in (self.out + self.err).splitlines() if text.startswith("rescore-result ")]
        return dict(part.split("=", 1) for part in line.split()[1:])


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
