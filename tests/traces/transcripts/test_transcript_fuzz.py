"""No value, of any type, anywhere in a transcript, stops the reading or makes a line vanish."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.records import Message
from clawjudge.traces.transcripts.controls import ROLES
from clawjudge.traces.transcripts.pages import page_states, read_page
from clawjudge.traces.transcripts.persona import parse_shown, personas_shown
from clawjudge.traces.transcripts.read import read_messages

KEYS = [
    "type", "role", "message", "content", "payload", "item", "part", "state", "result", "model_output", "action",
    "tool_calls", "function", "name", "arguments", "id", "toolCallId", "tool_call_id", "isError", "is_error", "output",
    "metadata", "timestamp", "text", "thinking", "summary", "history", "messages", "url", "title", "error", "input",
    "current_state", "step_end_time", "step_number", "server", "tool", "call_id", "command", "reasoning_content",
]  # fmt: skip
WORDS = [
    "message", "session", "assistant", "user", "system", "tool", "toolResult", "text", "thinking", "toolCall",
    "tool_use",
    "tool_result", "result", "response_item", "event_msg", "session_meta", "function_call", "function_call_output",
    "reasoning", "item.completed", "mcp_tool_call", "command_execution", "turn.failed", "compaction", "custom_message",
    "hermes_log", "step_start", "a.json", "cat a.json", '{"a": [1', "- Page URL: http://a.test/",
    "2026-11-30T12:00:00Z",
]  # fmt: skip

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20), st.sampled_from(WORDS)
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=6)
    ),
    max_leaves=25,
)
shaped = st.builds(
    lambda name, rest: {**rest, "type": name},
    st.sampled_from(WORDS),
    st.dictionaries(st.sampled_from(KEYS), values, max_size=8),
)
lines = st.lists(values | shaped, max_size=5)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "m.jsonl"


def read(path: Path, text: str) -> tuple[list[Message], ProblemLog]:
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    problems = ProblemLog()
    return list(read_messages(path, "m.jsonl", problems)), problems


def assert_whole(messages: list[Message], problems: ProblemLog) -> None:
    """Every part of every message has its type, and what is not understood is counted."""
    for message in messages:
        assert isinstance(message.text, str)
        assert isinstance(message.thinking, str)
        assert message.t_ms is None or isinstance(message.t_ms, int)
        assert all(isinstance(c.id, str) and isinstance(c.name, str) for c in message.tool_calls)
        assert all(isinstance(c.arguments, dict) for c in message.tool_calls)
        assert all(isinstance(r.call_id, str) and isinstance(r.text, str) for r in message.tool_results)
        assert all(isinstance(r.is_error, bool) for r in message.tool_results)
    unknown = sum(message.role == "unknown" for message in messages)
    assert problems.counts[("messages", "m.jsonl", "unknown_line")] == unknown


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(parts=lines)
def test_any_json_line(path: Path, parts: list[Any]) -> None:
    messages, problems = read(path, "".join(json.dumps(part) + "\n" for part in parts))
    list(page_states(messages))
    personas_shown(messages)
    assert_whole(messages, problems)


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(value=values, cut=st.integers(0, 200))
def test_any_document(path: Path, value: Any, cut: int) -> None:
    text = json.dumps({"history": value, "x": value}, indent=1)
    assert_whole(*read(path, text))
    cut = min(cut, len(text) - 1)
    messages, problems = read(path, text[: len(text) - cut])
    assert_whole(messages, problems)
    assert not cut or problems.counts, "a document that ends in the middle is a problem"


@settings(max_examples=300)
@given(text=st.text(alphabet=st.sampled_from("<>/\"'=[]-: \n\tabinputlket`{}#\\|1→*&;é\ud800"), max_size=200))
def test_any_page_text(text: str) -> None:
    page = read_page(text)
    assert {control.role for control in page.controls} <= ROLES
    shown = [page.url, page.title, *page.texts, *(c.label for c in page.controls)]
    # Escapes aside, nothing is shown that was not there.
    assert "&" in text or "\\" in text or all(set(words) <= set(text) | {" "} for words in shown)
    assert all(isinstance(value, dict) for value in parse_shown(text))


@settings(max_examples=200)
@given(
    before=st.text(alphabet=st.sampled_from("<>/'=-: \nabinputlket#|1*é"), max_size=80),
    label=st.text(alphabet="abcdef", min_size=1, max_size=8),
)
def test_a_control_is_seen_below_any_text(before: str, label: str) -> None:
    page = read_page(f'{before}\n- Page URL: http://a.test/\n- Page Snapshot:\n- textbox "{label}"\n')
    assert label in [control.label for control in page.controls]


SAMPLES: list[Any] = [
    {"type": "session", "id": "s", "timestamp": "2026-11-30T12:00:00Z"},
    {
        "type": "message",
        "timestamp": "2026-11-30T12:00:00Z",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "a"},
                {"type": "thinking", "thinking": "b"},
                {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a.json"}},
            ],
        },
    },
    {
        "type": "message",
        "message": {
            "role": "toolResult",
            "toolCallId": "c",
            "isError": False,
            "content": [{"type": "text", "text": "{}"}],
            "timestamp": 1796040000000,
        },
    },
    {"type": "compaction", "summary": "s"},
    {"type": "message", "message": {"role": "bashExecution", "command": "ls", "output": "x"}},
    {
        "type": "user",
        "timestamp": "2026-11-30T12:00:00Z",
        "message": {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t", "is_error": False, "content": [{"type": "text"}]},
            ],
        },
    },
    {"type": "result", "subtype": "success", "result": "Done"},
    {"type": "session_meta", "payload": {"id": "s"}},
    {
        "type": "response_item",
        "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]},
    },
    {"type": "response_item", "payload": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "x"}]}},
    {"type": "response_item", "payload": {"type": "function_call", "name": "sh", "arguments": "{}", "call_id": "c"}},
    {
        "type": "response_item",
        "payload": {
            "type": "function_call_output",
            "call_id": "c",
            "output": {"content": [{"type": "text", "text": "x"}], "success": True, "metadata": {"exit_code": 0}},
        },
    },
    {"type": "event_msg", "payload": {"type": "task_complete", "last_agent_message": "x"}},
    {
        "type": "item.completed",
        "item": {
            "id": "i",
            "type": "mcp_tool_call",
            "server": "s",
            "tool": "t",
            "arguments": {"a": 1},
            "result": {"content": [{"type": "text", "text": "x"}]},
            "error": {"message": "x"},
            "status": "completed",
        },
    },
    {"type": "item.completed", "item": {"id": "i", "type": "command_execution", "command": "ls", "exit_code": 0}},
    {"type": "turn.failed", "error": {"message": "x"}},
    {
        "model_output": {"current_state": {"memory": "m"}, "action": [{"click": {"index": 1}}]},
        "result": [{"extracted_content": "x", "error": "y", "is_done": False}],
        "state": {"url": "http://a.test/", "title": "A"},
        "metadata": {"step_end_time": 1.5, "step_number": 1},
    },
    {"role": "user", "content": [{"type": "text", "text": "x"}], "created_at": 1796040000},
    {
        "role": "assistant",
        "content": "x",
        "reasoning_content": "r",
        "tool_calls": [{"id": "c", "function": {"name": "read_file", "arguments": '{"path": "a.json"}'}}],
        "function_call": {"name": "f", "arguments": "{}"},
    },
    {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "x"}], "is_error": False},
    {"type": "hermes_log", "content": "x"},
    {"from": "gpt", "value": '<think>t</think>x<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'},
    {"from": "tool", "value": '<tool_response>{"tool_call_id": "c", "name": "f", "content": "x"}</tool_response>'},
    {"conversations": [{"from": "human", "value": "x"}], "model": "m"},
    {"type": "tool_use", "part": {"tool": "t", "callID": "c", "state": {"status": "x", "input": {}, "output": "x"}}},
    {"id": "s", "messages": [{"role": "user", "content": "x"}]},
]
WRONG: list[Any] = [None, True, 7, 1e300, -1, "x", "", [], [7], [None], [[]], {}, {"type": "text"}, {"a": {"b": []}}]


def variants(value: Any) -> list[Any]:
    """`value` with each of its parts, in turn, replaced by each wrong value or taken away."""
    found: list[Any] = list(WRONG)
    if isinstance(value, dict):
        for key, part in value.items():
            found.append({k: v for k, v in value.items() if k != key})
            found += [{**value, key: other} for other in variants(part)]
    elif isinstance(value, list):
        for index, part in enumerate(value):
            found += [[*value[:index], other, *value[index + 1 :]] for other in variants(part)]
    return found


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: str(s.get("type") or s.get("role") or sorted(s)[0]))
def test_wrong_type_at_every_place(path: Path, sample: Any) -> None:
    whole, problems = read(path, json.dumps(sample) + "\n")
    assert whole
    assert "unknown" not in {m.role for m in whole}
    assert problems.counts[("messages", "m.jsonl", "wrong_type")] == 0
    cases = variants(sample)
    messages, problems = read(path, "".join(json.dumps(case) + "\n" for case in cases))
    list(page_states(messages))
    personas_shown(messages)
    silent = set(range(1, len(cases) + 1)) - {m.line for m in messages}
    # A line may fall away only where it became a repeat of others, or an empty conversation.
    assert not silent, [cases[line - 1] for line in sorted(silent)][:3]
    unknown = sum(message.role == "unknown" for message in messages)
    assert problems.counts[("messages", "m.jsonl", "unknown_line")] == unknown
