"""Which verdict of a judge stands for each run, now or at a time before."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from clawjudge.judge.store.records import Outline

_SELECTOR = re.compile(r"(?P<judge>[^=@]+)(?:=(?P<model>.+?))?(?:@(?P<until>\d{4}-\d{2}(?:-\d{2})?(?:T[\d:]+Z?)?))?")


@dataclass(frozen=True, slots=True)
class Selector:
    """A judge, possibly with one model, possibly as things stood at a time."""

    judge: str
    model: str | None = None
    until: str | None = None
    """A UTC time or the beginning of one (`2026-11-30` is the end of that day)."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """`JUDGE[=MODEL][@TIME]`. Raises `ValueError`."""
        found = _SELECTOR.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"{text!r} names no judge; write JUDGE[=MODEL][@TIME], as in request-strict@2026-11-30")
        return cls(**found.groupdict())

    def __str__(self) -> str:
        return self.judge + (f"={self.model}" if self.model else "") + (f"@{self.until}" if self.until else "")

    def takes(self, one: Outline) -> bool:
        if one.judge != self.judge or (self.model is not None and one.model != self.model):
            return False
        return self.until is None or one.judged_at[: len(self.until)] <= self.until


def standing(history: Iterable[Outline], selector: Selector) -> list[Outline]:
    """The last verdict that `selector` takes for each run, in the order of the runs' paths.

    An outage is no answer: a verdict that is not final stands only where there was never another.
    """
    last: dict[str, Outline] = {}
    for one in history:
        if selector.takes(one):
            held = last.get(one.run)
            if one.final or held is None or not held.final:
                last[one.run] = one
    return [last[run] for run in sorted(last, key=lambda run: run.split("/"))]
