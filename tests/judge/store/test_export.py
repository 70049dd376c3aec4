"""Tables of verdicts."""

from __future__ import annotations

import csv
import io
import json

import pyarrow
import pyarrow.parquet
from tests.judge.store.bundles import record

from clawjudge.judge.store.export import COLUMNS, as_csv, as_json_lines, as_parquet, rows

RECORDS = [
    record("request-strict", "a", "pass", reason="=1+1"),
    record("clawbench-strict", "b", "unjudged", model=None, intercepted=None, task_id=None, reason="\x1b[2Jé\n"),
]


def test_every_format_holds_the_same() -> None:
    lines = [json.loads(line) for line in as_json_lines(rows(RECORDS)).splitlines()]
    table = pyarrow.parquet.read_table(io.BytesIO(as_parquet(rows(RECORDS))))
    assert lines == table.to_pylist() == list(rows(RECORDS))
    assert [list(line) for line in lines] == [list(COLUMNS)] * 2
    cells = list(csv.DictReader(as_csv(rows(RECORDS)).decode().splitlines()))
    assert [(row["run"], row["outcome"], row["model"]) for row in cells] == [
        ("a", "pass", "anthropic:claude-judge"),
        ("b", "unjudged", ""),
    ]


def test_csv_starts_no_formula_and_acts_on_no_terminal() -> None:
    first, second = csv.DictReader(as_csv(rows(RECORDS)).decode().splitlines())
    assert first["justification"] == "'=1+1"
    assert "\x1b" not in second["justification"]
    assert (second["intercepted"], second["task_id"], second["final"]) == ("", "", "true")


def test_no_verdicts_are_a_table_all_the_same() -> None:
    assert as_csv([]).decode().strip() == ",".join(COLUMNS)
    table = pyarrow.parquet.read_table(io.BytesIO(as_parquet([])))
    assert (table.num_rows, table.column_names) == (0, list(COLUMNS))
    assert as_json_lines([]) == b""
