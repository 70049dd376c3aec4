"""Which verdict stands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.judge.store.bundles import record

from clawjudge.judge.store.records import Outline
from clawjudge.judge.store.standing import Selector, standing
from clawjudge.judge.store.verdict_store import VerdictStore

HISTORY = [
    record("request-strict", "b", "fail", judged_at="2026-11-28T23:59:59Z"),
    record("request-strict", "a", "pass", judged_at="2026-11-29T08:00:00Z"),
    record("request-strict", "b", "pass", judged_at="2026-11-30T08:00:00Z"),
    record("request-strict", "b", "fail", model="openai:other", judged_at="2026-11-30T09:00:00Z"),
    record("request-lenient", "b", "fail", judged_at="2026-11-30T10:00:00Z"),
]
OUTLINES = [Outline.of(one) for one in HISTORY]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("request-strict", [("a", "pass"), ("b", "fail")]),
        ("request-strict=anthropic:claude-judge", [("a", "pass"), ("b", "pass")]),
        ("request-strict@2026-11-28", [("b", "fail")]),
        ("request-strict@2026-11-29", [("a", "pass"), ("b", "fail")]),
        ("request-strict=anthropic:claude-judge@2026-11-30T08:00:00Z", [("a", "pass"), ("b", "pass")]),
        ("request-strict@2026-11-30T07", [("a", "pass"), ("b", "fail")]),
        ("offline", []),
    ],
)
def test_the_last_verdict_stands(selector: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.run, one.outcome) for one in standing(OUTLINES, Selector.parse(selector))] == expected


def test_an_outage_takes_no_verdict_away() -> None:
    out = replace(OUTLINES[1], outcome="unjudged", final=False)
    assert [one.outcome for one in standing([OUTLINES[1], out], Selector("request-strict"))] == ["pass"]
    assert [one.outcome for one in standing([out, out], Selector("request-strict"))] == ["unjudged"]
    assert [one.outcome for one in standing([out, OUTLINES[1]], Selector("request-strict"))] == ["pass"]


@pytest.mark.parametrize("text", ["a", "a=m", "a=p:m/x-1:free", "a@2026-11", "a=m@2026-11-30T10:00:00Z"])
def test_a_selector_is_written_as_it_is_read(text: str) -> None:
    assert str(Selector.parse(text)) == text


@pytest.mark.parametrize("text", ["", "=m", "@2026-11-30", "a@yesterday"])
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="names no judge"):
        Selector.parse(text)


def test_a_store_gives_the_outlines_of_its_records(tmp_path: Path) -> None:
    with VerdictStore.open(tmp_path) as store:
        imported = replace(
            record("clawbench-strict", "c", "unjudged", model=None, intercepted=None), origin="imported", final=False
        )
        store.put_all([*HISTORY, imported])
        assert list(store.outlines()) == [Outline.of(one) for one in store]
        assert [one.id for one in store.outlines(run="b", judge="request-strict")] == [1, 3, 4]
        assert store.judges() == [
            ("clawbench-strict", None),
            ("request-lenient", "anthropic:claude-judge"),
            ("request-strict", "anthropic:claude-judge"),
            ("request-strict", "openai:other"),
        ]
