"""The container of a recording: how far a file is whole, and its packets.

A recorder that was killed leaves a cut file, so a file is measured part by part and then given to the demuxer only as
far as it is whole; the input is never changed. The format is chosen from that measurement and never guessed by the
demuxer, because a "recording" may be a playlist that makes a demuxer open other files.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

from clawjudge.traces.screenshots import MAX_PIXELS

_FIRST_BOXES = frozenset({b"ftyp", b"styp", b"moov", b"moof", b"mdat", b"free", b"skip", b"wide", b"pdin", b"sidx"})
_MAX_DEMUX_ERRORS = 8
"""After this many errors in reading packets the rest of the file is given up."""


@dataclass(slots=True)
class Layout:
    """What the outer structure of a file shows."""

    container: str = ""
    """`mp4`, `matroska`, or empty for anything else."""
    readable: int = 0
    boxes: set[bytes] = field(default_factory=set)
    cut_at: int | None = None
    """Byte at which the last, incomplete part begins."""
    missing_fragments: int = 0


def measure(file: BinaryIO, size: int) -> Layout:
    """Walk the outer structure without decoding anything."""
    head = file.read(64)
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return _measure_webm(head, size)
    layout = Layout(readable=size)
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


def _measure_webm(head: bytes, size: int) -> Layout:
    """Find the length that the Segment announces; a live recorder announces none."""
    layout = Layout("matroska", size)
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
def opened(path: Path, container: str, size: int) -> Iterator[tuple[Any, Any]]:
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


def packets(source: Any, stream: Any, errors: list[str]) -> Iterator[Any]:
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


def ms(pts: int, base: Fraction) -> int:
    return round(pts * base * 1000)
