"""The session video: what a recording file holds, and its frames by time.

Times come from presentation timestamps alone, never from a frame rate: recordings have holes, a variable rate, or a
header without a rate. A recorder that was killed leaves a cut file, so a file is first measured box by box and then
read only as far as it is whole; the input is never changed. The container format is chosen from that measurement and
never guessed by the decoder, because a "recording" may be a playlist that makes a decoder open other files.
"""

from __future__ import annotations

import io
import os
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.screenshots import MAX_PIXELS, THUMB_SIZE, Image, encode_jpeg, fitted

LAYER = "video"
_FIRST_BOXES = frozenset({b"ftyp", b"styp", b"moov", b"moof", b"mdat", b"free", b"skip", b"wide", b"pdin", b"sidx"})
_LUMA_FIRST = frozenset({"yuv420p", "yuv422p", "yuv444p", "nv12"})
"""Pixel formats whose first plane is 8-bit brightness."""
_FULL_RANGE = 2
"""The decoder's name for brightness from 0 to 255; otherwise it is 16 to 235."""
_MAX_DEMUX_ERRORS = 8
"""After this many errors in reading packets the rest of the file is given up."""


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


@dataclass(slots=True)
class _Layout:
    """What the outer structure of a file shows."""

    container: str = ""
    """`mp4`, `matroska`, or empty for anything else."""
    readable: int = 0
    boxes: set[bytes] = field(default_factory=set)
    cut_at: int | None = None
    """Byte at which the last, incomplete part begins."""
    missing_fragments: int = 0


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
        with path.open("rb") as opened:
            layout = _measure(opened, size)
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


def _measure(file: BinaryIO, size: int) -> _Layout:
    """Walk the outer structure without decoding anything."""
    head = file.read(64)
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return _measure_webm(head, size)
    layout = _Layout(readable=size)
    at, sequence = 0, None
    while at < size:
        file.seek(at)
        head = file.read(24)
        length, kind, header = int.from_bytes(head[:4], "big"), head[4:8], 8
        if length == 1:
            length, header = int.from_bytes(head[8:16], "big"), 16
        elif length == 0:
            length = size - at
        if at == 0 and kind not in _FIRST_BOXES:
            return layout
        layout.container = "mp4"
        if len(head) < header or length < header or at + length > size:
            layout.cut_at = at
            # The beginning of cut media data still holds whole frames; any other cut part stops the decoder at once.
            layout.readable = size if kind == b"mdat" and len(head) >= header else at
            break
        layout.boxes.add(kind)
        if kind == b"moof" and head[12:16] == b"mfhd":
            file.seek(at + 20)
            number = int.from_bytes(file.read(4), "big")
            if sequence is not None and number > sequence + 1:
                layout.missing_fragments += number - sequence - 1
            sequence = number
        at += length
    return layout


def _measure_webm(head: bytes, size: int) -> _Layout:
    """Find the length that the Segment announces; a live recorder announces none."""
    layout = _Layout("matroska", size)
    head = head.ljust(64, b"\0")
    start = 4 + _vint_width(head[4])
    segment = start + _vint(head[4:start])
    if head[segment : segment + 4] == b"\x18\x53\x80\x67":
        width = _vint_width(head[segment + 4])
        raw = head[segment + 4 : segment + 4 + width]
        length = _vint(raw)
        unknown = length == (1 << 7 * width) - 1
        if not unknown and segment + 4 + width + length > size:
            layout.cut_at = segment
    return layout


def _vint_width(first: int) -> int:
    """Bytes of a variable-length EBML number, 1 to 8."""
    return min(8, 9 - first.bit_length())


def _vint(raw: bytes) -> int:
    return int.from_bytes(raw, "big") & ((1 << 7 * len(raw)) - 1)


class _Window(io.RawIOBase):
    """The first `size` bytes of a file, as a file: hides an incomplete end from the decoder."""

    def __init__(self, path: Path, size: int) -> None:
        self._file = path.open("rb")
        self._size = size

    def read(self, size: int = -1, /) -> bytes:
        left = max(0, self._size - self._file.tell())
        return self._file.read(left if size < 0 else min(size, left))

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        if whence == os.SEEK_END:
            return self._file.seek(max(0, self._size + offset))
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()


@contextmanager
def _opened(path: Path, container: str, size: int) -> Iterator[tuple[Any, Any]]:
    """The demuxer and its first video stream (None if there is none)."""
    import av

    with _Window(path, size) as window, av.open(window, format=container) as source:
        stream = next(iter(source.streams.video), None)
        if stream is not None:
            # Recordings are mostly idle frames: threads cost more than they bring.
            stream.thread_type = "NONE"
            stream.codec_context.thread_count = 1
            stream.codec_context.options = {"max_pixels": str(MAX_PIXELS)}
        yield source, stream


def _packets(source: Any, stream: Any, errors: list[str]) -> Iterator[Any]:
    """Packets with a frame, in file order; an unreadable place is noted in `errors` and reading goes on behind it."""
    import av

    while True:
        try:
            for packet in source.demux(stream):
                if packet.size:
                    yield packet
            return
        except av.error.FFmpegError as error:
            errors.append(str(error.strerror))
            if len(errors) >= _MAX_DEMUX_ERRORS:
                return


def _ms(pts: int, base: Fraction) -> int:
    return round(pts * base * 1000)


def _survey(path: Path, layout: _Layout, report: Callable[[str, str], None]) -> VideoInfo | None:
    """Read every packet of the recording once, decoding none."""
    import av

    errors: list[str] = []
    try:
        with _opened(path, layout.container, layout.readable) as (source, stream):
            if stream is None:
                report("recording_no_frames", "the file has no video track")
                return None
            width, height = stream.codec_context.width, stream.codec_context.height
            if width * height > MAX_PIXELS:
                report("recording_unplayable", f"frames of {width}x{height} pixels are too large to decode")
                return None
            tally = _Tally(stream.time_base)
            for packet in _packets(source, stream, errors):
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
        now, end = _ms(packet.pts, self._base), _ms(packet.pts + (packet.duration or 0), self._base)
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
            else f"at {_ms(packet.pts, packet.time_base)} ms"
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
        with _opened(path, info.container, info.readable_bytes) as (source, stream):
            decoder = _Decoder(stream, damage)
            for packet in _packets(source, stream, []):
                if packet.is_keyframe and packet.pts is not None:
                    group += 1
                    was_active, active = active, everything or group in needed
                    if was_active and not active:
                        yield from answers.after(decoder.drain(), decoder)
                        yield from answers.until(_ms(packet.pts, packet.time_base), decoder.lost)
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
                yield VideoFrame(_ms(picture.pts, self._base), index, self._tainted, picture)
