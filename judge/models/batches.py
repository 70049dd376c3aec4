"""Anthropic's Message Batches: many questions in one order, at half the price, answered within a day.

An order is known by its id and outlives the process that gave it; `wait` may be called by another one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import Any

from clawjudge.judge.models.anthropic_messages import answer_of, request_body
from clawjudge.judge.models.conversation import Answer, Called, Prompt
from clawjudge.judge.models.failures import ModelFailure
from clawjudge.judge.models.model import Model
from clawjudge.judge.models.sdk import Clients

PATH = "/v1/messages/batches"
MOST_REQUESTS = 5_000
"""In one order; the service takes more, but an order is held in memory."""
_LONGEST_PAUSE = 60.0
_PASSING = frozenset({"api_error", "overloaded_error", "rate_limit_error", "timeout_error"})


async def order(model: Model, prompts: Mapping[str, Prompt]) -> str:
    """Give an order for prompts under ids of at most 64 letters and digits. Returns its id. Raises `ModelFailure`."""
    requests = [{"custom_id": id_, "params": request_body(model.specification, p)} for id_, p in prompts.items()]

    async def send(clients: Clients, seconds: float) -> Called:
        return await clients.ask(PATH, {"requests": requests}, seconds, lambda given: Answer(str(given["id"])))

    return (await model.carry(send)).text


async def wait(model: Model, order_id: str, pause: float = 2.0) -> Iterator[tuple[str, Answer | ModelFailure]]:
    """Id and answer of every prompt of an order, once all are there. Raises `ModelFailure` if it cannot be had."""
    while True:
        document = _document((await model.carry(lambda c, s: c.fetch(f"{PATH}/{order_id}", s))).text)
        if document.get("processing_status") == "ended":
            break
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)
    place = document.get("results_url") or f"{PATH}/{order_id}/results"
    text = (await model.carry(lambda c, s: c.fetch(str(place), s))).text
    return (_result(line) for line in text.splitlines() if line.strip())


def _result(line: str) -> tuple[str, Answer | ModelFailure]:
    document = _document(line)
    result = document.get("result") or {}
    kind = result.get("type")
    try:
        if kind == "succeeded":
            return str(document["custom_id"]), answer_of(result["message"])
    except (KeyError, TypeError, AttributeError):
        damaged = ModelFailure("judge_damaged_answer", "the answer has an unknown shape", calls=1)
        return str(document.get("custom_id")), damaged
    error: dict[str, Any] = result.get("error") or {}
    inner: dict[str, Any] = error["error"] if isinstance(error.get("error"), dict) else error
    why = str(inner.get("type", ""))
    passing = kind in ("expired", "canceled") or why in _PASSING
    said = f"the batch says: {kind} {why}".strip()
    code = "judge_unavailable" if passing else "judge_rejected_request"
    return str(document.get("custom_id")), ModelFailure(code, said, calls=1)  # type: ignore[arg-type]


def _document(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise ModelFailure("judge_damaged_answer", "the batch is not JSON") from error
    if not isinstance(document, dict):
        raise ModelFailure("judge_damaged_answer", "the batch is no JSON object")
    return document
