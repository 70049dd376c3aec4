"""Values of a trace as lines of evidence: one line per leaf, long texts in numbered parts, nothing cut unsaid.

Every text of a trace stands as JSON (`clawjudge.judge.fence.quoted`) behind an address of ours. Values are cut before
their secrets are replaced, because a recording may hold megabytes of them, and once more after, with a margin, so that
no secret is left in halves.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from clawjudge.judge.agentic.evidence.pages import Omission
from clawjudge.judge.agentic.evidence.redact import EvidenceRedactor
from clawjudge.judge.fence import quoted
from clawjudge.traces.pointers import escape, flatten

PART = 1000
"""Characters of a text on one line."""
_BREAK_ROOM = 200
_MAX_KEY = 400
_LONG_KEY = 2000
_MARGIN = 400
"""Characters around a cut that are looked at for secrets and then not shown; longer than what a cut could halve."""
_MAX_LEVELS = 60
_GAP = f"\ue000{secrets.token_hex(16)}\ue000"
"""Where a text was cut. Never shown; nobody who wrote a trace can know it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of one record is staged."""

    characters: int
    """Of one text: three quarters from its beginning, the rest from its end."""
    leaves: int
    total: int
    """Characters of all texts of one record together."""


@dataclass
class Cut:
    """A value cut to size, and what was cut from it."""

    value: Any = None
    lengths: dict[str, int] = field(default_factory=dict)
    """Pointer of each text that was cut, to the characters that it had."""
    leaves: int = 0
    characters: int = 0
    """Of the leaves that were left out."""


def cut_down(value: Any, limits: Limits, prefix: str = "", tail: bool = True) -> Cut:
    """`value` with no more leaves and no longer texts than `limits` allow, and a margin around each cut."""
    out = Cut()
    left = [limits.leaves, limits.total]

    def walk(node: Any, pointer: str, level: int) -> Any:
        if isinstance(node, dict | list) and node and level < _MAX_LEVELS and min(left) > 0:
            if isinstance(node, list):
                return [walk(item, f"{pointer}/{i}", level + 1) for i, item in enumerate(node) if room(item)]
            members: dict[str, Any] = {}
            for key, item in node.items():
                name = str(key)[:_LONG_KEY]
                if name in members:
                    leave_out(item)
                elif room(item):
                    members[name] = walk(item, f"{pointer}/{escape(name)}", level + 1)
            return members
        if isinstance(node, dict | list) and node:
            leave_out(node)
            return f"{_GAP}nested"
        left[0] -= 1
        left[1] -= min(len(node), limits.characters) if isinstance(node, str) else 1
        return short(node, pointer) if isinstance(node, str) else node

    def room(item: Any) -> bool:
        if min(left) > 0:
            return True
        leave_out(item)
        return False

    def leave_out(item: Any) -> None:
        for _, leaf in flatten(item):
            out.leaves += 1
            out.characters += len(leaf) if isinstance(leaf, str) else 1

    def short(text: str, pointer: str) -> str:
        end = limits.characters // 4 if tail else 0
        head = limits.characters - end
        if len(text) <= limits.characters + 2 * _MARGIN:
            return text
        out.lengths[pointer] = len(text)
        return text[: head + _MARGIN] + _GAP + (text[-end - _MARGIN :] if end else "")

    out.value = walk(value, prefix, 0)
    return out


def leaf_lines(
    address: str, tree: Any, prefix: str, limits: Limits, omitted: Omission, redactor: EvidenceRedactor
) -> Iterator[str]:
    """One line or more for every leaf of `tree`, whose pointers begin with `prefix`."""
    cut = cut_down(tree, limits, prefix)
    for pointer, leaf in flatten(redactor.redact(cut.value), prefix):
        if isinstance(leaf, str) and leaf == f"{_GAP}nested":
            yield f"{address} {_name(pointer)} left out here: what is nested more deeply"
        else:
            yield from _text_lines(address, _name(pointer), leaf, cut.lengths.get(pointer), limits, omitted)
    if cut.leaves:
        omitted.add(cut.characters, count=cut.leaves)
        yield f"{address} left out here: {cut.leaves} more values with {cut.characters} characters"


def _name(pointer: str) -> str:
    if len(pointer) <= _MAX_KEY:
        return quoted(pointer)
    return f"{quoted(pointer[:_MAX_KEY])} and {len(pointer) - _MAX_KEY} more characters of this pointer"


def text_lines(
    address: str, name: str, text: str, limits: Limits, omitted: Omission, redactor: EvidenceRedactor, field: str = ""
) -> Iterator[str]:
    """`text` behind `address` and `name`, which is ours; `field` is what the recording calls it."""
    cut = cut_down(text, limits)
    yield from _text_lines(address, name, redactor.redact(cut.value, field), cut.lengths.get(""), limits, omitted)


def _text_lines(
    address: str, name: str, leaf: Any, length: int | None, limits: Limits, omitted: Omission
) -> Iterator[str]:
    """A leaf without its secrets; `length` is what it had before it was cut."""
    if not isinstance(leaf, str) or (length is None and len(leaf) <= PART):
        yield f"{address} {name}: {quoted(leaf)}"
        return
    head, gap, tail = leaf.partition(_GAP)
    if not gap or length is None:
        # All of it was one secret, or it is long and whole.
        head, tail, length = leaf, "", None
    else:
        head, tail = head[: limits.characters - limits.characters // 4], tail[_MARGIN:]
    for start, end in _parts(head):
        yield f"{address} {name} [{start}:{end}]: {quoted(head[start:end])}"
    if length is None:
        return
    gone = max(0, length - len(head) - len(tail))
    omitted.add(gone)
    yield f"{address} {name} [{len(head)}:{len(head) + gone}] left out here: {gone} of {length} characters"
    for start, end in _parts(tail):
        first = len(head) + gone
        yield f"{address} {name} [{first + start}:{first + end}]: {quoted(tail[start:end])}"


def shortened(value: Any, limits: Limits, redactor: EvidenceRedactor) -> tuple[Any, Cut]:
    """A record as one value, with its texts cut at `limits.characters`; and what was cut."""
    cut = cut_down(value, limits, tail=False)

    def short(node: Any) -> Any:
        if isinstance(node, dict):
            return {str(key)[:_MAX_KEY]: short(item) for key, item in node.items()}
        if isinstance(node, list):
            return [short(item) for item in node]
        head, gap, _ = node.partition(_GAP) if isinstance(node, str) else (node, "", "")
        return head[: limits.characters] if gap else head

    return short(redactor.redact(cut.value)), cut


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of at most `PART` characters, ending behind a line end where one is near."""
    start = 0
    while start < len(text):
        stop = min(len(text), start + PART)
        if stop < len(text):
            line_end = text.rfind("\n", stop - _BREAK_ROOM, stop)
            stop = line_end + 1 if line_end > start else stop
        yield start, stop
        start = stop
