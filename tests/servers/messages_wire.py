"""How the replies of a script are written: whole, as the events of a stream, as errors."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from servers.messages_script import Failure, Recorded, Reply

BYTES_PER_TOKEN = 4
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def message(reply: Reply, request: Recorded) -> dict[str, Any]:
    """The whole message, as it is answered without streaming."""
    mark = f"{time.monotonic_ns():x}"
    blocks = [
        {**block, "id": block.get("id", f"toolu_{mark}{index}")} if block["type"] == "tool_use" else block
        for index, block in enumerate(reply.blocks)
    ]
    calls = any(block["type"] == "tool_use" for block in blocks)
    estimate = {"input_tokens": tokens(request.body), "output_tokens": tokens(blocks)}
    return {
        "id": f"msg_{mark}",
        "type": "message",
        "role": "assistant",
        "model": request.body["model"],
        "content": blocks,
        "stop_reason": reply.stop_reason or ("tool_use" if calls else "end_turn"),
        "stop_sequence": None,
        "usage": estimate if reply.usage is None else {"input_tokens": 0, "output_tokens": 0, **reply.usage},
    }


def events(reply: Reply, request: Recorded) -> Iterator[tuple[str, dict[str, Any]]]:
    """The same message as the events of a stream: name and data."""
    whole = message(reply, request)
    start = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
    yield "message_start", {"type": "message_start", "message": start}
    for index, block in enumerate(whole["content"]):
        opening, deltas = _pieces(block)
        yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": opening}
        for delta in deltas:
            yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    usage = {"output_tokens": whole["usage"]["output_tokens"]}
    yield "message_delta", {"type": "message_delta", "delta": ending, "usage": usage}
    yield "message_stop", {"type": "message_stop"}


def _pieces(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """How a block begins in a stream, and what is added to it in two parts."""
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": part} for part in _halves(block["text"])]
    if block["type"] == "tool_use":
        parts = _halves(json.dumps(block["input"], ensure_ascii=False))
        return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in parts]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": part} for part in _halves(block["thinking"])]
        return {**block, "thinking": "", "signature": ""}, [
            *deltas,
            {"type": "signature_delta", "signature": block.get("signature", "scripted")},
        ]
    return block, []


def _halves(text: str) -> list[str]:
    middle = len(text) // 2
    return [part for part in (text[:middle], text[middle:]) if part]


def tokens(value: Any) -> int:
    """A rough count, for usage that is not scripted."""
    return max(1, len(json.dumps(value)) // BYTES_PER_TOKEN)


def error(failure: Failure) -> dict[str, Any]:
    kind = failure.type or _ERROR_TYPES.get(failure.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": failure.message}}
