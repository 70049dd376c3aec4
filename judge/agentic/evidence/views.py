"""Screens of a run without steps, for which there is nothing to place them by: some, spread over the recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clawjudge.traces.digest import RunDigest
from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.screenshots import (
    Image,
    Screenshot,
    decode,
    encode_jpeg,
    read_bytes,
    same_picture,
    thumbnail,
)
from clawjudge.traces.video_frames import frames_at

VIEWS = 16
"""Pictures of one run."""
_LOOKED_AT = 64
"""Screenshots that are compared with each other; a recording may hold thousands."""


@dataclass(frozen=True, slots=True)
class View:
    """One screen of a run."""

    jpeg: bytes
    layer: str
    file: str
    t_ms: int | None
    frame: int | None


def views(run: RunDigest) -> Iterator[View]:
    """Up to `VIEWS` screens: screenshots that differ, or frames of the video if there are none."""
    shots = list(_screenshots(run))
    yield from shots
    if not shots:
        yield from _frames(run)


def _screenshots(run: RunDigest) -> Iterator[View]:
    root, unheard = run.trace.root, ProblemLog()
    different: list[Screenshot] = []
    last: Image | None = None
    for shot in _spread(run.trace.screenshots(), _LOOKED_AT):
        raw = read_bytes(shot, root, unheard)
        grey = None if raw is None else decode(raw, shot.file, unheard, grey=True)
        thumb = None if grey is None else thumbnail(grey)
        if thumb is not None and (last is None or not same_picture(last, thumb)):
            different.append(shot)
            last = thumb
    for shot in _spread(different, VIEWS):
        raw = read_bytes(shot, root, unheard)
        picture = None if raw is None else decode(raw, shot.file, unheard)
        if picture is not None:
            yield View(encode_jpeg(picture), "screenshots", shot.file, shot.t_ms, None)


def _frames(run: RunDigest) -> Iterator[View]:
    film = run.trace.video()
    if film is None:
        return
    path, file = run.trace.files.found["video"], run.trace.files.relative("video")
    last = max(film.duration_ms - film.first_pts_ms, 0)
    times = [film.first_pts_ms + last * place // VIEWS for place in range(VIEWS)]
    for _, frame in frames_at(path, times, film, file, ProblemLog()):
        yield View(frame.jpeg(), "video", file, None, frame.pts_ms)


def _spread(shots: Sequence[Screenshot], most: int) -> list[Screenshot]:
    """At most `most` of them, the first and the last among them."""
    if len(shots) <= most:
        return list(shots)
    return [shots[place * (len(shots) - 1) // (most - 1)] for place in range(most)]
