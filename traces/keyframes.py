"""For each step of a run, what the screen showed before and after it.

Frames come from the video where it covers the moment, else from the screenshots. A recording does not say when it
began, so its place on the clock is an estimate: every keyframe carries its own time and how uncertain that is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
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
from clawjudge.traces.video import VideoFrame, VideoInfo, frames_at

Moment = Literal["before", "after"]
Source = Literal["video", "screenshots"]

SCREENSHOT_DELAY_MS = 500
"""A screenshot is named after the moment of its action and taken up to about this much later."""
SETTLE_MS = 500
"""How long after a step its effect is looked for, if the next step leaves the time."""
BEFORE_MS = 50
STALE_MS = 2000
"""In a damaged recording a frame older than this may lie on the other side of a hole."""
TAIL_MS = (0, 3500)
"""A recorder goes on filming for about this long after the last event of a session (corpus: 1.8 to 2.8 s)."""
LATE_START_MS = 1000
"""The first event may come this long before the first frame (corpus: up to 0.8 s)."""


@dataclass(frozen=True, slots=True)
class StepMark:
    """A step on the run's clock, epoch ms."""

    index: int
    start_ms: int
    end_ms: int


@dataclass(frozen=True, slots=True)
class VideoStart:
    """When the first instant of a recording was, epoch ms. Always an estimate."""

    t_ms: int
    uncertainty_ms: int
    basis: Literal["events", "screenshots"] = "events"


@dataclass(frozen=True, slots=True)
class VideoSource:
    """A probed recording with its place on the clock."""

    path: Path
    file: str
    """Path below the run, for citation."""
    info: VideoInfo
    start: VideoStart


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
) -> list[Keyframe]:
    """Up to two keyframes per step, in the order of `marks`, "before" first.

    A moment that no source shows is left out and counted as `keyframe_missing`, once any source exists. For
    "before" a screenshot counts only if its time is earlier than the step's start: recorders name the picture of an
    action's effect by the very time of the action.
    """
    slots = list(_slots(marks, video.start.uncertainty_ms if video else 0))
    found: dict[tuple[int, Moment], Keyframe] = {}
    gallery = _Gallery()
    if video is not None:
        for frame in _from_video(slots, video, gallery, problems):
            found[frame.step, frame.moment] = frame
    shots = _Shots(run, screenshots, problems)
    for slot in slots:
        key = slot.step, slot.moment
        if key not in found or found[key].damaged:
            shot = shots.nearest(slot, gallery)
            if shot is not None:
                found[key] = shot
        if key not in found and (video is not None or screenshots):
            layer, file = ("video", video.file) if video is not None else ("screenshots", "screenshots")
            problems.add("keyframe_missing", layer, file, f"nothing shows the screen {slot.moment} step {slot.step}")
    return [found[slot.step, slot.moment] for slot in slots if (slot.step, slot.moment) in found]


@dataclass(frozen=True, slots=True)
class _Slot:
    step: int
    moment: Moment
    edge_ms: int
    """Start of the step for "before", end for "after"."""
    t_ms: int
    """When to look at the video: away from the step by as much as the clock is uncertain, but not into a neighbour."""


def _slots(marks: Sequence[StepMark], uncertainty: int) -> Iterator[_Slot]:
    for place, mark in enumerate(marks):
        room = 2 * (uncertainty + SETTLE_MS)
        earlier = mark.start_ms - marks[place - 1].end_ms if place else room
        later = marks[place + 1].start_ms - mark.end_ms if place + 1 < len(marks) else room
        back = max(0, min(max(uncertainty, BEFORE_MS), earlier // 2))
        on = max(0, min(uncertainty + SETTLE_MS, later // 2))
        yield _Slot(mark.index, "before", mark.start_ms, mark.start_ms - back)
        yield _Slot(mark.index, "after", mark.end_ms, mark.end_ms + on)


class _Gallery:
    """The distinct pictures seen so far, by thumb, one set per source: a video shows the browser around the page."""

    def __init__(self) -> None:
        self._seen: dict[Source, list[tuple[Image, tuple[int, Moment], Callable[[], bytes]]]] = {}

    def find(self, source: Source, thumb: Image) -> tuple[tuple[int, Moment], Callable[[], bytes]] | None:
        for known, key, encode in reversed(self._seen.get(source, [])):
            if same_picture(known, thumb):
                return key, encode
        return None

    def add(self, source: Source, thumb: Image, key: tuple[int, Moment], encode: Callable[[], bytes]) -> None:
        self._seen.setdefault(source, []).append((thumb, key, encode))


def _from_video(
    slots: Iterable[_Slot], video: VideoSource, gallery: _Gallery, problems: ProblemLog
) -> Iterator[Keyframe]:
    start, info = video.start, video.info
    slack = start.uncertainty_ms
    by_time: dict[int, list[_Slot]] = {}
    for slot in slots:
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

    def nearest(self, slot: _Slot, gallery: _Gallery) -> Keyframe | None:
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


def estimate_video_start(
    info: VideoInfo, *, first_event_ms: int | None = None, last_event_ms: int | None = None
) -> VideoStart | None:
    """When the recording began, from the times of the session's first and last recorded events; None without any.

    An estimate, from two habits of recorders: they start about when the session does, so hardly after the first
    event, and they stop shortly after the last one (`TAIL_MS`). The second says nothing about a recording that was
    cut. Where the two contradict each other, the answer spans both. `refine_video_start` does better.
    """
    # A cut recording ended before the session did, which only bounds its start from above.
    latest = [first_event_ms + LATE_START_MS] if first_event_ms is not None else []
    earliest: list[int] = []
    if last_event_ms is not None:
        latest.append(last_event_ms + TAIL_MS[1] - info.duration_ms)
        if info.complete:
            earliest.append(last_event_ms + TAIL_MS[0] - info.duration_ms)
    if not latest:
        return None
    if not earliest:
        earliest = [min(latest) - LATE_START_MS - TAIL_MS[1]]
    low, high = earliest[0], min(latest)
    if low > high:
        low, high = high - LATE_START_MS - TAIL_MS[1], low + TAIL_MS[1]
    return VideoStart((low + high) // 2, (high - low + 1) // 2)


MATCHES = 8
"""Screenshots compared with the video at most."""
MATCH_BUDGET_MS = 20_000
"""Film decoded for the comparison at most: about half a second of work at 1080p."""
MATCH_STEP_MS = 200
MATCH_SLACK_MS = 150
"""What remains uncertain in a match: the delay of the screen capture, and the recorder's own drift."""
_COMPARED_WIDTH = 640
_GOOD_MATCH = 6.0
"""Mean difference in grey levels up to which a frame can show the picture at all."""


@dataclass(frozen=True, slots=True)
class _Window:
    """A screenshot and the stretch of film, in ms, in which it must appear."""

    t_ms: int
    shot: Screenshot
    begin: int
    end: int


def refine_video_start(
    start: VideoStart, path: Path, info: VideoInfo, run: Path, screenshots: Sequence[Screenshot]
) -> VideoStart:
    """A better `start`, from when some screenshots' pictures are seen in the film; `start` itself where that is not
    cheap or not conclusive.

    A picture seen in the film from `a` to `b` and photographed at `t` puts the start between `t - b` and `t - a`.
    Screens are photographed late, under load by a second or two, and never early. So the first bound is strict, and
    the highest one counts; the second errs downwards, so their median counts, with a usual delay added. Damage met on
    the way is reported by `keyframes`, not here.
    """
    windows = _windows(start, info, screenshots)
    film = _Film(path, info, windows)
    lows = [start.t_ms - start.uncertainty_ms]
    highs: list[int] = []
    for window in windows:
        picture = _picture(run, window.shot, ProblemLog(), grey=True)
        shown, gone = film.seen(window, picture) if picture is not None else (None, None)
        if gone is not None:
            lows.append(window.t_ms - gone)
        if shown is not None:
            highs.append(window.t_ms - shown)
    low, high = max(lows), start.t_ms + start.uncertainty_ms
    if len(highs) > 1:
        high = min(high, round(median(highs)) + SCREENSHOT_DELAY_MS)
    uncertainty = (high - low + 1) // 2 + MATCH_SLACK_MS
    # Bounds that cross come from chance likenesses.
    if low > high or uncertainty >= start.uncertainty_ms:
        return start
    return VideoStart((low + high) // 2, uncertainty, "screenshots")


def _windows(start: VideoStart, info: VideoInfo, screenshots: Sequence[Screenshot]) -> list[_Window]:
    """The screenshots that were on screen most briefly, for they place the film best, as far as the budget goes."""
    shots = timed(screenshots)
    # Equal size stands in for equal content here; it is only a matter of choosing well.
    changes = [pair for place, pair in enumerate(shots) if place == 0 or pair[1].size != shots[place - 1][1].size]
    brief = sorted((after[0] - pair[0], place) for place, (pair, after) in enumerate(pairwise(changes)))
    chosen: list[_Window] = []
    for _, place in brief:
        time, shot = changes[place]
        begin = max(info.first_pts_ms, time - start.t_ms - start.uncertainty_ms)
        end = min(info.duration_ms, time - start.t_ms + start.uncertainty_ms + SCREENSHOT_DELAY_MS)
        window = _Window(time, shot, begin, end)
        if end > begin and _film_ms([*chosen, window], info) <= MATCH_BUDGET_MS:
            chosen.append(window)
        if len(chosen) == MATCHES:
            break
    return chosen


def _film_ms(windows: Iterable[_Window], info: VideoInfo) -> int:
    """How much film must be decoded for these windows, each from the key frame before it."""
    total = reached = 0
    for window in sorted(windows, key=lambda window: window.begin):
        place = bisect_right(info.keyframes_ms, window.begin) - 1
        begin = max(reached, info.keyframes_ms[place] if place >= 0 else window.begin)
        total += max(0, window.end - begin)
        reached = max(reached, window.end)
    return total


class _Film:
    """Small grey copies of the frames in some windows."""

    def __init__(self, path: Path, info: VideoInfo, windows: Sequence[_Window]) -> None:
        self._tall = max(1, round(_COMPARED_WIDTH * info.height / info.width))
        times = {time for window in windows for time in range(window.begin, window.end + 1, MATCH_STEP_MS)}
        # Counted from 0, so that overlapping windows share their frames.
        grid = sorted({time - time % MATCH_STEP_MS for time in times})
        self._frames: dict[int, Image] = {}
        self._pages: dict[tuple[int, int], Image] = {}
        for _, frame in frames_at(path, grid, info, "", ProblemLog()):
            if frame.pts_ms not in self._frames and not frame.damaged:
                self._frames[frame.pts_ms] = frame.grey(_COMPARED_WIDTH, self._tall)

    def seen(self, window: _Window, picture: Image) -> tuple[int | None, int | None]:
        """When in the film the picture first showed and when it had gone; None where the window does not say."""
        height, width = picture.shape
        # The page fills the width of the screen and reaches its bottom; above it are the browser's own bars.
        page = round(_COMPARED_WIDTH * height / width)
        if not 0 < page <= self._tall:
            return None, None
        wanted = thumbnail(picture)
        marks = [
            (time, _distance(self._page(time, page), wanted))
            for time in self._frames
            if window.begin <= time <= window.end
        ]
        best = min((mark[1] for mark in marks), default=_GOOD_MATCH + 1)
        if best > _GOOD_MATCH:
            return None, None
        alike = [place for place, mark in enumerate(marks) if mark[1] <= best * 1.15 + 0.05]
        shown = marks[alike[0]][0] if alike[0] else None
        gone = marks[alike[-1] + 1][0] if alike[-1] + 1 < len(marks) else None
        return shown, gone

    def _page(self, time: int, height: int) -> Image:
        """Thumb of the lowest `height` rows of a frame."""
        if (time, height) not in self._pages:
            self._pages[time, height] = thumbnail(self._frames[time][self._tall - height :])
        return self._pages[time, height]


def _distance(one: Image, other: Image) -> float:
    """Mean difference in grey levels."""
    import cv2

    return float(cv2.norm(one, other, cv2.NORM_L1)) / float(one.size)
