"""Reading a transcript of any known harness as a stream of messages.

The shape is told line by line, not once per file: harnesses are wrapped, restarted and logged into one file. A line of
no known shape is kept as a message with the role `unknown` and counted as `unknown_line`; a value of the wrong type is
kept as text and counted as `wrong_type`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from clawjudge.traces.jsonl import MAX_LINE_BYTES, raw_lines, read_lines
from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.records import Message
from clawjudge.traces.transcripts import browser_use, chat, claude_code, codex, document, openclaw, opencode, sharegpt
from clawjudge.traces.transcripts.blocks import Notes, kind, render

MAX_DOCUMENT_BYTES = MAX_LINE_BYTES
"""A transcript that is one JSON document has to be held in memory; lines have no such limit."""

_LAYER = "messages"
_FIRST_LINE_BYTES = 4096


class Shape(Protocol):
    """What a module for one harness offers."""

    def recognises(self, value: dict[str, Any], /) -> bool: ...

    def parse(self, value: dict[str, Any], line: int, notes: Notes, /) -> Message | None: ...


# The order matters where shapes overlap: `chat` takes whatever has a role, so it comes last.
SHAPES: tuple[Shape, ...] = (browser_use, codex, claude_code, opencode, openclaw, sharegpt, chat)


def read_messages(path: Path, file: str, problems: ProblemLog) -> Iterator[Message]:
    """Messages of the transcript at `path`, in file order. `file` is its name in problems, relative to the run folder.

    Lines that only repeat others (partial output, display events) are left out. A file without any word or act of an
    agent is reported as `no_conversation`: it exists, but cannot be judged by.
    """
    conversation = repeated = False
    for line, value in _values(path, file, problems):
        message = _parse(value, line, file, problems)
        if message is None:
            repeated = True
            continue
        conversation = conversation or message.role in ("assistant", "tool")
        yield message
    if not conversation:
        reason = "only repeats of lines that are missing" if repeated else "no message of an agent"
        problems.add("no_conversation", _LAYER, file, f"the transcript holds {reason}")


def _values(path: Path, file: str, problems: ProblemLog) -> Iterator[tuple[int, Any]]:
    if document.opens_document(_first_line(path)):
        yield from _document_values(path, file, problems)
        return
    for line in read_lines(path, _LAYER, file, problems):
        for value in _unpacked(line.value):
            yield line.number, value


def _document_values(path: Path, file: str, problems: ProblemLog) -> Iterator[tuple[int, Any]]:
    size = path.stat().st_size
    if size > MAX_DOCUMENT_BYTES:
        message = f"one JSON document of {size} bytes, over {MAX_DOCUMENT_BYTES}; not read (store it as JSON lines)"
        problems.add("document_too_large", _LAYER, file, message)
        return
    raw = path.read_bytes()
    text = raw.decode("utf-8-sig", "replace")
    if "\ufffd" in text and "\ufffd".encode() not in raw:
        problems.add("invalid_utf8", _LAYER, file, "invalid UTF-8 was replaced")
    last = 0
    try:
        for last, value in document.items(text):
            yield last, value
    except (ValueError, RecursionError) as error:
        problems.add("bad_json", _LAYER, file, f"the document breaks off after the item here: {error}", last or None)


def _first_line(path: Path) -> str:
    """Beginning of the first line that is not blank."""
    for _, _, raw, _ in raw_lines(path):
        if raw is None:
            return ""
        text = raw[:_FIRST_LINE_BYTES].decode("utf-8-sig", "replace").strip()
        if text:
            return text if len(raw) <= _FIRST_LINE_BYTES else ""
    return ""


def _unpacked(value: Any) -> Iterator[Any]:
    """The messages of a line that holds a whole conversation, else the line's value as it is."""
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        yield from value
        return
    if isinstance(value, dict) and not isinstance(value.get("type"), str) and "role" not in value:
        for key in document.LISTS:
            inner = value.get(key)
            if isinstance(inner, list) and inner:
                rest = {name: part for name, part in value.items() if name != key}
                if rest:
                    yield {**rest, "type": "session_meta"}
                yield from inner
                return
    yield value


def _parse(value: Any, line: int, file: str, problems: ProblemLog) -> Message | None:
    shape = None
    if isinstance(value, dict):
        shape = next((known for known in SHAPES if known.recognises(value)), None)
    if shape is None:
        described = f"type {render(value.get('type'), limit=60)}" if isinstance(value, dict) else kind(value)
        problems.add("unknown_line", _LAYER, file, f"no known transcript shape: {described}", line)
        return Message(line=line, role="unknown", text=render(value))
    notes: Notes = []
    message = shape.parse(value, line, notes)
    for note in notes:
        problems.add("wrong_type", _LAYER, file, note, line)
    if message is not None and message.role == "unknown":
        problems.add("unknown_line", _LAYER, file, "a line of a known shape, but no known message", line)
    return message
