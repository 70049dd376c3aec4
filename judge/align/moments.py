"""Dates and times as forms write them, with and without zones."""

from __future__ import annotations

import functools
import re
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_ISO_DATE = re.compile(r"^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$")
_ISO_MOMENT = re.compile(r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
_NUMERIC_DATE = re.compile(r"^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})$")
_MONTH_YEAR = re.compile(r"^(?:(?P<y1>\d{4})[-/. ](?P<m1>\d{1,2})|(?P<m2>\d{1,2})\s*[-/. ]\s*(?P<y2>\d{4}|\d{2}))$")
_CLOCK = re.compile(
    r"^(\d{1,2})(?::(\d{2}))(?::(\d{2}))?(?:\.\d+)?\s*([ap])?\.?(?:m\.?)?$|^(\d{1,2})\s*([ap])\.?m\.?$", re.IGNORECASE
)
_WORDY = re.compile(r"[^\W\d_]{3,}")


def same_moment(first: str, second: str) -> bool | None:
    """Whether two texts name the same day, time or instant; None where a day and a month could be swapped."""
    first, second = first.strip(), second.strip()
    if len(first) > 60 or len(second) > 60:
        return False
    clocks = clock(first), clock(second)
    if clocks[0] and clocks[1]:
        return clocks[0] == clocks[1]
    months = month_year(first), month_year(second)
    if months[0] and months[1]:
        return months[0] == months[1]
    instants = moment(first), moment(second)
    if instants[0] and instants[1]:
        return _same_instant(instants[0], instants[1])
    left, right = dates(first), dates(second)
    if not left or not right:
        return False
    if left == right and len(left) == 1:
        return True
    if left & right:
        return None
    return False


def _same_instant(first: datetime, second: datetime) -> bool:
    if (first.tzinfo is None) != (second.tzinfo is None):
        return False
    return first == second


def moment(text: str) -> datetime | None:
    """An ISO 8601 date with time; aware if it carries an offset or Z."""
    if not _ISO_MOMENT.match(text.upper()):
        return None
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        return None


def zone(text: object) -> ZoneInfo | None:
    """The IANA zone that `text` names, or None. `Z` and `UTC` are zones too."""
    if not isinstance(text, str) or not 1 <= len(text) <= 40:
        return None
    if text.upper() in ("Z", "UTC", "GMT", "ETC/UTC"):
        return ZoneInfo("UTC")
    if "/" not in text or text.startswith("/") or ".." in text:
        return None
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def instant(text: object, where: ZoneInfo | None) -> datetime | None:
    """The instant of an ISO text, reading a naive one in zone `where`; None without either."""
    if not isinstance(text, str):
        return None
    when = moment(text)
    if when is None:
        return None
    if when.tzinfo is None:
        if where is None:
            return None
        when = when.replace(tzinfo=where)
    try:
        return when.astimezone(UTC)
    except (OverflowError, ValueError):
        return None


def clock(text: str) -> time | None:
    """`14:00`, `2:00 PM`, `2pm`. A bare number is no time."""
    found = _CLOCK.match(text.strip())
    if not found:
        return None
    hour = int(found[1] or found[5])
    half = (found[4] or found[6] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    minute, second = int(found[2] or 0), int(found[3] or 0)
    return time(hour, minute, second) if hour < 24 and minute < 60 and second < 60 else None


def month_year(text: str) -> tuple[int, int] | None:
    """(year, month) of a card's expiry: `09/28`, `2028-09`, `09 / 2028`."""
    found = _MONTH_YEAR.match(text)
    if not found:
        return None
    year = int(found["y1"] or found["y2"])
    month = int(found["m1"] or found["m2"])
    return (year + 2000 if year < 100 else year, month) if 1 <= month <= 12 else None


@functools.lru_cache(maxsize=2048)
def dates(text: str) -> frozenset[date]:
    """Every day that `text` may name: none, one, or two where day and month can be swapped."""
    text = text.strip()
    found = _ISO_DATE.match(text)
    if found:
        return _days((int(found[1]), int(found[2]), int(found[3])))
    found = _NUMERIC_DATE.match(text)
    if found:
        year = int(found[3]) + (2000 if len(found[3]) == 2 else 0)
        return _days((year, int(found[1]), int(found[2])), (year, int(found[2]), int(found[1])))
    when = moment(text)
    if when is not None:
        return frozenset({when.date()})
    if _WORDY.search(text) and any(c.isdigit() for c in text) and len(text) <= 40:
        return _written_date(text)
    return frozenset()


def _days(*candidates: tuple[int, int, int]) -> frozenset[date]:
    days = set()
    for year, month, day in candidates:
        try:
            days.add(date(year, month, day))
        except ValueError:
            continue
    return frozenset(days)


def _written_date(text: str) -> frozenset[date]:
    """A date with a month's name. Only complete dates count: a guess from today's date would not be reproducible."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import dateparser

        settings = {"REQUIRE_PARTS": ["day", "month", "year"], "PARSERS": ["absolute-time"]}
        try:
            parsed = dateparser.parse(text, settings=settings)
        except (ValueError, OverflowError, RecursionError, TypeError):
            return frozenset()
    return frozenset({parsed.date()}) if parsed else frozenset()
