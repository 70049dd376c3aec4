"""Two terminal requests laid side by side: which field of the one answers which field of the other.

Objects pair by key; lists pair their elements by likeness, because the order of a cart's lines carries no meaning; a
list of numbers, and any list that the instruction puts in order, pairs by position.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from clawjudge.judge.align.values import compare, is_empty
from clawjudge.traces.payload import query_value
from clawjudge.traces.pointers import escape, flatten, unpacked
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.urls import path

ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()
"""Stands for a field that one side does not have at all."""

_FILE_KEYS = frozenset({"filename", "content_type", "size", "sha256"})
MAX_FIELDS = 5000
_MAX_LIKENESSES = 2500
_MAX_FULL_COMPARISONS = 400


@dataclass(frozen=True, slots=True)
class FieldPair:
    """One field of both requests."""

    pointer: str
    """Into the reference's request; for a field that only the agent has, into the agent's."""
    agent_pointer: str
    reference: Any
    agent: Any
    in_list: bool
    """Whether it stands inside an element of a list, where a token names a thing."""
    is_element: bool = False
    """Whether it is itself an element of a list, not a field of one: stops of a route stand like this, as do tags."""
    reordered: bool = False
    guessed: bool = False
    """Whether it is unknown that these two belong together: elements of long lists that differ are paired by place."""


def request_tree(request: RequestEvent) -> dict[str, Any]:
    """`{"body": …, "params": …, "url": [path segments]}`: everything of a request that can carry a value. Not for
    changing: the trees of the last few requests are kept, as one judgement looks at the same ones again and again."""
    return _tree(_Itself(request))


@dataclass(frozen=True, slots=True, eq=False)
class _Itself:
    """A request as a key: this one and no other that looks the same."""

    request: RequestEvent

    def __hash__(self) -> int:
        return id(self.request)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and other.request is self.request


@functools.lru_cache(maxsize=8)
def _tree(itself: _Itself) -> dict[str, Any]:
    request = itself.request
    payload = request.payload()
    tree: dict[str, Any] = {}
    if payload.kind != "none":
        tree["body"] = unpacked(payload.value)
        if payload.kind == "graphql":
            tree["body"] = _variables(tree["body"])
    tree["params"] = unpacked(query_value(request.url))
    tree["url"] = {str(i): part for i, part in enumerate(path(request.url).split("/")) if part}
    return tree


def _variables(body: Any) -> Any:
    """What a GraphQL request carries: its variables. Operation and query text say what is called, not what is entered.

    An operation without variables has its values in the text, which is then kept.
    """
    if isinstance(body, list):
        return [_variables(item) for item in body]
    if isinstance(body, dict) and body.get("variables"):
        return {"variables": body["variables"]}
    return body


def is_file(value: Any) -> bool:
    """Whether a value is a file part of a multipart body, as `traces.payload` represents it."""
    return isinstance(value, dict) and value.keys() >= _FILE_KEYS


def pair_fields(reference: dict[str, Any], agent: dict[str, Any], ordered: bool = False) -> list[FieldPair]:
    """Every leaf of both trees, paired, at most `MAX_FIELDS`. `ordered`: the task gives lists an order that matters."""
    pairs = []
    for pair, _ in zip(_pair("", "", reference, agent, False, ordered), range(MAX_FIELDS), strict=False):
        pairs.append(pair)
    return pairs


def _pair(
    pointer: str, agent_pointer: str, reference: Any, agent: Any, in_list: bool, ordered: bool
) -> Iterator[FieldPair]:
    if isinstance(reference, dict) and isinstance(agent, dict) and not (is_file(reference) or is_file(agent)):
        for key in [*reference, *(k for k in agent if k not in reference)]:
            step = "/" + escape(str(key))
            yield from _pair(
                pointer + step,
                agent_pointer + step,
                reference.get(key, ABSENT),
                agent.get(key, ABSENT),
                in_list,
                ordered,
            )
    elif isinstance(reference, list) and isinstance(agent, list):
        matched, guessed = _match_elements(reference, agent, ordered)
        order = [j for i, j in matched if i is not None and j is not None]
        moved = order != sorted(order)
        for i, j in matched:
            left = reference[i] if i is not None else ABSENT
            right = agent[j] if j is not None else ABSENT
            place = f"{pointer}/{i if i is not None else j}"
            doubtful = guessed and left != right
            for pair in _pair(place, f"{agent_pointer}/{j if j is not None else i}", left, right, True, ordered):
                itself = pair.is_element or pair.pointer == place
                yield replace(
                    pair,
                    in_list=True,
                    is_element=itself,
                    reordered=pair.reordered or moved,
                    guessed=pair.guessed or doubtful,
                )
    elif _has_parts(reference) and (agent is ABSENT or is_empty(agent)):
        for tail, leaf in flatten(reference):
            yield FieldPair(pointer + tail, agent_pointer + tail, leaf, ABSENT, in_list)
    elif _has_parts(agent) and (reference is ABSENT or is_empty(reference)):
        for tail, leaf in flatten(agent):
            yield FieldPair(pointer + tail, agent_pointer + tail, ABSENT, leaf, in_list)
    else:
        yield FieldPair(pointer, agent_pointer, reference, agent, in_list)


def _has_parts(value: Any) -> bool:
    return isinstance(value, dict | list) and bool(value) and not is_file(value)


Matched = list[tuple[int | None, int | None]]


def _match_elements(reference: list[Any], agent: list[Any], ordered: bool) -> tuple[Matched, bool]:
    """Index pairs of two lists, None for an element without a partner; and whether the pairs are a guess."""
    numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in [*reference, *agent])
    if ordered or numeric:
        return _by_position(list(range(len(reference))), list(range(len(agent)))), False
    partner = _equal_elements(reference, agent)
    taken = set(partner.values())
    left = [i for i in range(len(reference)) if i not in partner]
    right = [j for j in range(len(agent)) if j not in taken]
    guessed = len(left) * len(right) > _MAX_LIKENESSES
    if guessed:
        partner.update({i: j for i, j in _by_position(left, right) if i is not None and j is not None})
    else:
        partner.update(_by_likeness(reference, agent, left, right))
    taken = set(partner.values())
    pairs: Matched = [(i, partner.get(i)) for i in range(len(reference))]
    return pairs + [(None, j) for j in range(len(agent)) if j not in taken], guessed


def _by_position(left: list[int], right: list[int]) -> Matched:
    longest = range(max(len(left), len(right)))
    return [(left[k] if k < len(left) else None, right[k] if k < len(right) else None) for k in longest]


def _equal_elements(reference: list[Any], agent: list[Any]) -> dict[int, int]:
    """Elements that are the same on both sides, the one at the same place first. Linear, for lists of any length."""
    keys = [_key(value) for value in reference], [_key(value) for value in agent]
    partner = {i: i for i in range(min(len(reference), len(agent))) if keys[0][i] == keys[1][i]}
    free: dict[str, list[int]] = {}
    for j in reversed(range(len(agent))):
        if j not in partner:
            free.setdefault(keys[1][j], []).append(j)
    for i, key in enumerate(keys[0]):
        if i not in partner and free.get(key):
            partner[i] = free[key].pop()
    return partner


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _by_likeness(reference: list[Any], agent: list[Any], left: list[int], right: list[int]) -> dict[int, int]:
    """The likest elements of both sides, greedily; what shares nothing pairs only if no element is left over."""
    trees = {i: dict(flatten(reference[i])) for i in left}, {j: dict(flatten(agent[j])) for j in right}
    fully = len(left) * len(right) <= _MAX_FULL_COMPARISONS
    likeness = sorted(
        ((_likeness(trees[0][i], trees[1][j], fully), i == j, -i, -j) for i in left for j in right), reverse=True
    )
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for score, _, i, j in likeness:
        if -i not in partner and -j not in taken and (score > 0 or len(left) == len(right)):
            partner[-i] = -j
            taken.add(-j)
    return partner


def _likeness(left: dict[str, Any], right: dict[str, Any], fully: bool) -> float:
    """Share of the leaves that are equal, 0 to 1."""
    if not left or not right:
        return float(left == right)
    shared = [(value, right[pointer]) for pointer, value in left.items() if pointer in right]
    return sum(1 for a, b in shared if _equal(a, b, fully)) / max(len(left), len(right))


def _equal(first: Any, second: Any, fully: bool) -> bool:
    if isinstance(first, str) and isinstance(second, str) and first.strip().casefold() == second.strip().casefold():
        return True
    return bool(compare(first, second).equal) if fully else type(first) is type(second) and first == second
