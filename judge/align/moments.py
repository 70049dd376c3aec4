"""Dates and times as forms write them, with and without zones."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from clawjudge.judge.align import months

_ISO_DATE = re.compile(r"^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$")
_COMPACT_DATE = re.compile(r"^((?:19|20)\d{2})(\d{2})(\d{2})$")
_ISO_MOMENT = re.compile(r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
_NUMERIC_DATE = re.compile(r"^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})$")
_DATE_AND_CLOCK = re.compile(
    r"^(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}),?\s+(\d{1,2}:\d{2}.*|\d{1,2}\s*[ap]\.?m\.?)$", re.IGNORECASE
)
_MONTH_YEAR = re.compile(
    r"^(?:(?P<y1>(?:19|20)\d{2})(?P<s1>[-/. ])(?P<m1>\d{1,2})"
    r"|(?P<m2>\d{1,2})\s*(?P<s2>[-/. ])\s*(?P<y2>(?:19|20)\d{2}|\d{2}))$"
)
_CLOCK = re.compile(
    r"^(?:(?P<h1>\d{1,2})[:h](?P<min>\d{2})(?::(?P<s>\d{2}))?(?:[.,]\d+)?\s*(?:(?P<half1>[ap])\.?m\.?|uhr)?"
    r"|(?P<h2>\d{1,2})\s*(?P<half2>[ap])\.?m\.?|(?P<h3>\d{1,2})\s?(?:uhr|h)|(?P<h4>\d{1,2})\.(?P<min4>\d{2})\s?uhr)$",
    re.IGNORECASE,
)
_AT = re.compile(r"^(?:at|um|à|a las?|alle|às|as|om|kl\.?|klo|o|в|@)\s+", re.IGNORECASE)
_OFFSET = re.compile(r"^(.*?)\s*(?:GMT|UTC|Z)?(?:([+-])(\d{2}):?(\d{2}))?(?:\s*\([^()]*\))?$", re.IGNORECASE)
_BARE_OFFSET = re.compile(r"^(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})$", re.IGNORECASE)
_LARGEST_OFFSET = timedelta(hours=14)
_MIDNIGHT = time(0)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says as a date: the days it may name, and its clock time, if it has one."""

    days: frozenset[date]
    clock: time | None = None
    offset: timedelta | None = None
    doubtful: bool = False

    @property
    def instant(self) -> datetime | None:
        if self.clock is None or self.offset is None or len(self.days) != 1:
            return None
        return datetime.combine(next(iter(self.days)), self.clock, timezone(self.offset))


def same_moment(first: str, second: str) -> bool | None:
    """Whether two texts name the same day, time or instant; None where a day and a month could be swapped."""
    layouts = _NUMERIC_DATE.match(first.strip()), _NUMERIC_DATE.match(second.strip())
    if layouts[0] and layouts[1] and _layout(layouts[0]) == _layout(layouts[1]):
        # Two values of one field are written in one way, so other digits are another day.
        return [int(g) for g in layouts[0].group(1, 3, 4)] == [int(g) for g in layouts[1].group(1, 3, 4)]
    first, second = first.strip(), second.strip()
    if len(first) > 80 or len(second) > 80:
        return False
    clocks = clock_readings(first), clock_readings(second)
    if clocks[0] and clocks[1]:
        return _same_clock(clocks[0], clocks[1])
    zones = _same_zone(first, second)
    if zones is not False:
        return zones
    expiry = _same_month_year(first, second)
    if expiry is not False:
        return expiry
    left, right = read(first), read(second)
    if left is None or right is None:
        return _same_compact(first, second)
    return _same_reading(left, right)


def _layout(date_: re.Match[str]) -> tuple[str, int]:
    return date_[2], len(date_[4])


def _same_clock(first: tuple[time, ...], second: tuple[time, ...]) -> bool | None:
    if first == second or (first[0] == second[0] and len(first) * len(second) == 1):
        return True
    if first[0] == second[0] and first[0].hour >= 10:
        # A time from ten on without a half of the day is read on the 24-hour clock.
        return True
    return None if set(first) & set(second) else False


def _same_compact(first: str, second: str) -> bool:
    """`20261214` is the date `2026-12-14`, but two such numbers are no dates."""
    for compact, other in ((first, second), (second, first)):
        found = _COMPACT_DATE.match(compact)
        if found and _ISO_DATE.match(other):
            return dates(other) == _days((int(found[1]), int(found[2]), int(found[3]))) != frozenset()
    return False


def _same_month_year(first: str, second: str) -> bool | None:
    found = _MONTH_YEAR.match(first), _MONTH_YEAR.match(second)
    if not (found[0] and found[1]):
        return False
    left, right = month_year(first), month_year(second)
    swapped = [re.findall(r"\d+", text) for text in (first, second)]
    if left is not None and left == right:
        # Two pairs of digits are an expiry only with a slash: `12.20` may be a price, `10-20` a range.
        return True if all(m["y1"] or len(m["y2"]) == 4 or m["s2"] == "/" for m in found if m) else None
    return None if [int(n) for n in swapped[0]] == [int(n) for n in swapped[1][::-1]] else False


def _same_zone(first: str, second: str) -> bool | None:
    """Two names of zones that agree all year, or a zone and an offset that it has at times, may be the same."""
    if first == second:
        return False
    left, right = _offsets(first), _offsets(second)
    if not left or not right:
        return False
    if len(left) == len(right):
        return None if left == right else False
    return None if set(left) & set(right) else False


@functools.lru_cache(maxsize=256)
def _offsets(text: str) -> tuple[timedelta, ...]:
    """Offsets from UTC in each month of a year; one for a bare offset; none if `text` names no zone."""
    found = _BARE_OFFSET.match(text)
    if found:
        size = timedelta(hours=int(found[2]), minutes=int(found[3]))
        return (-size if found[1] == "-" else size,) if size <= _LARGEST_OFFSET else ()
    where = zone(text)
    if where is None:
        return ()
    return tuple(datetime(2026, month, 15, tzinfo=where).utcoffset() or timedelta() for month in range(1, 13))


def _same_reading(left: Reading, right: Reading) -> bool | None:
    if left.instant and right.instant:
        return left.instant == right.instant
    if (left.offset is None) != (right.offset is None):
        return _same_but_for_zone(left, right)
    if not left.days & right.days:
        return False
    if left.clock and right.clock and left.clock != right.clock:
        half_a_day = left.clock.replace(hour=(left.clock.hour + 12) % 24) == right.clock
        return None if half_a_day and (left.doubtful or right.doubtful) else False
    certain = len(left.days) == len(right.days) == 1 and not (left.doubtful or right.doubtful)
    if (left.clock is None) != (right.clock is None) and (left.clock or right.clock) != _MIDNIGHT:
        certain = False
    return True if certain else None


def _same_but_for_zone(left: Reading, right: Reading) -> bool | None:
    """One text has an offset. The other's zone is unknown, so the same instant is possible within a day."""
    aware, naive = (left, right) if left.offset is not None else (right, left)
    if aware.days == naive.days and aware.clock == _MIDNIGHT and not aware.offset and naive.clock is None:
        return True
    near = False
    for day in naive.days:
        for other in aware.days:
            apart = datetime.combine(day, naive.clock or time(12)) - datetime.combine(other, aware.clock or time(12))
            near = near or abs(apart) <= _LARGEST_OFFSET + (timedelta() if naive.clock else timedelta(hours=12))
    return None if near else False


@functools.lru_cache(maxsize=4096)
def read(text: str) -> Reading | None:
    """What `text` says as a date, or None if it is none."""
    text = text.strip()
    if not any(c.isdigit() for c in text):
        return None
    when = moment(text)
    if when is not None:
        return Reading(frozenset({when.date()}), when.time(), when.utcoffset())
    days = _numeric_days(text)
    if days:
        return Reading(days)
    parts = _DATE_AND_CLOCK.match(text)
    if parts:
        days, times = _numeric_days(parts[1]), clock_readings(parts[2])
        return Reading(days, times[0], doubtful=len(times) > 1) if days and times else None
    return _read_written(text)


def _read_written(text: str) -> Reading | None:
    written = months.written_date(text)
    if written is None:
        return None
    days = frozenset({written.day})
    if not written.rest:
        return Reading(days, doubtful=written.wrong_weekday)
    split = _OFFSET.match(_AT.sub("", written.rest))
    times = clock_readings(split[1]) if split else ()
    if not split or not times:
        # Words that are no clock time: "14 December 2026 in Rome" names more than a day.
        return None
    zoned = split[1] != _AT.sub("", written.rest)
    offset = timedelta(hours=int(split[3] or 0), minutes=int(split[4] or 0)) if zoned else None
    offset = -offset if offset is not None and split[2] == "-" else offset
    if offset is not None and abs(offset) > _LARGEST_OFFSET:
        return None
    return Reading(days, times[0], offset, doubtful=written.wrong_weekday or len(times) > 1)


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
    """`14:00`, `2:00 PM`, `2pm`, `14 Uhr`. A bare number is no time."""
    found = clock_readings(text)
    return found[0] if found else None


def clock_readings(text: str) -> tuple[time, ...]:
    """Every time of the day that `text` may be, the 24-hour reading first: `2:30` may be in the afternoon."""
    found = _CLOCK.match(text.strip())
    if not found:
        return ()
    written = found["h1"] or found["h2"] or found["h3"] or found["h4"]
    hour, half = int(written), (found["half1"] or found["half2"] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return ()
        hour = hour % 12 + (12 if half == "p" else 0)
    minute, second = int(found["min"] or found["min4"] or 0), int(found["s"] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return ()
    first = time(hour, minute, second)
    colon = found["h1"] and "uhr" not in text.casefold() and "h" not in text.casefold()
    if half or not colon or written.startswith("0") or not 1 <= hour <= 12:
        return (first,)
    return (first, first.replace(hour=(hour + 12) % 24))


def month_year(text: str) -> tuple[int, int] | None:
    """(year, month) of a card's expiry: `09/28`, `2028-09`, `09 / 2028`."""
    found = _MONTH_YEAR.match(text)
    if not found:
        return None
    year = int(found["y1"] or found["y2"])
    month = int(found["m1"] or found["m2"])
    return (year + 2000 if year < 100 else year, month) if 1 <= month <= 12 else None


def dates(text: str) -> frozenset[date]:
    """Every day that `text` may name: none, one, or several where day, month and year can be swapped."""
    found = read(text) if len(text) <= 80 else None
    return found.days if found else frozenset()


def _numeric_days(text: str) -> frozenset[date]:
    found = _ISO_DATE.match(text)
    if found:
        return _days((int(found[1]), int(found[2]), int(found[3])))
    found = _NUMERIC_DATE.match(text)
    if not found:
        return frozenset()
    first, second, third = int(found[1]), int(found[3]), int(found[4])
    if len(found[4]) == 4:
        return _days((third, first, second), (third, second, first))
    # Two digits each: the year may stand last or, where dashes join them, first.
    first_is_year = [(2000 + first, second, third)] if found[2] == "-" else []
    return _days((2000 + third, first, second), (2000 + third, second, first), *first_is_year)


def _days(*candidates: tuple[int, int, int]) -> frozenset[date]:
    days = set()
    for year, month, day in candidates:
        try:
            days.add(date(year, month, day))
        except ValueError:
            continue
    return frozenset(days)
