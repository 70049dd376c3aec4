"""Reports that `clawjudge evaluate` wrote, read again."""

from __future__ import annotations

from pathlib import Path

import msgspec

from clawjudge.judge.store.records import Outline
from clawjudge.judge.verdict import Outcome
from clawjudge.traces.errors import TraceError


class InvalidReport(TraceError):
    """A file that is no report of `clawjudge evaluate`."""


class _Verdict(msgspec.Struct):
    run: str
    outcome: Outcome
    task_id: str | None = None
    reason_code: str = ""
    justification: str = ""
    intercepted: bool | None = None


class _Judge(msgspec.Struct):
    name: str = ""
    model: str | None = None


class _Report(msgspec.Struct):
    verdicts: list[_Verdict]
    judge: _Judge = msgspec.field(default_factory=_Judge)


def read_report(path: Path) -> list[Outline]:
    """The verdicts of a report in JSON, or one per line. Raises `InvalidReport`."""
    raw = path.read_bytes()
    try:
        report = _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        said = "is no report of clawjudge evaluate in the format json or jsonl"
        raise InvalidReport(f"{path}: {said} ({error})") from error
    return [
        Outline(
            run=one.run,
            task_id=one.task_id,
            outcome=one.outcome,
            reason_code=one.reason_code,
            justification=one.justification,
            intercepted=one.intercepted,
            judge=report.judge.name,
            model=report.judge.model,
        )
        for one in report.verdicts
    ]


def _decode(raw: bytes) -> _Report:
    try:
        return msgspec.json.decode(raw, type=_Report)
    except msgspec.DecodeError as first:
        lines = [line for line in raw.splitlines() if line.strip()]
        try:
            return _Report([msgspec.json.decode(line, type=_Verdict) for line in lines])
        except msgspec.DecodeError:
            raise first from None
