"""The gate of a provider: nothing is refused that need not be, and little time is lost."""

from __future__ import annotations

import asyncio
import time

import pytest
from servers.messages_script import Failure, Text
from servers.openai import ScriptedChat

from clawjudge.judge.models.conversation import Prompt, Turn
from clawjudge.judge.models.limiter import FIRST_WINDOW, Limiter
from clawjudge.judge.models.model import Model

PROMPT = Prompt("You judge.", (Turn("user", "u"),))
GOOD = Text('{"match": true}')


async def ask_all(model: Model, number: int) -> float:
    async with model:
        began = time.monotonic()
        await asyncio.gather(*[model.ask(PROMPT) for _ in range(number)])
        return time.monotonic() - began


@pytest.mark.slow
@pytest.mark.parametrize("late", [False, True], ids=["refuses at once", "refuses after the latency"])
@pytest.mark.parametrize("concurrency", [None, 64])
def test_twenty_requests_a_second(make_model, late: bool, concurrency: int | None) -> None:  # type: ignore[no-untyped-def]
    number = 130
    with ScriptedChat(GOOD, latency=0.2, per_second=20, late_refusals=late) as server:
        began = time.process_time()
        seconds = asyncio.run(ask_all(make_model(server.url, "openai-completions", concurrency=concurrency), number))
        # On a machine that is busy with other tests, the time that this process needs itself is no fault of the gate.
        busy = time.process_time() - began
        assert len(server.requests) <= 1.2 * number
        assert seconds - busy <= 1.3 * number / 20
        assert server.refused == len(server.requests) - number


def test_the_window_opens_with_answers(make_model) -> None:  # type: ignore[no-untyped-def]
    with ScriptedChat(GOOD, latency=0.3) as server:
        asyncio.run(ask_all(make_model(server.url, "openai-completions"), 120))
        assert FIRST_WINDOW < server.most_at_once <= 64


@pytest.mark.parametrize("most", [1, 3, 70])
def test_never_more_at_once_than_asked_for(make_model, most: int) -> None:  # type: ignore[no-untyped-def]
    with ScriptedChat(GOOD, latency=0.1) as server:
        asyncio.run(ask_all(make_model(server.url, "openai-completions", concurrency=most), max(10, most)))
        assert server.most_at_once <= most


@pytest.mark.parametrize(
    "headers",
    [
        {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "400ms"},
        {"anthropic-ratelimit-requests-remaining": "0", "anthropic-ratelimit-requests-reset": "0.4"},
        {"x-ratelimit-remaining-tokens": "10", "x-ratelimit-reset-tokens": "0.4s"},
    ],
)
def test_headers_that_leave_no_room_are_heeded(headers: dict[str, str]) -> None:
    async def third_turn() -> float:
        limiter = Limiter()
        await limiter.enter()
        limiter.answered(headers, tokens=1000)
        limiter.leave()
        began = time.monotonic()
        await limiter.enter()
        return time.monotonic() - began

    assert 0.3 < asyncio.run(third_turn()) < 2


def test_headers_that_show_room_widen_the_window(make_model) -> None:  # type: ignore[no-untyped-def]
    headers = (("x-ratelimit-remaining-requests", "9000"), ("x-ratelimit-reset-requests", "1s"))
    with ScriptedChat(GOOD, latency=1.5, headers=headers) as server:
        asyncio.run(ask_all(make_model(server.url, "openai-completions"), 300))
        assert server.most_at_once > 64


def test_a_turn_that_was_cancelled_is_not_lost() -> None:
    async def turns() -> None:
        limiter = Limiter(1)
        await limiter.enter()
        waiting = [asyncio.create_task(limiter.enter()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        limiter.leave()  # The turn goes to the second, which is cancelled before it knows.
        waiting[1].cancel()
        await asyncio.wait_for(waiting[2], 1)

        assert waiting[1].cancelled()

    asyncio.run(turns())


def test_overload_halves_the_window_and_answers_open_it_again(make_model) -> None:  # type: ignore[no-untyped-def]
    steps = [Failure(503)] * 24 + [GOOD]
    with ScriptedChat(steps, latency=0.05) as server:
        asyncio.run(ask_all(make_model(server.url, "openai-completions"), 60))
        assert len(server.requests) == 84
