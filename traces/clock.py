"""The one clock: every layer's times become integer milliseconds since the epoch, with a stated uncertainty.

Units come from the format, never from the magnitude of a number; the magnitude only tells that a clock is suspect.
ClawBench writes actions and screenshot names in milliseconds by the page's clock, requests and `intercepted_at` in
seconds by the recorder's clock, and does not store when the video started.
"""

from __future__ import annotations

import math
import re
import statistics
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

Unit = Literal["s", "ms", "iso"]

PLAUSIBLE_MS = (946_684_800_000, 4_102_444_800_000)
"""2000-01-01 to 2100-01-01; a recording outside of it has a clock that cannot be trusted."""

LAYER_UNCERTAINTY_MS = {"http": 50, "actions": 50, "screenshots": 500, "messages": 1000, "video": 3000}
"""What a layer's own times may be off: screenshots are named by the action and taken up to a throttle later."""

_NUMBER = re.compile(r"[0-9]{9,}(?:\.[0-9]*)?")

SKEW_THRESHOLD_MS = 1500
"""Page and recorder run on one machine as a rule; below this the difference is page loading, not a skewed clock."""


def parse_time(value: object, unit: Unit) -> int | None:
    """Epoch milliseconds of a recorded time, or None if it is no time.

    Numbers and numeric strings are read in `unit`; with `iso`, ISO 8601 text (naive means UTC) and, because transcripts
    mix them, epoch milliseconds are accepted.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        text = value.strip()
        # Digits alone are a number: read as a basic ISO date, 1790101231200 would be a day of the year 1790.
        if unit == "iso" and not _NUMBER.fullmatch(text):
            moment = _iso(text)
            if moment is not None:
                return moment
        if "_" in text:
            return None
        try:
            value = float(text)
        except ValueError:
            return None
    if not isinstance(value, int | float):
        return None
    # A recorder's Infinity, or an integer too large for a float, is no time either.
    try:
        number = float(value)
    except OverflowError:
        return None
    if not math.isfinite(number) or abs(number) > 1e15:
        return None
    return round(number * 1000) if unit == "s" else round(number)


def plausible(t_ms: int) -> bool:
    return PLAUSIBLE_MS[0] <= t_ms <= PLAUSIBLE_MS[1]


@dataclass(frozen=True, slots=True)
class Skew:
    """How far the page's clock (actions) runs ahead of the recorder's clock (requests)."""

    offset_ms: int
    uncertainty_ms: int
    pairs: int
    """Page loads that were seen by both clocks; 0 means the skew is unknown and taken as 0."""


def estimate_skew(page_loads: Iterable[tuple[str, int]], documents: Iterable[tuple[str, int]]) -> Skew:
    """Skew from pages that both clocks saw: `(url, t_ms)` of page loads and of document requests, each in file order.

    The n-th load of an URL is paired with the n-th request for it. A load comes after its request, by tens to hundreds
    of milliseconds; the median difference beyond `SKEW_THRESHOLD_MS` is therefore skew. A clock that is off is off by
    the same amount all the time: differences that do not agree with each other (a page from the cache, a damaged log)
    tell nothing.
    """
    waiting: dict[str, deque[int]] = {}
    for url, t_ms in documents:
        waiting.setdefault(_without_fragment(url), deque()).append(t_ms)
    differences = []
    for url, t_ms in page_loads:
        times = waiting.get(_without_fragment(url))
        if times:
            differences.append(t_ms - times.popleft())
    if not differences:
        return Skew(0, LAYER_UNCERTAINTY_MS["actions"], 0)
    median = statistics.median(differences)
    spread = round(statistics.median(abs(d - median) for d in differences))
    if abs(median) < SKEW_THRESHOLD_MS or spread > SKEW_THRESHOLD_MS:
        return Skew(0, max(spread, LAYER_UNCERTAINTY_MS["actions"]), len(differences))
    return Skew(round(median), max(spread, 200), len(differences))


def _without_fragment(url: str) -> str:
    """A fragment is never sent, so only the page's own clock sees it."""
    return url.partition("#")[0]


def _iso(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return round(moment.timestamp() * 1000)
    except (OverflowError, OSError):
        return None
