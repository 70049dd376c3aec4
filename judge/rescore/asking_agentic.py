"""The agentic judge in a rescore: a program for each run, a few at once. Importing this loads its SDK."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from clawjudge.judge.agentic.judge import AgenticJudge, Bench
from clawjudge.judge.agentic.keep import ASKED_AGAIN
from clawjudge.judge.agentic.settings import Settings
from clawjudge.judge.case import Case, build_case, read_persona
from clawjudge.judge.request.judge import Decision
from clawjudge.judge.rescore.asking import Run
from clawjudge.judge.store.key import KeyParts
from clawjudge.judge.verdict import Fingerprint
from clawjudge.traces.trace import Trace


@dataclass
class AskingAgentic:
    """The agentic judge, a few runs at once."""

    settings: Settings
    persona: Path | None = None
    name: str = "agentic"
    width: int = 4

    def __post_init__(self) -> None:
        self.lease = 4 * self.settings.timeout
        self._bench: Bench | None = None

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[AskingAgentic]:
        """Ready until the end of the block. Raises `NoCredentials`, `NoSandbox`."""
        async with AgenticJudge(self.settings).open(at_once=self.width) as self._bench:
            yield self

    @functools.cached_property
    def fingerprint(self) -> Fingerprint:
        return AgenticJudge(self.settings).fingerprint

    def parts(self, run: Run) -> KeyParts:
        mark = self.fingerprint
        return KeyParts(
            judge=self.name,
            model=f"anthropic:{self.settings.model}",
            parameters=mark.parameters,
            prompt_sha256=self.settings.prompt_sha256(),
            rubric_sha256=mark.rubric_sha256,
            evidence_sha256=run.recording_sha256,
            parser_version=str(self.settings.parameters()["answer_version"]),
        )

    def costs(self, run: Run) -> bool:
        return True

    def most_it_can_cost(self, run: Run) -> float:
        # Its own cap, shared by all its runs, is set in the settings.
        return 0.0

    async def decide(self, run: Run) -> Decision:
        if self._bench is None:
            raise RuntimeError("the judge is not open")
        verdict = await self._bench.judge_case(await asyncio.to_thread(self._case, run), run.pairing.run)
        return Decision(verdict, final=verdict.reason_code not in ASKED_AGAIN)

    def _case(self, run: Run) -> Case:
        reference = run.pairing.reference
        documents = [] if self.persona is None else [read_persona(self.persona)]
        return build_case(run.trace, None if reference is None else Trace(reference), documents)
