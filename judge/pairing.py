"""Which folders are runs, and which reference belongs to which run. Only the small files of a run are read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawjudge.traces.errors import InvalidRun, TraceError
from clawjudge.traces.files import is_run_folder, locate
from clawjudge.traces.meta import parse_meta, read_document
from clawjudge.traces.problems import ProblemLog

REFERENCE = "reference"
"""Name of the folder that holds the reference of the runs beside it, or several of them."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A run and the reference that it is held against."""

    run: str
    """Path below the folder of runs, with forward slashes; `.` for a single run."""
    agent: Path
    reference: Path | None
    problem: str = ""
    """`duplicate_reference` where no reference could be chosen, else empty."""
    detail: str = ""
    """One sentence on why there is no reference, where there is something to say."""


@dataclass(frozen=True, slots=True)
class _Task:
    """What tells which task a run belongs to."""

    id: str
    instruction: str

    def same(self, other: _Task) -> bool | None:
        """Whether both are runs of one task; None where that cannot be told."""
        if self.id and other.id:
            return self.id == other.id
        if self.instruction and other.instruction:
            return self.instruction == other.instruction
        return None


@dataclass(frozen=True, slots=True)
class _Reference:
    path: Path
    task: _Task


def find_runs(path: Path, *, with_references: bool = False) -> list[Path]:
    """`path` itself if it is a run, else every run folder below it, in the order of their paths.

    Folders named `reference` below a folder of runs hold no agent runs and are left out unless `with_references`. Links
    to folders are not followed: one may lead out of `path`, and what it leads to inside of it is found without it.
    Raises `InvalidRun` if `path` is no folder.
    """
    if not path.exists():
        raise InvalidRun(f"{path}: no such folder; give a run folder or a folder of runs")
    if not path.is_dir():
        raise InvalidRun(f"{path}: is a file; give the folder that holds run-meta.json, or a folder of runs")
    return [path] if is_run_folder(path) else _runs_below(path, with_references)


def pair(agent: Path, reference: Path | None) -> list[Pairing]:
    """Every run at or below `agent` with its reference.

    Without `reference`, the nearest folder named `reference` beside the run or one of its parents, up to `agent`,
    serves if it is of the run's task. A reference run serves all runs of its task; of a folder of references each run
    gets the one of its task. A run that is given as a reference is not judged as well.
    Raises `InvalidRun` if `agent` is no folder, or if there is no reference at `reference`.
    """
    runs = find_runs(agent)
    single = runs == [agent]
    if reference is None:
        known: dict[Path, list[_Reference]] = {}
        return [_beside(run, agent, known) for run in runs]
    references = _references_at(reference)
    if single and len(references) == 1:
        return [Pairing(".", agent, references[0].path)]
    given = {r.path.resolve() for r in references}
    only = is_run_folder(reference)
    judged = [run for run in runs if single or run.resolve() not in given]
    return [_choose(_name(run, agent), run, references, _task_of(run), only) for run in judged]


def _runs_below(path: Path, with_references: bool) -> list[Path]:
    found = []
    waiting = [path]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                inner = [folder / entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            # Nothing is left out in silence: opening it as a run will say what is wrong with it.
            found.append(folder)
            continue
        for place in inner:
            if with_references or place.name != REFERENCE:
                (found if _is_run(place) else waiting).append(place)
    return sorted(found, key=lambda run: run.relative_to(path).parts)


def _is_run(path: Path) -> bool:
    try:
        return is_run_folder(path)
    except OSError:
        return True


def _references_at(path: Path) -> list[_Reference]:
    """The reference run at `path`, or those below it: all runs but the ones with a `reference` folder beside them."""
    if not path.is_dir():
        what = "is a file" if path.exists() else "no such folder"
        raise InvalidRun(f"{path}: {what}; give the reference run's folder, or a folder of reference runs")
    if is_run_folder(path):
        return [_Reference(path, _task_of(path))]
    found = [run for run in _runs_below(path, True) if not _is_agent_run(run, path)]
    if not found:
        raise InvalidRun(f"{path}: holds no reference run; give the folder of a run that a human did right")
    return [_Reference(run, _task_of(run)) for run in found]


def _is_agent_run(run: Path, root: Path) -> bool:
    below = [part for part in (run, *run.parents) if part.is_relative_to(root) and part != root]
    return all(part.name != REFERENCE for part in below) and any((p.parent / REFERENCE).is_dir() for p in below)


def _beside(run: Path, agent: Path, known: dict[Path, list[_Reference]]) -> Pairing:
    """The pairing with the nearest folder named `reference`. `known` keeps what such folders hold."""
    name = _name(run, agent)
    task = _task_of(run)
    others = 0
    # The folder's parent may be written as nothing at all (`.`, `..`), so absolute paths are walked.
    root, place = Path(os.path.abspath(agent)), Path(os.path.abspath(run))  # noqa: PTH100 (resolve would follow links)
    while place.is_relative_to(root) and place != place.parent:
        place = place.parent
        folder = place / REFERENCE
        if not folder.is_dir() or not folder.resolve().is_relative_to(root.parent.resolve()):
            continue
        if folder.resolve() == run.resolve():
            continue
        if folder not in known:
            known[folder] = _held(folder)
        choice = _choose(name, run, known[folder], task, only=[r.path for r in known[folder]] == [folder])
        if choice.reference or choice.problem:
            return choice
        others += len(known[folder])
    remedy = f"give one with --reference-trace PATH, or put it into a folder `{REFERENCE}` beside the run"
    known_others = f"the reference folder beside it holds no reference of this task ({others} of other tasks)"
    detail = f"{known_others if others else 'none was found'}; {remedy}"
    return Pairing(name, run, None, detail=detail)


def _held(folder: Path) -> list[_Reference]:
    try:
        return _references_at(folder)
    except InvalidRun:
        return []


def _choose(run: str, folder: Path, references: Iterable[_Reference], task: _Task, only: bool = False) -> Pairing:
    """The reference of `task`. `only` says that there is just one, which also serves a run whose task is unknown."""
    fitting = [r for r in references if r.task.same(task) is True or (only and r.task.same(task) is None)]
    if len(fitting) > 1:
        home = folder.resolve().parent
        near = [r for r in fitting if r.path.resolve().parent == home]
        fitting = near if len(near) == 1 else fitting
    if len(fitting) > 1:
        names = ", ".join(str(r.path) for r in fitting)
        detail = f"{len(fitting)} references are of this task: {names}; keep one, or put it beside the run"
        return Pairing(run, folder, None, "duplicate_reference", detail)
    if fitting:
        return Pairing(run, folder, fitting[0].path)
    known = task.id or task.instruction
    detail = (
        f"no reference of task {task.id or 'with this instruction'} was given" if known else "the run names no task"
    )
    return Pairing(run, folder, None, detail=detail)


def _name(run: Path, agent: Path) -> str:
    return run.relative_to(agent).as_posix()


def _task_of(run: Path) -> _Task:
    """The task of a run, from `task.json` or `run-meta.json`; damaged files are reported when the run is judged."""
    problems = ProblemLog()
    try:
        files = locate(run, problems)
        documents = {
            key: read_document(files.found[key], key, key, problems) for key in ("task", "meta") if key in files.found
        }
    except (TraceError, OSError):
        return _Task("", "")
    task, meta = documents.get("task", {}), parse_meta(documents.get("meta", {}))
    metadata = task.get("metadata")
    ids: list[Any] = [
        task.get("task_id"),
        metadata.get("task_id") if isinstance(metadata, dict) else None,
        meta.task_id,
    ]
    instruction = task.get("instruction")
    text = instruction if isinstance(instruction, str) and instruction.strip() else meta.instruction
    return _Task(next((str(i) for i in ids if i not in (None, "")), ""), " ".join(text.split()))
