"""What all transcript shapes share: content blocks, tool arguments, and values that are not of the expected type.

Shapes differ in their envelopes; inside, each is a mix of the same few blocks. A parser notes what it did not expect in
a list that it is given; whatever the type of a value, its text is kept, so that nothing disappears.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from clawjudge.traces.clock import parse_time
from clawjudge.traces.jsonl import decode
from clawjudge.traces.records import Message, ToolCall, ToolResult

RENDER_LIMIT = 10_000
"""Characters kept of a value that has no place in a message; the line itself stays citable in full."""

Notes = list[str]
"""What a line held that its shape does not allow; each becomes a problem of the `messages` layer."""

_TEXT = frozenset({"text", "input_text", "output_text", "summary_text", "refusal"})
_THOUGHT = frozenset({"thinking", "reasoning", "reasoning_text"})
_CALL = frozenset(
    {"tool_use", "server_tool_use", "mcp_tool_use", "toolCall", "tool_call", "tool-call", "function_call", "function"}
)
_IMAGES = ("image", "input_image", "image_url", "image-data")
_MEDIA = frozenset({*_IMAGES, "document", "file", "input_file", "audio", "input_audio", "video"})
_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "toolResult": "tool",
    "tool_result": "tool",
    "function": "tool",
}
_SECONDS_BELOW = 1e11
"""Epoch seconds stay below this until the year 5138; epoch milliseconds passed it in 1973."""


@dataclass(slots=True)
class Content:
    """The parts of one message, in order."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[ToolResult] = field(default_factory=list)

    def message(self, line: int, role: str, t_ms: int | None = None) -> Message:
        return Message(
            line=line,
            role=role,
            text=joined(self.texts),
            thinking=joined(self.thoughts),
            tool_calls=tuple(self.calls),
            tool_results=tuple(self.results),
            t_ms=t_ms,
        )


def read_content(value: object, notes: Notes) -> Content:
    """A message's content: a string, a list of strings and blocks, one block, or nothing."""
    content = Content()
    if isinstance(value, str):
        content.texts.append(value)
    elif isinstance(value, list):
        for block in value:
            _add_block(content, block, notes)
    elif isinstance(value, dict):
        _add_block(content, value, notes)
    elif value is not None:
        notes.append(f"content is {kind(value)}")
        content.texts.append(render(value))
    return content


def result_text(value: object, notes: Notes) -> str:
    """The text of a tool result: a string or blocks. Blocks are read one level deep, which is all that exists."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if not isinstance(value, list):
        value = [value]
    return joined([_result_part(part, notes) for part in value])


def _result_part(part: object, notes: Notes) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        notes.append(f"tool result holds {kind(part)}")
        return render(part)
    name = part.get("type")
    if isinstance(name, str):
        if name in _TEXT:
            return string(part.get("text"), "text of a tool result", notes)
        if name in _MEDIA:
            return f"[{name}]"
    # Some tools answer with a plain object; it is what the agent was shown.
    return render(part, limit=None)


def _add_block(content: Content, block: object, notes: Notes) -> None:
    if isinstance(block, str):
        content.texts.append(block)
        return
    if not isinstance(block, dict):
        notes.append(f"content holds {kind(block)}")
        content.texts.append(render(block))
        return
    name = block.get("type")
    if not isinstance(name, str):
        notes.append("content block without a type")
        content.texts.append(render(block))
    elif name in _TEXT:
        content.texts.append(string(block.get(name, block.get("text")), f"`{name}` block", notes))
    elif name in _THOUGHT:
        content.thoughts.append(_thought(block, name, notes))
    elif name in _CALL:
        content.calls.append(read_call(block, notes))
    elif name in ("toolResult", "tool-result") or name.endswith("tool_result"):
        content.results.append(read_result(block, notes))
    elif name in _MEDIA or name == "redacted_thinking":
        content.texts.append(f"[{name}]")
    else:
        notes.append(f"unknown content block `{name[:40]}`")
        content.texts.append(render(block))


def _thought(block: dict[str, Any], name: str, notes: Notes) -> str:
    value = first(block, (name, "text", "thinking", "summary", "content"))
    if isinstance(value, list):
        return joined(read_content(value, notes).texts)
    return string(value, f"`{name}` block", notes)


def read_call(block: dict[str, Any], notes: Notes) -> ToolCall:
    """A tool call in any of its spellings, an OpenAI `{"id", "function": {"name", "arguments"}}` among them."""
    inner = block.get("function")
    source = inner if isinstance(inner, dict) else block
    identifier = first(block, ("call_id", "toolCallId", "tool_call_id", "id"))
    name = first(source, ("name", "toolName", "tool_name", "tool"))
    given = first(source, ("arguments", "input", "args", "parameters"))
    return ToolCall(
        id=string(identifier, "id of a tool call", notes),
        name=string(name, "name of a tool call", notes),
        arguments=read_arguments(given, notes),
    )


def read_result(block: dict[str, Any], notes: Notes) -> ToolResult:
    """A tool result block in any of its spellings."""
    return ToolResult(
        call_id=string(
            first(block, ("tool_use_id", "toolCallId", "tool_call_id", "call_id", "id")), "id of a tool result", notes
        ),
        text=result_text(first(block, ("content", "output", "result", "text")), notes),
        is_error=boolean(first(block, ("is_error", "isError")), "error mark of a tool result", notes),
    )


def read_arguments(value: object, notes: Notes) -> dict[str, Any]:
    """A tool call's arguments: an object, or JSON text of one. Free-form input is kept under `input`."""
    if value is None or value == "":
        return {}
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        try:
            decoded = decode(value.encode("utf-8", "surrogatepass"))
        except ValueError:
            # Free-form tools take plain text, and models do write broken JSON: both are data, not damage.
            return {"input": value}
        return decoded if isinstance(decoded, dict) else {"input": value}
    notes.append(f"arguments of a tool call are {kind(value)}")
    return {"input": value}


def read_role(value: object) -> str | None:
    """The message role in our terms; None for a role that no shape uses."""
    return _ROLES.get(value) if isinstance(value, str) else None


def read_time(value: object, unit: Literal["s", "ms", "mixed"], notes: Notes) -> int | None:
    """Epoch milliseconds of a transcript time: ISO text, or a number in `unit` (`mixed` where one shape has both)."""
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        if unit == "mixed":
            unit = "s" if abs(value) < _SECONDS_BELOW else "ms"
        t_ms = parse_time(value, unit)
    else:
        t_ms = parse_time(value, "iso")
    if t_ms is None:
        notes.append(f"unreadable time ({kind(value)})")
    return t_ms


def bookkeeping(value: dict[str, Any], line: int, t_ms: int | None = None) -> Message:
    """A known line that is no part of the conversation (settings, usage, compaction): kept, as a `system` message."""
    return Message(line=line, role="system", text=render(value), t_ms=t_ms)


def string(value: object, where: str, notes: Notes) -> str:
    """`value` as text; anything but text or nothing is noted and rendered."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    notes.append(f"{where} is {kind(value)}")
    return render(value)


def boolean(value: object, where: str, notes: Notes) -> bool:
    """`value` as a flag; anything but a flag or nothing is noted and counts as not set."""
    if isinstance(value, bool):
        return value
    if value is not None:
        notes.append(f"{where} is {kind(value)}")
    return False


def first(source: dict[str, Any], keys: tuple[str, ...]) -> Any:
    """The value of the first of `keys` that is there and not null."""
    return next((source[key] for key in keys if source.get(key) is not None), None)


def joined(parts: list[str]) -> str:
    return "\n".join(part for part in parts if part)


def render(value: object, limit: int | None = RENDER_LIMIT) -> str:
    """`value` as compact JSON, shortened to `limit` characters with a mark that says so."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (RecursionError, ValueError):
        return "[nested too deeply to show]"
    if limit is not None and len(text) > limit:
        return f"{text[:limit]}… [{len(text) - limit} more characters]"
    return text


def kind(value: object) -> str:
    """The JSON type of `value`, for a message to people."""
    if value is None:
        return "null"
    names = {bool: "a flag", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)
