"""Rescoring that is stopped, killed, or done by two processes at once: nothing lost, nothing doubled."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rescored import YES
from servers.messages_script import Recorded, Reply, Text
from servers.openai import ScriptedChat, prompt_of

from clawjudge.judge.store.verdict_store import VerdictStore

COMMAND = Path(sys.executable).parent / "clawjudge"


def start(server: ScriptedChat, bundle: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{server.url}/v1"}
    line = [COMMAND, "rescore", bundle, "--judge-model", "openai:gpt-5", *arguments]
    return subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, err = process.communicate(timeout=300)
    assert "Traceback" not in err, err
    return process.returncode, out


def files(bundle: Path) -> dict[str, bytes]:
    """Everything that a rescore writes but the store."""
    found = (path for path in bundle.rglob("*") if path.is_file() and ".clawjudge" not in path.parts)
    return {str(path.relative_to(bundle)): path.read_bytes() for path in found}


def alike(request: Recorded) -> Reply:
    """A verdict that depends on the run, and nothing else: every third order is wrong."""
    number = int(prompt_of(request).split("teapots on")[0].rsplit("Order ", 1)[1])
    return Text(json.dumps({"reason": f"Order number {number}.", "match": number % 3 > 0}))


def waiting(server: ScriptedChat, number: int) -> None:
    ends = time.monotonic() + 120
    while len(server.requests) < number:
        assert time.monotonic() < ends
        time.sleep(0.01)


@pytest.mark.slow
def test_interrupt_stops_in_under_a_second(make_bundle) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(200)
    with ScriptedChat(YES, latency=3) as server:
        process = start(server, bundle, "--judge", "request-strict")
        waiting(server, 10)
        sent, began = len(server.requests), time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        seconds = time.monotonic() - began
        # On a machine that does other work everything takes as many times longer as programs wait for a processor.
        assert seconds < max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
        assert process.returncode == 130, err
        assert "the same command goes on" in err
        assert len(server.requests) <= sent + 64
        assert "exit=130" in out


@pytest.fixture
def uninterrupted(make_bundle) -> tuple[Path, dict[str, bytes]]:  # type: ignore[no-untyped-def]
    """A pristine bundle, and the files of it after a rescore that nobody interrupted."""
    pristine, judged = make_bundle(40, every=2, name="pristine"), make_bundle(40, every=2, name="judged/bundle")
    with ScriptedChat(alike) as server:
        assert finish(start(server, judged))[0] == 0
    return pristine, files(judged)


@pytest.mark.slow
def test_killed_at_any_moment_and_resumed(uninterrupted, tmp_path) -> None:  # type: ignore[no-untyped-def]
    pristine, expected = uninterrupted
    chance = random.Random(7)
    hit_midway = 0
    with ScriptedChat(alike, latency=0.05) as server:
        for moment in range(int(os.environ.get("CLAWJUDGE_KILLS", "12"))):
            bundle = tmp_path / f"killed-{moment}" / "bundle"
            shutil.copytree(pristine, bundle)
            server.requests.clear()
            process = start(server, bundle, "--concurrency", "4")
            # Nearly always while it asks, which takes half a second, or while it writes its files after that.
            waiting(server, chance.choice([0, 1, 1, 5, 20, 39]))
            time.sleep(chance.uniform(0.0, 0.6))
            process.kill()
            process.communicate()
            time.sleep(0.2)
            sent, (stored, answered) = len(server.requests), _stored(bundle)
            hit_midway += 0 < answered < 40
            assert sent - answered <= 4, "more than what was under way is lost"
            code, out = finish(start(server, bundle, "--concurrency", "4"))
            assert code == 0
            assert f"reused={stored} " in out
            assert len(server.requests) == sent + 40 - answered
            with VerdictStore.open(bundle) as store:
                asked = [(r.run, r.parts.judge) for r in store if r.usage.calls]
                assert len(asked) == len(set(asked)) == 40
            assert files(bundle) == expected
            shutil.rmtree(bundle)
    assert hit_midway > 2, "the kills missed what they were to hit"


def _stored(bundle: Path) -> tuple[int, int]:
    """Verdicts in the store of a process that was killed: all, and those that the model was asked for."""
    if not (bundle / ".clawjudge" / "verdicts.sqlite").exists():
        return 0, 0
    with VerdictStore.open(bundle) as store:
        return len(store), sum(record.usage.calls > 0 for record in store)


@pytest.mark.slow
def test_two_processes_at_once(uninterrupted, tmp_path) -> None:  # type: ignore[no-untyped-def]
    pristine, expected = uninterrupted
    bundle = tmp_path / "shared" / "bundle"
    shutil.copytree(pristine, bundle)
    with ScriptedChat(alike, latency=0.2) as server:
        both = [start(server, bundle, "--concurrency", "4") for _ in range(2)]
        ended = [finish(process) for process in both]
        assert [code for code, _ in ended] == [0, 0]
        assert len(server.requests) == 40
    with VerdictStore.open(bundle) as store:
        assert len(store) == 40 + 40  # 20 runs with a request and 20 without one, two judges.
    assert files(bundle) == expected
