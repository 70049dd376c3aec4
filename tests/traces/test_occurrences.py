"""Looking a text up in what was recorded of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from clawjudge.traces.occurrences import Occurrences
from clawjudge.traces.trace import Trace


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "run-meta.json").write_text("{}")
    (tmp_path / "requests.jsonl").write_text('{"url":"https://shop.test/item/kx81a","body":"first-token\\nrest"}\n')
    (tmp_path / "actions.jsonl").write_text("")
    (tmp_path / "agent-messages.jsonl").write_text('{"text":"Zürich q_77f1"}\n')
    return tmp_path


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("kx81a", True),
        ("kx81", False),
        ("x81a", False),
        ("q_77f1", True),
        ("Zürich", True),
        ("77f1", True),
        ("no", False),
    ],
)
def test_only_a_text_by_itself_counts(run: Path, text: str, found: bool) -> None:
    assert Occurrences(Trace(run)).hold(text) is found


def test_after_too_many_texts_the_answer_is_the_doubtful_one(run: Path) -> None:
    occurrences = Occurrences(Trace(run), limit=2)
    assert [occurrences.hold(text) for text in ("a", "b", "c", "a")] == [False, False, True, False]


def test_a_run_without_layers_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "run-meta.json").write_text("{}")
    assert not Occurrences(Trace(tmp_path)).hold("anything")


def test_the_last_bytes_of_a_file_are_searched(run: Path) -> None:
    (run / "requests.jsonl").write_text("cut in the middle of tok99")
    assert Occurrences(Trace(run)).hold("tok99")
    (run / "requests.jsonl").write_text("tok99")
    assert Occurrences(Trace(run)).hold("tok99")


@pytest.mark.parametrize("before", range(8))
def test_a_text_across_two_pieces_of_the_file_is_found(run: Path, monkeypatch: pytest.MonkeyPatch, before: int) -> None:
    monkeypatch.setattr("clawjudge.traces.occurrences._CHUNK_BYTES", 7)
    (run / "requests.jsonl").write_text("-" * before + "tok99" + "-" * 20 + "x" * before + "tok88")
    assert Occurrences(Trace(run)).hold("tok99")
    assert Occurrences(Trace(run)).hold("tok88") is (before == 0)
    assert not Occurrences(Trace(run)).hold("tok9")
    assert not Occurrences(Trace(run)).hold("ok99")
