"""The session video: what a recording file holds. Nothing is decoded for it; the frames are in `video_frames.py`.

Times come from presentation timestamps alone, never from a frame rate: recordings have holes, a variable rate, or a
header without a rate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from clawjudge.traces.container import Layout, measure, ms, opened, packets
from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.screenshots import MAX_PIXELS

LAYER = "video"


@dataclass(frozen=True, slots=True)
class VideoInfo:
    """What one pass over a recording's packets shows; nothing is decoded for it."""

    width: int
    height: int
    frames: int
    """Packets that hold a frame. Some may still prove undecodable."""
    duration_ms: int
    """End of the last frame, on the recording's own time axis."""
    codec: str
    first_pts_ms: int
    """Above 0 where the beginning is missing."""
    last_pts_ms: int
    variable_rate: bool
    """Frames are not evenly spaced, because of how they were recorded or because some are missing."""
    complete: bool
    """The file is whole: neither cut nor with a part missing."""
    keyframes_ms: tuple[int, ...] = field(repr=False)
    """Times of the frames at which decoding can start."""
    container: str
    readable_bytes: int
    """How far the file can be given to the decoder."""


def probe_video(path: Path, file: str, problems: ProblemLog) -> VideoInfo | None:
    """What the recording at `path` holds; None if no frame can be had from it, with a problem that says why.

    `file` is its path below the run, for the problems: `recording_empty`, `recording_no_moov`, `recording_unplayable`,
    `recording_no_frames`, and, when frames remain, `recording_truncated` and `recording_fragment_missing`.
    """

    def report(code: str, message: str) -> None:
        problems.add(code, LAYER, file, message)

    try:
        # A FIFO or a device would block or never end.
        size = path.stat().st_size if path.is_file() else -1
        if size < 0:
            report("recording_unplayable", "there is no such file, or it is not a regular file")
            return None
        if size == 0:
            report("recording_empty", "the file has no content; the recorder never wrote to it")
            return None
        with path.open("rb") as file_bytes:
            layout = measure(file_bytes, size)
    except OSError as error:
        report("recording_unplayable", f"the file cannot be read: {error.strerror}")
        return None
    if not layout.container:
        report("recording_unplayable", "the file is neither MP4 nor WebM")
        return None
    if layout.container == "mp4" and b"moov" not in layout.boxes:
        report(
            "recording_no_moov",
            "the MP4 index (moov) was never written; the recorder was killed or cannot stop cleanly",
        )
        return None
    if layout.cut_at is not None:
        end = "the end of the session may be missing"
        report("recording_truncated", f"cut at byte {size}, inside the part that begins at {layout.cut_at}; {end}")
    if layout.missing_fragments:
        report("recording_fragment_missing", f"{layout.missing_fragments} fragments are missing between others")
    return _survey(path, layout, report)


def _survey(path: Path, layout: Layout, report: Callable[[str, str], None]) -> VideoInfo | None:
    """Read every packet of the recording once, decoding none."""
    import av

    errors: list[str] = []
    try:
        with opened(path, layout.container, layout.readable) as (source, stream):
            if stream is None:
                report("recording_no_frames", "the file has no video track")
                return None
            width, height = stream.codec_context.width, stream.codec_context.height
            if width * height > MAX_PIXELS:
                report("recording_unplayable", f"frames of {width}x{height} pixels are too large to decode")
                return None
            tally = _Tally(stream.time_base)
            for packet in packets(source, stream, errors):
                tally.add(packet)
            codec = stream.codec_context.name
    except (av.error.FFmpegError, OSError, ValueError) as error:
        report("recording_unplayable", f"the decoder cannot open it: {error}")
        return None
    for message in errors:
        report("recording_damaged", f"packets cannot be read: {message}")
    if not tally.frames or not width or not height:
        report("recording_no_frames", "the file announces a video but holds no frame")
        return None
    return VideoInfo(
        width=width,
        height=height,
        frames=tally.frames,
        duration_ms=tally.end_ms,
        codec=codec,
        first_pts_ms=tally.first_ms,
        last_pts_ms=tally.last_ms,
        variable_rate=tally.uneven(),
        complete=layout.cut_at is None and not layout.missing_fragments and not errors,
        keyframes_ms=tuple(sorted(tally.keyframes)),
        container=layout.container,
        readable_bytes=layout.readable,
    )


class _Tally:
    """Running sums over packets; its size does not grow with the video, but for one number per key frame."""

    def __init__(self, base: Fraction) -> None:
        self._base = base
        self._previous: int | None = None
        self._gaps: tuple[int, int] | None = None
        self.frames = 0
        self.first_ms = self.last_ms = self.end_ms = 0
        self.keyframes: list[int] = []

    def add(self, packet: Any) -> None:
        if packet.pts is None:
            return
        now, end = ms(packet.pts, self._base), ms(packet.pts + (packet.duration or 0), self._base)
        if not self.frames:
            self.first_ms = self.last_ms = now
        self.frames += 1
        self.first_ms, self.last_ms = min(self.first_ms, now), max(self.last_ms, now)
        self.end_ms = max(self.end_ms, now, end)
        if packet.is_keyframe:
            self.keyframes.append(now)
        # Decoding order is the one in which evenly spaced frames have even gaps, reordered or not.
        order = packet.dts if packet.dts is not None else packet.pts
        if self._previous is not None:
            gap = order - self._previous
            self._gaps = (min(self._gaps[0], gap), max(self._gaps[1], gap)) if self._gaps else (gap, gap)
        self._previous = order

    def uneven(self) -> bool:
        """Whether gaps differ by more than the rounding of a millisecond time axis."""
        if self._gaps is None:
            return False
        least, most = (gap * self._base * 1000 for gap in self._gaps)
        return most - least > max(Fraction(2), least / 20)
