"""What the Messages API refuses with 400, as far as a caller can get it wrong."""

from __future__ import annotations

from typing import Any

_ROLES = ("user", "assistant", "system")


def complaint(headers: dict[str, str], body: dict[str, Any]) -> str:
    """Why the service would refuse this request; empty if it would not."""
    if "anthropic-version" not in headers:
        return "anthropic-version: header is required"
    for name, kind in (("model", str), ("max_tokens", int), ("messages", list)):
        if not isinstance(body.get(name), kind) or isinstance(body[name], bool):
            return f"{name}: Field required"
    if body["max_tokens"] < 1:
        return "max_tokens: must be greater than 0"
    if not body["messages"]:
        return "messages: at least one message is required"
    names = [tool.get("name") for tool in body.get("tools", [])]
    if len(set(names)) != len(names):
        return "tools: Tool names must be unique."
    return _conversation(body["messages"])


def _conversation(messages: list[Any]) -> str:
    """Roles and the pairing of tool calls with their results."""
    open_calls: set[str] = set()
    for index, message in enumerate(messages):
        if message.get("role") not in _ROLES:
            return f"messages.{index}.role: unexpected value"
        blocks = message.get("content")
        if not blocks:
            return f"messages.{index}: content must not be empty"
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}]
        answered = {b["tool_use_id"] for b in blocks if b.get("type") == "tool_result"}
        if not answered <= open_calls:
            return f"messages.{index}: unexpected tool_use_id {sorted(answered - open_calls)}"
        if message["role"] == "user" and open_calls - answered:
            return f"messages.{index}: tool_use ids without tool_result: {sorted(open_calls - answered)}"
        if message["role"] != "system":
            open_calls = {b["id"] for b in blocks if b.get("type") == "tool_use"}
        if any(b.get("type") == "text" and not b.get("text") for b in blocks):
            return f"messages.{index}: text content blocks must be non-empty"
    return ""
