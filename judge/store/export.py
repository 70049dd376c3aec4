"""Verdicts as tables: CSV, JSON lines and Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from clawjudge.judge.show.documents import dumps, spreadsheet_cell
from clawjudge.judge.store.records import VerdictRecord
from clawjudge.traces.errors import TraceError

COLUMNS: Mapping[str, type] = {
    "id": int,
    "run": str,
    "task_id": str,
    "judge": str,
    "model": str,
    "outcome": str,
    "reason_code": str,
    "intercepted": bool,
    "justification": str,
    "origin": str,
    "final": bool,
    "judged_at": str,
    "cost_usd": float,
    "calls": int,
    "input_tokens": int,
    "cached_tokens": int,
    "output_tokens": int,
    "seconds": float,
    "rubric": str,
    "rubric_version": str,
    "rubric_sha256": str,
    "tool_version": str,
    "key": str,
}
"""Columns of every table in their order, with the type of their values; all but the first two may be empty."""


class MissingLibrary(TraceError):
    """A format needs a library that is not installed."""


def rows(records: Iterable[VerdictRecord]) -> Iterator[dict[str, Any]]:
    """One row for each record, with the keys of `COLUMNS`."""
    for record in records:
        verdict, mark, usage = record.verdict, record.fingerprint, record.usage
        values = (
            record.id,
            record.run,
            verdict.task_id,
            record.parts.judge,
            record.parts.model,
            verdict.outcome,
            verdict.reason_code,
            verdict.intercepted,
            verdict.justification,
            record.origin,
            record.final,
            record.judged_at,
            verdict.cost_usd,
            usage.calls,
            usage.input_tokens,
            usage.cached_tokens,
            usage.output_tokens,
            usage.seconds,
            mark.rubric,
            mark.rubric_version,
            mark.rubric_sha256,
            mark.version,
            record.key,
        )
        yield dict(zip(COLUMNS, values, strict=True))


def as_csv(table: Iterable[Mapping[str, Any]]) -> bytes:
    """Texts are made plain, and none of them can start a formula; truth is `true` and `false`."""
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in table:
        writer.writerow([_cell(row[column]) for column in COLUMNS])
    return sink.getvalue().encode()


def as_json_lines(table: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(dumps(dict(row)) + "\n" for row in table).encode()


def as_parquet(table: Iterable[Mapping[str, Any]]) -> bytes:
    """A Parquet file with typed columns. Raises `MissingLibrary` without pyarrow."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingLibrary("Parquet needs pyarrow: pip install 'clawjudge[parquet]'") from error
    types = {int: pyarrow.int64(), str: pyarrow.string(), bool: pyarrow.bool_(), float: pyarrow.float64()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    made = pyarrow.Table.from_pylist([dict(row) for row in table], schema=schema)
    sink = io.BytesIO()
    pyarrow.parquet.write_table(made, sink, compression="zstd")
    return sink.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return spreadsheet_cell(value) if isinstance(value, str) else "" if value is None else value
