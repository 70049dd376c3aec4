"""Where a recording lies on the clock. It does not say when it began, so its start is an estimate that knows how
uncertain it is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Literal

from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.screenshots import Image, Screenshot, decode, read_bytes, thumbnail, timed
from clawjudge.traces.video import VideoInfo
from clawjudge.traces.video_frames import frames_at

SCREENSHOT_DELAY_MS = 500
"""A screenshot is named after the moment of its action and taken up to about this much later."""
TAIL_MS = (0, 3500)
"""A recorder goes on filming for about this long after the last event of a session (corpus: 1.8 to 2.8 s)."""
LATE_START_MS = 1000
"""The first event may come this long before the first frame (corpus: up to 0.8 s)."""


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
    unheard = ProblemLog()
    windows = _windows(start, info, screenshots)
    film = _Film(path, info, windows)
    lows = [start.t_ms - start.uncertainty_ms]
    highs: list[int] = []
    for window in windows:
        raw = read_bytes(window.shot, run, unheard)
        picture = None if raw is None else decode(raw, window.shot.file, unheard, grey=True)
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
