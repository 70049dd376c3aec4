"""Where the files of a run are: nested under `data/`, or flat beside `run-meta.json`."""

from __future__ import annotations

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
    return any((path / name).exists() or (path / "data" / name).exists() for name in EVIDENCE_FILES)


def locate(root: Path, problems: ProblemLog) -> RunFiles:
    """Find the layers of the run at `root`.

    A file that is a link out of the run is refused: it counts as absent, with problem `unsafe_path`.
    Raises `InvalidRun` if `root` is no folder or holds nothing of a run.
    """
    if not root.exists():
        raise InvalidRun(f"{root}: no such file or folder")
    if not root.is_dir():
        raise InvalidRun(f"{root}: a run is a folder; give the folder that holds run-meta.json")
    if not is_run_folder(root):
        expected = ", ".join(EVIDENCE_FILES)
        raise InvalidRun(f"{root}: not a run folder; expected one of {expected} here or under data/")
    found: dict[str, Path] = {}
    places: set[str] = set()
    for key, name in LAYER_FILES.items():
        for place in ("data", ""):
            path = _safe(root, f"{place}/{name}" if place else name, key, problems)
            if path is not None:
                found[key] = path
                places.add("nested" if place else "flat")
                break
    for key, name in {**RUN_FILES, **{name: name for name in PRIOR_VERDICT_FILES}}.items():
        for place in ("", "data"):
            path = _safe(root, f"{place}/{name}" if place else name, key, problems)
            if path is not None:
                found[key] = path
                break
    layout: Literal["nested", "flat", "mixed"] = (
        "mixed" if len(places) == 2 else ("flat" if "flat" in places else "nested")
    )
    return RunFiles(root, layout, found)


def _safe(root: Path, relative: str, key: str, problems: ProblemLog) -> Path | None:
    layer = key if key in LAYER_FILES else "meta"
    try:
        path = inside(root, relative)
    except UnsafePath as error:
        problems.add("unsafe_path", layer, relative, str(error))
        return None
    if key == "screenshots":
        return path if path.is_dir() else None
    # A device, a pipe or a socket in place of a file would block or never end; only plain files are read.
    if path.is_file():
        return path
    if path.exists():
        problems.add("not_a_file", layer, relative, "not a regular file; ignored")
    return None
