"""Frames of the session video by time, decoded once and no more of the film than needed."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from clawjudge.traces.container import ms, opened, packets
from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.screenshots import THUMB_SIZE, Image, encode_jpeg, fitted
from clawjudge.traces.video import LAYER, VideoInfo

_LUMA_FIRST = frozenset({"yuv420p", "yuv422p", "yuv444p", "nv12"})
"""Pixel formats whose first plane is 8-bit brightness."""
_FULL_RANGE = 2
"""The decoder's name for brightness from 0 to 255; otherwise it is 16 to 235."""


@dataclass(frozen=True, slots=True, eq=False)
class VideoFrame:
    """One decoded frame. It holds the decoder's picture (3 MB at 1080p): use it and let it go."""

    pts_ms: int
    """Milliseconds on the recording's time axis."""
    index: int | None
    """Number of the frame's packet in the file, from 0; None where the packet is unknown."""
    damaged: bool
    """The picture may not be what was on screen: this frame or one that it was predicted from is corrupt, or frames
    between it and the requested time could not be decoded."""
    _picture: Any = field(repr=False)

    def bgr(self) -> Image:
        """The full picture as a numpy array, height x width x 3."""
        return self._picture.to_ndarray(format="bgr24")

    def grey(self, width: int, height: int) -> Image:
        """A grey picture averaged to this size, in full range (0 to 255) like a screenshot."""
        import cv2
        import numpy

        if self._picture.format.name not in _LUMA_FIRST:
            return self._scaled(width, height, "gray")
        # The brightness is there already: this takes half the time of the general conversion.
        plane = self._picture.planes[0]
        luma = numpy.frombuffer(plane, numpy.uint8).reshape(-1, plane.line_size)[: plane.height, : plane.width]
        small = cv2.resize(luma, (width, height), interpolation=cv2.INTER_AREA)
        full_range = self._picture.color_range == _FULL_RANGE
        return small if full_range else cv2.convertScaleAbs(cv2.subtract(small, 16.0), alpha=255 / 219)

    def thumb(self) -> Image:
        """A grey picture for comparison by `clawjudge.traces.screenshots.same_picture`."""
        return self.grey(*THUMB_SIZE)

    def jpeg(self) -> bytes:
        """JPEG bytes, within the size for a judge. Scaled before the conversion to BGR, which is four times cheaper."""
        return encode_jpeg(self._scaled(*fitted(self._picture.width, self._picture.height), "bgr24"))

    def _scaled(self, width: int, height: int, layout: str) -> Image:
        return self._picture.reformat(width=width, height=height, format=layout, interpolation="AREA").to_ndarray()


def frames_at(
    path: Path, times_ms: Sequence[int], info: VideoInfo, file: str, problems: ProblemLog
) -> Iterator[tuple[int, VideoFrame]]:
    """For each requested time, the last decodable frame at or before it, as `(time, frame)`.

    Times are milliseconds on the recording's axis, in any order; answers come in order of time, except that those
    whose own group of pictures is undecodable come last. A time before the first frame gets no answer. One pass is
    made over the file, and only groups of pictures with a requested time are decoded. `frame_undecodable` and
    `frame_corrupt` are counted in `problems`.
    """
    missed: list[int] = []
    wanted = sorted(set(times_ms))
    if not wanted:
        return
    yield from _pass(path, wanted, info, _Damage(file, problems), missed, everything=False)
    if missed:
        # Rare: look for the last good frame through all that came before, without counting the damage twice.
        yield from _pass(path, missed, info, _Damage(file, ProblemLog()), [], everything=True)


class _Damage:
    """Where a pass reports broken frames."""

    def __init__(self, file: str, problems: ProblemLog) -> None:
        self._file, self._problems = file, problems

    def add(self, code: str, packet: Any, message: str) -> None:
        when = (
            "at an unknown time"
            if packet is None or packet.pts is None
            else f"at {ms(packet.pts, packet.time_base)} ms"
        )
        self._problems.add(code, LAYER, self._file, f"{message} {when}")


def _pass(
    path: Path, times: Sequence[int], info: VideoInfo, damage: _Damage, missed: list[int], *, everything: bool
) -> Iterator[tuple[int, VideoFrame]]:
    import av

    starts = info.keyframes_ms
    needed = {bisect_right(starts, time) - 1 for time in times}
    answers = _Answers(times, missed)
    group, active = -1, False
    try:
        with opened(path, info.container, info.readable_bytes) as (source, stream):
            decoder = _Decoder(stream, damage)
            for packet in packets(source, stream, []):
                if packet.is_keyframe and packet.pts is not None:
                    group += 1
                    was_active, active = active, everything or group in needed
                    if was_active and not active:
                        yield from answers.after(decoder.drain(), decoder)
                        yield from answers.until(ms(packet.pts, packet.time_base), decoder.lost)
                        answers.last = None
                decoder.count(packet)
                if active:
                    yield from answers.after(decoder.decode(packet), decoder)
                    if not answers.pending:
                        return
            yield from answers.after(decoder.drain(), decoder)
            yield from answers.until(None, decoder.lost)
    except (av.error.FFmpegError, OSError, ValueError) as error:
        damage.add("frame_undecodable", None, f"reading stopped: {error}")
        yield from answers.until(None, lost=True)


class _Answers:
    """The requested times that are still open, and the frame that was decoded last."""

    def __init__(self, times: Sequence[int], missed: list[int]) -> None:
        self.pending = deque(times)
        self.last: VideoFrame | None = None
        self._missed = missed

    def after(self, frames: Iterator[VideoFrame], decoder: _Decoder) -> Iterator[tuple[int, VideoFrame]]:
        """Take in new frames; each shows that the times before it belong to the frame before it."""
        for frame in frames:
            yield from self.until(frame.pts_ms, decoder.lost)
            self.last = frame
            decoder.lost = False

    def until(self, end: int | None, lost: bool) -> Iterator[tuple[int, VideoFrame]]:
        """Answer the times before `end` (None: all of them); `lost` says that later frames could not be decoded."""
        last = replace(self.last, damaged=True) if lost and self.last else self.last
        while self.pending and (end is None or self.pending[0] < end):
            time = self.pending.popleft()
            if last is not None:
                yield time, last
            else:
                self._missed.append(time)


class _Decoder:
    """Decodes packet by packet; a broken one is reported and taints what is predicted from it."""

    def __init__(self, stream: Any, damage: _Damage) -> None:
        self._codec = stream.codec_context
        self._base: Fraction = stream.time_base
        self._damage = damage
        self._tainted = False
        self.lost = False
        """A packet since the last frame gave no picture."""
        self._next_index = 0
        self._indexes: dict[int, int] = {}

    def count(self, packet: Any) -> None:
        """Note a packet's number in the file, decoded or not."""
        if packet.pts is not None:
            self._indexes[packet.pts] = self._next_index
            if len(self._indexes) > 64:  # more than any decoder holds back
                del self._indexes[next(iter(self._indexes))]
            self._next_index += 1

    def decode(self, packet: Any) -> Iterator[VideoFrame]:
        import av

        if packet.is_keyframe:
            self._tainted = False
        # A zeroed stretch of the file decodes without complaint, as whatever was there before.
        if not any(memoryview(packet)[:16]):
            self._tainted = self.lost = True
            self._damage.add("frame_undecodable", packet, "the data of the frame is blank")
            return
        try:
            pictures = packet.decode()
        except av.error.FFmpegError as error:
            self._tainted = self.lost = True
            self._damage.add("frame_undecodable", packet, f"{error.strerror}, in the frame")
            return
        yield from self._frames(pictures, packet)

    def drain(self) -> Iterator[VideoFrame]:
        """The frames that the decoder held back; afterwards it is ready for another key frame."""
        import av

        try:
            pictures = self._codec.decode(None)
        except av.error.FFmpegError:
            pictures = []
        yield from self._frames(pictures, None)
        self._codec.flush_buffers()

    def _frames(self, pictures: list[Any], packet: Any) -> Iterator[VideoFrame]:
        for picture in pictures:
            if picture.is_corrupt or (packet is not None and packet.is_corrupt):
                self._tainted = True
                self._damage.add("frame_corrupt", packet, "the frame decodes with errors")
            if picture.pts is not None:
                index = self._indexes.get(picture.pts)
                yield VideoFrame(ms(picture.pts, self._base), index, self._tainted, picture)
