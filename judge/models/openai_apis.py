"""OpenAI's two APIs: Chat Completions, which many other servers speak as well, and Responses."""

from __future__ import annotations

from typing import Any

from clawjudge.judge.models.conversation import Answer, Called, Prompt, Stop
from clawjudge.judge.models.sdk import Clients, load_sdk, tokens
from clawjudge.judge.models.specification import ModelSpecification


class OpenAIChat:
    """Asks one model through Chat Completions."""

    def __init__(self, specification: ModelSpecification) -> None:
        sdk = load_sdk("openai")
        self._specification = specification
        self.clients = Clients(sdk, sdk.AsyncOpenAI, specification)
        # OpenAI's newer models refuse the old name of the limit, other servers know no other.
        theirs = specification.address is None or "api.openai.com" in specification.address
        self._limit = "max_completion_tokens" if theirs else "max_tokens"

    async def send(self, prompt: Prompt, seconds: float) -> Called:
        """One request. Raises `ModelFailure`."""
        turns = [{"role": turn.role, "content": turn.text} for turn in prompt.turns]
        body = {
            "model": self._specification.name,
            "messages": [{"role": "system", "content": prompt.system}, *turns],
            self._limit: self._specification.max_tokens,
            **self._specification.settings,
        }
        return await self.clients.ask("/chat/completions", body, seconds, chat_answer)


class OpenAIResponses:
    """Asks one model through the Responses API; nothing is kept by the provider."""

    def __init__(self, specification: ModelSpecification) -> None:
        sdk = load_sdk("openai")
        self._specification = specification
        self.clients = Clients(sdk, sdk.AsyncOpenAI, specification)

    async def send(self, prompt: Prompt, seconds: float) -> Called:
        """One request. Raises `ModelFailure`."""
        settings = {key: v for key, v in self._specification.settings.items() if key in ("temperature", "top_p")}
        effort = self._specification.settings.get("reasoning_effort")
        body = {
            "model": self._specification.name,
            "instructions": prompt.system,
            "input": [{"role": turn.role, "content": turn.text} for turn in prompt.turns],
            "max_output_tokens": self._specification.max_tokens,
            "store": False,
            **settings,
            **({"reasoning": {"effort": effort}} if effort else {}),
        }
        return await self.clients.ask("/responses", body, seconds, responses_answer)


def chat_answer(completion: dict[str, Any]) -> Answer:
    """The answer in a chat completion. What reasoning models say beside `content` is not the answer."""
    choice = completion["choices"][0]
    message = choice["message"]
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part.get("text") or "" for part in content if part.get("type", "text") == "text")
    stops: dict[str, Stop] = {"length": "length", "content_filter": "refusal"}
    stop = "refusal" if message.get("refusal") else stops.get(choice.get("finish_reason") or "", "end")
    usage = completion.get("usage") or {}
    details = usage.get("prompt_tokens_details") or {}
    cached = details.get("cached_tokens") or usage.get("prompt_cache_hit_tokens")
    taken = tokens(usage.get("prompt_tokens"), cached, usage.get("completion_tokens"))
    return Answer(_text(content), stop, taken)


def responses_answer(response: dict[str, Any]) -> Answer:
    """The answer in a response: the text of its messages; items of reasoning are passed over."""
    items = response["output"]
    parts = [part for item in items if item.get("type", "message") == "message" for part in item.get("content") or ()]
    text = "".join(part.get("text") or "" for part in parts if part.get("type") in ("output_text", "text"))
    why = (response.get("incomplete_details") or {}).get("reason")
    stop: Stop = "length" if why == "max_output_tokens" else "refusal" if why == "content_filter" else "end"
    if any(part.get("type") == "refusal" for part in parts):
        stop = "refusal"
    usage = response.get("usage") or {}
    cached = (usage.get("input_tokens_details") or {}).get("cached_tokens")
    return Answer(text, stop, tokens(usage.get("input_tokens"), cached, usage.get("output_tokens")))


def _text(content: Any) -> str:
    if content is None:
        return ""
    if not isinstance(content, str):
        raise TypeError("content is no text")
    return content
