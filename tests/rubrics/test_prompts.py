"""Prompts: loaded whole, filled completely, and known by their hash."""

from __future__ import annotations

import hashlib
from importlib.resources import files

import pytest

from clawjudge.rubrics.prompts import Prompt, load_prompt


def test_the_hash_is_of_the_file_as_it_stands() -> None:
    raw = files("clawjudge.rubrics").joinpath("v1-agentic.prompt.txt").read_bytes()
    prompt = load_prompt("v1-agentic")
    assert prompt.sha256 == hashlib.sha256(raw).hexdigest()
    assert prompt.version == "1.0.0"
    assert list(prompt.sections) == ["system", "case"]


def test_an_unknown_prompt_is_named_with_those_there_are() -> None:
    with pytest.raises(KeyError, match="there are: v1-agentic"):
        load_prompt("v9")


def test_every_place_must_be_filled_and_values_are_not_read_as_places() -> None:
    prompt = Prompt("p", "1.0.0", {"case": "the task: $task"}, "")
    assert prompt.filled("case", task="pay $task ${task} $$5") == "the task: pay $task ${task} $$5"
    with pytest.raises(KeyError):
        prompt.filled("case")
    with pytest.raises(ValueError, match="no place for more"):
        prompt.filled("case", task="x", more="y")
