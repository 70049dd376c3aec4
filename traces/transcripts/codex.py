"""Codex: rollout files (an envelope of `type` and `payload`), the older flat form, and events of `codex exec --json`.

A rollout interleaves two logs: `response_item`, what the model exchanged, and `event_msg`, what the screen showed. The
second repeats the first and is read only for what it alone has.
"""

from __future__ import annotations

from typing import Any

from clawjudge.traces.jsonl import decode
from clawjudge.traces.records import Message, ToolCall, ToolResult
from clawjudge.traces.transcripts.blocks import (
    Content,
    Notes,
    bookkeeping,
    first,
    joined,
    kind,
    read_arguments,
    read_call,
    read_content,
    read_role,
    read_time,
    render,
    result_text,
    string,
)

_SETTINGS = ("session_meta", "turn_context", "compacted", "world_state", "inter_agent_communication")
_ENVELOPES = frozenset({"response_item", "event_msg", *_SETTINGS})
_STREAM = ("thread.", "turn.", "item.")
_FLAT = frozenset(
    {
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "web_search_call",
        "reasoning",
        "ghost_snapshot",
    }
)
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_MIRRORS = (
    "agent_message",
    "agent_reasoning",
    "user_message",
    "exec_command_",
    "mcp_tool_call_",
    "web_search_",
    "patch_apply_",
    "raw_response_item",
    "view_image_tool_call",
)
"""Display events, by the beginning of their names, whose content comes as a `response_item`."""
_UNWRAPPED_KEYS = frozenset({"output", "metadata", "content", "success", "isError", "structuredContent", "_meta"})


def recognises(value: dict[str, Any]) -> bool:
    name = value.get("type")
    if not isinstance(name, str):
        return False
    if name in _ENVELOPES:
        return isinstance(value.get("payload"), dict)
    if name.startswith(_STREAM):
        return True
    if name == "error":
        return isinstance(value.get("message"), str)
    return name in _FLAT and "part" not in value


def parse(value: dict[str, Any], line: int, notes: Notes) -> Message | None:
    """The message of a line; None for a display event that repeats a protocol item."""
    name = value["type"]
    t_ms = read_time(value.get("timestamp"), "ms", notes)
    if name.startswith(_STREAM) or name == "error":
        return _stream_event(value, name, line, t_ms, notes)
    if name in _FLAT:
        return _item(value, line, t_ms, notes)
    payload = value["payload"]
    if name == "response_item":
        return _item(payload, line, t_ms, notes)
    if name == "event_msg":
        return _event(payload, line, t_ms, notes)
    return bookkeeping(value, line, t_ms)


def _item(item: dict[str, Any], line: int, t_ms: int | None, notes: Notes) -> Message:
    name = item.get("type")
    if name == "message":
        role = read_role(item.get("role"))
        if role is None:
            notes.append("message without a known role")
        return read_content(item.get("content"), notes).message(line, role or "unknown", t_ms)
    if name == "reasoning":
        content = Content()
        for key in ("summary", "content"):
            part = read_content(item.get(key), notes)
            content.thoughts += part.texts + part.thoughts
        return content.message(line, "assistant", t_ms)
    if name in ("function_call", "custom_tool_call"):
        return Content(calls=[read_call(item, notes)]).message(line, "assistant", t_ms)
    if name in ("local_shell_call", "web_search_call"):
        identifier = string(first(item, ("call_id", "id")), "call_id", notes)
        call = ToolCall(identifier, str(name).removesuffix("_call"), read_arguments(item.get("action"), notes))
        return Content(calls=[call]).message(line, "assistant", t_ms)
    if isinstance(name, str) and name in _OUTPUTS:
        text, failed = _output(item.get("output"), notes)
        result = ToolResult(string(item.get("call_id"), "call_id", notes), text, failed)
        return Message(line=line, role="tool", tool_results=(result,), t_ms=t_ms)
    if name in ("ghost_snapshot", "compaction", "compaction_summary"):
        return bookkeeping(item, line, t_ms)
    notes.append(f"unknown response item `{str(name)[:40]}`")
    return Message(line=line, role="unknown", text=render(item), t_ms=t_ms)


def _output(value: object, notes: Notes) -> tuple[str, bool]:
    """Text of a tool output and whether it failed. Shell and MCP outputs are JSON inside a string."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            inner = decode(value.encode("utf-8", "surrogatepass"))
        except ValueError:
            return value, False
        # A file that the agent printed may be JSON too: only the harness's own wrappings are taken off.
        if not _is_wrapping(inner):
            return value, False
        value = inner
    if isinstance(value, dict):
        metadata = value.get("metadata")
        code = metadata.get("exit_code") if isinstance(metadata, dict) else None
        failed = value.get("success") is False or value.get("isError") is True or code not in (None, 0)
        return result_text(first(value, ("output", "content")), notes), failed
    return result_text(value, notes), False


def _is_wrapping(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(part, dict) and part.get("type") in ("text", "image") for part in value)
    if not isinstance(value, dict) or not value.keys() <= _UNWRAPPED_KEYS:
        return False
    if isinstance(value.get("output"), str):
        return isinstance(value.get("metadata"), dict)
    return _is_wrapping(value.get("content")) if isinstance(value.get("content"), list) else False


def _event(payload: dict[str, Any], line: int, t_ms: int | None, notes: Notes) -> Message | None:
    name = payload.get("type")
    if name in ("task_complete", "turn_complete"):
        text = string(payload.get("last_agent_message"), "last_agent_message", notes)
        return Message(line=line, role="result", text=text, t_ms=t_ms)
    if not isinstance(name, str):
        notes.append(f"event type is {kind(name)}")
        return Message(line=line, role="unknown", text=render(payload), t_ms=t_ms)
    return None if name.startswith(_MIRRORS) else bookkeeping(payload, line, t_ms)


def _stream_event(value: dict[str, Any], name: str, line: int, t_ms: int | None, notes: Notes) -> Message:
    if name in ("turn.failed", "error"):
        failure = value.get("error")
        text = failure.get("message") if isinstance(failure, dict) else value.get("message")
        return Message(line=line, role="result", text=f"[error] {string(text, 'error message', notes)}", t_ms=t_ms)
    item = value.get("item")
    if name == "item.completed" and isinstance(item, dict):
        return _completed(item, line, t_ms, notes)
    # `item.started` and `item.updated` come again when completed; a killed run leaves them as the only trace of a call.
    return bookkeeping(value, line, t_ms)


def _completed(item: dict[str, Any], line: int, t_ms: int | None, notes: Notes) -> Message:
    # Older versions say `item_type` and `assistant_message`.
    name = first(item, ("type", "item_type"))
    identifier = string(item.get("id"), "id of an item", notes)
    failed = item.get("status") in ("failed", "declined")
    if name in ("agent_message", "assistant_message", "plan"):
        return Message(line=line, role="assistant", text=string(item.get("text"), "text", notes), t_ms=t_ms)
    if name == "reasoning":
        return Message(line=line, role="assistant", thinking=string(item.get("text"), "text", notes), t_ms=t_ms)
    if name == "command_execution":
        call = ToolCall(identifier, "shell", {"command": item.get("command")})
        output = string(item.get("aggregated_output"), "aggregated_output", notes)
        result = ToolResult(identifier, output, failed or item.get("exit_code") not in (None, 0))
        return Content(calls=[call], results=[result]).message(line, "assistant", t_ms)
    if name == "mcp_tool_call":
        tool = f"mcp__{string(item.get('server'), 'server', notes)}__{string(item.get('tool'), 'tool', notes)}"
        call = ToolCall(identifier, tool, read_arguments(item.get("arguments"), notes))
        result = ToolResult(identifier, _mcp_text(item, notes), failed or item.get("error") is not None)
        return Content(calls=[call], results=[result]).message(line, "assistant", t_ms)
    if name in ("file_change", "web_search", "todo_list", "collab_tool_call"):
        arguments = {key: part for key, part in item.items() if key not in ("id", "type", "item_type", "status")}
        return Content(calls=[ToolCall(identifier, str(name), arguments)]).message(line, "assistant", t_ms)
    if name == "error":
        return Message(line=line, role="system", text=string(item.get("message"), "message", notes), t_ms=t_ms)
    notes.append(f"unknown item `{str(name)[:40]}`")
    return Message(line=line, role="unknown", text=render(item), t_ms=t_ms)


def _mcp_text(item: dict[str, Any], notes: Notes) -> str:
    result, error = item.get("result"), item.get("error")
    shown = result_text(result.get("content") if isinstance(result, dict) else result, notes)
    message = error.get("message") if isinstance(error, dict) else error
    return joined([shown, string(message, "error message", notes)])
