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


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(parts=lines)
def test_any_json_line(path: Path, parts: list[Any]) -> None:
    messages, problems = read(path, "".join(json.dumps(part) + "\n" for part in parts))
    list(page_states(messages))
    personas_shown(messages)
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


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(value=values, cut=st.integers(0, 200))
def test_any_document(path: Path, value: Any, cut: int) -> None:
    text = json.dumps({"history": value, "x": value}, indent=1)
    read(path, text)
    read(path, text[:-cut] if cut else text)


@settings(max_examples=300, deadline=None)
@given(text=st.text(alphabet=st.sampled_from("<>/\"'=[]-: \n\tabinputlket`{}#\\|1→*&;é\ud800"), max_size=200))
def test_any_page_text(text: str) -> None:
    read_page(text)
    parse_shown(text)
