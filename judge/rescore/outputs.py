"""The files of a finished rescore, written from the store, and the totals that are printed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from clawjudge.judge.intervals import wilson
from clawjudge.judge.rescore.engine import BundleResult
from clawjudge.judge.store.dropin import VERDICT_FILES, RunEntry, write_run_files, write_summary_files
from clawjudge.judge.store.records import VerdictRecord
from clawjudge.judge.store.verdict_store import VerdictStore
from clawjudge.traces.hub_record import source_of

_AT_ONCE = 32
_BATCH = "batch-"


@dataclass(frozen=True, slots=True)
class JudgeTotals:
    """What one judge said about the runs of a bundle."""

    judge: str
    model: str | None
    n_total: int
    n_pass: int
    n_fail: int
    n_unjudged: int
    n_pending: int
    """Not asked about: beyond `--limit`, or the money was spent."""
    success_rate: float | None
    """Over judged runs; None where of the runs with a request none was judged, because zero would look like a score."""
    bounds: tuple[float, float] | None
    """If all that are not judged failed, and if all passed."""
    interval: dict[str, Any] | None
    reasons: dict[str, int]
    """Why runs are unjudged."""


async def write_files(result: BundleResult, store: VerdictStore) -> None:
    """Write the drop-in files: for each run, for each folder of a batch, for the bundle."""
    wanted = [judge for judge in result.judges if judge in VERDICT_FILES]
    for start in range(0, len(result.runs) if wanted else 0, _AT_ONCE):
        jobs = []
        for index in range(start, min(start + _AT_ONCE, len(result.runs))):
            facts = result.runs[index].facts
            records = _records(store, result.keys[index], wanted) if facts.intercepted else {}
            if records:
                jobs.append(asyncio.to_thread(write_run_files, result.home, facts, records))
        await asyncio.gather(*jobs)
    missing, source = result.coverage.missing, source_of(result.bundle)
    for folder, entries in _batches(result):
        await asyncio.to_thread(
            write_summary_files, result.home / folder, folder.name, entries, result.judges, source=source
        )
    name = result.bundle.resolve().name or "bundle"
    await asyncio.to_thread(write_summary_files, result.home, name, result.runs, result.judges, missing, source)


def _records(store: VerdictStore, keys: dict[str, str], wanted: list[str]) -> dict[str, VerdictRecord]:
    found = {judge: store.latest(keys[judge]) for judge in wanted if judge in keys}
    return {judge: record for judge, record in found.items() if record is not None}


def _batches(result: BundleResult) -> Iterator[tuple[PurePosixPath, list[RunEntry]]]:
    """Folders named `batch-…` with their runs, whose paths are then relative to them."""
    grouped: dict[PurePosixPath, list[RunEntry]] = {}
    for entry in result.runs:
        path = PurePosixPath(entry.facts.run)
        home = next((parent for parent in path.parents if parent.name.startswith(_BATCH)), None)
        if home is not None:
            facts = replace(entry.facts, run=path.relative_to(home).as_posix())
            grouped.setdefault(home, []).append(replace(entry, facts=facts))
    yield from grouped.items()


def totals(result: BundleResult, judge: str) -> JudgeTotals:
    """The numbers of one judge. Pending runs are neither judged nor unjudged."""
    answers = [entry.answers.get(judge) for entry in result.runs]
    given = [answer for answer in answers if answer is not None]
    outcomes = Counter(answer.outcome for answer in given)
    passed, failed, unjudged = outcomes["pass"], outcomes["fail"], outcomes["unjudged"]
    asked = [entry.answers.get(judge) for entry in result.runs if entry.intercepted]
    silent = bool(asked) and all(answer is None or answer.outcome == "unjudged" for answer in asked)
    judged, total = passed + failed, len(result.runs) + len(result.coverage.missing)
    models = sorted({answer.model for answer in given if answer.model})
    return JudgeTotals(
        judge=judge,
        model=models[0] if len(models) == 1 else ", ".join(models) or None,
        n_total=len(result.runs),
        n_pass=passed,
        n_fail=failed,
        n_unjudged=unjudged,
        n_pending=len(answers) - len(given),
        success_rate=None if silent or not judged else round(passed / judged, 6),
        bounds=None if not total else (round(passed / total, 6), round((total - failed) / total, 6)),
        interval=None if silent else wilson(passed, judged),
        reasons=dict(sorted(Counter(a.reason_code for a in given if a.outcome == "unjudged").items())),
    )
