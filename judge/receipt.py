"""What a verdict took and rests on, for judges that ask a model; and the opinions that it was formed from."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class ToolUse(_Frozen):
    """One tool call of the judge."""

    tool: str
    arguments: str
    """JSON, shortened."""
    error: bool = False
    characters: int = 0
    """Length of what the tool answered."""


class Receipt(_Frozen):
    """Of one conversation, or of all that a verdict needed (then the numbers are sums)."""

    evidence_sha256: str = ""
    prompt_sha256: str = ""
    answer_version: str = ""
    program_version: str = ""
    sdk_version: str = ""
    sandbox: Literal["os", "tools", ""] = ""
    """`os`: the program ran in the operating system's sandbox; `tools`: confined by its tools alone."""
    layers: tuple[str, ...] = ()
    calls: int = 0
    """Calls to the model's service, repeated ones too."""
    input_tokens: int = 0
    """All tokens read, those from the provider's cache too."""
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    turns: int = 0
    model_seconds: float = 0.0
    """Time spent waiting for the service. What `seconds` has beyond it is the harness."""
    seconds: float = 0.0
    repaired: bool = False
    """Whether the first answer was sent back."""
    tools: tuple[ToolUse, ...] = ()
    refused_calls: tuple[str, ...] = ()
    """Tool calls that the confinement forbade."""
    transcript: str = ""
    """Path of the conversation below the store's folder; empty if none was kept."""


class Flips(_Frozen):
    """How far independent samples of one judge agree."""

    n_planned: int
    n_run: int
    """Fewer than planned where the outcome was decided before."""
    outcomes: dict[str, int]
    rate: float | None
    """Share of pairs of judged samples whose outcomes differ; None with fewer than two."""
