"""Dates, times, instants, zones and expiry dates by themselves."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.judge.align.moments import (
    clock,
    clock_readings,
    dates,
    instant,
    moment,
    month_year,
    read,
    same_moment,
    zone,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("14:00", time(14)),
        ("9:05", time(9, 5)),
        ("2:00 PM", time(14)),
        ("2pm", time(14)),
        ("2 p.m.", time(14)),
        ("12 AM", time(0)),
        ("12 pm", time(12)),
        ("14:00:30", time(14, 0, 30)),
        ("14 Uhr", time(14)),
        ("14.30 Uhr", time(14, 30)),
        ("14h", time(14)),
        ("14h30", time(14, 30)),
    ],
)
def test_a_clock_time_is_read(text: str, value: time) -> None:
    assert clock(text) == value


@pytest.mark.parametrize(
    "text", ["14", "14.30", "24:00", "12:60", "13 pm", "0 am", "2:5", "14:00m", "ratio 2:30", "", "2:00 apm"]
)
def test_what_is_no_clock_time_is_not_read(text: str) -> None:
    assert clock(text) is None


def test_a_bare_time_may_be_in_the_afternoon() -> None:
    assert clock_readings("2:30") == (time(2, 30), time(14, 30))
    assert clock_readings("12:30") == (time(12, 30), time(0, 30))
    assert clock_readings("02:30") == (time(2, 30),)
    assert clock_readings("2:30 am") == (time(2, 30),)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2026-12-14", [date(2026, 12, 14)]),
        ("14/12/2026", [date(2026, 12, 14)]),
        ("01/02/2027", [date(2027, 1, 2), date(2027, 2, 1)]),
        ("02/02/2027", [date(2027, 2, 2)]),
        ("14.12.26", [date(2026, 12, 14)]),
        ("2026-12-14T14:00:00Z", [date(2026, 12, 14)]),
        ("1er janvier 2027", [date(2027, 1, 1)]),
        ("Dec 14th, 2026", [date(2026, 12, 14)]),
        ("14 de diciembre de 2026", [date(2026, 12, 14)]),
        ("2026. december 14.", [date(2026, 12, 14)]),
        ("14 Δεκεμβρίου 2026", [date(2026, 12, 14)]),
        ("14 prosince 2026", [date(2026, 12, 14)]),
        ("14 Aralık 2026", [date(2026, 12, 14)]),
        ("lunes, 14 de diciembre de 2026", [date(2026, 12, 14)]),
        ("12/14/2026 2:00 PM", [date(2026, 12, 14)]),
    ],
)
def test_days_are_read(text: str, days: list[date]) -> None:
    assert dates(text) == frozenset(days)


@pytest.mark.parametrize(
    "text",
    [
        "2026-13-14",
        "31/02/2027",
        "14 December",
        "December 2026",
        "12/2026",
        "14",
        "tomorrow",
        "14 December 2026 in Rome",
        "Room 14 December 2026",
        "14/12-2026",
        "",
        "1.2.3",
        "2026-12-14T25:00",
        "14 Dezembert 2026",
        "32 May 2026",
    ],
)
def test_what_is_no_full_day_is_not_read(text: str) -> None:
    assert dates(text) == frozenset()


def test_a_date_keeps_its_time_and_offset() -> None:
    found = read("14 December 2026 at 2 pm GMT-0500")
    assert found is not None
    assert found.instant == datetime(2026, 12, 14, 19, tzinfo=timezone.utc)  # noqa: UP017


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("2026-12-14", "14.12.2026", True),
        ("2026-12-14T14:00", "2026-12-14 14:00:00", True),
        ("2026-12-14T14:00", "14 Dec 2026, 14:00", True),
        ("2026-12-14T14:00", "14 Dec 2026, 2:00", None),
        ("2026-12-14T14:00", "2026-12-14T14:01", False),
        ("2026-12-14T14:00", "2026-12-15T14:00", False),
        ("2026-12-14", "2026-12-15", False),
        ("2026-12-14", "2025-12-14", False),
        ("2026-12-14T00:00", "2026-12-14", True),
        ("2026-12-14T00:00:00Z", "2026-12-14", True),
        ("2026-12-14T05:00:00Z", "2026-12-14", None),
        ("2026-12-15T01:00:00Z", "2026-12-14", None),
        ("2026-12-17T01:00:00Z", "2026-12-14", False),
        ("2026-12-14T19:00Z", "2026-12-14T14:00", None),
        ("2026-12-14T19:00Z", "2026-12-13T14:00", False),
        ("10-12-2026", "10.12.2026", None),
        ("01/02/2027", "2027-03-01", False),
        ("31/02/2027", "2027-02-28", False),
        ("09/28", "2028-09", True),
        ("09-28", "09/28", None),
        ("09/28", "10/28", False),
        ("13/28", "28/13", None),
        ("20261214", "2026-12-14", True),
        ("20261214", "14/12/2026", False),
        ("99999999", "2026-12-14", False),
        ("UTC", "Etc/UTC", None),
        ("UTC", "+00:00", None),
        ("America/New_York", "-04:00", None),
        ("America/New_York", "America/Toronto", None),
        ("Asia/Tokyo", "Asia/Seoul", None),
        ("America/New_York", "America/Chicago", False),
        ("America/New_York", "Mars/Phobos", False),
    ],
)
def test_moments_are_compared(first: str, second: str, same: bool | None) -> None:
    assert same_moment(first, second) is same
    assert same_moment(second, first) is same


def test_the_hour_that_comes_twice_is_two_hours() -> None:
    toronto = zone("America/Toronto")
    assert toronto is not None
    before, after = "2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00"
    assert same_moment(before, after) is False
    assert instant("2026-11-01T01:30", toronto) == instant(before, None) != instant(after, None)


def test_an_instant_needs_a_zone() -> None:
    assert instant("2026-12-14T14:00", None) is None
    assert instant("2026-12-14T14:00", zone("America/Toronto")) == instant("2026-12-14T19:00Z", None)
    assert instant(None, None) is None
    assert instant("9999-12-31T23:59-14:00", None) is None


@pytest.mark.parametrize(
    "name", ["", "../etc/passwd", "/etc/localtime", "Europe/../Paris", "EST5EDT4", "x" * 41, 5, None, "a/\0"]
)
def test_no_file_can_be_named_as_a_zone(name: object) -> None:
    assert zone(name) is None


def test_moment_is_an_iso_date_with_time_only() -> None:
    assert moment("2026-12-14t14:00z") == datetime(2026, 12, 14, 14, tzinfo=timezone(timedelta(0)))
    assert moment("2026-12-14") is None
    assert moment("2026-12-14T99:00") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("09/28", (2028, 9)),
        ("9 / 2028", (2028, 9)),
        ("2028-09", (2028, 9)),
        ("13/28", None),
        ("1234-12", None),
        ("0928", None),
    ],
)
def test_expiry_dates_are_read(text: str, value: tuple[int, int] | None) -> None:
    assert month_year(text) == value


@given(st.datetimes(timezones=st.sampled_from([timezone(timedelta(hours=h)) for h in range(-12, 15)])))
def test_one_instant_is_the_same_in_every_zone(when: datetime) -> None:
    try:
        other = when.astimezone(timezone(timedelta(hours=3)))
    except OverflowError:
        return
    assert same_moment(when.isoformat(), other.isoformat()) is True
    if other.year < 9999:
        assert same_moment(when.isoformat(), (other + timedelta(seconds=1)).isoformat()) is False


@given(st.text(max_size=90), st.text(max_size=90))
def test_no_text_raises(first: str, second: str) -> None:
    assert same_moment(first, second) in (True, False, None)
