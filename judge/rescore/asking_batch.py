"""A request judge that orders answers in batches; orders are noted in the store, so that others can wait for them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from clawjudge.judge.models.batches import MOST_REQUESTS, order, wait
from clawjudge.judge.models.conversation import Answer, Prompt
from clawjudge.judge.models.failures import ModelFailure
from clawjudge.judge.models.model import Model
from clawjudge.judge.models.prices import BATCH_SHARE
from clawjudge.judge.request.judge import Decision
from clawjudge.judge.rescore.asking import AskingRequest, Run
from clawjudge.judge.store.verdict_store import VerdictStore

_FACT = "batches"
"""Of the store: id of each order that is not settled yet, with the keys that it was given for."""
_LEASE = 26 * 3600.0
_COLLECTING_SECONDS = 1.0


@dataclass
class Orders:
    """The orders of one bundle, shared by its request judges."""

    model: Model
    store: VerdictStore
    pause: float = 2.0
    _prompts: dict[str, Prompt] = field(default_factory=dict)
    _waiting: dict[str, asyncio.Future[Answer]] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _timer: asyncio.TimerHandle | None = None

    def resume(self) -> None:
        """Wait for what an earlier process ordered and did not get."""
        self._forget_settled()
        for order_id, keys in (self.store.fact(_FACT) or {}).items():
            for key in keys:
                self._waiting[key] = asyncio.get_running_loop().create_future()
            self._start(self._collect(order_id, keys))

    async def answer(self, key: str, prompt: Prompt) -> Answer:
        """The answer under `key`, from an order that was given or will be. Raises `ModelFailure`."""
        if key not in self._waiting:
            self._waiting[key] = asyncio.get_running_loop().create_future()
            self._prompts[key] = prompt
            if self._timer is not None:
                self._timer.cancel()
            pause = 0.0 if len(self._prompts) >= MOST_REQUESTS else _COLLECTING_SECONDS
            self._timer = asyncio.get_running_loop().call_later(pause, self._give)
        return await asyncio.shield(self._waiting[key])

    async def close(self) -> None:
        """Stop waiting; what was ordered stays noted."""
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._forget_settled()
        for future in self._waiting.values():
            if future.done() and not future.cancelled():
                future.exception()  # Nobody may be left to hear of it.

    def _give(self) -> None:
        prompts, self._prompts, self._timer = self._prompts, {}, None
        if prompts:
            self._start(self._order(prompts))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _order(self, prompts: dict[str, Prompt]) -> None:
        try:
            order_id = await order(self.model, prompts)
        except ModelFailure as failure:
            self._fail(list(prompts), failure)
            return
        self._note(order_id, list(prompts))
        await self._collect(order_id, list(prompts))

    async def _collect(self, order_id: str, keys: list[str]) -> None:
        try:
            results = await wait(self.model, order_id, self.pause)
            for key, result in results:
                future = self._waiting.get(key)
                if future is None or future.done():
                    continue
                if isinstance(result, ModelFailure):
                    future.set_exception(result)
                else:
                    future.set_result(result)
            self._fail(keys, ModelFailure("judge_unavailable", "the batch ended without this answer", calls=1))
        except ModelFailure as failure:
            self._fail(keys, failure)
            if not failure.may_pass:
                self._note(order_id, None)

    def _forget_settled(self) -> None:
        """An order is noted until all its verdicts are stored: a kill in between costs nothing."""
        for order_id, keys in (self.store.fact(_FACT) or {}).items():
            if all(self.store.latest(key) is not None for key in keys):
                self._note(order_id, None)

    def _fail(self, keys: list[str], failure: ModelFailure) -> None:
        for key in keys:
            if not self._waiting[key].done():
                self._waiting[key].set_exception(failure)

    def _note(self, order_id: str, keys: list[str] | None) -> None:
        known = {other: noted for other, noted in (self.store.fact(_FACT) or {}).items() if other != order_id}
        self.store.set_fact(_FACT, known | ({order_id: keys} if keys else {}))


@dataclass
class AskingBatch(AskingRequest):
    """A request judge whose first answers come in batches; a second asking is done at once."""

    orders: Orders | None = None
    width: int = MOST_REQUESTS
    bounded: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.lease = _LEASE

    def most_it_can_cost(self, run: Run) -> float:
        return super().most_it_can_cost(run) * (1 + BATCH_SHARE) / 2

    async def decide(self, run: Run) -> Decision:
        orders = self.orders
        if orders is None or not self.costs(run):
            return await super().decide(run)
        key = self.parts(run).key
        return await self.judge.settle(run.evidence, run.trace, lambda prompt: orders.answer(key, prompt), BATCH_SHARE)
