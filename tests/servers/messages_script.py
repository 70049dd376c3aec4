"""The steps of a script, and what a caller sent, for `servers.messages`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One message of the model."""

    blocks: tuple[dict[str, Any], ...]
    stop_reason: str = ""
    """Empty: `tool_use` if there is a tool call, else `end_turn`."""
    usage: dict[str, int] | None = None
    """None: estimated from the lengths. Keys as in the API, `cache_read_input_tokens` and its like too."""
    delay: float = 0.0
    """Seconds before the first byte."""
    pace: float = 0.0
    """Seconds between the events of a stream."""
    cut_after: int | None = None
    """The connection breaks after so many events of a stream; not streamed, in the middle of the body."""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Failure:
    """An HTTP error in place of a message."""

    status: int
    message: str = "scripted failure"
    retry_after: float | None = None
    type: str = ""
    delay: float = 0.0
    in_stream: bool = False
    """As an `error` event of a stream that began well, as the service does when it breaks down late."""
    body: bytes | None = None
    """Sent as it is, in place of the JSON error: what a proxy in between answers."""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ToolResult:
    """What the caller answered to one tool call."""

    id: str
    text: str
    images: int
    is_error: bool


@dataclass(frozen=True)
class Recorded:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: dict[str, Any]
    at: float
    """Seconds of the monotonic clock."""

    @property
    def tools(self) -> list[str]:
        return [tool.get("name", tool.get("type", "")) for tool in self.body.get("tools", [])]

    @property
    def system(self) -> str:
        return _text(self.body.get("system", ""))

    @property
    def prompt(self) -> str:
        """The text of all messages of the user's side, tool results included."""
        return "\n".join(_text(m["content"]) for m in self.body["messages"] if m["role"] == "user")

    @property
    def last(self) -> str:
        """The text of the last message of the user's side."""
        return _text(self._last_content)

    @property
    def tool_results(self) -> list[ToolResult]:
        """Those of the last message of the user's side."""
        blocks = self._last_content if isinstance(self._last_content, list) else []
        return [_tool_result(b) for b in blocks if b.get("type") == "tool_result"]

    @property
    def _last_content(self) -> Any:
        return [m["content"] for m in self.body["messages"] if m["role"] == "user"][-1]


Step = Reply | Failure | Callable[[Recorded], "Reply | Failure"]


def Text(text: str, **more: Any) -> Reply:
    return Reply(({"type": "text", "text": text},), **more)


def ToolUse(name: str, arguments: dict[str, Any], **more: Any) -> Reply:
    return Reply((call(name, arguments),), **more)


def Refusal(text: str = "", **more: Any) -> Reply:
    """What the service sends when its classifiers stop the model."""
    return Reply(({"type": "text", "text": text},) if text else (), stop_reason="refusal", **more)


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A tool call, one block of a `Reply` that makes several at once."""
    return {"type": "tool_use", "name": name, "input": arguments}


def _text(content: Any) -> str:
    """The text of a content, whatever its blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (b.get("text") or _text(b.get("content", "")) for b in content if isinstance(b, dict))
    return "\n".join(part for part in parts if part)


def _tool_result(block: dict[str, Any]) -> ToolResult:
    content = block.get("content", "")
    images = sum(b.get("type") == "image" for b in content) if isinstance(content, list) else 0
    return ToolResult(block["tool_use_id"], _text(content), images, bool(block.get("is_error")))
