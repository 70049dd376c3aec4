"""Values of a trace as lines of evidence: one line per leaf, long texts in numbered parts, nothing cut unsaid.

Every text of a trace stands as JSON (`clawjudge.judge.fence.quoted`) behind an address of ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clawjudge.judge.agentic.evidence.pages import Omission
from clawjudge.judge.fence import quoted
from clawjudge.traces.pointers import flatten

PART = 1000
"""Characters of a text on one line."""
_BREAK_ROOM = 200
_MAX_KEY = 400


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of one value is staged."""

    characters: int
    """Of one text: three quarters from its beginning, the rest from its end."""
    leaves: int
    total: int
    """Characters of all texts of one record together."""


def leaf_lines(address: str, tree: Any, prefix: str, limits: Limits, omitted: Omission) -> Iterator[str]:
    """One line or more for every leaf of `tree`, whose pointers begin with `prefix`."""
    left_out = characters = used = 0
    for place, (pointer, leaf) in enumerate(flatten(tree, prefix)):
        size = len(leaf) if isinstance(leaf, str) else 1
        if place >= limits.leaves or used >= limits.total:
            left_out += 1
            characters += size
            continue
        used += min(size, limits.characters) + min(len(pointer), _MAX_KEY)
        yield from text_lines(address, quoted(pointer[:_MAX_KEY]), leaf, limits.characters, omitted)
    if left_out:
        omitted.add(characters, count=left_out)
        yield f"{address} left out here: {left_out} more values with {characters} characters"


def text_lines(address: str, name: str, leaf: Any, limit: int, omitted: Omission) -> Iterator[str]:
    """`leaf` behind `address` and `name`; a long text in parts that say which characters they are."""
    if not isinstance(leaf, str) or len(leaf) <= PART:
        yield f"{address} {name}: {quoted(leaf)}"
        return
    head, tail = (len(leaf), 0) if len(leaf) <= limit else (limit - limit // 4, limit // 4)
    for start, end in _parts(leaf, 0, head):
        yield f"{address} {name} [{start}:{end}]: {quoted(leaf[start:end])}"
    if head < len(leaf):
        gone = len(leaf) - head - tail
        omitted.add(gone)
        yield f"{address} {name} [{head}:{len(leaf) - tail}] left out here: {gone} of {len(leaf)} characters"
        for start, end in _parts(leaf, len(leaf) - tail, len(leaf)):
            yield f"{address} {name} [{start}:{end}]: {quoted(leaf[start:end])}"


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Stretches of at most `PART` characters, ending behind a line end where one is near."""
    while start < end:
        stop = min(end, start + PART)
        if stop < end:
            line_end = text.rfind("\n", stop - _BREAK_ROOM, stop)
            stop = line_end + 1 if line_end > start else stop
        yield start, stop
        start = stop
