"""What is asked of a model and what comes back, the same for every provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Stop = Literal["end", "length", "refusal"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A conversation that the model is to answer."""

    system: str
    """The same for many prompts, so that a provider can keep it."""
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Tokens:
    """What one or several calls took."""

    read: int = 0
    """All input, what came from or went into the provider's cache included."""
    cached: int = 0
    """Of `read`: taken from the cache, at a lower price."""
    written: int = 0
    """All output, thoughts included."""

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.read + other.read, self.cached + other.cached, self.written + other.written)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said."""

    text: str
    """Visible text; empty where it said nothing, refused, or only thought."""
    stop: Stop = "end"
    tokens: Tokens = Tokens()
    calls: int = 1
    """Requests it took, failed ones included."""


class RateHeaders(Protocol):
    """The headers of a response; names in any case."""

    def get(self, key: str, /) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Called:
    """The outcome of one successful request."""

    answer: Answer
    headers: RateHeaders
