"""Reports for programs: JSON, JSON lines and CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

from clawjudge.judge.show.terminal import plain
from clawjudge.judge.verdict import JudgeReport

CSV_HEADER = (
    "run",
    "task_id",
    "outcome",
    "reason_code",
    "intercepted",
    "violated_rules",
    "failing_field",
    "justification",
    "judge",
    "rubric",
    "rubric_sha256",
    "cost_usd",
)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def json_document(report: JudgeReport) -> str:
    """The whole report, indented."""
    return dumps(report.model_dump(mode="python"), indent=2) + "\n"


def json_lines(report: JudgeReport) -> str:
    """One verdict per line, in the report's order."""
    return "".join(dumps(verdict.model_dump(mode="python")) + "\n" for verdict in report.verdicts)


def csv_table(report: JudgeReport) -> str:
    """One row per verdict under `CSV_HEADER`. Texts are made plain, and none of them can start a formula."""
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(CSV_HEADER)
    judge = report.judge
    for v in report.verdicts:
        intercepted = "" if v.intercepted is None else str(v.intercepted).lower()
        rules = ";".join(v.violated_rules)
        row = (
            v.run,
            v.task_id or "",
            v.outcome,
            v.reason_code,
            intercepted,
            rules,
            v.failing_field or "",
            v.justification,
        )
        made_by = (judge["name"], judge["rubric"], judge["rubric_sha256"])
        writer.writerow([*(spreadsheet_cell(text) for text in (*row, *made_by)), v.cost_usd])
    return sink.getvalue()


def dumps(value: Any, indent: int | None = None) -> str:
    """JSON that every parser reads and no terminal acts upon: ASCII, finite numbers, no half surrogates."""
    return json.dumps(_strict(value), ensure_ascii=True, allow_nan=False, indent=indent, default=str)


def _strict(value: Any) -> Any:
    if isinstance(value, dict):
        return {_strict(str(key)): _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        # Recorders write these; JSON has no word for them.
        return str(value)
    return value


def spreadsheet_cell(text: str) -> str:
    """`text` made plain, and not taken for a formula by a spreadsheet."""
    # Looked at before the control characters go, because a spreadsheet takes a leading tab for the start of a formula.
    guarded = text.startswith(_FORMULA_STARTS)
    text = plain(text, limit=None)
    return f"'{text}" if guarded or text.startswith(_FORMULA_STARTS) else text
