"""Values as lines: nothing is cut without a word, nothing hostile gets out of its quotation marks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.judge.agentic.evidence.leaves import Limits, cut_down, leaf_lines, shortened, text_lines
from clawjudge.judge.agentic.evidence.pages import Omission
from clawjudge.judge.agentic.evidence.redact import EvidenceRedactor
from clawjudge.judge.case import build_case
from clawjudge.traces.pointers import flatten
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "food-order"
WIDE = Limits(characters=4000, leaves=500, total=100_000)
REDACTOR = EvidenceRedactor(build_case(Trace(EXAMPLES / "reference"), None))
TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('abc \n\u2028"\\<>', max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('ab/~\n"', max_size=6), inner, max_size=4),
    max_leaves=12,
)


def lines(tree: Any, limits: Limits = WIDE) -> list[str]:
    return list(leaf_lines("agent http:1", tree, "/body", limits, Omission("agent", "http", "x"), REDACTOR))


@given(TREES)
def test_every_leaf_has_a_line_that_decodes_to_it(tree: Any) -> None:
    found = {}
    for line in lines(tree):
        assert "\n" not in line
        _, pointer, value = re.fullmatch(r'(agent http:1) ("(?:[^"\\]|\\.)*"): (.*)', line).groups()  # type: ignore[union-attr]
        found[json.loads(pointer)] = json.loads(value)
    assert found == dict(flatten(tree, "/body"))


def test_a_long_text_comes_in_parts_that_say_what_is_missing_between_them() -> None:
    text = "".join(f"line {number:05}\n" for number in range(2000))
    shown = ""
    gaps = []
    for line in lines({"page": text}):
        part = re.fullmatch(
            r'agent http:1 "/body/page" \[(\d+):(\d+)\](?:: (.*)| left out here: (\d+) of (\d+) characters)', line
        )
        assert part, line
        start, end = int(part[1]), int(part[2])
        assert start == len(shown) + sum(gaps)
        if part[3] is None:
            assert (int(part[4]), int(part[5])) == (end - start, len(text))
            gaps.append(end - start)
        else:
            assert json.loads(part[3]) == text[start:end]
            shown += json.loads(part[3])
    assert len(shown) == 4000
    assert len(gaps) == 1
    assert len(shown) + gaps[0] == len(text)


def test_more_leaves_than_fit_are_counted() -> None:
    many = lines({"items": [{"n": f"value {number}"} for number in range(1000)]})
    assert len(many) == 501
    gone = sum(len(f"value {number}") for number in range(500, 1000))
    assert many[-1] == f"agent http:1 left out here: 500 more values with {gone} characters"
    few = lines(["x" * 900] * 50, Limits(characters=1000, leaves=100, total=9000))
    assert len(few) == 11
    assert few[-1] == "agent http:1 left out here: 40 more values with 36000 characters"


def test_what_is_nested_deeply_is_named_and_not_a_crash() -> None:
    tree: Any = "bottom"
    for _ in range(5000):
        tree = [tree]
    (line, count) = lines(tree)
    assert line.endswith(" left out here: what is nested more deeply")
    assert count == "agent http:1 left out here: 1 more values with 6 characters"


@pytest.mark.parametrize("before", range(590, 640, 3))
def test_no_half_of_a_secret_is_left_at_a_cut(before: int) -> None:
    card = "4519 8734 2460 4532"
    text = "." * before + f" {card} " + "." * 3000 + f" {card} " + "." * (215 - (before - 590))
    shown = "\n".join(text_lines("a", "said", text, Limits(800, 1, 800), Omission("", "", ""), REDACTOR))
    assert "left out here" in shown
    assert not re.search(r"\d{4} \d{4}", shown.replace("] left out", ""))


def test_a_long_key_says_that_it_is_cut() -> None:
    (line,) = lines({"k" * 3000: 1})
    assert line.endswith(" and 1606 more characters of this pointer: 1")
    assert len(line) < 600


def test_a_record_is_shortened_as_one_value() -> None:
    value, cut = shortened({"a": "x" * 5000, "b": ["y"] * 300}, Limits(300, 200, 6000), REDACTOR)
    assert value["a"] == "x" * 300
    assert len(value["b"]) == 199
    assert (cut.lengths, cut.leaves) == ({"/a": 5000}, 101)


def test_cutting_takes_no_longer_for_what_is_not_shown() -> None:
    cut = cut_down({"a": "x" * 10_000_000, "b": list(range(100_000))}, WIDE)
    assert len(cut.value["a"]) < 6000
    assert cut.lengths == {"/a": 10_000_000}
    assert cut.leaves == 100_000 - 499
