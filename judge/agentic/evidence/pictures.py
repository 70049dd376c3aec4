"""The screens of both runs as evidence: keyframes of aligned steps, and sheets of many small ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clawjudge.judge.agentic.evidence.address import Run
from clawjudge.judge.agentic.evidence.manifest import Film, Picture
from clawjudge.judge.agentic.evidence.pages import Omissions, StagedFile, write_bytes
from clawjudge.judge.agentic.evidence.views import views
from clawjudge.judge.align.alignment import Alignment, StepPair
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.errors import InvalidRun
from clawjudge.traces.keyframes import Keyframe, Moment
from clawjudge.traces.screenshots import Image
from clawjudge.traces.step_frames import step_frames

BUDGET = 8_000_000
"""Bytes of keyframes of both runs together."""
SHEET_BUDGET = 1_500_000
STEPS = 160
"""Steps of one run whose screens are looked for; each picture takes 0.1 MB of memory."""
_CELL = (368, 207)
_COLUMNS, _ROWS = 4, 6
_CAPTION = 18
_MOMENTS: tuple[Moment, ...] = ("before", "after")
_HASH_CHUNK = 1024 * 1024


@dataclass
class StagedPictures:
    """The staged pictures of a case."""

    files: list[StagedFile] = field(default_factory=list)
    names: dict[tuple[str, int, str], str] = field(default_factory=dict)
    """(run, step, moment) to the picture that shows it."""
    sources: dict[str, Picture] = field(default_factory=dict)
    films: dict[str, Film] = field(default_factory=dict)
    """The session videos that could be placed on the clock, by run."""


@dataclass(frozen=True, slots=True)
class _Shown:
    place: int
    pair: StepPair
    whose: Run
    frame: Keyframe


def stage_pictures(
    alignment: Alignment, agent: RunDigest, reference: RunDigest | None, folder: Path, omitted: Omissions
) -> StagedPictures:
    """Write `pictures/` and `sheets/`. What differs between the runs is kept where there is not room for all."""
    runs: dict[Run, RunDigest] = {"agent": agent}
    if reference is not None:
        runs["reference"] = reference
    # The decoder lets other threads work, and one film takes as long as the other.
    chosen = {whose: _chosen(alignment, whose, omitted) for whose in runs}
    with ThreadPoolExecutor(max_workers=2) as pool:
        frames = dict(zip(runs, pool.map(_frames, runs.values(), chosen.values()), strict=True))
    shown = list(_shown(alignment, runs, frames))
    out = StagedPictures()
    for whose, run in runs.items():
        if not frames[whose]:
            _write_views(whose, run, folder, out)
    for whose, run in runs.items():
        film = _film(run, frames[whose].values())
        if film is not None:
            out.films[whose] = film
    identities = _Identities(runs)
    jpegs = _write_keyframes(shown, frames, folder, identities, omitted, out)
    _write_sheets(shown, jpegs, folder, identities, omitted, out)
    return out


def _chosen(alignment: Alignment, whose: Run, omitted: Omissions) -> list[int]:
    """Places of the steps to be shown, of a long run not all: the last, those that differ, and some of the rest."""
    places = [(pair.agent if whose == "agent" else pair.reference, pair.status) for pair in alignment.pairs]
    steps = [(place, status) for place, status in places if place is not None]
    if len(steps) > STEPS:
        omitted.of(whose, "pictures", "steps without pictures").add(0, count=len(steps) - STEPS)
    last = [place for place, _ in steps[-STEPS // 4 :]]
    differing = [place for place, status in steps if status != "match"]
    rest = [place for place, _ in steps]
    wanted = dict.fromkeys([*last, *_spread(differing, STEPS // 2), *_spread(rest, STEPS), *rest])
    return sorted(list(wanted)[:STEPS])


def _spread(places: list[int], most: int) -> list[int]:
    return places[:: max(1, -(-len(places) // most))]


def _frames(run: RunDigest, places: list[int]) -> dict[tuple[int, Moment], Keyframe]:
    # Neighbouring steps are often half a second apart: an unrefined clock would show the wrong one.
    found = step_frames(run, [run.steps[place] for place in places], refine=True)
    return {(frame.step, frame.moment): frame for frame in found}


def _film(run: RunDigest, frames: Iterable[Keyframe]) -> Film | None:
    """The video as its keyframes were placed."""
    info = run.trace.video()
    for frame in frames:
        if frame.video_ms is not None and info is not None:
            return Film(frame.file, frame.t_ms - frame.video_ms, info.duration_ms)
    return None


def _shown(
    alignment: Alignment, runs: dict[Run, RunDigest], frames: dict[Run, dict[tuple[int, Moment], Keyframe]]
) -> Iterator[_Shown]:
    for place, pair in enumerate(alignment.pairs):
        for whose, run in runs.items():
            position = pair.agent if whose == "agent" else pair.reference
            for moment in _MOMENTS:
                frame = None if position is None else frames[whose].get((run.steps[position].index, moment))
                if frame is not None:
                    yield _Shown(place, pair, whose, frame)


def _write_keyframes(
    shown: list[_Shown],
    frames: dict[Run, dict[tuple[int, Moment], Keyframe]],
    folder: Path,
    identities: _Identities,
    omitted: Omissions,
    out: StagedPictures,
) -> dict[tuple[str, int, str], bytes]:
    """Writes each distinct picture once; returns the JPEG of every picture that was written or not."""
    jpegs: dict[tuple[str, int, str], bytes] = {}
    named: dict[tuple[str, int, str], str] = {}
    left = BUDGET
    # What differs comes first, and of each pair what was on screen after it.
    ranked = sorted(shown, key=lambda s: (s.pair.status == "match", s.frame.moment == "before", s.place))
    for item in ranked:
        step, moment = item.frame.duplicate_of or (item.frame.step, item.frame.moment)
        key = item.whose, step, moment
        mine = item.whose, item.frame.step, item.frame.moment
        if key not in jpegs:
            try:
                jpegs[key] = item.frame.jpeg()
            except InvalidRun:
                omitted.of(item.whose, item.frame.source, "pictures that can no longer be read").add(0)
                continue
            if len(jpegs[key]) > left:
                omitted.of(item.whose, item.frame.source, "keyframes, bytes").add(len(jpegs[key]))
            else:
                left -= len(jpegs[key])
                named[key] = f"pictures/{item.place:03}-{item.whose}-{item.frame.moment}.jpg"
                _write(named[key], jpegs[key], item, folder, identities, out)
        if key in named:
            out.names[mine] = named[key]
        jpegs[mine] = jpegs[key]
    out.files.sort(key=lambda file: file.name)
    return jpegs


def _write(name: str, jpeg: bytes, item: _Shown, folder: Path, identities: _Identities, out: StagedPictures) -> None:
    frame = item.frame
    identity = identities.of(item.whose, frame)
    out.files.append(write_bytes(folder, name, jpeg, run=item.whose, layer=frame.source, identity=identity))
    out.sources[name] = Picture(item.whose, frame.source, frame.file, frame.t_ms, frame.video_ms)


def _write_views(whose: Run, run: RunDigest, folder: Path, out: StagedPictures) -> None:
    """Screens of a run that has no step to go by."""
    for number, view in enumerate(views(run), 1):
        name = f"pictures/view-{number:02}-{whose}.jpg"
        digest = _file_digest(run.trace.root / view.file)
        identity = f"{view.layer}:{digest}:{'' if view.frame is None else view.frame}"
        out.files.append(write_bytes(folder, name, view.jpeg, run=whose, layer=view.layer, identity=identity))
        out.sources[name] = Picture(whose, view.layer, view.file, view.t_ms, view.frame)


class _Identities:
    """What a picture was made from, in place of its bytes."""

    def __init__(self, runs: dict[Run, RunDigest]) -> None:
        self._runs = runs
        self._files: dict[Path, str] = {}

    def of(self, whose: Run, frame: Keyframe) -> str:
        path = self._runs[whose].trace.root / frame.file
        if path not in self._files:
            self._files[path] = _file_digest(path)
        return f"{frame.source}:{self._files[path]}:{frame.video_ms if frame.source == 'video' else ''}"


def _file_digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_HASH_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _write_sheets(
    shown: list[_Shown],
    jpegs: dict[tuple[str, int, str], bytes],
    folder: Path,
    identities: _Identities,
    omitted: Omissions,
    out: StagedPictures,
) -> None:
    """Sheets of what was on screen after each pair of steps: agent beside reference, two pairs to a row."""
    pairs: dict[int, dict[str, _Shown]] = {}
    for item in shown:
        if item.frame.moment == "after" and (item.whose, item.frame.step, "after") in jpegs:
            pairs.setdefault(item.place, {})[item.whose] = item
    places = sorted(pairs)
    per_sheet = _COLUMNS // 2 * _ROWS
    thumbs = _Thumbs(jpegs)
    left = SHEET_BUDGET
    for number, first in enumerate(range(0, len(places), per_sheet), 1):
        chosen = places[first : first + per_sheet]
        raw = _sheet([pairs[place] for place in chosen], thumbs)
        if len(raw) > left:
            omitted.of("", "pictures", "sheets, bytes").add(len(raw))
            continue
        left -= len(raw)
        name = f"sheets/{number:03}.jpg"
        shows = [
            (place, whose, identities.of(item.whose, item.frame))
            for place in chosen
            for whose, item in pairs[place].items()
        ]
        out.files.append(write_bytes(folder, name, raw, identity=f"sheet:{shows}"))


def _sheet(pairs: list[dict[str, _Shown]], thumbs: _Thumbs) -> bytes:
    import cv2
    import numpy

    width, height = _CELL
    rows = -(-len(pairs) // (_COLUMNS // 2))
    canvas = numpy.full((rows * (height + _CAPTION), _COLUMNS * width, 3), 255, numpy.uint8)
    for number, pair in enumerate(pairs):
        top = number // (_COLUMNS // 2) * (height + _CAPTION)
        for side, whose in enumerate(("agent", "reference")):
            item = pair.get(whose)
            left = (number % (_COLUMNS // 2) * 2 + side) * width
            if item is None:
                continue
            text = f"{item.place:03} {item.pair.status} {whose} after"
            cv2.putText(canvas, text, (left + 4, top + 13), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (0, 0, 0), 1, cv2.LINE_AA)
            small = thumbs.of(item)
            if small is not None:
                tall, wide = small.shape[:2]
                canvas[top + _CAPTION : top + _CAPTION + tall, left : left + wide] = small
    return bytes(cv2.imencode(".jpg", canvas, [cv2.IMWRITE_JPEG_QUALITY, 80])[1].tobytes())


class _Thumbs:
    """Small pictures for the sheets, each made once."""

    def __init__(self, jpegs: dict[tuple[str, int, str], bytes]) -> None:
        self._jpegs = jpegs
        self._made: dict[int, Image | None] = {}

    def of(self, item: _Shown) -> Any:
        import cv2
        import numpy

        raw = self._jpegs[item.whose, item.frame.step, item.frame.moment]
        if id(raw) not in self._made:
            picture = cv2.imdecode(numpy.frombuffer(raw, numpy.uint8), cv2.IMREAD_REDUCED_COLOR_2)
            self._made[id(raw)] = None if picture is None else _fit(picture)
        return self._made[id(raw)]


def _fit(picture: Image) -> Image:
    import cv2

    height, width = picture.shape[:2]
    factor = min((_CELL[0] - 4) / width, _CELL[1] / height)
    size = max(1, round(width * factor)), max(1, round(height * factor))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
