"""The screenshots of a run: listed safely, read behind size limits, and thinned to the ones that show something new.

Files come from an untrusted run. Only PNG, JPEG and WebP by content are decoded, their dimensions are read from the
header before any pixel is, and a link out of the run is never followed.
"""

from __future__ import annotations

import re
import stat
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawjudge.traces.errors import UnsafePath
from clawjudge.traces.paths import inside
from clawjudge.traces.problems import ProblemLog

LAYER = "screenshots"
MAX_PIXELS = 100_000_000
"""Larger pictures are refused: 100 megapixels already decode to 300 MB."""
MAX_BYTES = 64 * 1024 * 1024
THUMB_SIZE = (160, 90)
SAME_LEVELS = 12
"""Two thumbs show the same picture if no cell differs by more than this many of 256 grey levels. The largest difference
counts rather than the mean, because one typed letter or one ticked box changes only a cell or two."""
JPEG_QUALITY = 85
MAX_SIDE = 1568
"""Longest side, in pixels, of a picture made for a judge; larger ones are scaled down by the models anyway."""

Image = Any
"""A numpy array of 8-bit samples: height x width (grey) or height x width x 3 (BGR)."""

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp"})
_EPOCH = re.compile(r"[1-9][0-9]{9}|[1-9][0-9]{12}", re.ASCII)
_HEAD_BYTES = 4096
_TAIL_BYTES = 64
_JPEG_NOT_FRAME = frozenset({0xC4, 0xC8, 0xCC})


@dataclass(frozen=True, slots=True)
class Screenshot:
    """One picture file of a run."""

    file: str
    """Path below the run folder, with forward slashes."""
    t_ms: int | None
    """Epoch ms from the file name, None where the name holds no time. Recorders name the file after the action that
    caused it and take it a little later, so it shows the state after that moment."""
    size: int
    """Bytes."""


def list_screenshots(folder: Path, run: Path, problems: ProblemLog) -> list[Screenshot]:
    """The pictures directly inside `folder`, a folder of `run`, in order of time (those without a time come last).

    A missing folder gives an empty list. Links that leave the run are reported as `unsafe_path`, everything that is
    not a picture file as `not_a_screenshot`; neither is opened.
    """
    found: list[Screenshot] = []
    try:
        inside(run, folder.relative_to(run).as_posix())
        entries = sorted(folder.iterdir())
    except FileNotFoundError:
        return []
    except UnsafePath as error:
        problems.add("unsafe_path", LAYER, folder.name, str(error))
        return []
    except OSError as error:
        problems.add("screenshots_unreadable", LAYER, folder.name, f"the folder cannot be listed: {error.strerror}")
        return []
    for entry in entries:
        shot = _screenshot(entry, run, problems)
        if shot is not None:
            found.append(shot)
    return sorted(found, key=lambda shot: (shot.t_ms is None, shot.t_ms or 0, _natural(shot.file)))


def _screenshot(entry: Path, run: Path, problems: ProblemLog) -> Screenshot | None:
    name = entry.relative_to(run).as_posix()
    try:
        info = inside(run, name).stat()
    except UnsafePath as error:
        problems.add("unsafe_path", LAYER, name, str(error))
        return None
    except OSError as error:
        problems.add("screenshot_unreadable", LAYER, name, f"cannot be opened: {error.strerror}")
        return None
    # Anything but a regular file must not be opened: reading a FIFO would wait for ever.
    if entry.suffix.lower() not in SUFFIXES or not stat.S_ISREG(info.st_mode):
        problems.add("not_a_screenshot", LAYER, entry.parent.relative_to(run).as_posix(), f"{entry.name}: ignored")
        return None
    return Screenshot(name, _time_of(entry.stem), info.st_size)


def _time_of(stem: str) -> int | None:
    """Epoch ms if the whole name is one: 13 digits are milliseconds, 10 digits seconds."""
    if not _EPOCH.fullmatch(stem):
        return None
    return int(stem) * (1000 if len(stem) == 10 else 1)


def _natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key that puts `step_2` before `step_10`."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return tuple((0, int(part), "") if part[0] in "0123456789" else (1, 0, part) for part in parts)


def probe_screenshot(shot: Screenshot, run: Path, problems: ProblemLog) -> bool:
    """Whether the file looks like a whole picture, by its first and last bytes; nothing is decoded.

    What is damaged in the middle shows only when the picture is decoded.
    """
    try:
        with inside(run, shot.file).open("rb") as file:
            head = file.read(_HEAD_BYTES)
            file.seek(max(0, shot.size - _TAIL_BYTES))
            tail = file.read(_TAIL_BYTES)
    except UnsafePath as error:
        problems.add("unsafe_path", LAYER, shot.file, str(error))
        return False
    except OSError as error:
        problems.add("screenshot_unreadable", LAYER, shot.file, f"cannot be read: {error.strerror}")
        return False
    defect = _defect(head, tail, shot.size)
    if defect:
        problems.add("screenshot_undecodable", LAYER, shot.file, defect)
    return not defect


def _defect(head: bytes, tail: bytes, size: int) -> str:
    """What keeps a picture with these first and last bytes from being decoded; empty if nothing is seen."""
    if not size:
        return "the file is empty"
    # A JPEG names its size behind its metadata, so the size may lie further on; a PNG or WebP names it at once.
    jpeg = head.startswith(b"\xff\xd8\xff")
    if image_size(head) is None and not (jpeg and size > len(head)):
        return "not a PNG, JPEG or WebP picture, or its header is damaged"
    if head.startswith(b"\x89PNG"):
        named = zlib.crc32(head[12:29]).to_bytes(4, "big")
        if head[8:12] != b"\0\0\0\r" or head[29:33] != named:
            return "the PNG header is damaged"
        if b"IEND" not in tail:
            return "the PNG file is cut short"
    if head[:4] == b"RIFF" and int.from_bytes(head[4:8], "little") + 8 > size:
        return "the WebP file is cut short"
    return ""


def read_bytes(shot: Screenshot, run: Path, problems: ProblemLog) -> bytes | None:
    """The file's bytes; None, with a problem, if it is empty, too large, gone, or leads out of the run."""
    try:
        with inside(run, shot.file).open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except UnsafePath as error:
        problems.add("unsafe_path", LAYER, shot.file, str(error))
        return None
    except OSError as error:
        problems.add("screenshot_unreadable", LAYER, shot.file, f"cannot be read: {error.strerror}")
        return None
    if not raw:
        problems.add("screenshot_undecodable", LAYER, shot.file, "the file is empty")
        return None
    if len(raw) > MAX_BYTES:
        problems.add("screenshot_too_large", LAYER, shot.file, f"more than {MAX_BYTES // 2**20} MiB; not decoded")
        return None
    return raw


def decode(raw: bytes, file: str, problems: ProblemLog, *, grey: bool = False) -> Image | None:
    """The picture as BGR, or as one grey plane; None, with a problem, if it cannot or should not be decoded."""
    size = image_size(raw)
    if size is None:
        problems.add("screenshot_undecodable", LAYER, file, "not a PNG, JPEG or WebP picture, or its header is damaged")
        return None
    if size[0] * size[1] > MAX_PIXELS:
        problems.add("screenshot_too_large", LAYER, file, f"{size[0]}x{size[1]} pixels; not decoded")
        return None
    # Checked here because libpng would print its own complaint to the terminal.
    defect = _defect(raw[:_HEAD_BYTES], raw[-_TAIL_BYTES:], len(raw))
    if defect:
        problems.add("screenshot_undecodable", LAYER, file, defect)
        return None
    import cv2
    import numpy

    try:
        picture = cv2.imdecode(numpy.frombuffer(raw, numpy.uint8), cv2.IMREAD_GRAYSCALE if grey else cv2.IMREAD_COLOR)
    except cv2.error:
        picture = None
    if picture is None:
        problems.add("screenshot_undecodable", LAYER, file, "the picture data is damaged")
    return picture


def image_size(raw: bytes) -> tuple[int, int] | None:
    """Width and height in pixels from the header of a PNG, JPEG or WebP file; None for anything else."""
    if raw.startswith(b"\x89PNG\r\n\x1a\n") and raw[12:16] == b"IHDR" and len(raw) >= 24:
        size = int.from_bytes(raw[16:20], "big"), int.from_bytes(raw[20:24], "big")
    elif raw.startswith(b"\xff\xd8"):
        size = _jpeg_size(raw)
    elif raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        size = _webp_size(raw)
    else:
        return None
    return size if min(size) > 0 else None


def _jpeg_size(raw: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(raw) and raw[at] == 0xFF:
        marker = raw[at + 1]
        if marker == 0xFF:  # fill byte
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in _JPEG_NOT_FRAME:
            return int.from_bytes(raw[at + 7 : at + 9], "big"), int.from_bytes(raw[at + 5 : at + 7], "big")
        else:
            at += 2 + max(2, int.from_bytes(raw[at + 2 : at + 4], "big"))
    return 0, 0


def _webp_size(raw: bytes) -> tuple[int, int]:
    kind = raw[12:16]
    if kind == b"VP8X" and len(raw) >= 30:
        return 1 + int.from_bytes(raw[24:27], "little"), 1 + int.from_bytes(raw[27:30], "little")
    if kind == b"VP8L" and len(raw) >= 25:
        bits = int.from_bytes(raw[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 " and len(raw) >= 30:
        return int.from_bytes(raw[26:28], "little") & 0x3FFF, int.from_bytes(raw[28:30], "little") & 0x3FFF
    return 0, 0


def thumbnail(grey: Image) -> Image:
    """A grey picture averaged down to `THUMB_SIZE`."""
    import cv2

    return cv2.resize(grey, THUMB_SIZE, interpolation=cv2.INTER_AREA)


def same_picture(one: Image, other: Image) -> bool:
    """Whether two thumbs are near-duplicates; see `SAME_LEVELS`."""
    import cv2

    return bool(cv2.norm(one, other, cv2.NORM_INF) <= SAME_LEVELS)


def encode_jpeg(bgr: Image) -> bytes:
    """JPEG bytes of a BGR picture, at most `MAX_SIDE` pixels on its longest side."""
    import cv2

    height, width = bgr.shape[:2]
    target = fitted(width, height)
    if target != (width, height):
        bgr = cv2.resize(bgr, target, interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1].tobytes())


def fitted(width: int, height: int, side: int = MAX_SIDE) -> tuple[int, int]:
    """Width and height scaled down, proportions kept, so that neither exceeds `side`; never scaled up."""
    scale = min(1.0, side / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def timed(shots: Sequence[Screenshot]) -> list[tuple[int, Screenshot]]:
    """The shots that have a time, with it, in order of time."""
    return sorted(((shot.t_ms, shot) for shot in shots if shot.t_ms is not None), key=lambda pair: pair[0])
