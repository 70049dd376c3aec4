"""A folder of runs before the agentic judge: a few at once, every verdict kept and told as it comes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from clawjudge.judge.agentic.judge import AgenticJudge, Bench
from clawjudge.judge.agentic.keep import Keeper, Nowhere, StoreKeeper
from clawjudge.judge.align.sources import Document
from clawjudge.judge.evaluate import failed_verdict, read_case, with_pairing
from clawjudge.judge.pairing import Pairing
from clawjudge.judge.store.verdict_store import StoreError, VerdictStore
from clawjudge.judge.verdict import Verdict

DEFAULT_CONCURRENCY = 4
"""Each program takes some 200 MB of memory and little else; the provider's rate limit is usually the bound."""
_CLAIM_MARGIN_SECONDS = 120.0

_log = logging.getLogger(__name__)


@dataclass
class Batch:
    """What a batch came to, beside its verdicts."""

    budget_used_up: bool = False
    reused: int = 0
    """Answers that an earlier command had paid for."""
    asked: int = 0
    """Conversations of this command."""


def judge_batch(
    pairings: Iterable[Pairing],
    judge: AgenticJudge,
    persona: Iterable[Document],
    on_verdict: Callable[[Verdict], None],
    *,
    home: Path | None = None,
    single: str = ".",
    concurrency: int = DEFAULT_CONCURRENCY,
) -> Batch:
    """Judge every pairing and hand each verdict to `on_verdict` as it comes, in no certain order.

    `home` is the folder whose verdict store keeps the answers, `single` the name of a single run below it; without
    `home` nothing is kept. A run that cannot be judged is `unjudged`, never an exception. Raises `NoCredentials` and
    `NoSandbox` before anything is asked, `StoreError` where answers cannot be kept, and `KeyboardInterrupt` when
    interrupted, after everything that ran has ended.
    """
    batch = Batch()
    given, documents = list(pairings), list(persona)
    if home is None:
        asyncio.run(_judge_all(given, judge, documents, on_verdict, Nowhere(), concurrency, batch))
        return batch
    with VerdictStore.open(home) as store:
        claim = judge.settings.timeout + _CLAIM_MARGIN_SECONDS
        keeper = StoreKeeper(store, home, claim, single)
        try:
            asyncio.run(_judge_all(given, judge, documents, on_verdict, keeper, concurrency, batch))
        except* StoreError as broken:
            raise broken.exceptions[0] from broken
        finally:
            batch.reused, batch.asked = keeper.reused, keeper.kept
    return batch


async def _judge_all(
    pairings: list[Pairing],
    judge: AgenticJudge,
    documents: list[Document],
    on_verdict: Callable[[Verdict], None],
    keeper: Keeper,
    concurrency: int,
    batch: Batch,
) -> None:
    waiting = iter(pairings)
    async with judge.open(keeper, min(concurrency, max(len(pairings), 1))) as bench:

        async def work() -> None:
            # Workers share one iterator: a folder of thousands of runs needs no thousand tasks.
            for pairing in waiting:
                on_verdict(await _judge_one(pairing, bench, documents))

        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(pairings))):
                group.create_task(work())
        batch.budget_used_up = bench.budget.is_used_up


async def _judge_one(pairing: Pairing, bench: Bench, documents: list[Document]) -> Verdict:
    case = await asyncio.to_thread(read_case, pairing, documents)
    if isinstance(case, Verdict):
        return with_pairing(case, pairing)
    try:
        verdict = await bench.judge_case(case, pairing.run)
    except StoreError:
        # What cannot be kept must not be paid for.
        raise
    except Exception as error:  # noqa: BLE001 (a judge's failure is never the agent's, and must not end the batch)
        _log.debug("the judge failed on %s", pairing.agent, exc_info=True)
        verdict = failed_verdict(error, case.agent.trace)
    return with_pairing(verdict, pairing)
