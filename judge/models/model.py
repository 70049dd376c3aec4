"""A model that can be asked: its API, its gate, its retries and its costs in one place.

async with Model(specification) as model:
    answer = await model.ask(prompt)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, Self

from clawjudge.judge.models.calls import Health, RetryPolicy, call
from clawjudge.judge.models.conversation import Answer, Called, Prompt, Tokens
from clawjudge.judge.models.limiter import Limiter
from clawjudge.judge.models.prices import tokens_of
from clawjudge.judge.models.sdk import Clients
from clawjudge.judge.models.specification import ModelSpecification


class _Api(Protocol):
    clients: Clients

    async def send(self, prompt: Prompt, seconds: float) -> Called: ...


class Model:
    """One model of one provider. Several judges may ask it at once; they share its gate."""

    def __init__(
        self, specification: ModelSpecification, policy: RetryPolicy | None = None, concurrency: int | None = None
    ) -> None:
        self.specification = specification
        self.health = Health()
        self.limiter = Limiter(concurrency)
        self._policy = policy or RetryPolicy()
        self._api: _Api | None = None

    def connect(self) -> None:
        """Load the SDK. Raises `MissingSdk`; `ask` does it by itself, but late."""
        if self._api is None:
            self._api = _api_of(self.specification)

    async def ask(self, prompt: Prompt) -> Answer:
        """The model's answer. Raises `ModelFailure`."""
        self.connect()
        api = self._api
        assert api is not None
        return await call(lambda seconds: api.send(prompt, seconds), self.limiter, self.health, self._policy)

    async def carry(self, send: Callable[[Clients, float], Awaitable[Called]]) -> Answer:
        """Another request to the same provider, by the same gate and retries. Raises `ModelFailure`."""
        self.connect()
        api = self._api
        assert api is not None
        return await call(lambda seconds: send(api.clients, seconds), self.limiter, self.health, self._policy)

    @property
    def deadline(self) -> float:
        """Seconds after which one ask has ended in any case."""
        return self._policy.deadline + self._policy.call_seconds

    def cost(self, tokens: Tokens, share: float = 1.0) -> float:
        """US dollars; 0 where the price is not known."""
        price = self.specification.price
        return price.of(tokens, share) if price else 0.0

    def most_it_can_cost(self, prompt: Prompt, share: float = 1.0) -> float:
        """US dollars for one request with this prompt, if the model uses all the room for its reply."""
        text = prompt.system + "".join(turn.text for turn in prompt.turns)
        return self.cost(Tokens(read=tokens_of(text), written=self.specification.max_tokens), share)

    async def __aenter__(self) -> Self:
        self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        if self._api is not None:
            await self._api.clients.close()
            self._api = None


def _api_of(specification: ModelSpecification) -> _Api:
    if specification.api == "anthropic-messages":
        from clawjudge.judge.models.anthropic_messages import AnthropicMessages

        return AnthropicMessages(specification)
    from clawjudge.judge.models.openai_apis import OpenAIChat, OpenAIResponses

    return OpenAIChat(specification) if specification.api == "openai-completions" else OpenAIResponses(specification)
