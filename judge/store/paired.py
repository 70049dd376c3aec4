"""Two verdicts on each of the same runs: did the share of passes change? Exact, for any number of runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

_LEVEL = 0.95
_STEPS = 60
"""Halvings of [0, 1]: the bounds are exact to the last digit of a float."""


@dataclass(frozen=True, slots=True)
class PairedTable:
    """How often two judgements of the same runs said what."""

    both_pass: int
    lost: int
    """Passed before, fails now."""
    gained: int
    """Failed before, passes now."""
    both_fail: int

    @property
    def n(self) -> int:
        return self.both_pass + self.lost + self.gained + self.both_fail

    @property
    def n_changed(self) -> int:
        return self.lost + self.gained

    @property
    def difference(self) -> float | None:
        """Change of the share of passes; None for no runs."""
        return (self.gained - self.lost) / self.n if self.n else None

    @property
    def p_value(self) -> float:
        """Of McNemar's exact test, two-sided: how likely so uneven a split of changes is by chance; 1 for none."""
        return min(1.0, 2 * _at_most(min(self.gained, self.lost), self.n_changed, 0.5))

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of `difference`, given how many runs changed (Clopper and Pearson, of the gains among them).

        It holds 0 just where `p_value` is at least 0.05.
        """
        if not self.n:
            return None
        low, high = clopper_pearson(self.gained, self.n_changed) if self.n_changed else (0.5, 0.5)
        return ((2 * low - 1) * self.n_changed / self.n, (2 * high - 1) * self.n_changed / self.n)


def clopper_pearson(successes: int, n: int) -> tuple[float, float]:
    """The exact 95 % interval of a share, for at least one trial."""
    tail = (1 - _LEVEL) / 2
    low = 0.0 if successes == 0 else _share_where(lambda p: 1 - _at_most(successes - 1, n, p) < tail)
    high = 1.0 if successes == n else _share_where(lambda p: _at_most(successes, n, p) > tail)
    return low, high


def _share_where(holds: Callable[[float], bool]) -> float:
    """The largest share for which `holds`, which is true from 0 up to there."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _at_most(k: int, n: int, p: float) -> float:
    """P(X <= k) for X binomial with `n` trials."""
    if k >= n or p <= 0:
        return 1.0
    if p >= 1:
        return 0.0
    known = math.lgamma(n + 1)
    terms = (
        known - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * math.log(p) + (n - i) * math.log1p(-p)
        for i in range(k + 1)
    )
    return min(1.0, math.fsum(math.exp(term) for term in terms))
