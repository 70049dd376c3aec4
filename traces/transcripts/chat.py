"""Messages with a role at the top level: OpenAI-style chat logs, Hermes exports, and other plain logs."""

from __future__ import annotations

from typing import Any

from clawjudge.traces.jsonl import decode
from clawjudge.traces.records import Message, ToolResult
from clawjudge.traces.transcripts.blocks import (
    Content,
    Notes,
    bookkeeping,
    boolean,
    first,
    kind,
    read_call,
    read_content,
    read_role,
    read_time,
    render,
    result_text,
    string,
)


def recognises(value: dict[str, Any]) -> bool:
    return isinstance(value.get("role"), str) or value.get("type") in ("session_meta", "hermes_log")


def parse(value: dict[str, Any], line: int, notes: Notes) -> Message:
    t_ms = read_time(first(value, ("timestamp", "created_at", "t")), "mixed", notes)
    if value.get("type") == "hermes_log":
        # What ClawBench keeps when Hermes left no session: its output, which is evidence but no conversation.
        return Message(line=line, role="system", text=string(value.get("content"), "content", notes), t_ms=t_ms)
    if value.get("role") in (None, "session_meta"):
        return bookkeeping(value, line, t_ms)
    role = read_role(value["role"])
    if role is None:
        notes.append(f"unknown role {render(value['role'], limit=40)}")
        return Message(line=line, role="unknown", text=render(value), t_ms=t_ms)
    if role == "tool":
        return _tool_message(value, line, t_ms, notes)
    content = read_content(value.get("content"), notes)
    _add_thoughts(content, value, notes)
    _add_calls(content, value, notes)
    if role == "user" and content.results and not content.texts:
        role = "tool"
    return content.message(line, role, t_ms)


def _tool_message(value: dict[str, Any], line: int, t_ms: int | None, notes: Notes) -> Message:
    body = value.get("content")
    if isinstance(body, list) and any(isinstance(b, dict) and "result" in str(b.get("type")) for b in body):
        return read_content(body, notes).message(line, "tool", t_ms)
    result = ToolResult(
        call_id=string(first(value, ("tool_call_id", "toolCallId", "call_id")), "tool_call_id", notes),
        text=result_text(body, notes),
        is_error=boolean(first(value, ("is_error", "isError")), "error mark", notes),
    )
    return Message(line=line, role="tool", tool_results=(result,), t_ms=t_ms)


def _add_thoughts(content: Content, value: dict[str, Any], notes: Notes) -> None:
    thought = first(value, ("reasoning_content", "reasoning", "thinking"))
    if isinstance(thought, list):
        part = read_content(thought, notes)
        content.thoughts += part.texts + part.thoughts
    elif thought is not None:
        content.thoughts.append(string(thought, "reasoning", notes))
    if value.get("refusal") is not None:
        content.texts.append(string(value["refusal"], "refusal", notes))


def _add_calls(content: Content, value: dict[str, Any], notes: Notes) -> None:
    calls: Any = value.get("tool_calls")
    if isinstance(calls, str):
        # Hermes keeps the list as text in its database, and some exports leave it so.
        text = calls
        try:
            calls = decode(text.encode("utf-8", "surrogatepass")) if text else None
        except ValueError:
            notes.append("tool_calls is text that is not JSON")
            content.texts.append(text)
            calls = None
    if isinstance(value.get("function_call"), dict):
        content.calls.append(read_call(value["function_call"], notes))
    if calls is None:
        return
    if not isinstance(calls, list):
        notes.append(f"tool_calls is {kind(calls)}")
        content.texts.append(render(calls))
        return
    for call in calls:
        if isinstance(call, dict):
            content.calls.append(read_call(call, notes))
        else:
            notes.append(f"tool_calls holds {kind(call)}")
            content.texts.append(render(call))
