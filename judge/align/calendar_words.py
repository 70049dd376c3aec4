"""Dates and clock times inside running text, such as an instruction."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from datetime import date, time

from clawjudge.judge.align import moments

_LANGUAGES = ("en", "fr", "de", "es", "it", "pt", "nl", "sv", "da", "pl", "tr", "id")
_ISO = re.compile(r"(?<!\d)\d{4}-\d{1,2}-\d{1,2}(?!\d)")
_NUMERIC = re.compile(r"(?<![\d./-])\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?![\d./-])")
_IDEOGRAPHIC = re.compile(r"(?:(\d{4})\s*年)?\s*(\d{1,2})\s*[月]\s*(\d{1,2})\s*[日号號]")
_TIMES = re.compile(
    r"(?<![\d:.])(?:\d{1,2}:\d{2}(?::\d{2})?\s*(?:[ap]\.?m\.?)?|\d{1,2}\s*[ap]\.?m\.?)(?![\w:])", re.IGNORECASE
)
_EUROPEAN_TIMES = re.compile(r"(?<![\d:.])(\d{1,2})(?:[.:h](\d{2}))?\s?(?:Uhr|h\b|时|時|点|點|시)", re.IGNORECASE)
_HALF = re.compile(r"[ap]\.?m", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TextDate:
    """A day named in a text; `year` is None where the text leaves it open."""

    month: int
    day: int
    year: int | None
    quote: str

    def matches(self, other: date) -> bool:
        return (self.month, self.day) == (other.month, other.day) and self.year in (None, other.year)


@functools.lru_cache(maxsize=64)
def find_dates(text: str) -> tuple[TextDate, ...]:
    """Every day named in `text`: `December 14, 2026`, `14. Dezember`, `2026-12-14`, `12月14日`."""
    found: list[TextDate] = []
    for match in [*_ISO.finditer(text), *_NUMERIC.finditer(text)]:
        found += [TextDate(d.month, d.day, d.year, match.group()) for d in moments.dates(match.group())]
    for match in _IDEOGRAPHIC.finditer(text):
        found.append(TextDate(int(match[2]), int(match[3]), int(match[1]) if match[1] else None, match.group()))
    pattern, numbers = _month_pattern()
    for match in pattern.finditer(text):
        day = int(match["before"] or match["after"])
        month = numbers[match["month"].casefold().rstrip(".")]
        if 1 <= day <= 31:
            found.append(TextDate(month, day, int(match["year"]) if match["year"] else None, match.group().strip()))
    return tuple(found)


@functools.lru_cache(maxsize=64)
def find_times(text: str) -> tuple[tuple[time, str], ...]:
    """Every clock time in `text` with its words. `9-11 am` gives 11:00 only: a bare hour is no time."""
    found = []
    for match in _TIMES.finditer(text):
        value = moments.clock(match.group().strip())
        if value is not None:
            found.append((value, match.group().strip()))
            if not _HALF.search(match.group()) and 1 <= value.hour < 12:
                # "2:30" without a half of the day may be either.
                found.append((value.replace(hour=value.hour + 12), match.group().strip()))
    for match in _EUROPEAN_TIMES.finditer(text):
        hour, minute = int(match[1]), int(match[2] or 0)
        if hour < 24 and minute < 60:
            found.append((time(hour, minute), match.group().strip()))
    return tuple(found)


@functools.cache
def _month_pattern() -> tuple[re.Pattern[str], dict[str, int]]:
    from babel import Locale

    numbers: dict[str, int] = {}
    for language in _LANGUAGES:
        months = Locale(language).months
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in months[context][width].items():
                    key = name.casefold().rstrip(".")
                    if len(key) >= 3 and not key.isdigit():
                        numbers.setdefault(key, number)
    names = "|".join(sorted(map(re.escape, numbers), key=len, reverse=True))
    ordinal = r"(?:st|nd|rd|th|er|º|\.)?"
    pattern = (
        rf"(?<![\w])(?:(?P<before>\d{{1,2}}){ordinal}\s+(?:de\s+|of\s+)?)?(?P<month>{names})\.?"
        rf"(?(before)|\s+(?P<after>\d{{1,2}}){ordinal}(?!\d|:))(?:,?\s+(?:de\s+)?(?P<year>(?:19|20)\d{{2}}))?(?!\w)"
    )
    return re.compile(pattern, re.IGNORECASE), numbers
