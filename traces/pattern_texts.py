"""Texts made from a regular expression, to try it on: one that it is meant to match, and those that cost it most.

The texts follow the written pattern part by part. They are tries, not proofs: what a pattern does with them is seen by
searching, so a text that misses its aim makes no wrong finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clawjudge.traces.patterns import atoms, split_alternatives

_CLASSES = {r"\d": "1", r"\w": "a", r"\s": " ", r"\D": "a", r"\W": "-", r"\S": "a", ".": "a"}
_NO_TEXT = frozenset({"^", "$", r"\A", r"\Z", r"\b", r"\B"})
_GROUP = re.compile(r"\((?:\?(?:P<\w+>|[aiLmsux-]*:|[>=!]|<[=!]))?")
_AROUND = re.compile(r"\(\?(?:[=!#(]|<[=!]|P=)")
"""What takes up no text of its own."""
_CHARACTERS = "a1A-_/.=&?%+ :~!"
_MAX_NESTING = 20


def example(pattern: str, level: int = 0) -> str:
    """A text for the first branch of `pattern`, every optional part included."""
    return "".join(_of_atom(atom, level) for atom, _ in atoms(split_alternatives(pattern)[0]))


def hard_texts(pattern: str, length: int) -> Iterator[str]:
    """Texts of `length` that repeat one part of the pattern after what stands before it, and then break off."""
    for before, part in dict.fromkeys(_repeatable(pattern, "", 0)):
        room = max(length - len(before) - 1, len(part))
        yield before + part * (room // len(part)) + "!"


def _repeatable(pattern: str, before: str, level: int) -> Iterator[tuple[str, str]]:
    """Every part of the pattern, down into its groups, with the text that stands before it."""
    for branch in split_alternatives(pattern):
        passed = before
        whole = example(branch)
        if whole:
            yield before, whole
        for atom, _ in atoms(branch):
            said = _of_atom(atom, 0)
            if said:
                yield passed, said
            if atom.startswith("(") and level < _MAX_NESTING:
                yield from _repeatable(_inside(atom), passed, level + 1)
            passed += said


def _of_atom(atom: str, level: int) -> str:
    if atom in _NO_TEXT or level > _MAX_NESTING:
        return ""
    if atom in _CLASSES:
        return _CLASSES[atom]
    if atom.startswith("("):
        return "" if _AROUND.match(atom) else example(_inside(atom), level + 1)
    if atom.startswith("[") and len(atom) > 1:
        return next((c for c in _CHARACTERS + atom if re.fullmatch(atom, c)), "")
    return atom.removeprefix("\\") if len(atom) <= 2 else ""


def _inside(group: str) -> str:
    opening = _GROUP.match(group)
    return "" if opening is None else group[opening.end() : -1]
