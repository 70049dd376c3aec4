"""Whatever ends first, the judge, the user's patience or the model: no process stays behind, no half verdict."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from play import EXAMPLES, KEY, answer, hands_in, needs_sandbox, scripted
from servers.messages import ScriptedModel

from clawjudge.judge.store.verdict_store import VerdictStore

KINDS = [pytest.param("os", marks=needs_sandbox), "tools"]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """Two runs of the example beside their reference."""
    home = tmp_path / "bundle"
    for name in ("reference", "right-order", "wrong-quantity"):
        shutil.copytree(EXAMPLES / name, home / name)
    return home


def start(bundle: Path, model: ScriptedModel, *more: str) -> subprocess.Popen[str]:
    """The command line, in a process group of its own as under a shell."""
    command = [sys.executable, "-m", "clawjudge.judge.cli.main", "evaluate", "--agent-trace", str(bundle)]
    command += ["--judge", "agentic", "--format", "json", *more]
    environment = {**os.environ, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": model.url}
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def wait_for(happened: Callable[[], object], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


def programs_of(model: ScriptedModel, bundle: Path) -> list[str]:
    """Programs that still run for this test: those whose launch was specified in our temporary folders."""
    mark = str(bundle.parent).encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if mark in (entry / "cmdline").read_bytes() or mark in (entry / "environ").read_bytes():
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:200])
            except OSError:
                continue
    return found


def stored(bundle: Path) -> list[tuple[str, str]]:
    store = VerdictStore.read(bundle)
    if store is None:
        return []
    with store:
        return [(record.run, record.verdict.outcome) for record in store]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_judge_is_killed(bundle: Path, kind: str, how: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(bundle.parent))
    with scripted(endless=hands_in(answer(), delay=120)) as model:
        process = start(bundle, model, "--sandbox", kind)
        wait_for(lambda: len(model.requests) == 2)
        assert any("start.json" in line or "bwrap" in line for line in programs_of(model, bundle))
        process.send_signal(how)
        process.communicate(timeout=20)
        wait_for(lambda: not programs_of(model, bundle), 10)
    assert stored(bundle) == []


@pytest.mark.parametrize("kind", KINDS)
def test_ctrl_c_ends_everything_and_keeps_what_is_done(
    bundle: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(bundle.parent))
    with scripted(hands_in(answer()), endless=hands_in(answer(), delay=120)) as model:
        process = start(bundle, model, "--sandbox", kind, "--concurrency", "1")
        wait_for(lambda: len(model.requests) == 2)
        # The terminal sends it to the whole group.
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
        wait_for(lambda: not programs_of(model, bundle), 10)
    assert process.returncode == 130, err
    assert stored(bundle) == [("right-order", "pass")]
    assert [v["run"] for v in json.loads(out)["verdicts"]] == ["right-order"]
    assert "interrupted after 1 of 2 runs" in err
    assert KEY not in out + err
    # The same command goes on where it stopped, and asks only for what is missing.
    with scripted(hands_in(answer("fail", "wrong-quantity"))) as model:
        process = start(bundle, model, "--sandbox", kind)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert [(v["run"], v["outcome"]) for v in json.loads(out)["verdicts"]] == [
        ("right-order", "pass"),
        ("wrong-quantity", "fail"),
    ]
    assert len(model.requests) == 1


@pytest.mark.slow
def test_the_model_goes_away(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(bundle.parent))
    model = scripted(endless=hands_in(answer(), delay=120)).start()
    process = start(bundle, model, "--sandbox", "tools", "--timeout", "8")
    wait_for(lambda: len(model.requests) == 2)
    model.stop()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    reasons = {v["reason_code"] for v in json.loads(out)["verdicts"]}
    assert reasons <= {"provider_error", "timeout"}
    wait_for(lambda: not programs_of(model, bundle), 10)
