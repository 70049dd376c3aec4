"""A local server for Anthropic's Message Batches: orders are kept, are under way for a while, and then have results.

It answers single calls of `/v1/messages` too, as `servers.openai` does.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any

from servers.messages_script import Failure, Recorded
from servers.messages_wire import message
from servers.openai import ScriptedChat

PATH = "/v1/messages/batches"


@dataclass
class ScriptedBatches(ScriptedChat):
    """`seconds`: how long an order is under way."""

    seconds: float = 0.5
    orders: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    looks: int = 0
    """How often somebody looked whether an order is done."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._done_at: dict[str, float] = {}

    async def _reply(self, request: Recorded, writer: asyncio.StreamWriter) -> bool:
        if not request.path.startswith(PATH):
            return await super()._reply(request, writer)
        body, kind = self._batch(request)
        head = f"HTTP/1.1 200 X\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        return True

    def _batch(self, request: Recorded) -> tuple[bytes, str]:
        rest = request.path.removeprefix(PATH).strip("/").split("/")
        if rest == [""]:
            order_id = f"msgbatch_{len(self.orders) + 1:04d}"
            self.orders[order_id] = request.body["requests"]
            self._done_at[order_id] = time.monotonic() + self.seconds
            return json.dumps(self._status(order_id)).encode(), "application/json"
        if rest[-1] == "results":
            lines = [json.dumps(self._result(one)) for one in reversed(self.orders[rest[0]])]
            return "\n".join(lines).encode(), "application/x-jsonl"
        self.looks += 1
        return json.dumps(self._status(rest[0])).encode(), "application/json"

    def _status(self, order_id: str) -> dict[str, Any]:
        done = time.monotonic() >= self._done_at[order_id]
        return {
            "id": order_id,
            "type": "message_batch",
            "processing_status": "ended" if done else "in_progress",
            "results_url": f"{self.url}{PATH}/{order_id}/results" if done else None,
        }

    def _result(self, one: dict[str, Any]) -> dict[str, Any]:
        request = Recorded("/v1/messages", {}, one["params"], time.monotonic())
        step = self._step(request)
        if isinstance(step, Failure):
            error = {"type": "error", "error": {"type": step.type or "invalid_request_error", "message": step.message}}
            return {"custom_id": one["custom_id"], "result": {"type": "errored", "error": error}}
        return {"custom_id": one["custom_id"], "result": {"type": "succeeded", "message": message(step, request)}}
