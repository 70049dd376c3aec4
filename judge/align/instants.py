"""Times of a request tree as instants: the same instant may be written in two zones."""

from __future__ import annotations

from typing import Any

from clawjudge.judge.align import moments


def same_instant_scopes(reference: dict[str, Any], agent: dict[str, Any]) -> frozenset[str]:
    """Objects in which every time is the same instant on both sides, whatever zone it is written in.

    Both sides are given as leaves by pointer.
    """
    scopes = set()
    left, right = _times_by_scope(reference), _times_by_scope(agent)
    for scope, times in left.items():
        others = right.get(scope)
        if others and set(times) == set(others) and all(times[k] is not None and times[k] == others[k] for k in times):
            scopes.add(scope)
    return frozenset(scopes)


def is_timed(value: Any) -> bool:
    """Whether `value` is a time or the name of a zone."""
    return bool(moments.moment(str(value)) or moments.zone(value))


def _times_by_scope(leaves: dict[str, Any]) -> dict[str, dict[str, Any]]:
    zones: dict[str, Any] = {}
    texts: dict[str, str] = {}
    for pointer, leaf in leaves.items():
        if isinstance(leaf, str) and moments.moment(leaf):
            texts[pointer] = leaf
        elif moments.zone(leaf):
            zones[pointer.rsplit("/", 1)[0]] = moments.zone(leaf)
    grouped: dict[str, dict[str, Any]] = {}
    for pointer, text in texts.items():
        scope = pointer.rsplit("/", 1)[0]
        where = next((zones[s] for s in _ancestors(scope) if s in zones), None)
        grouped.setdefault(scope, {})[pointer] = moments.instant(text, where)
    return grouped


def _ancestors(scope: str) -> list[str]:
    parts = scope.split("/")
    return ["/".join(parts[:n]) for n in range(len(parts), 0, -1)]
