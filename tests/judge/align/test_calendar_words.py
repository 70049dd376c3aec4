"""Days and times found in instructions of many languages."""

from __future__ import annotations

from datetime import date, time

import pytest

from clawjudge.judge.align.calendar_words import find_dates, find_times


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Book it for December 14, 2026, please", (12, 14, 2026)),
        ("on the 14th of December 2026", (12, 14, 2026)),
        ("on 14 Dec 2026", (12, 14, 2026)),
        ("on Sept 3", (9, 3, None)),
        ("on 2026-12-14", (12, 14, 2026)),
        ("am 14. Dezember 2026 um 14 Uhr", (12, 14, 2026)),
        ("am 14.12.2026", (12, 14, 2026)),
        ("le 14 décembre 2026", (12, 14, 2026)),
        ("le 1er janvier", (1, 1, None)),
        ("el 14 de diciembre de 2026", (12, 14, 2026)),
        ("il 14 dicembre 2026", (12, 14, 2026)),
        ("em 14 de dezembro de 2026", (12, 14, 2026)),
        ("op 14 december 2026", (12, 14, 2026)),
        ("na 14 grudnia 2026", (12, 14, 2026)),
        ("14 декабря 2026 года", (12, 14, 2026)),
        ("2026年12月14日に", (12, 14, 2026)),
        ("12月14日", (12, 14, None)),
        ("2026년 12월 14일", (12, 14, 2026)),
    ],
)
def test_a_day_is_found(text: str, day: tuple[int, int, int | None]) -> None:
    assert [(d.month, d.day, d.year) for d in find_dates(text)] == [day]


@pytest.mark.parametrize(
    "text",
    [
        "Check out 3 nights for the family",
        "Set 2 alarms and add des 3 to the cart",
        "You may add a note of 5 lines",
        "version 1.2.3 of the app",
        "February 31 is no day of the year",
        "call 2026-12-14-99",
        "10.0.0.1",
        "Marchers 5",
    ],
)
def test_what_is_no_day_is_not_found(text: str) -> None:
    assert find_dates(text) == ()


def test_a_numeric_day_may_be_two_days() -> None:
    assert {(d.month, d.day) for d in find_dates("on 01/02/2027")} == {(1, 2), (2, 1)}


def test_a_day_without_a_year_is_that_day_of_any_year() -> None:
    (open_year,), (with_year,) = find_dates("on December 14"), find_dates("on December 14, 2026")
    assert open_year.matches(date(2026, 12, 14))
    assert open_year.matches(date(2027, 12, 14))
    assert with_year.matches(date(2026, 12, 14))
    assert not with_year.matches(date(2027, 12, 14))
    assert not with_year.matches(date(2026, 12, 15))


def test_the_quote_stands_in_the_text() -> None:
    text = "From December 14, 2026 to 3 January 2027"
    quotes = [d.quote for d in find_dates(text)]
    assert len(quotes) == 2
    assert all(quote in text for quote in quotes)


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("from 2:00 PM to 3:30 PM", [time(14), time(15, 30)]),
        ("at 2pm", [time(14)]),
        ("at 14:00", [time(14)]),
        ("at 2:30", [time(2, 30), time(14, 30)]),
        ("9-11 am", [time(11)]),
        ("um 14 Uhr", [time(14)]),
        ("um 14.30 Uhr", [time(14, 30)]),
        ("à 14h30", [time(14, 30)]),
        ("à 14 h", [time(14)]),
        ("午後14時", [time(14)]),
        ("2 persons and 3:4", []),
        ("at 25:00", []),
        ("price 2.30", []),
        ("12:30:15", [time(12, 30, 15), time(0, 30, 15)]),
    ],
)
def test_clock_times_are_found(text: str, times: list[time]) -> None:
    assert [value for value, _ in find_times(text)] == times
