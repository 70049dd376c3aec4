"""Where the model is reached and with which key. The key comes from the environment and goes to the gateway alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from clawjudge.traces.errors import InvalidInput

DEFAULT_URL = "https://api.anthropic.com"
KEY_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")


class NoCredentials(InvalidInput):
    """The judge needs a model and nothing says how to reach one."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A service that speaks the Anthropic Messages API."""

    url: str
    header: tuple[str, str] = field(repr=False)
    """Name and value of the header that carries the key."""

    @property
    def public_url(self) -> str:
        """The address without anything secret that a user may have written into it."""
        parts = urlsplit(self.url)
        place = parts.hostname or ""
        return f"{parts.scheme}://{place}{f':{parts.port}' if parts.port else ''}{parts.path}".rstrip("/")


def find_endpoint(environment: Mapping[str, str] | None = None) -> Endpoint:
    """The endpoint that the environment names. Raises `NoCredentials`, which says what to set."""
    given = os.environ if environment is None else environment
    url = (given.get("ANTHROPIC_BASE_URL") or DEFAULT_URL).rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise NoCredentials("ANTHROPIC_BASE_URL is no http(s) address; unset it to use Anthropic's own")
    if key := given.get("ANTHROPIC_API_KEY", "").strip():
        return Endpoint(url, ("x-api-key", key))
    if token := given.get("ANTHROPIC_AUTH_TOKEN", "").strip():
        return Endpoint(url, ("authorization", f"Bearer {token}"))
    raise NoCredentials(
        "the agentic judge asks a model and needs a key: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN, and"
        " ANTHROPIC_BASE_URL for another service that speaks the Messages API), or use --judge offline"
    )


def available(environment: Mapping[str, str] | None = None) -> bool:
    """Whether the environment holds a key."""
    try:
        find_endpoint(environment)
    except NoCredentials:
        return False
    return True
