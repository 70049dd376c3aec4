"""Whatever ends first, the judge, the user's patience or the model: no process stays behind, no half verdict."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
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

pytestmark = pytest.mark.slow
KINDS = [pytest.param("os", marks=needs_sandbox), "tools"]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """Two runs of the example beside their reference."""
    home = tmp_path / "bundle"
    for name in ("reference", "right-order", "wrong-quantity"):
        shutil.copytree(EXAMPLES / name, home / name)
    return home


@pytest.fixture
def name() -> str:
    """A model's name that no other process on this machine has among its arguments."""
    return f"claude-{secrets.token_hex(8)}"


def start(bundle: Path, model: ScriptedModel, *more: str) -> subprocess.Popen[str]:
    """The command line, in a process group of its own as under a shell."""
    command = [str(Path(sys.executable).with_name("clawjudge")), "evaluate", "--agent-trace", str(bundle)]
    command += ["--judge", "agentic", "--format", "json", *more]
    environment = {**os.environ, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": model.url}
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def wait_for(happened: Callable[[], object], seconds: float = 60, process: subprocess.Popen[str] | None = None) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


def programs_of(name: str) -> list[str]:
    """Processes that still run with this model's name in their arguments: the judge, the sandbox, the program in it."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                if name in command:
                    found.append(command)
    return found


def stored(bundle: Path) -> list[tuple[str, str]]:
    store = VerdictStore.read(bundle)
    if store is None:
        return []
    with store:
        return [(record.run, record.verdict.outcome) for record in store]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_judge_is_killed(bundle: Path, kind: str, how: signal.Signals, name: str) -> None:
    shutil.rmtree(bundle / "wrong-quantity")
    with scripted(endless=hands_in(answer(), delay=120)) as model:
        process = start(bundle, model, "--model", name, "--sandbox", kind)
        wait_for(lambda: model.requests, process=process)
        assert any("stream-json" in line and "bwrap" not in line for line in programs_of(name))
        process.send_signal(how)
        process.communicate(timeout=20)
        wait_for(lambda: not programs_of(name), 10)
    assert stored(bundle) == []


@pytest.mark.parametrize("kind", KINDS)
def test_ctrl_c_ends_everything_and_keeps_what_is_done(bundle: Path, kind: str, name: str) -> None:
    with scripted(hands_in(answer()), endless=hands_in(answer(), delay=120)) as model:
        process = start(bundle, model, "--model", name, "--sandbox", kind, "--concurrency", "1")
        wait_for(lambda: len(model.requests) == 2, process=process)
        # The terminal sends it to the whole group.
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
        wait_for(lambda: not programs_of(name), 10)
    assert process.returncode == 130, err
    assert stored(bundle) == [("right-order", "pass")]
    assert [v["run"] for v in json.loads(out)["verdicts"]] == ["right-order"]
    assert "interrupted after 1 of 2 runs" in err
    assert KEY not in out + err
    # The same command goes on where it stopped, and asks only for what is missing.
    with scripted(hands_in(answer("fail", "wrong-quantity"))) as model:
        process = start(bundle, model, "--model", name, "--sandbox", kind)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert [(v["run"], v["outcome"]) for v in json.loads(out)["verdicts"]] == [
        ("right-order", "pass"),
        ("wrong-quantity", "fail"),
    ]
    assert len(model.requests) == 1


def test_the_model_goes_away(bundle: Path, name: str) -> None:
    shutil.rmtree(bundle / "wrong-quantity")
    model = scripted(endless=hands_in(answer(), delay=120)).start()
    process = start(bundle, model, "--model", name, "--sandbox", "tools", "--timeout", "8")
    wait_for(lambda: model.requests, process=process)
    model.stop()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    reasons = {v["reason_code"] for v in json.loads(out)["verdicts"]}
    assert reasons <= {"provider_error", "timeout"}
    wait_for(lambda: not programs_of(name), 10)
