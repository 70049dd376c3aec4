"""The screens of aligned steps, side by side in a folder: one picture per pair, run and moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from clawjudge.judge.align.alignment import Alignment
from clawjudge.traces.atomic import write_atomically
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.errors import InvalidInput
from clawjudge.traces.keyframes import Keyframe, Moment
from clawjudge.traces.step_frames import step_frames

_MOMENTS: tuple[Moment, ...] = ("before", "after")


def write_frames(alignment: Alignment, agent: RunDigest, reference: RunDigest, folder: Path) -> int:
    """Write the screens before and after every aligned step into `folder`, and return how many were written.

    Names are `NNN-status-run-moment.jpg` with the place of the pair in the alignment, counted from 0, and hold no text
    of a trace. A screen like one that was already written for the same run is left out.
    Raises `InvalidInput` if `folder` holds anything, is no folder, or lies inside a run.
    """
    check_folder(folder, agent.trace.root, reference.trace.root)
    pictures = list(_pictures(alignment, agent, reference))
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in pictures:
        write_atomically(folder / name, frame.jpeg())
    return len(pictures)


def check_folder(folder: Path, *runs: Path) -> None:
    """Raises `InvalidInput` unless `folder` is new or empty and lies outside of these runs."""
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder}: is not a folder; give a new or an empty one")
    if folder.is_dir() and any(folder.iterdir()):
        raise InvalidInput(f"{folder}: is not empty; give a new folder, or empty this one first")
    for run in runs:
        if folder.resolve().is_relative_to(run.resolve()):
            raise InvalidInput(f"{folder}: lies inside the run {run}, which must not change; give another place")


def _pictures(alignment: Alignment, agent: RunDigest, reference: RunDigest) -> Iterator[tuple[str, Keyframe]]:
    """File names and frames in the order of the pairs."""
    width = max(3, len(str(len(alignment.pairs) - 1)))
    shown = {"agent": _frames(agent), "reference": _frames(reference)}
    written: set[tuple[str, tuple[int, Moment]]] = set()
    for place, pair in enumerate(alignment.pairs):
        for whose, run, position in (("agent", agent, pair.agent), ("reference", reference, pair.reference)):
            if position is None:
                continue
            for moment in _MOMENTS:
                frame = shown[whose].get((run.steps[position].index, moment))
                if frame is None:
                    continue
                picture = whose, frame.duplicate_of or (frame.step, frame.moment)
                if picture not in written:
                    written.add(picture)
                    yield f"{place:0{width}}-{pair.status}-{whose}-{moment}.jpg", frame


def _frames(run: RunDigest) -> dict[tuple[int, Moment], Keyframe]:
    # Neighbouring steps are often half a second apart: an unrefined clock would show the wrong one.
    return {(frame.step, frame.moment): frame for frame in step_frames(run, refine=True)}
