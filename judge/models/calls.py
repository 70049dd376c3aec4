"""The one retry policy: one ask of a model, with as many requests as it takes and within one deadline.

Wrong keys, empty accounts and unknown models are never asked again, by nobody. What may pass (429, 5xx, time-outs,
connections that break) is asked again with growing pauses and jitter, or after the time that the provider names; a
refusal for rate does not count as an attempt, only the deadline ends it.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from clawjudge.judge.models.conversation import Answer, Called
from clawjudge.judge.models.failures import ModelFailure
from clawjudge.judge.models.limiter import Limiter, Turn

Send = Callable[[float], Awaitable[Called]]
"""Sends one request, in at most so many seconds. Raises `ModelFailure`."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to go on."""

    attempts: int = 5
    """Requests that fail for the provider's fault, refusals for rate not counted."""
    first_pause: float = 0.5
    """Seconds, doubled for each attempt and varied by chance."""
    longest_pause: float = 20.0
    deadline: float = 300.0
    """Seconds for one ask, waiting for a turn included."""
    call_seconds: float = 120.0
    """Seconds for one request."""


@dataclass
class Health:
    """What the asks of one model have shown so far, so that nobody asks a model that is down for good."""

    down: ModelFailure | None = None
    failed_in_a_row: int = 0

    def ended(self, failure: ModelFailure | None) -> None:
        if failure is None:
            self.failed_in_a_row = 0
        elif failure.is_outage:
            self.failed_in_a_row += 1
            if failure.hopeless or self.failed_in_a_row >= GIVE_UP_AFTER:
                self.down = replace(failure, calls=0)


GIVE_UP_AFTER = 20
"""So many asks that all ended in an outage, each after all its attempts, and the model counts as down."""


async def call(send: Send, limiter: Limiter, health: Health, policy: RetryPolicy) -> Answer:
    """One ask. Raises `ModelFailure` when it is given up, and `asyncio.CancelledError` at once when cancelled."""
    ends = time.monotonic() + policy.deadline
    calls = attempt = 0
    last = ModelFailure("judge_timeout", "no turn within the deadline")
    while True:
        try:
            turn = await asyncio.wait_for(limiter.enter(again=calls > 0), max(ends - time.monotonic(), 0.001))
        except TimeoutError:
            raise _given_up(health, replace(last, calls=calls)) from None
        try:
            if health.down is not None:
                raise replace(health.down, calls=calls)
            calls += 1
            called = await send(min(policy.call_seconds, max(ends - time.monotonic(), 0.001)))
        except ModelFailure as failure:
            last = failure
            _tell(limiter, failure, turn)
            if health.down is not None:
                raise
            attempt += failure.code != "judge_rate_limited"
            pause = _pause(failure, attempt, policy)
            if not failure.may_pass or attempt >= policy.attempts or time.monotonic() + pause >= ends:
                raise _given_up(health, replace(failure, calls=calls)) from failure
        else:
            health.ended(None)
            limiter.answered(called.headers, called.answer.tokens.read)
            return replace(called.answer, calls=calls)
        finally:
            limiter.leave()
        await asyncio.sleep(pause)


def _tell(limiter: Limiter, failure: ModelFailure, turn: Turn) -> None:
    if failure.code == "judge_rate_limited":
        limiter.refused(failure.retry_after, turn)
    elif failure.may_pass:
        limiter.overloaded()


def _pause(failure: ModelFailure, attempt: int, policy: RetryPolicy) -> float:
    """Seconds before the next request. After a refusal for rate the limiter keeps everybody waiting, this ask too."""
    if failure.code == "judge_rate_limited":
        return 0.0
    growing = min(policy.first_pause * 2.0 ** (attempt - 1), policy.longest_pause)
    return max(failure.retry_after or 0.0, growing * random.uniform(0.5, 1.0))


def _given_up(health: Health, failure: ModelFailure) -> ModelFailure:
    health.ended(failure)
    return failure
