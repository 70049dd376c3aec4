"""JSON in which a name stands twice in one object with two values: programs disagree on which of them counts."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from clawjudge.traces.jsonl import raw_lines


def repeats_a_key(raw: bytes) -> bool:
    """Whether an object anywhere in this document has two values under one name."""
    repeated = False

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        collected = dict(pairs)
        if len(collected) != len(pairs):
            repeated = repeated or any(collected[name] != value for name, value in pairs)
        return collected

    try:
        json.loads(raw.decode("utf-8", "replace"), object_pairs_hook=collect)
    except (ValueError, RecursionError):
        # What cannot be read is told of where it is read for good.
        return False
    return repeated


def lines_with_repeated_keys(path: Path, lines: Collection[int]) -> frozenset[int]:
    """Which of these lines of a file of JSON lines repeat a key; in one pass over the file."""
    found, left = set(), set(lines)
    try:
        for number, _, raw, _ in raw_lines(path):
            if not left:
                break
            if number in left:
                left.remove(number)
                if raw is not None and repeats_a_key(raw):
                    found.add(number)
    except OSError:
        # The log was read a moment ago; that it went away is told of there.
        return frozenset(found)
    return frozenset(found)
