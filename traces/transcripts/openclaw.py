"""OpenClaw and Pi sessions: entries of a tree, one per line, and the event stream of `pi --mode json`.

Entries off the leaf-to-root path (abandoned branches) are kept in file order: the agent did live through them.
Claw-code writes the same envelope with `blocks` in place of `content`.
"""

from __future__ import annotations

from typing import Any

from clawjudge.traces.records import Message, ToolResult
from clawjudge.traces.transcripts.blocks import (
    Notes,
    bookkeeping,
    boolean,
    first,
    read_content,
    read_role,
    read_time,
    result_text,
    string,
)

_BOOKKEEPING = frozenset(
    {
        "session",
        "model_change",
        "thinking_level_change",
        "session_info",
        "label",
        "custom",
        "agent_start",
        "turn_start",
        "auto_compaction_start",
        "auto_compaction_end",
        "auto_retry_start",
        "auto_retry_end",
    }
)
_SUMMARIES = frozenset({"compaction", "branch_summary", "custom_message"})
_MIRRORS = frozenset(
    {
        "message_start",
        "message_update",
        "tool_execution_start",
        "tool_execution_update",
        "tool_execution_end",
        "turn_end",
        "agent_end",
    }
)
"""Pi events whose content comes in full with a `message_end`."""


def recognises(value: dict[str, Any]) -> bool:
    name = value.get("type")
    if name in ("message", "message_end"):
        return isinstance(value.get("message"), dict)
    return isinstance(name, str) and (name in _BOOKKEEPING or name in _SUMMARIES or name in _MIRRORS)


def parse(value: dict[str, Any], line: int, notes: Notes) -> Message | None:
    """The message of a line; None for an event that repeats what another line says in full."""
    name = value["type"]
    if name in _MIRRORS:
        return None
    t_ms = read_time(value.get("timestamp"), "ms", notes)
    if name in _SUMMARIES:
        text = result_text(first(value, ("summary", "content")), notes)
        return Message(line=line, role="system", text=text, t_ms=t_ms)
    if name in _BOOKKEEPING:
        return bookkeeping(value, line, t_ms)
    inner = value["message"]
    if t_ms is None:
        t_ms = read_time(inner.get("timestamp"), "ms", notes)
    return _message(inner, line, t_ms, notes)


def _message(inner: dict[str, Any], line: int, t_ms: int | None, notes: Notes) -> Message:
    given = inner.get("role")
    body = first(inner, ("content", "blocks"))
    if given == "toolResult":
        result = ToolResult(
            call_id=string(inner.get("toolCallId"), "toolCallId", notes),
            text=result_text(body, notes),
            is_error=boolean(inner.get("isError"), "isError", notes),
        )
        return Message(line=line, role="tool", tool_results=(result,), t_ms=t_ms)
    if given == "bashExecution":
        # A command that the user typed into the harness; the agent gets to see both lines.
        text = f"$ {string(inner.get('command'), 'command', notes)}\n{string(inner.get('output'), 'output', notes)}"
        return Message(line=line, role="user", text=text, t_ms=t_ms)
    if given in ("custom", "branchSummary", "compactionSummary"):
        text = result_text(first(inner, ("content", "summary")), notes)
        return Message(line=line, role="system", text=text, t_ms=t_ms)
    role = read_role(given)
    if role is None:
        notes.append("message without a known role")
    return read_content(body, notes).message(line, role or "unknown", t_ms)
