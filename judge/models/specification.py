"""Which model judges: `provider:model`, or an entry of a `models.yaml`, with its key and its address.

Keys come from the environment or from the user's own file. They are handed to the SDK and stand nowhere else: not in
the representation of a specification, not in a verdict's key, not in a message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from clawjudge.judge.models.prices import Price, price_of
from clawjudge.traces.errors import InvalidInput

Api = Literal["anthropic-messages", "openai-completions", "openai-responses"]

DEFAULT_MODEL = "anthropic:claude-sonnet-5-5"
"""Documented in docs/rescore.md: it costs about a fifth of a cent per verdict, and knows the shops of this world."""
MAX_TOKENS = 8000
"""Of one reply, thoughts included: a model that thinks must not run out before its verdict."""


@dataclass(frozen=True, slots=True)
class Provider:
    """Where models of one provider are asked for."""

    api: Api
    address: str | None
    """None: the SDK's own default."""
    key_variables: tuple[str, ...] = ()
    address_variable: str = ""
    needs_key: bool = True


PROVIDERS: dict[str, Provider] = {
    "anthropic": Provider("anthropic-messages", None, ("ANTHROPIC_API_KEY",), "ANTHROPIC_BASE_URL"),
    "openai": Provider("openai-completions", None, ("OPENAI_API_KEY",), "OPENAI_BASE_URL"),
    "openai-responses": Provider("openai-responses", None, ("OPENAI_API_KEY",), "OPENAI_BASE_URL"),
    "deepseek": Provider("openai-completions", "https://api.deepseek.com", ("DEEPSEEK_API_KEY",), "DEEPSEEK_BASE_URL"),
    "openrouter": Provider(
        "openai-completions", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), "OPENROUTER_BASE_URL"
    ),
    "google": Provider(
        "openai-completions",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "GEMINI_BASE_URL",
    ),
    "vllm": Provider(
        "openai-completions", "http://localhost:8000/v1", ("VLLM_API_KEY",), "VLLM_BASE_URL", needs_key=False
    ),
    "ollama": Provider("openai-completions", "http://localhost:11434/v1", (), "OLLAMA_BASE_URL", needs_key=False),
    "llamacpp": Provider("openai-completions", "http://localhost:8080/v1", (), "LLAMACPP_BASE_URL", needs_key=False),
}


class UnknownModel(InvalidInput):
    """A judge model that cannot be used as it was named, with the remedy."""


@dataclass(frozen=True, slots=True)
class ModelSpecification:
    """One model, ready to be called."""

    label: str
    """As the user named it; stands in reports."""
    provider: str
    name: str
    """The provider's own name of the model."""
    api: Api
    address: str | None = None
    keys: tuple[str, ...] = field(default=(), repr=False)
    """One is used per request, in turn."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What is sent along (`temperature`, `reasoning_effort`) beside `max_tokens`."""
    max_tokens: int = MAX_TOKENS
    price: Price | None = None

    @property
    def identity(self) -> str:
        """What tells this model from others in a verdict's key; the address is none of it."""
        return f"{self.provider}:{self.name}"

    @property
    def parameters(self) -> dict[str, Any]:
        """What decides its answers, for the verdict's key."""
        return {"api": self.api, "max_tokens": self.max_tokens, **self.settings}


def specify(
    named: str,
    environment: Mapping[str, str],
    models_file: Path | None = None,
    price: Price | None = None,
    without_key: bool = False,
) -> ModelSpecification:
    """The model that the user named. An entry of `models_file` of that very name comes before `provider:model`.

    `without_key`: it will not be called, so that a provider's key may be lacking.
    Raises `UnknownModel` where the name, the file or the key is not usable.
    """
    if models_file is not None:
        from clawjudge.judge.models.configuration import entry_of

        entry = entry_of(models_file, named)
        if entry is not None:
            return _with_price(entry, price)
        if ":" not in named:
            raise UnknownModel(f"{models_file}: holds no model {named!r}; add it, or name one as provider:model")
    provider_name, colon, name = named.partition(":")
    provider = PROVIDERS.get(provider_name)
    if not colon or not name or provider is None:
        raise UnknownModel(
            f"--judge-model {named}: write provider:model with one of {', '.join(PROVIDERS)}, "
            "or give the models.yaml that defines it with --models FILE"
        )
    key = next((environment[v] for v in provider.key_variables if environment.get(v)), "")
    if provider.needs_key and not key and not without_key:
        raise UnknownModel(
            f"--judge-model {named}: no key; set {provider.key_variables[0]}, or name another model, "
            "or use --judge offline, which needs none"
        )
    address = environment.get(provider.address_variable) or provider.address
    settled = ModelSpecification(named, provider_name, name, provider.api, checked_address(address, named), (key,))
    return _with_price(settled, price)


def checked_address(address: str | None, source: str) -> str | None:
    """`address` if it is one that an SDK can use. Raises `UnknownModel`, without credentials in it."""
    if address is None:
        return None
    if not re.match(r"https?://[^\s/]+", address):
        raise UnknownModel(f"{source}: the base URL must begin with http:// or https:// and name a host")
    if "@" in address.split("://", 1)[1].split("/", 1)[0]:
        raise UnknownModel(f"{source}: the base URL must not hold a user name or password; give the key by itself")
    return address.rstrip("/")


def _with_price(specification: ModelSpecification, price: Price | None) -> ModelSpecification:
    from dataclasses import replace

    known = price or specification.price or price_of(specification.name)
    local = specification.provider in ("vllm", "ollama", "llamacpp")
    return replace(specification, price=known or (Price(0.0, 0.0, 0.0) if local else None))
