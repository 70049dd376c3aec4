"""Claude Code: `--output-format stream-json` and the project log under `~/.claude/projects`.

One API message may be spread over several lines, one block each; every line is a message of its own here, because
every line can be cited on its own.
"""

from __future__ import annotations

from typing import Any

from clawjudge.traces.records import Message
from clawjudge.traces.transcripts.blocks import (
    Notes,
    bookkeeping,
    first,
    joined,
    read_content,
    read_role,
    read_time,
    string,
)

_BOOKKEEPING = frozenset(
    {
        "summary",
        "custom-title",
        "ai-title",
        "agent-name",
        "attachment",
        "file-history-snapshot",
        "file-history-delta",
        "queue-operation",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "rate_limit_event",
        "tool_progress",
        "tool_use_summary",
        "auth_status",
        "prompt_suggestion",
        "control_request",
        "control_response",
        "control_cancel_request",
        "keep_alive",
    }
)


def recognises(value: dict[str, Any]) -> bool:
    name = value.get("type")
    if name in ("user", "assistant"):
        return isinstance(value.get("message"), dict)
    if name == "system":
        return "subtype" in value or "session_id" in value or "sessionId" in value
    if name == "result":
        return "result" in value or "subtype" in value
    if name == "stream_event":
        return True
    return isinstance(name, str) and name in _BOOKKEEPING


def parse(value: dict[str, Any], line: int, notes: Notes) -> Message | None:
    """The message of a line; None for partial output that a whole message repeats."""
    name = value["type"]
    if name == "stream_event":
        return None
    t_ms = read_time(value.get("timestamp"), "ms", notes)
    if name == "result":
        return Message(line=line, role="result", text=_closing(value, notes), t_ms=t_ms)
    if name not in ("user", "assistant"):
        return bookkeeping(value, line, t_ms)
    inner = value["message"]
    content = read_content(inner.get("content"), notes)
    role = read_role(first(inner, ("role",)) or name)
    if role is None:
        notes.append("message without a known role")
        role = "unknown"
    # Tool results ride on lines of type `user`; nothing in them was said by the user.
    if role == "user" and content.results and not content.texts:
        role = "tool"
    return content.message(line, role, t_ms)


def _closing(value: dict[str, Any], notes: Notes) -> str:
    parts = [string(value.get("result"), "result", notes)]
    subtype = value.get("subtype")
    if subtype != "success" and subtype is not None:
        parts.append(f"[{string(subtype, 'subtype of a result', notes)}]")
    return joined(parts)
