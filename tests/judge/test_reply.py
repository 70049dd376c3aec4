"""The one parser of verdicts: a table of replies as models write them, each with the value that it must give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.judge.reply import contradiction, json_values, parse_reply

TABLE = Path(__file__).parent / "data" / "verdict-replies.jsonl"
ROWS = [json.loads(line) for line in TABLE.read_text("utf-8").split("\n") if line]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['why']}: {row['reply']}"[:60])
def test_the_stated_value(row: dict[str, object]) -> None:
    reply = parse_reply(str(row["reply"]))
    assert reply.match is row["match"]
    assert (reply.problem == "") is (reply.match is not None)
    assert bool(reply.detail) is (reply.match is None)


@pytest.mark.parametrize(
    ("text", "match", "problem"),
    [
        ("", None, "empty_reply"),
        (" \n\t", None, "empty_reply"),
        ("<think>only thoughts", None, "empty_reply"),
        ("I cannot help with that request.", None, "refused"),
        ("I'm sorry, but I can’t assist with this.", None, "refused"),
        ("I am unable to judge this.", None, "refused"),
        ("I can't.", None, "refused"),
        ("We could not do that.", None, "refused"),
        ('I cannot be sure of all, yet: {"match": false, "reason": "r"}', False, ""),
        ('{"match": true}\n{"match": fal', None, "unparseable"),
        ('{"verdict": {"match": false}', None, "unparseable"),
        ('{"verdict": {"match": false}} {"match": true}', None, "unparseable"),
        ('[{"match": false}] {"match": true}', None, "unparseable"),
        ('[{"match": true},', None, "unparseable"),
        ('[1] says: {"match": true}', True, ""),
        ('The body {"qty": 2, ...} is off. {"match": false}', False, ""),
        ('{"match": true, "evidence": {"match": false}}', True, ""),
        ('{"match": NaN}', None, "unparseable"),
        ('{"match": [true]}', None, "unparseable"),
        ('{"match": "false "}', None, "unparseable"),
        ('{"match": true} {"match": 1}', None, "unparseable"),
        ('{"match": true} {"match": "FALSE"}', None, "conflicting_verdicts"),
        ('no opening tag</think>{"match": false}', False, ""),
        ('<think>a {"match": true}</think>b<think>c</think>{"match": false}', False, ""),
        ("{" * 5000, None, "unparseable"),
        ('{"a":' * 5000 + "1" + "}" * 5000, None, "unparseable"),
        ('{"reason": "a", "reason": "b", "match": false}', None, "unparseable"),
    ],
)
def test_what_the_table_does_not_say(text: str, match: bool | None, problem: str) -> None:
    reply = parse_reply(text)
    assert (reply.match, reply.problem) == (match, problem)


def test_the_reason_is_kept_whole() -> None:
    long = "because " * 2000
    assert parse_reply(json.dumps({"reason": long, "match": False})).reason == long.strip()
    assert parse_reply('{"match": false, "reason": 7}').reason == ""


@given(st.text() | st.text(alphabet='{}[]"\\:, matchtruefls\n', max_size=80))
def test_no_text_makes_it_raise_and_none_without_the_word_is_a_verdict(text: str) -> None:
    found = parse_reply(text).match
    assert found in (None, True, False)
    if "match" not in text.casefold():
        assert found is None


@given(st.booleans(), st.text(), st.text(alphabet="abc .\n"), st.text(alphabet="abc .\n"))
def test_a_verdict_is_found_wherever_it_stands(match: bool, reason: str, before: str, after: str) -> None:
    reply = parse_reply(before + json.dumps({"reason": reason, "match": match}) + after)
    # Texts with a tag of thoughts or a byte-order mark in the reason are not what this is about.
    if "<" not in reason and "\ufeff" not in reason:
        assert reply.match is match


def test_only_outermost_values_are_found() -> None:
    assert list(json_values('a {b} {"c": [{"d": 1}]} [{"e": 2}] {"f": 3}')) == [
        {"c": [{"d": 1}]},
        [{"e": 2}],
        {"f": 3},
    ]


@pytest.mark.parametrize(
    ("match", "reason", "flagged"),
    [
        (True, "the item is wrong, so this does not fulfil the instruction", True),
        (True, "The quantity is incorrect.", True),
        (True, "The request fails to satisfy the task.", True),
        (False, "The request fulfils the instruction in all points.", True),
        (False, "No contradiction was found.", True),
        (True, "The request fulfils the instruction.", False),
        (True, "Nothing is wrong with it.", False),
        (True, "It would only fail if the quantity was wrong.", False),
        (True, "It does not match the wording, but there is no explicit contradiction.", False),
        (True, "The time is not given, which contradicts nothing.", False),
        (False, "The colour is wrong.", False),
        (False, "The item matches the request, but the quantity is wrong.", False),
        (True, "", False),
    ],
)
def test_a_reason_that_says_the_opposite_is_flagged(match: bool, reason: str, flagged: bool) -> None:
    assert bool(contradiction(match, reason)) is flagged
