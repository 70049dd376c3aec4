"""The edge to the SDKs of providers: they are imported here when first needed, and their errors become ours here.

Both SDKs are made by one generator and have the same shape. They get no retries of their own: `calls.py` has the one
policy. Answers are read from the raw body, because servers that only resemble a provider send what its types forbid.
"""

from __future__ import annotations

import importlib
import itertools
import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

from clawjudge.judge.models.conversation import Answer, Called, Tokens
from clawjudge.judge.models.failures import ModelFailure, code_of_status
from clawjudge.judge.models.rates import retry_after
from clawjudge.judge.models.specification import ModelSpecification
from clawjudge.traces.errors import InvalidInput
from clawjudge.traces.secrets import scrub

_MOST_CHARACTERS = 300


class MissingSdk(InvalidInput):
    """The SDK that a model needs is not installed."""


def load_sdk(name: str) -> ModuleType:
    """The SDK `anthropic` or `openai`. Raises `MissingSdk`."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingSdk(f"this judge model needs the package {name}: pip install 'clawjudge[models]'") from error


class Clients:
    """One client per key, used in turn."""

    def __init__(self, sdk: ModuleType, make: Callable[..., Any], specification: ModelSpecification) -> None:
        self.sdk = sdk
        self._secrets = tuple(key for key in specification.keys if key)
        options: dict[str, Any] = {"max_retries": 0}
        if specification.address is not None:
            options["base_url"] = specification.address
        # aiohttp takes half of the processor time of the SDKs' usual transport; at a hundred requests at once it shows.
        # Reading all certificates of the system takes a while, and without TLS there is nothing to hold them against.
        plain = (specification.address or "").startswith("http://")
        self._all = [
            make(api_key=key or "none", http_client=sdk.DefaultAioHttpClient(verify=not plain), **options)
            for key in specification.keys or ("",)
        ]
        self._turn = itertools.cycle(self._all)
        self._response = importlib.import_module("httpx2").Response

    async def close(self) -> None:
        for client in self._all:
            await client.close()

    async def ask(
        self, path: str, body: dict[str, Any], seconds: float, parse: Callable[[dict[str, Any]], Answer]
    ) -> Called:
        """Post `body` and read the answer. Raises `ModelFailure` for whatever goes wrong on the way.

        By the SDKs' own door for bodies that are whole already: their typed methods spend more time on checking a body
        against its type than on sending it.
        """
        try:
            raw = await next(self._turn).post(path, cast_to=self._response, body=body, options={"timeout": seconds})
        except Exception as error:
            raise self.failure(error) from error
        try:
            document = json.loads(raw.content)
        except ValueError as error:
            raise ModelFailure("judge_damaged_answer", f"the answer is not JSON: {error}") from error
        if isinstance(document, dict) and document.get("error"):
            # Some gateways send errors as a success.
            raise self._declared(document["error"])
        try:
            return Called(parse(document), raw.headers)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            raise ModelFailure("judge_damaged_answer", "the answer has not the shape of this API") from error

    async def fetch(self, path: str, seconds: float) -> Called:
        """Get `path` and hand back its text as it is. Raises `ModelFailure`."""
        try:
            raw = await self._all[0].get(path, cast_to=self._response, options={"timeout": seconds})
        except Exception as error:
            raise self.failure(error) from error
        return Called(Answer(raw.text), raw.headers)

    def failure(self, error: Exception) -> ModelFailure:
        """What an exception of the SDK means. Anything that is none of it is raised again."""
        if isinstance(error, self.sdk.APIStatusError):
            said = self._said(error.body if error.body is not None else str(error))
            failure = ModelFailure(code_of_status(error.status_code), f"HTTP {error.status_code}: {said}")
            failure.retry_after = retry_after(error.response.headers)
            return failure
        refused_connection = type(error.__cause__).__name__ == "ConnectTimeout"  # as the transport calls that, too
        if isinstance(error, self.sdk.APITimeoutError | TimeoutError) and not refused_connection:
            return ModelFailure("judge_timeout", "no answer in time")
        if isinstance(error, self.sdk.APIConnectionError | OSError) or _is_of_transport(error):
            cause = error.__cause__ or error
            address = str(self._all[0].base_url).partition("?")[0].rstrip("/")
            said = f"{address} cannot be reached, or the connection broke ({type(cause).__name__})"
            return ModelFailure("judge_unavailable", f"{said}; check the address and the network")
        raise error

    def _declared(self, error: Any) -> ModelFailure:
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else 502
        return ModelFailure(code_of_status(status), f"the provider says: {self._said({'error': error})}")

    def _said(self, body: Any) -> str:
        """The provider's words in one short line, with every key and whatever looks like one taken out."""
        inner = body.get("error", body) if isinstance(body, dict) else body
        message = inner.get("message", inner) if isinstance(inner, dict) else inner
        text = " ".join(str(message).split())
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return scrub(text)[:_MOST_CHARACTERS]


def _is_of_transport(error: BaseException) -> bool:
    """Whether the HTTP library below the SDK raised it: connections that break in the middle of a body do."""
    return type(error).__module__.partition(".")[0] in ("httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "anyio")


def count(value: Any) -> int:
    """A number of tokens as a provider writes it; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def tokens(read: Any, cached: Any, written: Any) -> Tokens:
    return Tokens(count(read), min(count(cached), count(read)), count(written))
