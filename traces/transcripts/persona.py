"""What the agent was told about its user: JSON files given with the task, as it read them.

A persona decides which values are right, so the way in is narrow. The text must be the result of a call that reads
named `.json` files and does nothing else, and the agent must not have written a file of that name before. Pages do not
count. What a transcript cannot show (a program that writes under a name it computes) is not seen: give `names`, or
compare with the task's own files where they are at hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from clawjudge.traces.records import Message
from clawjudge.traces.transcripts.calls import OpenCalls
from clawjudge.traces.transcripts.file_calls import paths_read, paths_written

MAX_FILE_CHARACTERS = 1_000_000
"""A longer result is no persona and is not looked at."""

_NUMBERED = re.compile(r"[ \t]*+\d{1,7}(?:\t|→|\|| {1,2})")
_PATTERN = re.compile(r"[*?\[{]")
_REMINDER = "<system-reminder>"
_WRAPPING_KEYS = frozenset({"total_lines", "totalLines", "numLines", "file_size", "truncated", "exit_code"})
_decoder = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A JSON file whose content the agent was shown."""

    line: int
    """Line of the transcript with the content."""
    path: str
    """As the agent named it."""
    value: dict[str, Any]


def personas_shown(messages: Iterable[Message], names: Iterable[str] = ()) -> list[ShownFile]:
    """Files with a JSON object that the agent read, in order; a file read twice comes twice.

    `names` are the files that came with the task, if known: then only files of these base names count.
    """
    wanted = {_base(name) for name in names}
    calls = OpenCalls()
    written: set[str] = set()
    shown: list[ShownFile] = []
    for message in messages:
        calls.see(message)
        # By base name: the agent can name one file by many paths.
        written.update(_base(path) for call in message.tool_calls for path in paths_written(call))
        for result in message.tool_results:
            call = calls.of(result)
            paths = paths_read(call) if call and not result.is_error else ()
            if not paths:
                continue
            values = parse_shown(result.text)
            if len(paths) > 1 and len(paths) != len(values):
                continue
            for index, value in enumerate(values):
                path = paths[min(index, len(paths) - 1)]
                if not _was_written(path, written) and (not wanted or _base(path) in wanted):
                    shown.append(ShownFile(message.line, path, value))
    return shown


def _was_written(path: str, written: set[str]) -> bool:
    # A pattern may take in any file, those that the agent wrote among them.
    return bool(written) if _PATTERN.search(path) else _base(path) in written


def parse_shown(text: str) -> list[dict[str, Any]]:
    """The JSON objects that make up the whole of `text`, without what tools put around a file; else nothing.

    Taken off are code fences, line numbers, a harness's reminders after the file, and the wrappings `<content>` and
    `{"content": ..., "total_lines": ...}`.
    """
    if len(text) > MAX_FILE_CHARACTERS:
        return []
    values = _objects(_unfolded(text))
    if len(values) == 1 and _WRAPPING_KEYS & values[0].keys():
        inner = next((values[0][key] for key in ("content", "output") if isinstance(values[0].get(key), str)), None)
        if inner is not None:
            return _objects(_unfolded(inner))
    return values


def _objects(text: str) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = []
    position = 0
    while position < len(text):
        try:
            value, end = _decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        values.append(value)
        while end < len(text) and text[end].isspace():
            end += 1
        position = end
    return values


def _unfolded(text: str) -> str:
    text = text.partition(_REMINDER)[0].lstrip("\ufeff").strip()
    for opening, closing in (("<content>", "</content>"), ("<file>", "</file>")):
        start = text.find(opening)
        # At most one line of the tool's own stands before its wrapping.
        if start >= 0 and text.count("\n", 0, start) <= 1 and text.endswith(closing):
            text = text[start + len(opening) : -len(closing)].strip("\n")
    head, output, rest = text.partition("\nOutput:\n")
    if output and not head.startswith("{"):
        text = rest.strip()
    lines = text.split("\n")
    if lines[0].startswith("```") and lines[-1].strip() == "```" and len(lines) > 2:
        lines = lines[1:-1]
    if _NUMBERED.match(lines[0]):
        lines = [_NUMBERED.sub("", line, count=1) for line in lines]
    return "\n".join(lines).strip()


def _base(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].lower()
