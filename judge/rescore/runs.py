"""The runs of a bundle that take part: found in any layout, then attempts and sample chosen, then held against what is
expected."""

from __future__ import annotations

import hashlib
import heapq
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from clawjudge.judge.pairing import Pairing, find_runs, pair
from clawjudge.judge.rescore.options import Options
from clawjudge.traces.errors import InvalidInput, InvalidTask, TraceError
from clawjudge.traces.meta import RunMeta
from clawjudge.traces.trace import Trace

_MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which of the expected tasks a bundle holds."""

    missing: tuple[str, ...] = ()
    """Tasks without a run; where only a number is expected, numbers stand for them."""
    unexpected: tuple[str, ...] = ()


def find(bundle: Path, options: Options, needs_references: bool) -> list[Pairing]:
    """The runs to be judged, in the order of their paths. Raises `InvalidRun` if there is no such folder."""
    if needs_references:
        found = pair(bundle, options.references)
    else:
        found = [Pairing(_name(run, bundle), run, None) for run in find_runs(bundle)]
    if options.attempts != "all":
        found = _one_attempt(found, options.attempts == "last")
    if options.sample is not None and options.sample < len(found):
        chosen = heapq.nsmallest(options.sample, found, key=lambda run: _draw(options.seed, run.run))
        found = sorted(chosen, key=lambda run: run.run.split("/"))
    return found


def coverage(tasks: Iterable[tuple[str, str]], options: Options) -> Coverage:
    """`tasks` are (task id, test case) of the runs that were found; either name may be expected."""
    seen = [(task_id, case) for task_id, case in tasks]
    if options.expected_tasks is not None:
        known = {name for names in seen for name in names if name}
        wanted = set(options.expected_tasks)
        missing = tuple(name for name in options.expected_tasks if name not in known)
        odd = {case or task_id for task_id, case in seen if task_id not in wanted and case not in wanted}
        return Coverage(missing, tuple(sorted(odd)))
    if options.expected_number is not None:
        number = len({task_id or case for task_id, case in seen} - {""})
        lacking = max(options.expected_number - number, 0)
        surplus = number - options.expected_number
        odd_ones = (f"{surplus} more tasks than expected",) if surplus > 0 else ()
        return Coverage(tuple(f"task {number + 1 + i} of {options.expected_number}" for i in range(lacking)), odd_ones)
    return Coverage()


def read_expected(path: Path) -> tuple[str, ...]:
    """Names of tasks: one a line, a JSON list, or a corpus (`{"slug", "task"}` a line). Raises `InvalidInput`."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InvalidInput(f"{path}: is too large for a list of tasks")
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path}: cannot be read ({error}); give a file with one task id per line") from error
    names = _names(text, path)
    if not names:
        raise InvalidInput(f"{path}: holds no tasks; give a file with one task id per line")
    return tuple(dict.fromkeys(names))


def _names(text: str, path: Path) -> list[str]:
    stripped = text.lstrip()
    if stripped.startswith("["):
        try:
            listed = json.loads(text)
        except ValueError as error:
            raise InvalidInput(f"{path}: begins like a JSON list and is none: {error}") from error
        return [str(name) for name in listed if isinstance(name, str | int)]
    if stripped.startswith("{"):
        from clawjudge.traces.task import load_corpus

        try:
            return [task.task_id or slug for slug, task in load_corpus(path)]
        except InvalidTask as error:
            raise InvalidInput(str(error)) from error
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def _one_attempt(found: Sequence[Pairing], last: bool) -> list[Pairing]:
    """Of the runs of one task by one agent, the first or the last in the order of their paths."""
    kept: dict[tuple[str, ...], Pairing] = {}
    for run in found:
        key = _attempt_of(run)
        if last or key not in kept:
            kept[key] = run
    return sorted(kept.values(), key=lambda run: run.run.split("/"))


def _attempt_of(run: Pairing) -> tuple[str, ...]:
    try:
        meta = Trace(run.agent).meta
    except (TraceError, OSError):
        return ("", run.run)
    task_id, case = task_names(meta)
    # A run that names no task is an attempt at nothing else.
    return (meta.model, meta.harness, task_id or case or f"\0{run.run}")


def task_names(meta: RunMeta) -> tuple[str, str]:
    """Task id and test case as `run-meta.json` has them, empty where it does not."""
    case = meta.raw.get("test_case")
    return meta.task_id or "", case if isinstance(case, str) else ""


def _draw(seed: int, run: str) -> str:
    """The lot of a run: the same whatever else the bundle holds."""
    return hashlib.sha256(f"{seed}\0{run}".encode("utf-8", "surrogatepass")).hexdigest()


def _name(run: Path, bundle: Path) -> str:
    return run.relative_to(bundle).as_posix()
