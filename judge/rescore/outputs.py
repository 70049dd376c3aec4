"""The files of a finished rescore, written from the store, and the totals that are printed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from clawjudge.judge.intervals import wilson
from clawjudge.judge.rescore.engine import BundleResult
from clawjudge.judge.store.dropin import (
    RESULTS_FOLDER,
    RUBRICS,
    SUMMARY_FILE,
    VERDICT_FILES,
    RunEntry,
    RunFacts,
    write_run_files,
    write_summary_files,
)
from clawjudge.judge.store.records import VerdictRecord
from clawjudge.judge.store.verdict_store import VerdictStore
from clawjudge.traces.atomic import sweep
from clawjudge.traces.hub_record import source_of
from clawjudge.traces.paths import inside

_AT_ONCE = 32
_BATCH = "batch-"
_WRITING = "writing the drop-in files"
"""Claimed in the store like the key of a verdict."""
_WRITING_SECONDS = 3600.0
_LOOK_AGAIN = 0.25


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
    """Write the drop-in files: for each run, for each folder of a batch, for the bundle.

    One process at a time, so that whatever is found half written was left by one that was killed, and is removed.
    """
    while store.claim(_WRITING, _WRITING_SECONDS) != "mine":
        await asyncio.sleep(_LOOK_AGAIN)
    try:
        await _write_all(result, store)
    finally:
        store.release(_WRITING)


async def _write_all(result: BundleResult, store: VerdictStore) -> None:
    wanted = [judge for judge in result.judges if judge in VERDICT_FILES]
    for start in range(0, len(result.runs) if wanted else 0, _AT_ONCE):
        jobs = []
        for index in range(start, min(start + _AT_ONCE, len(result.runs))):
            facts = result.runs[index].facts
            records = _records(store, result.keys[index], wanted) if facts.intercepted else {}
            if records:
                jobs.append(asyncio.to_thread(_write_run, result.home, facts, records))
        await asyncio.gather(*jobs)
    missing, source = result.coverage.missing, source_of(result.bundle)
    for folder, entries in _batches(result):
        await asyncio.to_thread(_write_summary, result.home / folder, folder.name, entries, result.judges, (), source)
    name = result.bundle.resolve().name or "bundle"
    await asyncio.to_thread(_write_summary, result.home, name, result.runs, result.judges, missing, source)


def _write_run(home: Path, facts: RunFacts, records: dict[str, VerdictRecord]) -> None:
    sweep(inside(home, facts.run), VERDICT_FILES.values())
    write_run_files(home, facts, records)


def _write_summary(
    home: Path,
    name: str,
    entries: Sequence[RunEntry],
    judges: Sequence[str],
    missing: Sequence[str],
    source: str | None,
) -> None:
    sweep(home, [SUMMARY_FILE])
    sweep(
        home / RESULTS_FOLDER / name,
        ["per_task.csv", "summary.json", *(f"leaderboard-{r}.csv" for r in RUBRICS.values())],
    )
    write_summary_files(home, name, entries, judges, missing, source)


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
