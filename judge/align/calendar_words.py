"""Dates and clock times inside running text, such as an instruction."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from datetime import date, time

from clawjudge.judge.align import moments, months
from clawjudge.judge.align.languages import languages_of

_ISO = re.compile(r"(?<![\d-])\d{4}-\d{1,2}-\d{1,2}(?![\d-])")
_NUMERIC = re.compile(r"(?<![\d./-])\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})(?![\d/-]|\.\d)")
_TIMES = re.compile(
    r"(?<![\d:.])(?:\d{1,2}:\d{2}(?::\d{2})?\s*(?:[ap]\.?m\.?)?|\d{1,2}\s*[ap]\.?m\.?)(?![\w:])", re.IGNORECASE
)
_EUROPEAN_TIMES = re.compile(r"(?<![\d:.])(\d{1,2})(?:[.:h](\d{2}))?\s?(?:Uhr|h\b|时|時|点|點|시)", re.IGNORECASE)
_FRENCH_TIMES = re.compile(r"(?<![\d:.\w])(\d{1,2})h(\d{2})(?!\w)", re.IGNORECASE)


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
    for match in months.IDEOGRAPHIC.finditer(text):
        found += _day(match[2], int(match[3]), match[1], match.group())
    names = _names(languages_of(text))
    for match in _pattern(tuple(names)).finditer(text):
        month = names[match["month"].casefold().rstrip(".")]
        year, quote = match["year"] or match["year_ahead"], match.group().strip()
        found += [day for n in ("before", "after") if match[n] for day in _day(match[n], month, year, quote, swap=True)]
    return tuple(found)


def _day(first: str, second: int, year: str | None, quote: str, swap: bool = False) -> list[TextDate]:
    month, day = (second, int(first)) if swap else (int(first), second)
    try:
        date(int(year) if year else 2024, month, day)
    except ValueError:
        return []
    return [TextDate(month, day, int(year) if year else None, quote)]


@functools.lru_cache(maxsize=64)
def find_times(text: str) -> tuple[tuple[time, str], ...]:
    """Every clock time in `text` with its words. `9-11 am` gives 11:00 only: a bare hour is no time."""
    found: list[tuple[time, str]] = []
    for match in _TIMES.finditer(text):
        words = match.group().strip()
        # "2:30" without a half of the day may be either.
        found += [(value, words) for value in moments.clock_readings(words)]
    for match in [*_EUROPEAN_TIMES.finditer(text), *_FRENCH_TIMES.finditer(text)]:
        hour, minute = int(match[1]), int(match[2] or 0)
        if hour < 24 and minute < 60 and (time(hour, minute), match.group().strip()) not in found:
            found.append((time(hour, minute), match.group().strip()))
    return tuple(found)


@functools.cache
def _names(languages: tuple[str, ...]) -> dict[str, int]:
    """Full names in every language; abbreviations only in the text's own: `out 3` is a date in Portuguese alone."""
    found = {"sept": 9} if "en" in languages or not languages else {}
    for language in languages or months.LANGUAGES:
        found.update(months.month_numbers(language, True) if language in months.LANGUAGES else {})
    for language in (*languages, *months.LANGUAGES):
        if language in months.LANGUAGES:
            for name, number in months.month_numbers(language, False).items():
                if len(name) > 3 or language in languages or not languages:
                    found.setdefault(name, number)
    return found


@functools.lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    pattern = (
        rf"(?<!\w)(?:(?P<year_ahead>(?:19|20)\d{{2}})[.,]?\s+)?"
        rf"(?:(?P<before>\d{{1,2}}){months.ORDINAL}\s+(?:de\s+|of\s+)?)?(?P<month>{months.alternatives(names)})\.?"
        rf"(?(before)|\s+(?P<after>\d{{1,2}}){months.ORDINAL}(?!\d|:))"
        rf"(?:,?\s+(?:del?\s+|of\s+)?(?P<year>(?:19|20)\d{{2}}))?(?!\w)"
    )
    return re.compile(pattern, re.IGNORECASE)
