"""The one clock: units by format, no magic from magnitudes, and the skew of a page's clock."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.traces.clock import SKEW_THRESHOLD_MS, Skew, Unit, estimate_skew, parse_time, plausible

NOON = 1_796_040_000_000  # 2026-11-30T12:00:00Z

TIMES: list[tuple[Any, Unit, int | None]] = [
    (NOON, "ms", NOON),
    (NOON / 1000, "s", NOON),
    (1796040000.1234, "s", NOON + 123),
    (1796040000.9996, "s", NOON + 1000),
    ("1796040000.5", "s", NOON + 500),
    (" 1796040000 ", "s", NOON),
    (str(NOON), "ms", NOON),
    ("12.5", "s", 12_500),
    # The unit is that of the format, even where the number looks like the other one.
    (NOON, "s", NOON * 1000),
    (1796040000, "ms", 1_796_040_000),
    ("2026-11-30T12:00:00Z", "iso", NOON),
    ("2026-11-30T12:00:00.250Z", "iso", NOON + 250),
    ("2026-11-30T12:00:00", "iso", NOON),
    ("2026-11-30T13:00:00+01:00", "iso", NOON),
    ("2026-11-30 12:00:00", "iso", NOON),
    (NOON, "iso", NOON),
    (str(NOON), "iso", NOON),
    # Both also read as a basic ISO date in the year 1790.
    ("1790101231200", "iso", 1_790_101_231_200),
    ("1790101231200.5", "iso", 1_790_101_231_200),
    ("2026-11-30T12:00:00Z", "s", None),
    ("2026-11-30T12:00:00Z", "ms", None),
    ("2026-13-30T12:00:00Z", "iso", None),
    ("yesterday", "iso", None),
    ("", "iso", None),
    ("", "s", None),
    ("1_796_040_000", "s", None),
    ("0x10", "s", None),
    ("../x", "ms", None),
    (None, "s", None),
    (True, "s", None),
    (False, "ms", None),
    (math.nan, "s", None),
    (math.inf, "s", None),
    (-math.inf, "ms", None),
    ("inf", "s", None),
    ("nan", "ms", None),
    (1e300, "s", None),
    (1e300, "ms", None),
    ("1e300", "ms", None),
    (10**400, "ms", None),
    ("9" * 400, "ms", None),
    ({}, "ms", None),
    ([NOON], "ms", None),
    (b"1", "ms", None),
    (-5, "ms", -5),
    (-1.5, "s", -1500),
    (0, "ms", 0),
]


@pytest.mark.parametrize(("value", "unit", "expected"), TIMES)
def test_parse_time(value: Any, unit: Unit, expected: int | None) -> None:
    found = parse_time(value, unit)
    assert found == expected
    assert found is None or type(found) is int


@given(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.lists(st.integers(), max_size=1),
    st.sampled_from(["s", "ms", "iso"]),
)
def test_nothing_in_a_recording_breaks_the_clock(value: Any, unit: Unit) -> None:
    assert isinstance(parse_time(value, unit), int | None)


@pytest.mark.parametrize(
    ("t_ms", "expected"), [(NOON, True), (0, False), (-5, False), (NOON * 1000, False), (1_796_040_000, False)]
)
def test_plausible(t_ms: int, expected: bool) -> None:
    assert plausible(t_ms) is expected


def pages(skew_ms: int, delays: tuple[int, ...] = (120, 90, 300), every: int = 20_000) -> tuple[list, list]:
    """Page loads as the page's clock saw them, and the document requests by the recorder's clock."""
    documents = [(f"http://shop.test/{n}", NOON + n * every) for n in range(len(delays))]
    loads = [(url, t_ms + delay + skew_ms) for (url, t_ms), delay in zip(documents, delays, strict=True)]
    return loads, documents


@pytest.mark.parametrize(("skew_ms", "expected"), [(0, 0), (400, 0), (2000, 2120), (7000, 7120), (-2000, -1880)])
def test_skew(skew_ms: int, expected: int) -> None:
    found = estimate_skew(*pages(skew_ms))
    assert (found.offset_ms, found.pairs) == (expected, 3)
    assert abs(found.offset_ms - skew_ms) <= max(found.uncertainty_ms, SKEW_THRESHOLD_MS if not expected else 0)


def test_skew_of_two_seconds_is_estimated_within_its_uncertainty() -> None:
    found = estimate_skew(*pages(2000, (80, 150, 90, 400, 120)))
    assert abs(found.offset_ms - 2000) <= found.uncertainty_ms


def test_one_slow_page_is_no_skew() -> None:
    assert estimate_skew(*pages(0, (100, 9000, 150))).offset_ms == 0


def test_no_pair_means_unknown() -> None:
    assert estimate_skew([], [("http://a.test/", NOON)]).pairs == 0
    assert estimate_skew([("http://a.test/", NOON)], []) == Skew(0, 50, 0)
    assert estimate_skew([("http://a.test/", NOON)], [("http://b.test/", NOON)]).pairs == 0


def test_differences_that_disagree_are_no_skew() -> None:
    # The second load came from the cache, so its request is really that of the third.
    url = "http://shop.test/cart"
    found = estimate_skew(
        [(url, NOON + 100), (url, NOON + 30_000), (url, NOON + 60_100)], [(url, NOON), (url, NOON + 60_000)]
    )
    assert found.offset_ms == 0
    assert found.uncertainty_ms > SKEW_THRESHOLD_MS


def test_fragments_are_not_sent() -> None:
    found = estimate_skew([("http://shop.test/p#reviews", NOON + 5100)], [("http://shop.test/p", NOON)])
    assert (found.offset_ms, found.pairs) == (5100, 1)


def test_nth_load_of_a_page_is_held_against_its_nth_request() -> None:
    url = "http://shop.test/cart"
    documents = [(url, NOON), (url, NOON + 60_000)]
    found = estimate_skew([(url, t + 3000) for _, t in documents], documents)
    assert (found.offset_ms, found.pairs) == (3000, 2)


def test_many_visits_of_one_page_take_no_quadratic_time() -> None:
    visits = [("http://shop.test/", NOON + n) for n in range(200_000)]
    assert estimate_skew(visits, visits).pairs == 200_000
