"""Several runs judged at once by one request judge, without a store: for `evaluate`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from clawjudge.judge.pairing import Pairing
from clawjudge.judge.request.evidence import gather
from clawjudge.judge.request.judge import RequestJudge
from clawjudge.judge.verdict import Verdict, unjudged
from clawjudge.traces.errors import TraceError
from clawjudge.traces.trace import Trace


def judge_several(pairings: Sequence[Pairing], judge: RequestJudge, take: Callable[[Verdict], None]) -> None:
    """Hand the verdict on each run to `take` as soon as it is there, in no particular order."""
    asyncio.run(_all(pairings, judge, take))


async def _all(pairings: Sequence[Pairing], judge: RequestJudge, take: Callable[[Verdict], None]) -> None:
    places = asyncio.Semaphore(2 * judge.model.limiter.widest)

    async def one(pairing: Pairing) -> None:
        try:
            take((await _verdict(pairing, judge)).model_copy(update={"run": pairing.run}))
        finally:
            places.release()

    async with judge.model, asyncio.TaskGroup() as group:
        for pairing in pairings:
            await places.acquire()
            group.create_task(one(pairing))


async def _verdict(pairing: Pairing, judge: RequestJudge) -> Verdict:
    try:
        trace = Trace(pairing.agent)
        return (await judge.decide(gather(trace), trace)).verdict
    except (TraceError, OSError) as error:
        return unjudged("invalid_run", str(error))
