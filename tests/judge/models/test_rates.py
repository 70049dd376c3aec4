"""Headers in which providers say how much they take."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.judge.models.rates import MOST_SECONDS, Allowance, requests_left, retry_after, tokens_left


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("2", 2.0), ("0.5", 0.5), ("", None), ("soon", None), ("-3", None), ("nan", None), ("999999999", MOST_SECONDS)],
)
def test_retry_after(said: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": said}) == seconds


def test_retry_after_as_a_date_and_in_milliseconds() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    found = retry_after({"retry-after": date})
    assert found is not None
    assert 25 < found <= 30
    assert retry_after({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}) == 0.0
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25


@pytest.mark.parametrize(
    ("reset", "seconds"), [("1s", 1.0), ("6m0s", 360.0), ("250ms", 0.25), ("1h2m3s", 3723.0), ("12", 12.0), ("?", 1.0)]
)
def test_openai_resets(reset: str, seconds: float) -> None:
    headers = {"x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": reset}
    assert requests_left(headers) == Allowance(5, min(seconds, MOST_SECONDS))


def test_anthropic_resets_are_moments() -> None:
    moment = (datetime.now(UTC) + timedelta(seconds=20)).isoformat().replace("+00:00", "Z")
    headers = {"anthropic-ratelimit-input-tokens-remaining": "7", "anthropic-ratelimit-input-tokens-reset": moment}
    left = tokens_left(headers)
    assert left is not None
    assert left.remaining == 7
    assert 15 < left.reset_seconds <= 20
    assert requests_left(headers) is None


@given(st.text(), st.text())
def test_no_header_makes_it_raise(one: str, other: str) -> None:
    headers = {"retry-after": one, "x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": other}
    assert retry_after(headers) is None or 0 <= retry_after(headers) <= MOST_SECONDS  # type: ignore[operator]
    left = requests_left(headers)
    assert left is not None
    assert 0 <= left.reset_seconds <= MOST_SECONDS
