"""Rows of leaderboards: those that ClawBench published, and those in a file."""

from __future__ import annotations

import csv
import io
from importlib.resources import files
from pathlib import Path

import msgspec

from clawjudge.traces.errors import TraceError

COLUMNS = ("intercepted", "lenient", "strict")
_MAX_BYTES = 1024 * 1024


class InvalidRow(TraceError):
    """A leaderboard row that cannot be used."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What a leaderboard says of one model. A column that it does not have is None."""

    model: str
    n: int
    intercepted: int | None = None
    lenient: int | None = None
    strict: int | None = None
    harness: str = ""
    dataset: str = ""
    judge_model: str = ""
    """Who judged, as the row's publisher names it; empty where that is not said."""
    source: str = ""
    date: str = ""
    aliases: tuple[str, ...] = ()

    def count(self, column: str) -> int | None:
        value: int | None = getattr(self, column)
        return value


class _Table(msgspec.Struct, frozen=True):
    source: str
    date: str
    note: str
    judge_model: str
    rows: tuple[Row, ...]


def published_rows() -> tuple[Row, ...]:
    """ClawBench's public rows, with their source and date."""
    raw = (files("clawjudge.judge.store") / "published-rows.json").read_bytes()
    table = msgspec.json.decode(raw, type=_Table)
    told = {"source": table.source, "date": table.date, "judge_model": table.judge_model}
    return tuple(msgspec.structs.replace(row, **told) for row in table.rows)


def find_row(name: str, rubric: str = "") -> Row:
    """The public row of that model, or the row in the file of that name: JSON, or a leaderboard's CSV.

    A CSV row (`model,harness,dataset,passed,total,pass_rate,wall_hours`) does not say which rubric it counts: `rubric`
    does. Raises `InvalidRow`.
    """
    path = Path(name)
    if path.is_file():
        return _read(path, rubric)
    rows = [row for row in published_rows() if name in (row.model, *row.aliases)]
    if not rows:
        known = ", ".join(row.model for row in published_rows())
        raise InvalidRow(f"{name!r} is no file, and no public row; there are: {known}")
    return rows[0]


def _read(path: Path, rubric: str) -> Row:
    if path.stat().st_size > _MAX_BYTES:
        raise InvalidRow(f"{path}: is too large for a row")
    raw = path.read_bytes()
    if path.suffix == ".csv":
        row = _from_csv(path, raw, rubric)
    else:
        try:
            row = msgspec.json.decode(raw, type=Row)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            example = '{"model": "m", "n": 130, "intercepted": 63, "lenient": 45, "strict": 23}'
            raise InvalidRow(f"{path}: {error}; a row is {example}") from error
    _check(path, row)
    return msgspec.structs.replace(row, source=row.source or str(path))


def _from_csv(path: Path, raw: bytes, rubric: str) -> Row:
    if rubric not in ("lenient", "strict"):
        raise InvalidRow(f"{path}: a CSV row does not say which rubric it counts; name one with --rubric")
    rows = list(csv.DictReader(io.StringIO(raw.decode("utf-8", "replace"))))
    if len(rows) != 1:
        raise InvalidRow(f"{path}: holds {len(rows)} rows; give a file with one")
    [told] = rows
    try:
        passed, n = int(told["passed"]), int(told["total"])
        rate = float(told["pass_rate"])
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidRow(f"{path}: needs the columns passed, total and pass_rate, with numbers") from error
    if n <= 0 or abs(rate - 100 * passed / n) > 0.06:
        raise InvalidRow(f"{path}: says {rate} %, and {passed} of {n} is not that")
    return Row(
        model=told.get("model") or "",
        harness=told.get("harness") or "",
        dataset=told.get("dataset") or "",
        n=n,
        lenient=passed if rubric == "lenient" else None,
        strict=passed if rubric == "strict" else None,
    )


def _check(path: Path, row: Row) -> None:
    counts = [count for column in COLUMNS if (count := row.count(column)) is not None]
    if row.n <= 0 or not counts or any(not 0 <= count <= row.n for count in counts):
        raise InvalidRow(f"{path}: n must be positive, and intercepted, lenient, strict counts of runs up to n")
    made = row.intercepted
    if made is not None and max(row.lenient or 0, row.strict or 0) > made:
        raise InvalidRow(f"{path}: more runs passed than made the final request")
