"""`rescore --batch`: one order for a bundle, at half the price, and no second one after a kill."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rescored import NO, YES
from servers.batches import ScriptedBatches
from servers.messages_script import Failure, Text
from servers.openai import ScriptedChat, prompt_of

from clawjudge.judge.store.verdict_store import VerdictStore

MODEL = ("--batch", "--judge", "request-strict", "--judge-model", "anthropic:claude-sonnet-5-5")


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch, run):  # type: ignore[no-untyped-def]
    """`run` clears the environment; this comes after it."""

    def use(server: ScriptedBatches) -> None:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret-42")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)

    return use


def test_a_bundle_goes_as_one_order(make_bundle, run, key) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(12, every=2)
    with ScriptedBatches(lambda r: NO if '"quantity": 3' in prompt_of(r) else YES) as server:
        key(server)
        said = run(None, bundle, *MODEL)
        assert (said.code, said.line["pass"], said.line["fail"]) == (0, "5", "7")
        assert [len(requests) for requests in server.orders.values()] == [6]
        assert server.requests == []
        with VerdictStore.open(bundle) as store:
            paid = [record for record in store if record.usage.calls]
            assert store.fact("batches") == {}
            for record in paid:
                full = (record.usage.input_tokens * 2 + record.usage.output_tokens * 10) / 1e6
                assert record.verdict.cost_usd == pytest.approx(full / 2)
        again = run(None, bundle, *MODEL)
        assert (again.line["calls"], len(server.orders)) == ("0", 1)


def test_what_holds_no_verdict_is_asked_at_once(make_bundle, run, key) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(3)

    def answer(request):  # type: ignore[no-untyped-def]
        if len(request.body["messages"]) > 1:
            return YES
        if '"quantity": 2' in prompt_of(request):
            return Text("I cannot help with that.")
        return Failure(400, "no") if '"quantity": 3' in prompt_of(request) else YES

    with ScriptedBatches(answer) as server:
        key(server)
        said = run(None, bundle, *MODEL)
        assert (said.code, said.line["pass"], said.line["unjudged"]) == (3, "2", "1")
        assert "judge_rejected_request" in said.out
        assert len(server.requests) == 1


def test_only_anthropics_models(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    with ScriptedChat(YES) as server:
        assert run(server, make_bundle(1), "--batch").code == 2


@pytest.mark.slow
def test_an_order_outlives_the_process_that_gave_it(make_bundle, run, key) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(5)
    with ScriptedBatches(YES, seconds=6) as server:
        key(server)
        line = [Path(sys.executable).parent / "clawjudge", "rescore", bundle, *MODEL]
        process = subprocess.Popen(line, env=dict(os.environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ends = time.monotonic() + 120
        while not server.looks and time.monotonic() < ends:
            time.sleep(0.05)
        process.kill()
        process.wait()
        said = run(None, bundle, *MODEL)
        assert (said.code, said.line["pass"]) == (0, "5")
        assert len(server.orders) == 1
