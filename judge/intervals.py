"""Intervals of confidence for shares."""

from __future__ import annotations

import math
from typing import Any

_Z95 = 1.959963984540054
"""Two-sided 95 % point of the normal distribution."""


def wilson(successes: int, n: int) -> dict[str, Any] | None:
    """The 95 % interval of Wilson (1927) for a share; None for no trials."""
    if n == 0:
        return None
    share, z2 = successes / n, _Z95**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # At 0 and at n the interval ends there exactly; rounding errors must not take it beyond.
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == n else middle + half
    return {"method": "wilson", "level": 0.95, "n": n, "low": round(low, 6), "high": round(high, 6)}
