"""The cap on what a whole batch may cost, shared by the conversations that run at once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from clawjudge.judge.agentic.session import JudgeFailure

MIN_SHARE_USD = 0.01
"""With less than this nobody is asked: it would buy no answer."""


@dataclass
class Share:
    """What one conversation may spend; None for no limit."""

    limit: float | None
    spent: float = 0.0


class Budget:
    """Hands out what is left, in equal parts to as many conversations as run at once. A conversation stops when its
    part is used up, so that the cap can be passed by no more than the last call of each."""

    def __init__(self, cap: float | None, at_once: int = 1) -> None:
        self._cap = cap
        self._at_once = at_once
        self._running = 0
        self.spent = 0.0
        self._lent = 0.0
        self._freed = asyncio.Condition()

    @property
    def is_used_up(self) -> bool:
        return self._cap is not None and self._cap - self.spent < MIN_SHARE_USD

    @contextlib.asynccontextmanager
    async def share(self) -> AsyncIterator[Share]:
        """A part of what is left; waits for others to finish if that is too little. Raises `JudgeFailure`."""
        share = await self._lend()
        try:
            yield share
        finally:
            async with self._freed:
                self.spent += share.spent
                self._lent -= share.limit or 0.0
                self._running -= 1
                self._freed.notify_all()

    async def _lend(self) -> Share:
        if self._cap is None:
            return Share(None)
        async with self._freed:
            while True:
                if self.is_used_up:
                    raise JudgeFailure("budget", f"the cap of {self._cap:g} USD for the whole batch is used up")
                free = self._cap - self.spent - self._lent
                if free >= MIN_SHARE_USD:
                    limit = max(free / max(self._at_once - self._running, 1), MIN_SHARE_USD)
                    self._lent += limit
                    self._running += 1
                    return Share(limit)
                await self._freed.wait()
