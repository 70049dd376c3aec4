"""Transcripts that are one JSON document instead of lines: `{"history": [...]}`, `{"messages": [...]}`, or a list.

Items come with the line on which they start, so that they can be cited, and come one by one, so that a document that
breaks off still gives what it has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

LISTS = ("history", "messages", "conversations")
"""Keys under which a document keeps its messages."""

_SPACE = re.compile(r"[ \t\r\n]*+")
_OPENING = re.compile(r'[\[{][\s\[{]*+("\w++"\s*:\s*[\[{]?)?\s*')
_decoder = json.JSONDecoder()
_END: Any = object()
"""Stands for the end of a list, where a position has to be passed on but no item."""


def opens_document(first_line: str) -> bool:
    """Whether a file whose first line this is was printed over several lines: no JSON by itself, only its start."""
    return _OPENING.fullmatch(first_line) is not None


def items(text: str) -> Iterator[tuple[int, Any]]:
    """(line, value) for every message of the document or documents in `text`.

    What a document says beside its list of messages comes last, as one `session_meta` object. Raises `ValueError` or
    `RecursionError` at the first place that is not JSON.
    """
    line, counted = 1, 0
    position = _skip(text, 0)
    while position < len(text):
        for start, value, end in _document(text, position):
            position = end
            line += text.count("\n", counted, start)
            counted = start
            if value is not _END:
                yield line, value
        position = _skip(text, position)


def _document(text: str, position: int) -> Iterator[tuple[int, Any, int]]:
    """(start, value, end of what was read) for each item of the document at `position`."""
    start = position
    if text[position] == "[":
        yield from _list(text, position)
        return
    if text[position] != "{":
        value, end = _decoder.raw_decode(text, position)
        yield start, value, end
        return
    rest: dict[str, Any] = {}
    found = False
    position = _skip(text, position + 1)
    while text[position : position + 1] != "}":
        key, position = _decoder.raw_decode(text, position)
        if not isinstance(key, str):
            raise ValueError(f"a key is not text at character {position}")
        position = _skip(text, _expect(text, _skip(text, position), ":"))
        if key in LISTS and text[position : position + 1] == "[":
            found = True
            for item_start, value, end in _list(text, position):
                position = end
                yield item_start, value, end
        else:
            rest[key], position = _decoder.raw_decode(text, position)
        position = _separator(text, position, "}")
    if not found:
        yield start, rest, position + 1
    elif rest:
        yield position, {**rest, "type": "session_meta"}, position + 1
    else:
        yield position, _END, position + 1


def _list(text: str, position: int) -> Iterator[tuple[int, Any, int]]:
    """Items of the list at `position`, then the end mark."""
    position = _skip(text, position + 1)
    while text[position : position + 1] != "]":
        start = position
        value, position = _decoder.raw_decode(text, position)
        yield start, value, position
        position = _separator(text, position, "]")
    yield position, _END, position + 1


def _separator(text: str, position: int, closing: str) -> int:
    position = _skip(text, position)
    if text[position : position + 1] == closing:
        return position
    return _skip(text, _expect(text, position, ","))


def _expect(text: str, position: int, character: str) -> int:
    if text[position : position + 1] != character:
        raise ValueError(f"`{character}` expected at character {position}")
    return position + 1


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position
