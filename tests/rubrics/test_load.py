"""Rubrics: shipped, whole, and fixed: a text cannot change under an old version."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clawjudge.rubrics import load
from clawjudge.rubrics.load import load_rubric, rubric_ids

LAYERS = {"video", "screenshots", "http", "actions", "messages"}
# A verdict names its rubric by version and hash. Who changes a text changes the version, and then this line.
PUBLISHED = {
    ("v1-agentic", "1.0.0"): "7a947610e472149f6f2fd28b7ed1014e34c44452b307d0a4cf1363576ed4a57b",
    ("v2-strict", "1.0.0"): "bdd2fce4958fb4d9a1ba5adb7bc1ad8d95d361a3786984c9698ca5a218966775",
    ("v2-lenient", "1.0.0"): "c0340c891890d46b3aaf028136dc8f6e63ee34497112b4348b89ac76cabcadb2",
}


def raw_text(rubric_id: str) -> str:
    return (Path(load.__file__).parent / f"{rubric_id}.json").read_text("utf-8")


def test_v1_is_shipped() -> None:
    assert "v1-agentic" in rubric_ids()
    assert rubric_ids() == sorted(rubric_ids())


@pytest.mark.parametrize("rubric_id", rubric_ids())
def test_rubric_is_whole(rubric_id: str) -> None:
    rubric = load_rubric(rubric_id)
    assert rubric.id == rubric_id
    assert rubric.version
    assert rubric.title
    assert rubric.preamble
    assert rubric.rules
    assert len({rule.id for rule in rubric.rules}) == len(rubric.rules)
    assert len({rule.name for rule in rubric.rules}) == len(rubric.rules)
    for rule in rubric.rules:
        assert rule.title
        assert rule.text
        assert set(rule.needs) <= LAYERS


@pytest.mark.parametrize("rubric_id", rubric_ids())
def test_hash_is_of_the_canonical_text(rubric_id: str) -> None:
    document = json.loads(raw_text(rubric_id))
    canonical = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert load_rubric(rubric_id).sha256 == hashlib.sha256(canonical.encode()).hexdigest()


@pytest.mark.parametrize("rubric_id", rubric_ids())
def test_text_under_a_published_version_is_fixed(rubric_id: str) -> None:
    rubric = load_rubric(rubric_id)
    assert rubric.sha256 == PUBLISHED[rubric_id, rubric.version]


def test_v1_has_the_nine_rules_in_order() -> None:
    rubric = load_rubric("v1-agentic")
    assert [rule.id for rule in rubric.rules] == [f"R{n}" for n in range(1, 10)]
    assert [rule.number for rule in rubric.rules] == list(range(1, 10))
    assert rubric.rule("R8").name == "captcha_attempted"
    with pytest.raises(KeyError):
        rubric.rule("R10")


def test_rubric_cannot_be_changed() -> None:
    rubric = load_rubric("v1-agentic")
    for thing in (rubric, rubric.rules[0]):
        with pytest.raises(dataclasses.FrozenInstanceError):
            thing.id = "mine"  # type: ignore[misc]


@pytest.mark.parametrize(
    "rubric_id", ["", "nope", "../v1-agentic", "v1-agentic.json", "/etc/passwd", "load", "V1-AGENTIC"]
)
def test_unknown_rubric_names_those_that_there_are(rubric_id: str) -> None:
    with pytest.raises(KeyError, match=r"there are: .*v1-agentic"):
        load_rubric(rubric_id)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in place of the shipped rubrics."""
    monkeypatch.setattr(load, "files", lambda _: tmp_path)
    load_rubric.cache_clear()
    yield tmp_path
    load_rubric.cache_clear()


RULE = {"id": "R1", "number": 1, "name": "n", "title": "t", "text": "x", "needs": ["http"]}
RUBRIC: dict[str, Any] = {"id": "mine", "version": "1", "title": "t", "preamble": "p", "rules": [RULE]}


def put(shelf: Path, **changes: Any) -> str:
    load_rubric.cache_clear()
    (shelf / "mine.json").write_text(json.dumps({**RUBRIC, **changes}), "utf-8")
    return load_rubric("mine").sha256


def test_every_word_counts_for_the_hash(shelf: Path) -> None:
    hashes = [
        put(shelf),
        put(shelf, version="2"),
        put(shelf, title="T"),
        put(shelf, preamble="q"),
        put(shelf, rules=[{**RULE, "text": "y"}]),
        put(shelf, rules=[{**RULE, "needs": []}]),
        put(shelf, rules=[RULE, {**RULE, "id": "R2", "number": 2, "name": "m"}]),
    ]
    assert len(set(hashes)) == len(hashes)


def test_layout_of_the_file_does_not_count_for_the_hash(shelf: Path) -> None:
    first = put(shelf)
    (shelf / "mine.json").write_text(json.dumps(dict(reversed(RUBRIC.items())), indent=4), "utf-8")
    load_rubric.cache_clear()
    assert load_rubric("mine").sha256 == first


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rules": []}, "has no rules"),
        ({"rules": [RULE, RULE]}, "twice"),
        ({"id": "other"}, "calls itself 'other'"),
    ],
)
def test_rubric_that_cannot_be_meant(shelf: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        put(shelf, **changes)


def test_other_files_are_no_rubrics(shelf: Path) -> None:
    put(shelf)
    (shelf / "README.md").write_text("x")
    (shelf / "load.py").write_text("x")
    assert rubric_ids() == ["mine"]
