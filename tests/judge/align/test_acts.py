"""The same acts as the human's: every page, press and entry. One thing changed, and they are others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from clawjudge.judge.align.acts import same_acts
from clawjudge.judge.align.alignment import align
from clawjudge.judge.align.sources import TaskSources
from clawjudge.traces.records import Step, Target

SITE = "http://shop.test"


def act(kind: Any, name: str = "", value: str | None = None, path: str = "/form", **more: Any) -> Step:
    element = None if kind in ("navigate", "request") else Target(tag="INPUT", id=name, xpath=f"/{name}")
    return Step(kind, 0, SITE + path, f"{kind} {path} {name}", name, value, element=element, **more)


def session(**more: Any) -> list[Step]:
    return [
        act("navigate", "Form"),
        act("fill", "city", "Leeds"),
        act("select", "size", "L"),
        act("fill", "captcha", "x7k2"),
        act("click", "Send"),
        act("request", "POST", path="/api", terminal=True, **more),
    ]


def same(mine: list[Step], theirs: list[Step], instruction: str = "Go to Leeds, size L") -> bool:
    for steps in (mine, theirs):
        steps[:] = [replace(step, index=number) for number, step in enumerate(steps)]
    alignment = align(mine, theirs, lambda a, b: a == b)
    return same_acts(alignment, mine, theirs, TaskSources(instruction))


def swapped(place: int, step: Step) -> list[Step]:
    steps = session()
    steps[place] = step
    return steps


@pytest.mark.parametrize(
    ("mine", "expected"),
    [
        (session(), True),
        (swapped(1, act("fill", "city", "York")), False),
        (swapped(1, act("fill", "town", "Leeds")), False),
        (swapped(2, act("select", "size", "M")), False),
        (swapped(3, act("fill", "captcha", "p3q9")), True),
        (swapped(3, act("fill", "captcha", "")), False),
        (swapped(4, act("click", "Save")), False),
        (swapped(4, act("submit", "Send")), False),
        (swapped(0, act("navigate", "Form", path="/form?token=3f2b8c1e9d4a4e6f8a7b0c1d2e3f4a5b")), False),
        (swapped(0, act("navigate", "Other form")), False),
        (swapped(0, act("navigate", "Form", path="/other")), False),
        (session()[:1] + session()[2:], False),
        ([*session()[:1], act("fill", "city", "York"), *session()[1:]], True),
        ([*session()[:1], act("fill", "city", "York"), act("navigate", "Form"), *session()[1:]], False),
        ([*session()[:2], act("request", "POST", path="/draft"), *session()[2:]], True),
        ([*session(), act("click", "Anything")], True),
    ],
)
def test_same_acts(mine: list[Step], expected: bool) -> None:
    assert same(mine, session()) is expected


def test_a_page_with_a_token_of_its_own_is_the_same_page() -> None:
    tokens = "3f2b8c1e9d4a4e6f8a7b0c1d2e3f4a5b", "7a2b8c1e9d4a4e6f8a7b0c1d2e3f4a5c"
    mine, theirs = (swapped(0, act("navigate", "Form", path=f"/form?token={token}")) for token in tokens)
    assert same(mine, theirs)
    mine, theirs = (swapped(0, act("navigate", "Form", path=f"/form?size={size}")) for size in (2, 3))
    assert not same(mine, theirs)


def test_few_acts_prove_nothing() -> None:
    pages = [act("navigate", "Form"), act("navigate", "Next", path="/next")]
    short = [*pages, act("fill", "city", "Leeds"), act("click", "Send")]
    assert not same(short, list(short))
    assert same([*short, act("click", "More")], [*short, act("click", "More")])


def test_an_answer_that_the_task_gives_is_no_answer_of_ones_own() -> None:
    assert not same(swapped(3, act("fill", "captcha", "p3q9")), session(), "Enter x7k2")


def test_an_entry_on_a_page_that_was_left_is_not_corrected_on_the_next() -> None:
    mine = [act("navigate", "Form"), act("fill", "city", "York"), *session()]
    assert not same(mine, [act("navigate", "Form"), *session()])
    assert same([act("navigate", "Form"), *session()], [act("navigate", "Form"), *session()])
