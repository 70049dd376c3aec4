"""Two terminal requests laid side by side: which field of the one answers which field of the other.

Objects pair by key; lists pair their elements by likeness, because the order of a cart's lines carries no meaning; a
list of numbers, and any list that the instruction puts in order, pairs by position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clawjudge.judge.align.values import compare, is_empty
from clawjudge.traces.payload import flatten, query_value, unpacked
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.urls import path

ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()
"""Stands for a field that one side does not have at all."""

_FILE_KEYS = frozenset({"filename", "content_type", "size", "sha256"})
_MAX_FIELDS = 5000


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
    reordered: bool = False


def request_tree(request: RequestEvent) -> dict[str, Any]:
    """`{"body": …, "params": …, "url": [path segments]}`: everything of a request that can carry a value."""
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
    """Every leaf of both trees, paired. `ordered`: the task gives lists an order that matters."""
    pairs = []
    for pair, _ in zip(_pair("", "", reference, agent, False, ordered), range(_MAX_FIELDS), strict=False):
        pairs.append(pair)
    return pairs


def _pair(
    pointer: str, agent_pointer: str, reference: Any, agent: Any, in_list: bool, ordered: bool
) -> Iterator[FieldPair]:
    if isinstance(reference, dict) and isinstance(agent, dict) and not (is_file(reference) or is_file(agent)):
        for key in [*reference, *(k for k in agent if k not in reference)]:
            step = "/" + str(key).replace("~", "~0").replace("/", "~1")
            yield from _pair(
                pointer + step,
                agent_pointer + step,
                reference.get(key, ABSENT),
                agent.get(key, ABSENT),
                in_list,
                ordered,
            )
    elif isinstance(reference, list) and isinstance(agent, list):
        moved = False
        for i, j in _match_elements(reference, agent, ordered):
            moved = moved or (i is not None and j is not None and i != j)
            left = reference[i] if i is not None else ABSENT
            right = agent[j] if j is not None else ABSENT
            place = f"{pointer}/{i if i is not None else j}"
            if left is ABSENT or right is ABSENT:
                # A whole element more or less is one difference, not one for each of its fields.
                yield FieldPair(place, f"{agent_pointer}/{j if j is not None else i}", left, right, True)
                continue
            for pair in _pair(place, f"{agent_pointer}/{j if j is not None else i}", left, right, True, ordered):
                yield FieldPair(
                    pair.pointer, pair.agent_pointer, pair.reference, pair.agent, True, pair.reordered or moved
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


def _match_elements(reference: list[Any], agent: list[Any], ordered: bool) -> list[tuple[int | None, int | None]]:
    """Index pairs of two lists; None for an element without a partner."""
    numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in [*reference, *agent])
    if ordered or numeric or len(reference) * len(agent) > 2500:
        longest = range(max(len(reference), len(agent)))
        return [(i if i < len(reference) else None, i if i < len(agent) else None) for i in longest]
    likeness = sorted(
        ((_likeness(r, a), i == j, -i, -j) for i, r in enumerate(reference) for j, a in enumerate(agent)), reverse=True
    )
    partner: dict[int, int] = {}
    for score, _, i, j in likeness:
        if -i not in partner and -j not in partner.values() and (score > 0 or len(reference) == len(agent)):
            partner[-i] = -j
    pairs: list[tuple[int | None, int | None]] = [(i, partner.get(i)) for i in range(len(reference))]
    return pairs + [(None, j) for j in range(len(agent)) if j not in partner.values()]


def _likeness(reference: Any, agent: Any) -> float:
    """Share of the leaves that are equal, 0 to 1."""
    left = dict(flatten(reference))
    right = dict(flatten(agent))
    if not left or not right:
        return float(left == right)
    same = sum(1 for pointer, value in left.items() if pointer in right and compare(value, right[pointer]).equal)
    return same / max(len(left), len(right))
