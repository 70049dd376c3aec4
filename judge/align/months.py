"""Names of months and weekdays in many languages, and dates written with them."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from datetime import date

LANGUAGES = (
    *("en", "fr", "de", "es", "it", "pt", "nl", "sv", "da", "nb", "fi", "pl", "cs", "sk", "hu", "ro", "tr", "id"),
    *("ca", "el", "ru", "uk", "bg"),
)
_MIN_LETTERS = 3
_OF = r"(?:(?:de|del|d'|of)\s*)?"
ORDINAL = r"(?:st|nd|rd|th|er|º|ª|\.)?"
IDEOGRAPHIC = re.compile(r"(?:(\d{4})\s*[年년])?\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日号號일]")


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A complete date with a month's name, and the words that follow it."""

    day: date
    rest: str
    """What stands behind the date: a clock time, a zone, or nothing."""
    wrong_weekday: bool


@functools.cache
def month_numbers(language: str, abbreviated: bool) -> dict[str, int]:
    """Names of the months of one language, lower case and without the final dot."""
    from babel import Locale

    months = Locale(language).months
    found: dict[str, int] = {}
    for context in ("format", "stand-alone"):
        for number, name in months[context]["abbreviated" if abbreviated else "wide"].items():
            key = name.casefold().rstrip(".")
            if len(key) >= _MIN_LETTERS and not any(c.isdigit() for c in key):
                found.setdefault(key, number)
    return found


@functools.cache
def all_months() -> dict[str, int]:
    """Names and abbreviations of the months in every language known here."""
    found = {"sept": 9}
    for abbreviated in (False, True):
        for language in LANGUAGES:
            for key, number in month_numbers(language, abbreviated).items():
                found.setdefault(key, number)
    return found


@functools.cache
def _weekdays() -> dict[str, frozenset[int]]:
    from babel import Locale

    found: dict[str, set[int]] = {}
    for language in LANGUAGES:
        days = Locale(language).days
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in days[context][width].items():
                    found.setdefault(name.casefold().rstrip("."), set()).add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


def alternatives(names: object) -> str:
    """A regular expression for any of `names`, the longest first."""
    return "|".join(sorted(map(re.escape, map(str, names)), key=len, reverse=True))  # type: ignore[call-overload]


@functools.cache
def _written_pattern() -> re.Pattern[str]:
    month = alternatives(all_months())
    gap = r"[\s./,-]*"
    return re.compile(
        r"^(?:(?P<weekday>[^\W\d_]+(?:-feira)?)\.?,?\s+)?(?:"
        rf"(?P<d1>\d{{1,2}}){ORDINAL}{gap}{_OF}(?P<m1>{month})\b{gap}{_OF}(?P<y1>\d{{4}})"
        rf"|(?P<m2>{month})\b{gap}(?P<d2>\d{{1,2}}){ORDINAL}{gap}(?P<y2>\d{{4}})"
        rf"|(?P<y3>\d{{4}}){gap}(?P<m3>{month})\b{gap}(?P<d3>\d{{1,2}})\.?"
        r")(?!\d)\s*(?:г\.?)?,?(?P<rest>.{0,60})$",
        re.IGNORECASE,
    )


def written_date(text: str) -> WrittenDate | None:
    """The date that `text` begins with: `Monday, 14 December 2026`, `Dec 14 2026 2 pm`, `2026年12月14日`."""
    found = IDEOGRAPHIC.match(text)
    if found and found[1]:
        return _written(int(found[1]), int(found[2]), int(found[3]), text[found.end() :], None)
    found = _written_pattern().match(text)
    if not found:
        return None
    for n in ("1", "2", "3"):
        if found[f"m{n}"]:
            month = all_months()[found[f"m{n}"].casefold()]
            return _written(int(found[f"y{n}"]), month, int(found[f"d{n}"]), found["rest"], found["weekday"])
    return None


def _written(year: int, month: int, day: int, rest: str, weekday: str | None) -> WrittenDate | None:
    try:
        when = date(year, month, day)
    except ValueError:
        return None
    numbers = _weekdays().get(weekday.casefold()) if weekday else frozenset({when.weekday()})
    if numbers is None:
        # Some other word in front: then this is a sentence, not a date.
        return None
    return WrittenDate(when, rest.strip(" .,"), when.weekday() not in numbers)
