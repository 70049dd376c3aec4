"""What every judge answers with. These models are also the JSON that `evaluate --format json` prints."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from clawjudge.judge.receipt import Flips, Receipt

SCHEMA_VERSION = 1

Outcome = Literal["pass", "fail", "unjudged"]
FindingStatus = Literal["met", "violated", "not_applicable", "cannot_tell"]
FieldStatus = Literal["match", "mismatch", "missing", "extra", "uncertain"]
FieldKind = Literal["bound", "free", "volatile"]


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class _Frozen(BaseModel):
    """A frozen model whose texts can be written as UTF-8: lone surrogates, which a trace may hold, are replaced."""

    model_config = ConfigDict(frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _writable(cls, value: Any) -> Any:
        return writable(value)


def writable(value: Any) -> Any:
    """`value` with lone surrogates replaced, so that it can be written as UTF-8."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {writable(key): writable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(writable(item) for item in value)
    return value


class Citation(_Frozen):
    """A place in a recording that anyone can look up. It counts only if `clawjudge.judge.citation` confirms it."""

    layer: Literal["video", "screenshots", "http", "actions", "messages", "interception", "task", "meta"]
    file: str
    """Path below the run folder."""
    run: Literal["agent", "reference"] = "agent"
    line: int | None = None
    """Line from 1, for line-based files."""
    t_ms: int | None = None
    """Epoch milliseconds, where the place is a moment."""
    frame: int | None = None
    """The video frame, named by its presentation time in ms: its number would differ between decoders."""
    pointer: str | None = None
    """JSON pointer inside the line or document."""
    quote: str = ""
    """What stands there; secrets are masked the way `clawjudge.traces.secrets.mask` masks them."""
    verified: bool = False
    """Set by the citation check, never by a judge."""


class Finding(_Frozen):
    """What a judge found for one rule."""

    rule: str
    """Rule id of the rubric, for example `R1`."""
    status: FindingStatus
    note: str
    citations: tuple[Citation, ...] = ()


class BoundBy(_Frozen):
    """What in the task binds a field."""

    source: Literal["instruction", "eval_schema", "extra_info", "persona", "own_email"]
    quote: str


class FieldBinding(_Frozen):
    """One field of the terminal payload, compared between reference and agent."""

    pointer: str
    """JSON pointer into the reference's request (`/body/…`, `/params/…`, `/url`)."""
    agent_pointer: str | None = None
    """Where the agent's value stands, if elsewhere: no terminal request, or another layout."""
    reference: Any = None
    agent: Any = None
    """Values with secrets masked."""
    kind: FieldKind
    status: FieldStatus
    bound_by: tuple[BoundBy, ...] = ()
    normalisations: tuple[str, ...] = ()
    """Rules under which the values are the same."""
    note: str = ""
    citations: tuple[Citation, ...] = ()


class Divergence(_Frozen):
    """Where the agent's run first parts from the reference."""

    kind: Literal["variant", "missing", "extra"]
    description: str
    agent_step: int | None = None
    reference_step: int | None = None
    citations: tuple[Citation, ...] = ()


class Gap(_Frozen):
    """Evidence that is missing or damaged."""

    code: str
    run: Literal["agent", "reference"] = "agent"
    layer: str
    count: int = 1
    message: str


class Stage1(_Frozen):
    """Whether the task's terminal request was made, recomputed from the request log."""

    status: Literal["intercepted", "not_intercepted", "not_applicable", "unknown"]
    commits: int = 0
    note: str = ""


class Fingerprint(_Frozen):
    """What produced a verdict. Two verdicts compare only if this is known for both."""

    judge: str
    version: str
    rubric: str
    rubric_version: str
    rubric_sha256: str
    model: str | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.judge}@{self.version} {self.rubric}@{self.rubric_version} {self.rubric_sha256[:12]}"


class Opinion(_Frozen):
    """One of several answers that a verdict was formed from: an independent sample, or a supervisor's."""

    role: Literal["sample", "supervisor"]
    outcome: Outcome
    reason_code: str
    justification: str
    confidence: float | None = None
    violated_rules: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    receipt: Receipt | None = None


class Verdict(_Frozen):
    """The answer of one judge to one case."""

    run: str
    """Path relative to `--agent-trace`; filled in by the caller, no judge ever sees it."""
    task_id: str | None
    outcome: Outcome
    reason_code: str
    justification: str
    stage1: Stage1
    intercepted: bool | None
    """Stage 1 as a boolean; None where it does not apply or cannot be told."""
    violated_rules: tuple[str, ...] = ()
    """Rules found violated, the decisive one first."""
    failing_field: str | None = None
    """Pointer of the decisive wrong field, into the agent's request that last carried it."""
    findings: tuple[Finding, ...] = ()
    fields: tuple[FieldBinding, ...] = ()
    first_divergence: Divergence | None = None
    gaps: tuple[Gap, ...] = ()
    skipped_lines: dict[str, int] = Field(default_factory=dict)
    """Lines that could not be used, by file."""
    alignment: dict[str, int] = Field(default_factory=dict)
    """How many steps matched, varied, were missing or extra."""
    notices: tuple[str, ...] = ()
    """What a reader should know although it did not decide: text addressed to the judge, a clock off, …"""
    cost_usd: float = 0.0
    category: str = ""
    answered: Outcome | None = None
    """What a judge that asks a model answered. It differs from `outcome` where its answer could not stand."""
    confidence: float | None = None
    """The judge's own, from 0 to 1. Uncalibrated."""
    disputed: tuple[str, ...] = ()
    """Facts worked out by code that contradict the answer. A disputed verdict is unjudged and counts for nothing."""
    opinions: tuple[Opinion, ...] = ()
    """All answers, where there were several (`--samples`, `--supervise`)."""
    flips: Flips | None = None
    receipt: Receipt | None = None


def unjudged(code: str, why: str, task_id: str | None = None) -> Verdict:
    """The verdict on a run that no judge could look at."""
    stage = Stage1(status="unknown", note="the run was not judged")
    return Verdict(
        run="", task_id=task_id, outcome="unjudged", reason_code=code, justification=why, stage1=stage, intercepted=None
    )


class JudgeReport(_Frozen):
    """The document of `evaluate --format json`."""

    schema_version: int = SCHEMA_VERSION
    judge: dict[str, Any]
    summary: dict[str, Any]
    verdicts: tuple[Verdict, ...]
