"""Every harness's own shape, hand-written after real files, becomes the same message model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.records import Message, ToolCall, ToolResult
from clawjudge.traces.transcripts.read import read_messages

NOON = 1_796_040_000_000
"""2026-11-30T12:00:00Z."""


def read(tmp_path: Path, *lines: Any) -> tuple[list[Message], ProblemLog]:
    path = tmp_path / "agent-messages.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    problems = ProblemLog()
    return list(read_messages(path, "agent-messages.jsonl", problems)), problems


def clean(tmp_path: Path, *lines: Any) -> list[Message]:
    messages, problems = read(tmp_path, *lines)
    assert list(problems) == []
    return messages


class TestOpenClaw:
    def test_session(self, tmp_path: Path) -> None:
        messages = clean(
            tmp_path,
            {"type": "session", "version": 3, "id": "s", "timestamp": "2026-11-30T12:00:00.000Z", "cwd": "/w"},
            {"type": "model_change", "id": "a", "parentId": None, "timestamp": "2026-11-30T12:00:00Z", "modelId": "m"},
            {
                "type": "message",
                "id": "b",
                "parentId": None,
                "timestamp": "2026-11-30T12:00:00Z",
                "message": {"role": "user", "content": "Buy tea", "timestamp": NOON},
            },
            {
                "type": "message",
                "id": "c",
                "parentId": "b",
                "message": {
                    "role": "assistant",
                    "timestamp": NOON + 5,
                    "content": [
                        {"type": "thinking", "thinking": "Look first."},
                        {"type": "text", "text": "Looking."},
                        {"type": "toolCall", "id": "t1", "name": "browser", "arguments": {"action": "snapshot"}},
                    ],
                },
            },
            {
                "type": "message",
                "id": "d",
                "parentId": "c",
                "message": {
                    "role": "toolResult",
                    "toolCallId": "t1",
                    "content": [{"type": "text", "text": "page"}, {"type": "image", "data": "AAAA"}],
                    "isError": True,
                },
            },
            {"type": "compaction", "id": "e", "parentId": "d", "summary": "Bought tea so far."},
        )
        assert [m.role for m in messages] == ["system", "system", "user", "assistant", "tool", "system"]
        assert messages[2] == Message(3, "user", "Buy tea", t_ms=NOON)
        assert messages[3].thinking == "Look first."
        assert messages[3].text == "Looking."
        assert messages[3].tool_calls == (ToolCall("t1", "browser", {"action": "snapshot"}),)
        assert messages[3].t_ms == NOON + 5
        assert messages[4].tool_results == (ToolResult("t1", "page\n[image]", is_error=True),)
        assert messages[5].text == "Bought tea so far."

    def test_pi_events_are_not_doubled(self, tmp_path: Path) -> None:
        said = {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}
        messages = clean(
            tmp_path,
            {"type": "agent_start"},
            {"type": "message_start", "message": {"role": "assistant", "content": []}},
            {"type": "message_end", "message": said},
            {"type": "turn_end", "message": said, "toolResults": []},
            {"type": "agent_end", "messages": [said]},
        )
        assert [(m.role, m.text) for m in messages if m.role != "system"] == [("assistant", "Hi")]

    def test_branches_stay(self, tmp_path: Path) -> None:
        def entry(name: str, parent: str | None, text: str) -> dict[str, Any]:
            inner = {"role": "assistant", "content": [{"type": "text", "text": text}]}
            return {"type": "message", "id": name, "parentId": parent, "message": inner}

        lines = [entry("a", None, "one"), entry("b", "a", "left"), entry("c", "a", "right")]
        assert [m.text for m in clean(tmp_path, *lines)] == ["one", "left", "right"]

    def test_claw_code_blocks(self, tmp_path: Path) -> None:
        blocks = [{"type": "tool_result", "tool_use_id": "x", "tool_name": "Read", "output": "text", "is_error": False}]
        (message,) = clean(tmp_path, {"type": "message", "message": {"role": "tool", "blocks": blocks}})
        assert message.tool_results == (ToolResult("x", "text"),)


class TestClaudeCode:
    def test_stream_json(self, tmp_path: Path) -> None:
        messages = clean(
            tmp_path,
            {"type": "system", "subtype": "init", "cwd": "w", "session_id": "s", "tools": ["Read"], "model": "m"},
            {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Hello"}]}},
            {
                "type": "assistant",
                "message": {
                    "role": "assistant",
                    "content": [
                        {"type": "redacted_thinking", "data": "x"},
                        {"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "a.json"}},
                    ],
                },
            },
            {
                "type": "user",
                "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "{}"}]},
            },
            {"type": "stream_event", "event": {"type": "content_block_delta"}},
            {"type": "result", "subtype": "success", "is_error": False, "result": "Done."},
        )
        assert [m.role for m in messages] == ["system", "assistant", "assistant", "tool", "result"]
        assert messages[2].tool_calls == (ToolCall("t", "Read", {"file_path": "a.json"}),)
        assert messages[3].tool_results == (ToolResult("t", "{}"),)
        assert messages[4] == Message(6, "result", "Done.")

    def test_project_log(self, tmp_path: Path) -> None:
        stamp = "2026-11-30T12:00:00.250Z"
        messages = clean(
            tmp_path,
            {"type": "summary", "summary": "Tea", "leafUuid": "u"},
            {"type": "user", "timestamp": stamp, "uuid": "1", "message": {"role": "user", "content": "Buy tea"}},
            {
                "type": "user",
                "timestamp": stamp,
                "message": {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "t",
                            "is_error": True,
                            "content": [{"type": "text", "text": "no"}, {"type": "text", "text": "way"}],
                        }
                    ],
                },
            },
            {"type": "file-history-snapshot", "snapshot": {}},
        )
        assert [m.role for m in messages] == ["system", "user", "tool", "system"]
        assert messages[1].t_ms == NOON + 250
        assert messages[2].tool_results == (ToolResult("t", "no\nway", is_error=True),)

    def test_failed_result_says_so(self, tmp_path: Path) -> None:
        lines = [
            {"type": "assistant", "message": {"role": "assistant", "content": "x"}},
            {"type": "result", "subtype": "error_max_turns", "is_error": True},
        ]
        assert clean(tmp_path, *lines)[1].text == "[error_max_turns]"


class TestCodex:
    def test_rollout(self, tmp_path: Path) -> None:
        def line(name: str, payload: dict[str, Any]) -> dict[str, Any]:
            return {"timestamp": "2026-11-30T12:00:00.000Z", "type": name, "payload": payload}

        asked = {"type": "input_text", "text": "Go"}
        cat = '{"command":["cat","a.json"]}'
        mcp = json.dumps([{"type": "text", "text": "- Page URL: http://a.test/"}])
        shell = json.dumps({"output": "{}", "metadata": {"exit_code": 1, "duration_seconds": 0.1}})
        messages = clean(
            tmp_path,
            line("session_meta", {"id": "s", "cwd": "/w"}),
            line("turn_context", {"model": "m"}),
            line("response_item", {"type": "message", "role": "user", "content": [asked]}),
            line("event_msg", {"type": "user_message", "message": "Go"}),
            line("response_item", {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm"}]}),
            line("event_msg", {"type": "agent_reasoning", "text": "Hm"}),
            line(
                "response_item",
                {"type": "function_call", "name": "shell", "arguments": cat, "call_id": "c1"},
            ),
            line("response_item", {"type": "function_call_output", "call_id": "c1", "output": shell}),
            line("response_item", {"type": "function_call_output", "call_id": "c2", "output": mcp}),
            line("response_item", {"type": "function_call_output", "call_id": "c3", "output": '{"identity": {}}'}),
            line(
                "response_item",
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done"}]},
            ),
            line("event_msg", {"type": "agent_message", "message": "Done"}),
            line("event_msg", {"type": "token_count", "info": None}),
            line("event_msg", {"type": "task_complete", "last_agent_message": "Done"}),
        )
        spoken = [m for m in messages if m.role != "system"]
        roles = ["user", "assistant", "assistant", "tool", "tool", "tool", "assistant", "result"]
        assert [m.role for m in spoken] == roles
        assert spoken[1].thinking == "Hm"
        assert spoken[2].tool_calls == (ToolCall("c1", "shell", {"command": ["cat", "a.json"]}),)
        assert spoken[3].tool_results == (ToolResult("c1", "{}", is_error=True),)
        assert spoken[4].tool_results[0].text == "- Page URL: http://a.test/"
        assert spoken[5].tool_results[0].text == '{"identity": {}}'
        assert [m.text for m in spoken].count("Done") == 2

    def test_exec_events(self, tmp_path: Path) -> None:
        messages = clean(
            tmp_path,
            {"type": "thread.started", "thread_id": "t"},
            {"type": "turn.started"},
            {"type": "item.started", "item": {"id": "i0", "type": "mcp_tool_call", "server": "pw", "tool": "click"}},
            {
                "type": "item.completed",
                "item": {
                    "id": "i0",
                    "type": "mcp_tool_call",
                    "server": "pw",
                    "tool": "click",
                    "arguments": {"ref": "e1"},
                    "result": {"content": [{"type": "text", "text": "ok"}], "structured_content": None},
                    "error": None,
                    "status": "completed",
                },
            },
            {
                "type": "item.completed",
                "item": {
                    "id": "i1",
                    "type": "command_execution",
                    "command": "bash -lc 'cat a.json'",
                    "aggregated_output": "{}",
                    "exit_code": 0,
                    "status": "completed",
                },
            },
            {"type": "item.completed", "item": {"id": "i2", "type": "agent_message", "text": "Done"}},
            {"type": "turn.completed", "usage": {"input_tokens": 1}},
            {"type": "turn.failed", "error": {"message": "quota"}},
        )
        spoken = [m for m in messages if m.role != "system"]
        assert spoken[0].tool_calls == (ToolCall("i0", "mcp__pw__click", {"ref": "e1"}),)
        assert spoken[0].tool_results == (ToolResult("i0", "ok"),)
        assert spoken[1].tool_results == (ToolResult("i1", "{}"),)
        assert [(m.role, m.text) for m in spoken[2:]] == [("assistant", "Done"), ("result", "[error] quota")]

    def test_display_log_alone_is_reported(self, tmp_path: Path) -> None:
        messages, problems = read(tmp_path, {"type": "event_msg", "payload": {"type": "agent_message", "message": "x"}})
        assert messages == []
        assert [p.code for p in problems] == ["no_conversation"]


class TestBrowserUse:
    STEP = {
        "model_output": {
            "thinking": "Fill it.",
            "memory": "On the form.",
            "action": [{"input_text": {"index": 3, "text": "Alex"}}, {"click_element": {"index": 4}}],
        },
        "result": [{"extracted_content": "Typed Alex"}, {"error": "Element 4 is gone"}],
        "state": {"url": "http://a.test/f", "title": "Form\n- Page URL: http://evil.test/", "tabs": []},
        "metadata": {"step_start_time": 1796039999.0, "step_end_time": 1796040000.5, "step_number": 2},
    }

    def test_step(self, tmp_path: Path) -> None:
        (message,) = clean(tmp_path, self.STEP)
        assert message.role == "assistant"
        assert message.t_ms == NOON + 500
        assert message.thinking == "Fill it.\nOn the form."
        assert message.tool_calls[0] == ToolCall("2.0", "input_text", {"index": 3, "text": "Alex"})
        page, typed, failed = message.tool_results
        assert page.text.splitlines()[0] == "- Page URL: http://a.test/f"
        assert len(page.text.splitlines()) == 2
        assert typed == ToolResult("2.0", "Typed Alex")
        assert failed == ToolResult("2.1", "Element 4 is gone", is_error=True)

    def test_old_form_and_closing_word(self, tmp_path: Path) -> None:
        step = {
            "model_output": {"current_state": {"next_goal": "Finish"}, "action": [{"done": {"text": "Bye"}}]},
            "result": [{"is_done": True, "extracted_content": "Bye"}],
            "state": {"url": "http://a.test/", "title": ""},
            "metadata": None,
        }
        (message,) = clean(tmp_path, step)
        assert message.thinking == "Finish"
        assert message.text == "Bye"
        assert [r.text for r in message.tool_results] == ["- Page URL: http://a.test/"]

    @pytest.mark.parametrize("indent", [None, 2])
    def test_one_document(self, tmp_path: Path, indent: int | None) -> None:
        path = tmp_path / "history.json"
        path.write_text(json.dumps({"history": [self.STEP, self.STEP]}, indent=indent), encoding="utf-8")
        problems = ProblemLog()
        messages = list(read_messages(path, "history.json", problems))
        assert list(problems) == []
        assert [m.role for m in messages] == ["assistant", "assistant"]
        if indent:
            lines = path.read_text(encoding="utf-8").splitlines()
            assert [lines[m.line - 1].strip() for m in messages] == ["{", "{"]
            assert messages[0].line == 3


class TestChat:
    def test_plain(self, tmp_path: Path) -> None:
        function = {"name": "read_file", "arguments": '{"path": "a.json"}'}
        messages = clean(
            tmp_path,
            {"role": "system", "content": "Be careful."},
            {"role": "user", "content": [{"type": "text", "text": "Buy"}, {"type": "image_url", "image_url": {}}]},
            {
                "role": "assistant",
                "content": None,
                "reasoning_content": "Read first.",
                "tool_calls": [{"id": "c", "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": "c", "content": "{}"},
            {"role": "developer", "content": "x", "created_at": 1796040000},
        )
        assert [m.role for m in messages] == ["system", "user", "assistant", "tool", "system"]
        assert messages[1].text == "Buy\n[image_url]"
        assert messages[2].thinking == "Read first."
        assert messages[2].tool_calls == (ToolCall("c", "read_file", {"path": "a.json"}),)
        assert messages[3].tool_results == (ToolResult("c", "{}"),)
        assert messages[4].t_ms == NOON

    def test_hermes_export(self, tmp_path: Path) -> None:
        calls = json.dumps([{"id": "c", "function": {"name": "browser_snapshot", "arguments": "{}"}}])
        row = {"type": "message", "session_id": "s"}
        messages = clean(
            tmp_path,
            {"type": "session_meta", "id": "s", "model": "m"},
            {**row, "message_index": 0, "role": "user", "content": "Buy", "timestamp": 1796040000.25},
            {**row, "message_index": 1, "role": "assistant", "content": "", "tool_calls": calls, "reasoning": "Look"},
            {**row, "message_index": 2, "role": "tool", "tool_call_id": "c", "tool_name": "x", "content": "page"},
        )
        assert [m.role for m in messages] == ["system", "user", "assistant", "tool"]
        assert messages[1].t_ms == NOON + 250
        assert messages[2].tool_calls == (ToolCall("c", "browser_snapshot", {}),)

    def test_hermes_log_is_no_conversation(self, tmp_path: Path) -> None:
        messages, problems = read(tmp_path, {"type": "hermes_log", "stream": "stderr", "content": "Traceback"})
        assert [(m.role, m.text) for m in messages] == [("system", "Traceback")]
        assert [p.code for p in problems] == ["no_conversation"]

    def test_session_row_with_its_messages(self, tmp_path: Path) -> None:
        row = {"id": "s", "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
        assert [(m.role, m.text) for m in clean(tmp_path, row)][1:] == [("user", "a"), ("assistant", "b")]


def test_opencode(tmp_path: Path) -> None:
    state = {"status": "completed", "input": {"path": "a"}, "output": "text"}
    messages = clean(
        tmp_path,
        {"type": "step_start", "timestamp": NOON, "sessionID": "s", "part": {"type": "step-start"}},
        {"type": "tool_use", "timestamp": NOON, "part": {"tool": "read", "callID": "c", "state": state}},
        {"type": "text", "timestamp": NOON, "part": {"type": "text", "text": "Done"}},
    )
    assert messages[1].tool_calls == (ToolCall("c", "read", {"path": "a"}),)
    assert messages[1].tool_results == (ToolResult("c", "text"),)
    assert (messages[2].role, messages[2].text) == ("assistant", "Done")
