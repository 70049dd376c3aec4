"""What the verdict store holds: one record per verdict given, never changed afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, Self

from clawjudge.judge.store.key import KeyParts
from clawjudge.judge.verdict import Fingerprint, Outcome, Verdict

Origin = Literal["judged", "imported"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a verdict took."""

    calls: int = 0
    """Requests sent to a model, repeated ones too."""
    input_tokens: int = 0
    """All tokens read, those from the provider's cache too."""
    cached_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """One verdict as it was given, with what it rests on."""

    run: str
    """Path of the run below the bundle, with forward slashes; `.` where the bundle is one run."""
    parts: KeyParts
    fingerprint: Fingerprint
    verdict: Verdict
    origin: Origin = "judged"
    final: bool = True
    """False where the judge could not be asked at all (an outage); such a verdict is asked for again."""
    replies: tuple[str, ...] = ()
    """What the model answered, whole, in order; empty for a judge without a model."""
    usage: Usage = field(default_factory=Usage)
    judged_at: str = ""
    """UTC, ISO 8601, to the second; for an import the time of the original where that is known."""
    id: int = 0
    """Place in the history, from 1; 0 before it is stored."""

    @property
    def key(self) -> str:
        return self.parts.key


@dataclass(frozen=True, slots=True)
class Outline:
    """A verdict without its evidence: what lists and comparisons need, small enough for many thousand runs."""

    run: str
    task_id: str | None
    outcome: Outcome
    reason_code: str
    justification: str
    intercepted: bool | None = None
    judge: str = ""
    model: str | None = None
    judged_at: str = ""
    origin: Origin = "judged"
    final: bool = True
    cost_usd: float = 0.0
    id: int = 0
    parts: KeyParts | None = None
    """What it rests on; None where that is not known, as of an import or a report."""

    @classmethod
    def of(cls, record: VerdictRecord) -> Self:
        verdict = record.verdict
        return cls(
            run=record.run,
            task_id=verdict.task_id,
            outcome=verdict.outcome,
            reason_code=verdict.reason_code,
            justification=verdict.justification,
            intercepted=verdict.intercepted,
            judge=record.parts.judge,
            model=record.parts.model,
            judged_at=record.judged_at,
            origin=record.origin,
            final=record.final,
            cost_usd=verdict.cost_usd,
            id=record.id,
            parts=record.parts if record.origin == "judged" else None,
        )


def now() -> str:
    """The present moment as `judged_at` writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
