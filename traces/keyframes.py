"""For each step of a run, what the screen showed before and after it.

Frames come from the video where it covers the moment, else from the screenshots. A recording does not say when it
began, so its place on the clock is an estimate: every keyframe carries its own time and how uncertain that is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from clawjudge.traces.errors import InvalidRun
from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.screenshots import (
    Image,
    Screenshot,
    decode,
    encode_jpeg,
    read_bytes,
    same_picture,
    thumbnail,
    timed,
)
from clawjudge.traces.video_clock import SCREENSHOT_DELAY_MS, VideoSource
from clawjudge.traces.video_frames import VideoFrame, frames_at

Moment = Literal["before", "after"]
Source = Literal["video", "screenshots"]

SETTLE_MS = 500
"""How long after a step its effect is looked for, if the next step leaves the time."""
BEFORE_MS = 50
STALE_MS = 2000
"""In a damaged recording a frame older than this may lie on the other side of a hole."""
GALLERY = 512
"""Distinct pictures, 14 kB each, among which a duplicate is looked for; what is older than that is kept again."""


@dataclass(frozen=True, slots=True)
class StepMark:
    """A step on the run's clock, epoch ms."""

    index: int
    start_ms: int
    end_ms: int


@dataclass(frozen=True, slots=True)
class Keyframe:
    """The screen before or after one step."""

    step: int
    moment: Moment
    source: Source
    file: str
    t_ms: int
    """When this picture was on screen, epoch ms. Compare it with the step: a sparse source may be far from it."""
    uncertainty_ms: int
    video_ms: int | None = None
    """Place in the video, for frames from it."""
    damaged: bool = False
    """The frame decoded with errors, or may lie on the other side of a hole in the recording."""
    duplicate_of: tuple[int, Moment] | None = None
    """(step, moment) of the earlier keyframe with the same picture. It may be left out; `jpeg` still gives it."""
    _encode: Callable[[], bytes] = field(repr=False, compare=False, kw_only=True)

    def jpeg(self) -> bytes:
        """JPEG bytes, at most 1568 pixels on the longest side. Raises `InvalidRun` if a screenshot is gone by now."""
        return self._encode()


def keyframes(
    marks: Sequence[StepMark],
    run: Path,
    problems: ProblemLog,
    *,
    video: VideoSource | None = None,
    screenshots: Sequence[Screenshot] = (),
    only: Collection[int] | None = None,
) -> list[Keyframe]:
    """Up to two keyframes per step, in the order of `marks`, "before" first.

    `marks` are all steps of the run, because a picture may not be taken from behind the next step; `only` are the
    indexes of those whose keyframes are wanted, if not all.

    A moment that no source shows is left out and counted as `keyframe_missing`, once any source exists. For
    "before" a screenshot counts only if its time is earlier than the step's start: recorders name the picture of an
    action's effect by the very time of the action.
    """
    wanted = slots(marks, video.start.uncertainty_ms if video else 0)
    chosen = [slot for slot in wanted if only is None or slot.step in only]
    found: dict[tuple[int, Moment], Keyframe] = {}
    gallery = _Gallery()
    if video is not None:
        for frame in _from_video(chosen, video, gallery, problems):
            found[frame.step, frame.moment] = frame
    shots = _Shots(run, screenshots, problems)
    for slot in chosen:
        key = slot.step, slot.moment
        if key not in found or found[key].damaged:
            shot = shots.nearest(slot, gallery)
            if shot is not None:
                found[key] = shot
        if key not in found and (video is not None or screenshots):
            layer, file = ("video", video.file) if video is not None else ("screenshots", "screenshots")
            problems.add("keyframe_missing", layer, file, f"nothing shows the screen {slot.moment} step {slot.step}")
    return [found[slot.step, slot.moment] for slot in chosen if (slot.step, slot.moment) in found]


@dataclass(frozen=True, slots=True)
class Slot:
    """A moment that a keyframe is wanted for."""

    step: int
    moment: Moment
    edge_ms: int
    """Start of the step for "before", end for "after"."""
    t_ms: int
    """When to look at the video: away from the step by as much as the clock is uncertain, but not into a neighbour."""


def slots(marks: Sequence[StepMark], uncertainty: int) -> Iterator[Slot]:
    """Where to look for the screen before and after each of `marks`, given how uncertain the video's clock is in ms."""
    for place, mark in enumerate(marks):
        room = 2 * (uncertainty + SETTLE_MS)
        earlier = mark.start_ms - marks[place - 1].end_ms if place else room
        later = marks[place + 1].start_ms - mark.end_ms if place + 1 < len(marks) else room
        back = max(0, min(max(uncertainty, BEFORE_MS), earlier // 2))
        on = max(0, min(uncertainty + SETTLE_MS, later // 2))
        yield Slot(mark.index, "before", mark.start_ms, mark.start_ms - back)
        yield Slot(mark.index, "after", mark.end_ms, mark.end_ms + on)


class _Gallery:
    """The distinct pictures seen so far, by thumb, one set per source: a video shows the browser around the page."""

    def __init__(self) -> None:
        self._seen: dict[Source, deque[tuple[Image, tuple[int, Moment], Callable[[], bytes]]]] = {}

    def find(self, source: Source, thumb: Image) -> tuple[tuple[int, Moment], Callable[[], bytes]] | None:
        for known, key, encode in reversed(self._seen.get(source, deque())):
            if same_picture(known, thumb):
                return key, encode
        return None

    def add(self, source: Source, thumb: Image, key: tuple[int, Moment], encode: Callable[[], bytes]) -> None:
        self._seen.setdefault(source, deque(maxlen=GALLERY)).append((thumb, key, encode))


def _from_video(
    wanted: Iterable[Slot], video: VideoSource, gallery: _Gallery, problems: ProblemLog
) -> Iterator[Keyframe]:
    start, info = video.start, video.info
    slack = start.uncertainty_ms
    by_time: dict[int, list[Slot]] = {}
    for slot in wanted:
        edge = slot.edge_ms - start.t_ms
        # The last frame stays on screen no longer than the film does: later moments are not shown by it.
        if info.first_pts_ms - slack <= edge <= info.duration_ms + slack:
            by_time.setdefault(max(slot.t_ms - start.t_ms, info.first_pts_ms), []).append(slot)
    for time, frame in frames_at(video.path, list(by_time), info, video.file, problems):
        stale = not info.complete and time - frame.pts_ms > STALE_MS
        damaged = frame.damaged or stale
        thumb = frame.thumb()
        # A damaged picture vouches for nothing, so nothing is called its duplicate, nor it anything's.
        known = None if damaged else gallery.find("video", thumb)
        encode = known[1] if known else _kept(frame)
        for slot in by_time[time]:
            key = slot.step, slot.moment
            yield Keyframe(
                *key,
                source="video",
                file=video.file,
                t_ms=start.t_ms + frame.pts_ms,
                uncertainty_ms=slack,
                video_ms=frame.pts_ms,
                damaged=damaged,
                duplicate_of=known[0] if known else None,
                _encode=encode,
            )
            if known is None and not damaged:
                known = key, encode
                gallery.add("video", thumb, key, encode)


def _kept(frame: VideoFrame) -> Callable[[], bytes]:
    """The frame encoded now: a JPEG takes 0.1 MB where the frame takes 3."""
    raw = frame.jpeg()
    return lambda: raw


class _Shots:
    """Screenshots by time, decoded at most once each for comparison."""

    def __init__(self, run: Path, shots: Sequence[Screenshot], problems: ProblemLog) -> None:
        self._run, self._problems = run, problems
        self._shots = timed(shots)
        self._times = [time for time, _ in self._shots]
        self._thumbs: dict[str, Image | None] = {}

    def nearest(self, slot: Slot, gallery: _Gallery) -> Keyframe | None:
        """The decodable screenshot closest to the step's edge, on the right side of it."""
        if slot.moment == "before":
            places: Iterable[int] = range(bisect_left(self._times, slot.edge_ms) - 1, -1, -1)
        else:
            places = range(bisect_left(self._times, slot.edge_ms), len(self._times))
        for place in places:
            time, shot = self._shots[place]
            thumb = self._thumb(shot)
            if thumb is None:
                continue
            key = slot.step, slot.moment
            known = gallery.find("screenshots", thumb)
            encode = known[1] if known else self._encoder(shot)
            if known is None:
                gallery.add("screenshots", thumb, key, encode)
            return Keyframe(
                *key,
                source="screenshots",
                file=shot.file,
                t_ms=time,
                uncertainty_ms=SCREENSHOT_DELAY_MS,
                duplicate_of=known[0] if known else None,
                _encode=encode,
            )
        return None

    def _thumb(self, shot: Screenshot) -> Image | None:
        if shot.file not in self._thumbs:
            grey = _picture(self._run, shot, self._problems, grey=True)
            self._thumbs[shot.file] = None if grey is None else thumbnail(grey)
        return self._thumbs[shot.file]

    def _encoder(self, shot: Screenshot) -> Callable[[], bytes]:
        run = self._run

        def encode() -> bytes:
            picture = _picture(run, shot, ProblemLog(), grey=False)
            if picture is None:
                raise InvalidRun(f"{run / shot.file} can no longer be read; was the run changed meanwhile?")
            return encode_jpeg(picture)

        return encode


def _picture(run: Path, shot: Screenshot, problems: ProblemLog, *, grey: bool) -> Image | None:
    raw = read_bytes(shot, run, problems)
    return None if raw is None else decode(raw, shot.file, problems, grey=grey)
