"""Anthropic's Messages API."""

from __future__ import annotations

from typing import Any

from clawjudge.judge.models.conversation import Answer, Called, Prompt, Stop
from clawjudge.judge.models.sdk import Clients, count, load_sdk, tokens
from clawjudge.judge.models.specification import ModelSpecification


class AnthropicMessages:
    """Asks one model through the Messages API."""

    def __init__(self, specification: ModelSpecification) -> None:
        sdk = load_sdk("anthropic")
        self._specification = specification
        self.clients = Clients(sdk, sdk.AsyncAnthropic, specification)

    async def send(self, prompt: Prompt, seconds: float) -> Called:
        """One request. Raises `ModelFailure`."""
        return await self.clients.ask("/v1/messages", request_body(self._specification, prompt), seconds, answer_of)


def request_body(specification: ModelSpecification, prompt: Prompt) -> dict[str, Any]:
    """What is sent: also the `params` of one request of a batch. The system text is offered to the prompt cache."""
    system = {"type": "text", "text": prompt.system, "cache_control": {"type": "ephemeral"}}
    return {
        "model": specification.name,
        "max_tokens": specification.max_tokens,
        "system": [system],
        "messages": [{"role": turn.role, "content": turn.text} for turn in prompt.turns],
        **{key: value for key, value in specification.settings.items() if key in ("temperature", "top_p")},
    }


def answer_of(message: dict[str, Any]) -> Answer:
    """The answer in a message. Blocks of thoughts before the text are passed over."""
    text = "".join(block["text"] for block in message["content"] if block.get("type") == "text")
    stops: dict[str, Stop] = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refusal"}
    usage = message.get("usage") or {}
    read_from_cache = count(usage.get("cache_read_input_tokens"))
    read = count(usage.get("input_tokens")) + read_from_cache + count(usage.get("cache_creation_input_tokens"))
    taken = tokens(read, read_from_cache, usage.get("output_tokens"))
    return Answer(text, stops.get(message.get("stop_reason") or "", "end"), taken)
