"""Which verdict of a judge stands for each run, now or at a time before."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from clawjudge.judge.store.key import KeyParts
from clawjudge.judge.store.records import Origin, VerdictRecord
from clawjudge.judge.verdict import Outcome

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

    def takes(self, record: VerdictRecord) -> bool:
        if record.parts.judge != self.judge or (self.model is not None and record.parts.model != self.model):
            return False
        return self.until is None or record.judged_at[: len(self.until)] <= self.until


@dataclass(frozen=True, slots=True)
class Standing:
    """A verdict without its evidence: what lists and comparisons need, small enough for many thousand runs."""

    run: str
    task_id: str | None
    outcome: Outcome
    reason_code: str
    justification: str
    intercepted: bool | None = None
    judge: str = ""
    model: str | None = None
    judged_at: str = ""
    origin: Origin = "judged"
    cost_usd: float = 0.0
    id: int = 0
    parts: KeyParts | None = None
    """What it rests on; None where that is not known."""

    @classmethod
    def of(cls, record: VerdictRecord) -> Self:
        verdict = record.verdict
        return cls(
            run=record.run,
            task_id=verdict.task_id,
            outcome=verdict.outcome,
            reason_code=verdict.reason_code,
            justification=verdict.justification,
            intercepted=verdict.intercepted,
            judge=record.parts.judge,
            model=record.parts.model,
            judged_at=record.judged_at,
            origin=record.origin,
            cost_usd=verdict.cost_usd,
            id=record.id,
            parts=record.parts if record.origin == "judged" else None,
        )


def standing(history: Iterable[VerdictRecord], selector: Selector) -> list[Standing]:
    """The last verdict that `selector` takes for each run, in the order of the runs' paths.

    An outage is no answer: a verdict that is not final stands only where there was never another.
    """
    last: dict[str, tuple[bool, Standing]] = {}
    for record in history:
        if selector.takes(record):
            held = last.get(record.run)
            if record.final or held is None or not held[0]:
                last[record.run] = (record.final, Standing.of(record))
    return [last[run][1] for run in sorted(last, key=lambda run: run.split("/"))]


def judges_of(history: Iterable[VerdictRecord]) -> list[Selector]:
    """Every judge and model that gave a verdict, by name."""
    found = {(record.parts.judge, record.parts.model) for record in history}
    return [Selector(*one) for one in sorted(found, key=lambda one: (one[0], one[1] or ""))]
