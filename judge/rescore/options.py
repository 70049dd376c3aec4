"""What the user asked of a rescore."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Attempts = Literal["all", "first", "last"]


@dataclass(frozen=True, slots=True)
class Options:
    """See `clawjudge rescore --help`, where each of these is an option."""

    references: Path | None = None
    force: bool = False
    retry_unjudged: bool = False
    limit: int | None = None
    """Runs that are asked about at most; those judged before cost nothing and do not count."""
    sample: int | None = None
    seed: int = 0
    attempts: Attempts = "all"
    concurrency: int | None = None
    max_cost: float | None = None
    dry_run: bool = False
    batch: bool = False
    expected_number: int | None = None
    expected_tasks: tuple[str, ...] | None = None
    out: Path | None = None
    persona: Path | None = None

    def home(self, bundle: Path, several: bool) -> Path:
        """Where the store and the files of one bundle go."""
        if self.out is None:
            return bundle
        return self.out / bundle.resolve().name if several else self.out


@dataclass(slots=True)
class Spending:
    """What has been spent of `--max-cost`, with room kept for what is under way: the cap is never passed."""

    cap: float | None
    spent: float = 0.0
    reserved: float = 0.0
    refused: bool = field(default=False)

    def reserve(self, dollars: float) -> bool:
        """Keep room for a call that costs at most so much; False if there is none."""
        if self.cap is not None and self.spent + self.reserved + dollars > self.cap + 1e-12:
            self.refused = True
            return False
        self.reserved += dollars
        return True

    def settle(self, reserved: float, dollars: float) -> None:
        self.reserved -= reserved
        self.spent += dollars
