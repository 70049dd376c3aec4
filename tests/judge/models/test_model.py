"""Asking models through the real SDKs: what comes back, and what is done when nothing good does."""

from __future__ import annotations

import asyncio
import time

import pytest
from servers.messages_script import Failure, Refusal, Reply, Text
from servers.openai import ScriptedChat, Step, prompt_of

from clawjudge.judge.models.calls import GIVE_UP_AFTER, RetryPolicy
from clawjudge.judge.models.conversation import Answer, Prompt, Turn
from clawjudge.judge.models.failures import ModelFailure
from clawjudge.judge.models.model import Model
from clawjudge.judge.models.specification import Api

PROMPT = Prompt("You judge.", (Turn("user", "the request"), Turn("assistant", "hm"), Turn("user", "once more")))
GOOD = Text('{"match": true}', usage={"input_tokens": 90, "output_tokens": 7, "cache_read_input_tokens": 0})


def ask(model: Model, prompt: Prompt = PROMPT) -> Answer:
    async def once() -> Answer:
        async with model:
            return await model.ask(prompt)

    return asyncio.run(once())


def fails(model: Model) -> ModelFailure:
    with pytest.raises(ModelFailure) as caught:
        ask(model)
    return caught.value


def test_an_answer_comes_back_with_what_it_took(api: Api, make_model) -> None:  # type: ignore[no-untyped-def]
    with ScriptedChat(GOOD) as server:
        answer = ask(make_model(server.url, api))
        assert (answer.text, answer.stop, answer.calls) == ('{"match": true}', "end", 1)
        assert (answer.tokens.read, answer.tokens.written) == (90, 7)
        [request] = server.requests
        assert prompt_of(request) == "once more"
        assert "You judge." in str(request.body)
        # The key travels in the header of the API and nowhere else.
        assert "sk-secret-123456" not in str(request.body)


@pytest.mark.parametrize(
    ("reply", "text", "stop"),
    [
        (Reply(({"type": "thinking", "thinking": "t", "signature": "s"}, {"type": "text", "text": "x"})), "x", "end"),
        (Text(""), "", "end"),
        (Text('{"match"', stop_reason="max_tokens"), '{"match"', "length"),
        (Refusal(), "", "refusal"),
    ],
    ids=["thinking first", "empty", "cut by the limit", "refused"],
)
def test_replies_of_all_kinds(api: Api, reply: Reply, text: str, stop: str, make_model) -> None:  # type: ignore[no-untyped-def]
    with ScriptedChat(reply) as server:
        answer = ask(make_model(server.url, api))
        assert (answer.text, answer.stop) == (text, stop)


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, "judge_rejected_request"),
        (401, "judge_unauthorised"),
        (402, "judge_unpaid"),
        (403, "judge_unauthorised"),
        (404, "judge_not_found"),
        (413, "judge_rejected_request"),
    ],
)
def test_what_cannot_pass_is_asked_once(api: Api, status: int, code: str, make_model) -> None:  # type: ignore[no-untyped-def]
    with ScriptedChat(Failure(status, "no: sk-secret-123456 is wrong")) as server:
        failure = fails(make_model(server.url, api))
        assert (failure.code, failure.calls, len(server.requests)) == (code, 1, 1)
        assert "sk-secret-123456" not in str(failure)
        assert "[key] is wrong" in str(failure)


@pytest.mark.parametrize(
    "failure",
    [
        Failure(429, retry_after=0.05),
        Failure(429),
        Failure(500),
        Failure(503, retry_after=0.02),
        Failure(529),
        Failure(408),
        Failure(0),
        Text("x" * 4000, cut_after=0),
        Failure(200, body=b"<html>a gateway</html>"),
        Failure(200, body=b'{"error": {"code": 502, "message": "upstream"}}'),
        Failure(200, body=b'{"unexpected": true}'),
        Failure(200, body=b"[]"),
    ],
    ids=repr,
)
def test_what_may_pass_is_asked_again(api: Api, failure: Step, make_model) -> None:  # type: ignore[no-untyped-def]
    with ScriptedChat([failure, GOOD]) as server:
        answer = ask(make_model(server.url, api))
        assert (answer.text, answer.calls) == ('{"match": true}', 2)


def test_attempts_end(api: Api, make_model) -> None:  # type: ignore[no-untyped-def]
    with ScriptedChat(Failure(500, "down")) as server:
        failure = fails(make_model(server.url, api))
        assert (failure.code, failure.calls, len(server.requests)) == ("judge_unavailable", 4, 4)


def test_a_slow_model_times_out_and_is_asked_again(api: Api, make_model) -> None:  # type: ignore[no-untyped-def]
    policy = RetryPolicy(attempts=2, first_pause=0.01, call_seconds=0.3, deadline=5)
    with ScriptedChat([Text("late", delay=1.5), GOOD]) as server:
        assert ask(make_model(server.url, api, policy)).calls == 2
    with ScriptedChat(Text("late", delay=1.5)) as server:
        failure = fails(make_model(server.url, api, policy))
        assert (failure.code, failure.calls) == ("judge_timeout", 2)


def test_refusals_for_rate_end_with_the_deadline_only(api: Api, make_model) -> None:  # type: ignore[no-untyped-def]
    policy = RetryPolicy(attempts=2, deadline=0.8)
    with ScriptedChat(Failure(429, retry_after=0.1)) as server:
        failure = fails(make_model(server.url, api, policy))
        assert failure.code == "judge_rate_limited"
        assert 5 <= failure.calls <= 9


def test_nobody_there_is_an_outage(api: Api, make_model) -> None:  # type: ignore[no-untyped-def]
    failure = fails(make_model("http://127.0.0.1:9", api))
    assert failure.code == "judge_unavailable"
    assert failure.is_outage
    assert "http://127.0.0.1:9" in str(failure)
    assert "check the address and the network" in str(failure)


def test_a_wrong_key_stops_everybody(make_model) -> None:  # type: ignore[no-untyped-def]
    async def many() -> list[BaseException | Answer]:
        async with make_model(server.url, "openai-completions", concurrency=4) as model:
            return await asyncio.gather(*[model.ask(PROMPT) for _ in range(50)], return_exceptions=True)

    with ScriptedChat(GOOD, api_key="another", latency=0.05) as server:
        outcomes = asyncio.run(many())
        assert all(isinstance(o, ModelFailure) and o.code == "judge_unauthorised" for o in outcomes)
        assert len(server.requests) <= 4


def test_a_model_that_is_down_is_given_up(make_model) -> None:  # type: ignore[no-untyped-def]
    async def many() -> list[BaseException | Answer]:
        async with make_model(server.url, "openai-completions", concurrency=8) as model:
            return await asyncio.gather(*[model.ask(PROMPT) for _ in range(200)], return_exceptions=True)

    with ScriptedChat(Failure(503)) as server:
        outcomes = asyncio.run(many())
        assert all(isinstance(o, ModelFailure) and o.code == "judge_unavailable" for o in outcomes)
        assert len(server.requests) < 4 * (GIVE_UP_AFTER + 200) / 2


def test_cancelling_ends_at_once(api: Api, make_model) -> None:  # type: ignore[no-untyped-def]
    async def cancelled() -> float:
        async with make_model(server.url, api) as model:
            task = asyncio.create_task(model.ask(PROMPT))
            await asyncio.sleep(0.4)
            began = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return time.monotonic() - began

    with ScriptedChat(GOOD, latency=30) as server:
        assert asyncio.run(cancelled()) < 0.5
