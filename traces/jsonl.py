"""Line-based JSON layers, read as a stream with line numbers kept for citation.

Rules (each is a row of the parser-disagreement table in the tests): lines end at LF only, because U+2028, U+0085 and
friends are legal inside a JSON string; a BOM, a CR before the LF, NaN, Infinity and lone surrogates are accepted;
invalid UTF-8 is read with replacement characters and reported; a line that is not JSON, or longer than
`MAX_LINE_BYTES`, is skipped, reported and counted. One bad line never ends the reading, and a file that cannot be read
is a problem (`unreadable`), not an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from clawjudge.traces.problems import ProblemLog

MAX_LINE_BYTES = 64 * 1024 * 1024
_CHUNK = 1024 * 1024

_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class Line:
    """One parsed line of a layer file."""

    number: int
    """From 1, counting every line of the file, blank and bad ones too."""
    offset: int
    """Byte offset of the line in the file."""
    size: int
    """Length of the line in bytes."""
    value: Any
    """The decoded JSON value."""


def read_lines(path: Path, layer: str, file: str, problems: ProblemLog) -> Iterator[Line]:
    """Parsed lines of `path`, in file order. `file` is the name used in problems, relative to the run folder."""
    for number, offset, raw, complete in _readable_lines(path, layer, file, problems):
        if raw is None:
            problems.add("line_too_long", layer, file, f"line is longer than {MAX_LINE_BYTES} bytes; skipped", number)
            continue
        text = raw.strip(b" \t\r")
        if text.startswith(b"\xef\xbb\xbf"):
            # Not only on line 1: a recorder that is started again may append to its file with a new mark.
            text = text[3:].strip(b" \t\r")
        if not text:
            continue
        try:
            value, replaced = decode_tolerant(text)
        except ValueError as error:
            code = "bad_json" if complete else "truncated_line"
            problems.add(code, layer, file, f"not JSON: {error}", number)
            continue
        if replaced:
            problems.add("invalid_utf8", layer, file, "invalid UTF-8 was replaced", number)
        yield Line(number, offset, len(raw), value)


def decode_tolerant(text: bytes) -> tuple[Any, bool]:
    """`decode`, with invalid UTF-8 replaced; also whether anything was. Raises `ValueError` for what is not JSON."""
    try:
        return decode(text), False
    except UnicodeDecodeError:
        return decode(text.decode("utf-8", "replace").encode()), True


def decode(text: bytes) -> Any:
    """One JSON document. Fast where msgspec agrees with the standard library, tolerant where it does not.

    Raises `UnicodeDecodeError` for invalid UTF-8 and `ValueError` for anything that is not JSON.
    """
    try:
        return _decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        try:
            # Lone surrogates, NaN and Infinity are things that real recorders write and msgspec refuses.
            return json.loads(text.decode("utf-8"))
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


def raw_lines(path: Path) -> Iterator[tuple[int, int, bytes | None, bool]]:
    """(number, offset, bytes without LF or None if over the size cap, ended by LF), with bounded memory."""
    with path.open("rb") as stream:
        number, offset = 0, 0
        while True:
            raw = stream.readline(MAX_LINE_BYTES + 1)
            if not raw:
                return
            number += 1
            size = len(raw)
            complete = raw.endswith(b"\n")
            if not complete and size > MAX_LINE_BYTES:
                size += _skip_to_newline(stream)
                yield number, offset, None, True
            else:
                yield number, offset, raw[:-1] if complete else raw, complete
            offset += size


def _readable_lines(
    path: Path, layer: str, file: str, problems: ProblemLog
) -> Iterator[tuple[int, int, bytes | None, bool]]:
    try:
        yield from raw_lines(path)
    except OSError as error:
        problems.add("unreadable", layer, file, f"cannot be read: {error.strerror}")


def line_at(path: Path, number: int) -> bytes | None:
    """The raw bytes of line `number` (from 1), or None if there is no such line or it is over the size cap."""
    for current, _, raw, _ in raw_lines(path):
        if current == number:
            return raw
    return None


def _skip_to_newline(stream: BinaryIO) -> int:
    skipped = 0
    while chunk := stream.readline(_CHUNK):
        skipped += len(chunk)
        if chunk.endswith(b"\n"):
            break
    return skipped
