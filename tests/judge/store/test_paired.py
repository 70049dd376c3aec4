"""The exact paired test and its interval, against published values."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.judge.store.paired import PairedTable, clopper_pearson


def table(gained: int, lost: int, same: int = 0) -> PairedTable:
    return PairedTable(both_pass=same, lost=lost, gained=gained, both_fail=0)


# From the tests of statsmodels, from R and from Vassar's calculator.
@pytest.mark.parametrize(
    ("one", "other", "p"),
    [
        (121, 59, 4.43445e-6),
        (70, 59, 0.378688),
        (80, 59, 0.089452),
        (30, 60, 0.00206),
        (10, 30, 0.002221),
        (10, 10, 1),
        (0, 6, 1 / 32),
        (1, 6, 0.125),
        (0, 0, 1),
    ],
)
def test_published_p_values(one: int, other: int, p: float) -> None:
    for both in ((one, other), (other, one)):
        assert table(*both).p_value == pytest.approx(p, rel=3e-4)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(58, 130, 0.3590, 0.5358), (0, 130, 0, 0.0280), (0, 50, 0, 0.071122), (50, 50, 1 - 0.071122, 1)],
)
def test_published_intervals_of_shares(k: int, n: int, low: float, high: float) -> None:
    assert clopper_pearson(k, n) == pytest.approx((low, high), abs=6e-5)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_p_value_is_exact(gained: int, lost: int) -> None:
    n = gained + lost
    tail = sum(math.comb(n, i) for i in range(min(gained, lost) + 1))
    assert table(gained, lost).p_value == pytest.approx(float(min(Fraction(1), Fraction(2 * tail, 2**n))))


@given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 500))
def test_interval_and_test_say_the_same(gained: int, lost: int, same: int) -> None:
    made = table(gained, lost, same)
    if made.n == 0:
        assert made.interval is made.difference is None
        return
    assert made.interval is not None
    assert made.difference is not None
    low, high = made.interval
    assert -1 <= low <= made.difference <= high <= 1
    assert (low <= 0 <= high) == (made.p_value >= 0.05)


def test_no_change_leaves_no_doubt() -> None:
    assert PairedTable(3, 0, 0, 4).interval == (0, 0)


def test_many_runs_are_no_problem() -> None:
    made = PairedTable(5000, 7000, 7300, 700)
    assert made.p_value == pytest.approx(0.0123, abs=2e-4)
