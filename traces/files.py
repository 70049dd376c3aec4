"""Where the files of a run are: nested under `data/`, or flat beside `run-meta.json`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from clawjudge.traces.errors import InvalidRun, UnsafePath
from clawjudge.traces.paths import inside
from clawjudge.traces.problems import ProblemLog

LAYER_FILES = {
    "actions": "actions.jsonl",
    "http": "requests.jsonl",
    "messages": "agent-messages.jsonl",
    "video": "recording.mp4",
    "screenshots": "screenshots",
    "interception": "interception.json",
}
RUN_FILES = {"meta": "run-meta.json", "task": "task.json", "schema": "eval-schema.json"}
PRIOR_VERDICT_FILES = ("judge.json", "judge_llm.json")
EVIDENCE_FILES = ("run-meta.json", "interception.json", "actions.jsonl", "requests.jsonl", "agent-messages.jsonl")


@dataclass(frozen=True)
class RunFiles:
    """The files that exist in one run folder, each checked to lie inside it."""

    root: Path
    layout: Literal["nested", "flat", "mixed"]
    found: dict[str, Path]
    """Keys of `LAYER_FILES` and `RUN_FILES` that exist, plus the names in `PRIOR_VERDICT_FILES`."""

    def relative(self, key: str) -> str:
        """Name of the file for citations, below the run folder with forward slashes."""
        return self.found[key].relative_to(self.root).as_posix()


def is_run_folder(path: Path) -> bool:
    """Whether `path` itself looks like a run (and not like a folder of runs)."""
    if not path.is_dir():
        return False
    names = (place / name for name in EVIDENCE_FILES for place in (path, path / "data"))
    # A link to nowhere is there, too: that it is broken is for `locate` to say.
    return any(name.is_symlink() or name.exists() for name in names)


def locate(root: Path, problems: ProblemLog) -> RunFiles:
    """Find the layers of the run at `root`.

    A file that is a link out of the run is refused: it counts as absent, with problem `unsafe_path`. Of two files of
    one layer the one under `data/` is read, of two task files the one at the root; the other is named (`second_copy`).
    Raises `InvalidRun` if `root` is no folder, may not be entered, or holds nothing of a run.
    """
    try:
        _require_run(root)
    except OSError as error:
        raise InvalidRun(f"{root}: cannot be opened ({error.strerror})") from error
    found: dict[str, Path] = {}
    places: set[str] = set()
    there = _names(root)
    for key, name in LAYER_FILES.items():
        path = _first_of(root, (f"data/{name}", name), key, problems, there)
        if path is not None:
            found[key] = path
            places.add("flat" if path.parent == root else "nested")
    for key, name in {**RUN_FILES, **{name: name for name in PRIOR_VERDICT_FILES}}.items():
        path = _first_of(root, (name, f"data/{name}"), key, problems, there)
        if path is not None:
            found[key] = path
    layout: Literal["nested", "flat", "mixed"] = (
        "mixed" if len(places) == 2 else ("flat" if "flat" in places else "nested")
    )
    return RunFiles(root, layout, found)


def _require_run(root: Path) -> None:
    if not root.exists():
        raise InvalidRun(f"{root}: no such file or folder")
    if not root.is_dir():
        raise InvalidRun(f"{root}: a run is a folder; give the folder that holds run-meta.json")
    if not is_run_folder(root):
        expected = ", ".join(EVIDENCE_FILES)
        raise InvalidRun(f"{root}: not a run folder; expected one of {expected} here or under data/")


def _names(root: Path) -> frozenset[str] | None:
    """What there is at the root and under `data/`, by two looks instead of one for each name that might be there.

    None where that cannot be told so easily: `data` is a link, or a folder may not be listed.
    """
    data = root / "data"
    try:
        if data.is_symlink():
            return None
        below = [f"data/{entry.name}" for entry in os.scandir(data)] if data.is_dir() else []
        return frozenset([*(entry.name for entry in os.scandir(root)), *below])
    except OSError:
        return None


def _first_of(
    root: Path, candidates: tuple[str, str], key: str, problems: ProblemLog, there: frozenset[str] | None
) -> Path | None:
    layer = key if key in LAYER_FILES else "meta"
    present = [relative for relative in candidates if there is None or relative in there]
    usable = [path for relative in present if (path := _safe(root, relative, key, layer, problems)) is not None]
    if len(usable) == 2 and key not in PRIOR_VERDICT_FILES and not usable[0].samefile(usable[1]):
        problems.add("second_copy", layer, candidates[1], f"{candidates[0]} is there as well, and is used instead")
    return usable[0] if usable else None


def _safe(root: Path, relative: str, key: str, layer: str, problems: ProblemLog) -> Path | None:
    """`relative` if it is there, of the right kind, and inside the run; otherwise the reason becomes a problem."""
    try:
        path = inside(root, relative)
        if key == "screenshots":
            if path.is_dir():
                return path
            wrong = ("not_a_folder", "not a folder; ignored")
        else:
            # A device, a pipe or a socket in place of a file would block or never end; only plain files are read.
            if path.is_file():
                return path
            wrong = ("not_a_file", "not a regular file; ignored")
        if path.exists():
            problems.add(wrong[0], layer, relative, wrong[1])
        elif path.is_symlink():
            problems.add("broken_link", layer, relative, "a link to a file that is not there; copy the file in instead")
    except UnsafePath as error:
        problems.add("unsafe_path", layer, relative, str(error))
    except OSError as error:
        problems.add("unreadable", layer, relative, f"cannot be read: {error.strerror}")
    return None
