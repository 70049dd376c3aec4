"""opencode: events of `opencode run --format json`, each around one `part` of a message."""

from __future__ import annotations

from typing import Any

from clawjudge.traces.records import Message, ToolCall, ToolResult
from clawjudge.traces.transcripts.blocks import (
    Content,
    Notes,
    bookkeeping,
    joined,
    kind,
    read_arguments,
    read_time,
    render,
    result_text,
    string,
)

_TYPES = frozenset({"text", "reasoning", "tool_use", "step_start", "step_finish"})


def recognises(value: dict[str, Any]) -> bool:
    name = value.get("type")
    if name == "error":
        return "sessionID" in value
    return isinstance(name, str) and name in _TYPES and isinstance(value.get("part"), dict)


def parse(value: dict[str, Any], line: int, notes: Notes) -> Message:
    name = value["type"]
    t_ms = read_time(value.get("timestamp"), "ms", notes)
    if name == "error":
        return Message(line=line, role="result", text=f"[error] {render(value.get('error'))}", t_ms=t_ms)
    part = value["part"]
    if name == "text":
        return Message(line=line, role="assistant", text=string(part.get("text"), "text", notes), t_ms=t_ms)
    if name == "reasoning":
        return Message(line=line, role="assistant", thinking=string(part.get("text"), "text", notes), t_ms=t_ms)
    if name != "tool_use":
        return bookkeeping(value, line, t_ms)
    return _tool(part, line, t_ms, notes)


def _tool(part: dict[str, Any], line: int, t_ms: int | None, notes: Notes) -> Message:
    state = part.get("state")
    if not isinstance(state, dict):
        notes.append(f"state of a tool is {kind(state)}")
        state = {}
    identifier = string(part.get("callID"), "callID", notes)
    tool = string(part.get("tool"), "name of a tool", notes)
    call = ToolCall(identifier, tool, read_arguments(state.get("input"), notes))
    shown = joined([result_text(state.get("output"), notes), string(state.get("error"), "error", notes)])
    result = ToolResult(identifier, shown, state.get("status") == "error")
    return Content(calls=[call], results=[result]).message(line, "assistant", t_ms)
