"""Where two aligned runs first part: what could matter comes before what only differs."""

from __future__ import annotations

from typing import Any

import pytest

from clawjudge.judge.align.alignment import align
from clawjudge.judge.align.parting import first_parting
from clawjudge.traces.steps import Step

SHOP = "https://shop.test/"


def step(kind: Any, target: str, value: str | None = None, url: str = SHOP, **more: Any) -> Step:
    return Step(kind, 0, url, target, label=target, value=value, **more)


LOOK = step("click", "Look around", url=SHOP + "about")
RIGHT, WRONG = step("fill", "Quantity", "2"), step("fill", "Quantity", "3")
NAME, OTHER_NAME = step("fill", "Name", "Alex Green"), step("fill", "Name", "Bo")
BEACON = step("request", "POST shop.test/collect")
WALL = step("wall", "captcha", "captcha")
BUY = step("request", "POST shop.test/order", terminal=True)


def parting(agent: list[Step], reference: list[Step], bound: frozenset[str] = frozenset()) -> tuple[Any, Any] | None:
    found = align(agent, reference, lambda theirs, mine: theirs == mine)
    pair = first_parting(found, agent, reference, bound.__contains__)
    return None if pair is None else (pair.agent, pair.reference)


@pytest.mark.parametrize(
    ("agent", "reference", "place"),
    [
        ([], [], None),
        ([RIGHT], [RIGHT], None),
        ([LOOK, WRONG], [RIGHT], (1, 0)),
        ([LOOK, RIGHT], [RIGHT], (0, None)),
        ([BEACON, RIGHT, LOOK], [RIGHT], (2, None)),
        ([BEACON, RIGHT], [RIGHT], (0, None)),
        ([WALL, RIGHT], [RIGHT], None),
        ([RIGHT], [RIGHT, BUY], (None, 1)),
        ([RIGHT, BUY], [RIGHT], (1, None)),
    ],
)
def test_the_first_parting(agent: list[Step], reference: list[Step], place: Any) -> None:
    assert parting(agent, reference) == place


def test_what_the_task_binds_comes_first() -> None:
    assert parting([OTHER_NAME, WRONG], [NAME, RIGHT]) == (0, 0)
    assert parting([OTHER_NAME, WRONG], [NAME, RIGHT], frozenset({"2"})) == (1, 1)
