"""How the agentic judge is run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from clawjudge.judge.agentic.answer import ANSWER_VERSION, answer_schema
from clawjudge.judge.agentic.evidence.stage import RUBRIC
from clawjudge.judge.store.key import sha256_of
from clawjudge.rubrics.load import Rubric, load_rubric
from clawjudge.rubrics.prompts import load_prompt
from clawjudge.traces.records import LAYERS

DEFAULT_MODEL = "claude-sonnet-5-5"
DEFAULT_TURNS = 60
DEFAULT_SECONDS = 900.0
PROMPT = "v1-agentic"
FOLLOW_UP = "v1-agentic-follow-up"


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of `--judge agentic`."""

    model: str = DEFAULT_MODEL
    samples: int = 1
    """Independent runs of the judge; the outcome that more than half of them give is the verdict's."""
    supervise: bool = False
    """Let a second sub-agent confirm or overturn each answer."""
    max_cost: float | None = None
    """US dollars for everything together."""
    max_turns: int = DEFAULT_TURNS
    """For one conversation."""
    timeout: float = DEFAULT_SECONDS
    """Seconds for one conversation."""
    sandbox: Literal["auto", "os", "tools"] = "auto"
    layers: tuple[str, ...] = field(default=LAYERS)
    """What the judge may see."""

    @property
    def rubric(self) -> Rubric:
        return load_rubric(RUBRIC)

    def prompt_sha256(self) -> str:
        """Of every fixed word that the model is told: prompts, follow-ups, and the schema of the answer."""
        return sha256_of([load_prompt(PROMPT).sha256, load_prompt(FOLLOW_UP).sha256, answer_schema()])

    def parameters(self) -> dict[str, Any]:
        """What decides the verdict beside model, prompt, rubric and evidence; for keys and fingerprints."""
        from clawjudge.judge.agentic.program import program_version, sdk_version

        return {
            "program": program_version(),
            "sdk": sdk_version(),
            "max_turns": self.max_turns,
            "layers": list(self.layers),
            "answer_version": ANSWER_VERSION,
        }
