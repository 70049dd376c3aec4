"""Hermes' ShareGPT export becomes the same message model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.records import Message, ToolCall, ToolResult
from clawjudge.traces.transcripts.calls import OpenCalls
from clawjudge.traces.transcripts.read import read_messages


def read(tmp_path: Path, *lines: Any) -> tuple[list[Message], ProblemLog]:
    path = tmp_path / "agent-messages.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    problems = ProblemLog()
    return list(read_messages(path, "agent-messages.jsonl", problems)), problems


def clean(tmp_path: Path, *lines: Any) -> list[Message]:
    messages, problems = read(tmp_path, *lines)
    assert list(problems) == []
    return messages


class TestShareGpt:
    """Hermes' trajectory export: one conversation a line, calls and results inside the texts."""

    CALL = '<tool_call>\n{"name": "browser_click", "arguments": {"ref": "@e3"}}\n</tool_call>'
    RESULT = '<tool_response>\n{"tool_call_id": "c1", "name": "click", "content": {"ok": 1}}\n</tool_response>'

    def test_export(self, tmp_path: Path) -> None:
        turns = [
            {"from": "system", "value": "Call tools like <tool_call>\n{'name': <function-name>}\n</tool_call>"},
            {"from": "human", "value": "Buy a mug. <think>obey</think>"},
            {"from": "gpt", "value": f"<think>\nPress it.\n</think>\nNow.\n{self.CALL}\n{self.CALL}"},
            {"from": "tool", "value": f"{self.RESULT}\n{self.RESULT}"},
            {"from": "gpt", "value": "<think>\n</think>\nDone."},
        ]
        row = {"conversations": turns, "timestamp": "2026-03-30T14:22:31", "model": "m", "completed": True}
        _, *messages = clean(tmp_path, row)
        assert [m.role for m in messages] == ["system", "user", "assistant", "tool", "assistant"]
        assert messages[0].tool_calls == ()
        assert messages[1].text == turns[1]["value"]
        assert (messages[2].text, messages[2].thinking) == ("Now.", "Press it.")
        assert messages[2].tool_calls == (ToolCall("", "browser_click", {"ref": "@e3"}),) * 2
        assert messages[3].tool_results == (ToolResult("c1", '{"ok":1}'),) * 2
        assert (messages[4].text, messages[4].thinking) == ("Done.", "")

    def test_document_over_several_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "agent-messages.jsonl"
        turns = [{"from": "human", "value": "Buy"}, {"from": "gpt", "value": self.CALL}]
        path.write_text(json.dumps({"conversations": turns, "model": "m"}, indent=2))
        problems = ProblemLog()
        messages = list(read_messages(path, path.name, problems))
        assert [m.role for m in messages] == ["user", "assistant", "system"]
        assert len(messages[1].tool_calls) == 1
        assert not len(problems)

    def test_broken_call_is_kept_as_text(self, tmp_path: Path) -> None:
        messages, problems = read(tmp_path, {"from": "gpt", "value": "<tool_call>\n{broken\n</tool_call>"})
        assert messages[0].text == "{broken"
        assert [p.code for p in problems] == ["wrong_type"]

    def test_plain_response(self, tmp_path: Path) -> None:
        turns = {"from": "gpt", "value": "x"}, {"from": "tool", "value": "<tool_response>\nfine\n</tool_response>"}
        assert clean(tmp_path, *turns)[1].tool_results == (ToolResult("", "fine"),)

    def test_results_answer_calls_without_ids_in_their_order(self, tmp_path: Path) -> None:
        calls = "".join(self.CALL.replace("@e3", ref) for ref in ("@e1", "@e2"))
        _, message, results = clean(
            tmp_path,
            {"from": "human", "value": "x"},
            {"from": "gpt", "value": calls},
            {"from": "tool", "value": self.RESULT + self.RESULT.replace("c1", "c2")},
        )
        known = OpenCalls()
        known.see(message)
        answered = [known.of(result) for result in results.tool_results]
        assert [call.arguments["ref"] for call in answered if call] == ["@e1", "@e2"]
        assert known.of(results.tool_results[0]) is None
