"""Which judge a name means here, found out before anything heavy is imported."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from clawjudge.judge.agentic import credentials
from clawjudge.traces.errors import InvalidInput

JUDGES = ("auto", "offline", "agentic", "request-strict", "request-lenient")
_AGENTIC_EXTRA = "claude-agent-sdk is not installed (pip install 'clawjudge[agentic]')"


class UnavailableJudge(InvalidInput):
    """A judge was asked for that this version, or this installation, does not have."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The name of the judge that will work, never `auto`, and why it is that one."""

    name: str
    why: str


def decide(requested: str, *, asking: bool = True) -> Decision:
    """The judge that `requested` means. `auto` is the agentic judge where there is a key and its SDK, else the offline
    one.

    Raises `UnavailableJudge`, and `NoCredentials` if the agentic judge has no key; the latter not without `asking`.
    """
    if requested not in JUDGES:
        raise UnavailableJudge(f"judge {requested!r} is not available yet; use one of: {', '.join(JUDGES)}")
    if requested == "auto":
        return _automatic()
    if requested == "agentic":
        if not _sdk_is_installed():
            raise UnavailableJudge(f"the agentic judge cannot work here: {_AGENTIC_EXTRA}")
        if asking:
            credentials.find_endpoint()
    return Decision(requested, "asked for by name")


def _automatic() -> Decision:
    if not credentials.available():
        return Decision("offline", "no ANTHROPIC_API_KEY is set")
    if not _sdk_is_installed():
        return Decision("offline", f"there is a key for a model, but {_AGENTIC_EXTRA}")
    return Decision("agentic", "a key for a model is set")


def _sdk_is_installed() -> bool:
    # Looked for, not imported: that alone takes a second.
    return importlib.util.find_spec("claude_agent_sdk") is not None
