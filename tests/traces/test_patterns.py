"""Patterns of strangers: searched as `re` would, given up where that would never end, refused where memory fills."""

from __future__ import annotations

import json
import os
import re
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.traces.patterns import MAX_PATTERN_LENGTH, TooSlow, compile_pattern, split_alternatives
from clawjudge.traces.task import EvalSchema

SHARED = Path(os.environ.get("CLAWJUDGE_SHARED", Path(__file__).resolve().parents[3] / "shared"))


def by_re(pattern: str, text: str) -> int | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = re.compile(pattern).search(text)
    return None if found is None else found.start()


ENDLESS = [
    "(a+)+$",
    "(a|a)*$",
    "(a|aa)+$",
    r"(\w+\s?)+$",
    "(a+){2,}b$",
    r"^https://shop\.test/(?:a?){99}a{99}(a+)+$",
    "(?=(a+)+$)a",
]


@pytest.mark.parametrize("pattern", ENDLESS)
def test_an_endless_search_is_given_up(pattern: str) -> None:
    text = "https://shop.test/" + "a" * 5000 + "!"
    started = time.process_time()
    with pytest.raises(TooSlow):
        compile_pattern(pattern).search(text, seconds=0.3)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("pattern", ["a{20000}", "((a{100}){100}){100}", "(?:ab){9999}", "a{4294967294}"])
def test_a_pattern_that_would_fill_the_memory_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="repeats"):
        compile_pattern(pattern)


@pytest.mark.parametrize("pattern", ["[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "a{0,60000}", "(a{0,999}){0,999}b"])
def test_a_count_that_means_little_is_accepted(pattern: str) -> None:
    assert compile_pattern(pattern)


@pytest.mark.parametrize(
    "pattern", ["(" * 900 + ")" * 900, "[" * 1999, "(?:" * 600, "\\" * 1999, "a" * (MAX_PATTERN_LENGTH + 1)]
)
def test_a_monster_is_refused_and_nothing_else_is_raised(pattern: str) -> None:
    with pytest.raises(ValueError, match="is "):
        compile_pattern(pattern)


DIFFERENT_IN_THE_ENGINE = [
    ("a{e}", "a{e}"),
    ("a{e<=1}", "b"),
    ("(?:shop){e<=2}", "shap"),
    ("a{}", "a{}"),
    ("a{,2}b", "aab"),
    ("[[:alpha:]]", "x]"),
    ("[[:alpha:]]", "p]"),
    ("[^[:alpha:]]x", "q]x"),
    (r"\N{LATIN SMALL LETTER A}{2}", "aa"),
    ("[a&&b]", "&"),
    ("[]{e}]", "e"),
    (r"a\Z", "a\n"),
    ("a$", "a\n"),
    ("(?i)k", "\u212a"),
    (r"\d", "\u0663"),
    ("(?P<e>a)(?P=e){2}", "aaa"),
]


@pytest.mark.parametrize(("pattern", "text"), DIFFERENT_IN_THE_ENGINE)
def test_what_the_engine_would_read_otherwise_is_read_as_python_reads_it(pattern: str, text: str) -> None:
    assert compile_pattern(pattern).search(text) == by_re(pattern, text)


PATTERN_PIECES = st.lists(
    st.sampled_from(
        [
            "a",
            "b",
            "^",
            "$",
            "(?!)",
            "(a|b)",
            "(?:",
            "(",
            ")",
            "|",
            "*",
            "?",
            "{0,1}",
            "{2}",
            "[^b]",
            ".",
            r"\$",
            "[)|]",
            "[[b]",
            "{",
            "{e}",
            "(?=a)",
            "(?<!b)",
            r"\\b",
            "+?",
        ]
    ),
    max_size=8,
).map("".join)


@given(PATTERN_PIECES, st.text("ab$", min_size=1, max_size=6))
def test_a_pattern_said_never_to_match_never_does(pattern: str, text: str) -> None:
    try:
        made = EvalSchema(url_pattern=pattern)
    except ValueError:
        return
    assert made.pattern.search(text) == by_re(pattern, text)
    assert made.pattern.search(text + "c", len(text)) == by_re(pattern, text)
    if made.never_matches:
        assert made.pattern.search(text) is None


@pytest.mark.parametrize(
    ("pattern", "branches"),
    [
        ("a|b", ["a", "b"]),
        ("(a|b)|c", ["(a|b)", "c"]),
        (r"a\|b|[|)(]|(?:x|y(z|w))", [r"a\|b", "[|)(]", "(?:x|y(z|w))"]),
    ],
)
def test_split_alternatives(pattern: str, branches: list[str]) -> None:
    assert split_alternatives(pattern) == branches


@pytest.mark.skipif(not (SHARED / "clawbench-tasks").is_dir(), reason=f"no tasks in {SHARED}; set CLAWJUDGE_SHARED")
def test_the_public_patterns_are_searched_as_python_searches_them() -> None:
    patterns = set()
    for file in sorted((SHARED / "clawbench-tasks").glob("*.jsonl")):
        patterns |= {json.loads(line)["task"]["eval_schema"]["url_pattern"] for line in file.read_bytes().splitlines()}
    assert len(patterns) > 100
    hits = 0
    for pattern in sorted(patterns):
        plain = pattern.replace("\\", "").partition("|")[0]
        for url in (
            f"https://{plain}",
            f"https://www.{re.sub(r'[(|)+*?$^]', '', plain)}/12?qty=4&op=CreatePetition&sort=-quality&form=1",
            f"https://{plain.partition('/')[0]}/" + "api/v1/order/12/" * 500,
            f"https://{plain.partition('/')[0].replace('.*', '')}/api/v12/jobs/3/tasks/user",
        ):
            found = compile_pattern(pattern).search(url)
            assert found == by_re(pattern, url), (pattern, url)
            hits += found is not None
    assert hits > 100
