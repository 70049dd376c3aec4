"""Large requests made small enough to be read, field by field, with every omission stated.

Nothing is cut at a fixed length of the whole: long texts lose their middle first; if that is not enough, the request
becomes a flat list of its fields, and those stay that share a word or a number with the instruction, then the first
and the last ones.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from clawjudge.traces.pointers import flatten

MOST_CHARACTERS = 60_000
"""Of the request as JSON: some twenty thousand tokens, and far more than nearly all requests have."""
_HEAD, _TAIL = 600, 200
_SHORT_HEAD, _SHORT_TAIL = 150, 50
_LISTED = 40
"""Omissions that are named one by one; the others are counted."""
_MOST_LEAVES = 200_000
_MOST_LEVELS = 60
_ROUGH_HEAD, _ROUGH_TAIL = 4_000, 2_000


@dataclass(frozen=True, slots=True)
class Reduced:
    """A request small enough."""

    tree: Any
    omissions: tuple[str, ...] = ()
    """One line each, naming the field and how much is left out. Holds names from the trace: quote it."""


def roughly(value: Any, levels: int = _MOST_LEVELS) -> Any:
    """`value` with texts that are far too long shortened, so that nobody has to search megabytes for secrets.

    What is left of a text is more than `reduce` will keep, so its ends are not the ends that are seen. What is nested
    so deeply that no form means it is replaced by a text that says so.
    """
    if isinstance(value, str):
        return value if len(value) <= _ROUGH_HEAD + _ROUGH_TAIL else _without_middle(value, _ROUGH_HEAD, _ROUGH_TAIL)
    if not isinstance(value, dict | list):
        return value
    if levels == 0:
        return "[nested too deeply to be shown]"
    if isinstance(value, dict):
        return {key: roughly(item, levels - 1) for key, item in value.items()}
    return [roughly(item, levels - 1) for item in value]


def reduce(tree: Any, instruction: str, most: int = MOST_CHARACTERS) -> Reduced:
    """`tree` as it is if its JSON has at most `most` characters, else reduced."""
    if _size(tree) <= most:
        return Reduced(tree)
    for head, tail in ((_HEAD, _TAIL), (_SHORT_HEAD, _SHORT_TAIL)):
        omitted: list[str] = []
        smaller = _shortened(tree, "", head, tail, omitted)
        if _size(smaller) <= most:
            return Reduced(smaller, _listed(omitted))
    return _chosen_fields(smaller, instruction, most, omitted)


def _shortened(value: Any, pointer: str, head: int, tail: int, omitted: list[str]) -> Any:
    if isinstance(value, str) and len(value) > head + tail + 100:
        omitted.append(f"{pointer or '/'}: {len(value) - head - tail} of {len(value)} characters")
        return _without_middle(value, head, tail)
    if isinstance(value, dict):
        return {key: _shortened(item, f"{pointer}/{key}", head, tail, omitted) for key, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item, f"{pointer}/{index}", head, tail, omitted) for index, item in enumerate(value)]
    return value


def _chosen_fields(tree: Any, instruction: str, most: int, omitted: list[str]) -> Reduced:
    """The fields that matter most, flat, in their own order."""
    leaves = [leaf for leaf, _ in zip(flatten(tree), range(_MOST_LEAVES), strict=False)]
    words = _words(instruction)
    order = sorted(range(len(leaves)), key=lambda i: (not _shares(leaves[i], words), min(i, len(leaves) - i)))
    kept: set[int] = set()
    room = most
    for index in order:
        room -= _size(leaves[index][0]) + _size(leaves[index][1]) + 4
        if room < 0:
            break
        kept.add(index)
    flat = {leaves[index][0] or "/": leaves[index][1] for index in sorted(kept)}
    gone = len(leaves) - len(kept)
    gaps = [f"{gone} of {len(leaves)} fields, from {leaves[min(set(range(len(leaves))) - kept)][0]} on"] if gone else []
    return Reduced(flat, (*gaps, *_listed(omitted)))


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"\w+", text.casefold()) if len(word) > 2 or word.isdecimal())


def _shares(leaf: tuple[str, Any], words: frozenset[str]) -> bool:
    pointer, value = leaf
    name = pointer.rpartition("/")[2]
    return not words.isdisjoint(_words(f"{name} {value}" if isinstance(value, str | int | float) else name))


def _without_middle(text: str, head: int, tail: int) -> str:
    return f"{text[:head]} [… {len(text) - head - tail} characters left out …] {text[-tail:]}"


def _listed(omitted: list[str]) -> tuple[str, ...]:
    more = len(omitted) - _LISTED
    return (*omitted[:_LISTED], *((f"and {more} more fields",) if more > 0 else ()))


def _size(value: Any) -> int:
    """Characters of `value` as JSON."""
    return len(json.dumps(value, ensure_ascii=False))
