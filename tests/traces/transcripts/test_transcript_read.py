"""Reading is tolerant, complete and streaming."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.transcripts.read import read_messages

SAID = {"role": "assistant", "content": "Hi"}


def codes(problems: ProblemLog) -> list[str]:
    return sorted(p.code for p in problems)


def read_text(tmp_path: Path, text: str) -> tuple[list[Any], ProblemLog]:
    path = tmp_path / "m.jsonl"
    path.write_text(text, encoding="utf-8")
    problems = ProblemLog()
    return list(read_messages(path, "m.jsonl", problems)), problems


@pytest.mark.parametrize("line", ["7", '"text"', "null", "true", "[]", "[1, 2]", "{}", '{"type": 5}', '{"type": []}'])
def test_unknown_lines_are_kept_and_counted(tmp_path: Path, line: str) -> None:
    messages, problems = read_text(tmp_path, f"{json.dumps(SAID)}\n{line}\n")
    assert [(m.line, m.role) for m in messages] == [(1, "assistant"), (2, "unknown")]
    assert messages[1].text == line.replace(", ", ",").replace(": ", ":")
    assert [(p.code, p.line, p.layer, p.file) for p in problems] == [("unknown_line", 2, "messages", "m.jsonl")]


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"role": "assistant", "content": 5}, "5"),
        ({"role": "assistant", "content": [7]}, "7"),
        ({"role": "assistant", "content": [{"text": "no type"}]}, "no type"),
        ({"role": "assistant", "content": [{"type": "text", "text": {"a": 1}}]}, '{"a":1}'),
        ({"role": "assistant", "content": [{"type": "hologram", "x": 1}]}, "hologram"),
        ({"role": "assistant", "content": "", "tool_calls": 9}, "9"),
        ({"role": "assistant", "content": "", "tool_calls": "not JSON"}, "not JSON"),
        ({"type": "assistant", "message": {"role": "assistant", "content": False}}, "false"),
        ({"model_output": "x", "result": 3, "state": None}, "3"),
    ],
)
def test_wrong_types_are_kept_and_counted(tmp_path: Path, value: Any, kept: str) -> None:
    (message,), problems = read_text(tmp_path, json.dumps(value))
    assert kept in message.text
    assert set(codes(problems)) == {"wrong_type"}


def test_unknown_role_is_counted(tmp_path: Path) -> None:
    (message,), problems = read_text(tmp_path, '{"role": "narrator", "content": "Once"}\n')
    assert message.role == "unknown"
    assert "Once" in message.text
    assert codes(problems) == ["no_conversation", "unknown_line", "wrong_type"]


def test_shapes_may_be_mixed_in_one_file(tmp_path: Path) -> None:
    lines = [
        SAID,
        {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": "b"}]}},
        {"type": "assistant", "message": {"role": "assistant", "content": "c"}},
        {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": "d"}},
    ]
    messages, problems = read_text(tmp_path, "\n".join(json.dumps(line) for line in lines))
    assert [m.text for m in messages] == ["Hi", "b", "c", "d"]
    assert list(problems) == []


def test_bad_json_does_not_end_the_reading(tmp_path: Path) -> None:
    messages, problems = read_text(tmp_path, f'{{"role": oops\n{json.dumps(SAID)}\n{{"role": "us')
    assert [(m.line, m.text) for m in messages] == [(2, "Hi")]
    assert codes(problems) == ["bad_json", "truncated_line"]


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_empty_file_is_no_conversation(tmp_path: Path, text: str) -> None:
    messages, problems = read_text(tmp_path, text)
    assert messages == []
    assert codes(problems) == ["no_conversation"]


def test_document_that_breaks_off_gives_what_it_has(tmp_path: Path) -> None:
    text = json.dumps({"messages": [SAID, SAID, SAID]}, indent=2)
    messages, problems = read_text(tmp_path, text[: text.rindex('"role"')])
    assert [m.text for m in messages] == ["Hi", "Hi"]
    assert codes(problems) == ["bad_json"]


def test_document_with_more_beside_its_messages(tmp_path: Path) -> None:
    messages, problems = read_text(tmp_path, json.dumps({"id": "s", "messages": [SAID], "model": "m"}, indent=1))
    assert [m.role for m in messages] == ["assistant", "system"]
    assert json.loads(messages[1].text) == {"id": "s", "model": "m", "type": "session_meta"}
    assert list(problems) == []


def test_printed_list_and_printed_objects(tmp_path: Path) -> None:
    one = json.dumps(SAID, indent=2)
    for text in (json.dumps([SAID, SAID], indent=2), f"{one}\n{one}\n"):
        messages, problems = read_text(tmp_path, text)
        assert [m.text for m in messages] == ["Hi", "Hi"]
        assert list(problems) == []


def test_document_too_large_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clawjudge.traces.transcripts.read.MAX_DOCUMENT_BYTES", 10)
    messages, problems = read_text(tmp_path, json.dumps([SAID], indent=2))
    assert messages == []
    assert codes(problems) == ["document_too_large", "no_conversation"]


def test_lone_surrogates_and_deep_nesting(tmp_path: Path) -> None:
    deep = '{"role": "assistant", "content": ' + "[" * 900 + "]" * 900 + "}"
    messages, _ = read_text(tmp_path, '{"role": "assistant", "content": "\\ud83d"}\n' + deep + "\n" + "[" * 99_999)
    assert messages[0].text == "\ud83d"
    assert len(messages) >= 1


@pytest.mark.slow
def test_large_file_streams(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    line = json.dumps({"role": "tool", "tool_call_id": "c", "content": "x" * 100_000}) + "\n"
    with path.open("w", encoding="utf-8") as stream:
        for _ in range(1300):
            stream.write(line)
    tracemalloc.start()
    count = sum(1 for _ in read_messages(path, "m.jsonl", ProblemLog()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 1300
    assert peak < 10_000_000
