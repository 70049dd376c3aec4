"""The agentic judge: a confined sub-agent that looks at staged evidence under the rubric and answers with citations."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from clawjudge.judge.agentic.assemble import decided, sampled, supervised, verdict_of
from clawjudge.judge.agentic.budget import Budget
from clawjudge.judge.agentic.confinement import sandbox
from clawjudge.judge.agentic.confinement.gateway import Gateway
from clawjudge.judge.agentic.credentials import Endpoint, find_endpoint
from clawjudge.judge.agentic.evidence.manifest import Manifest
from clawjudge.judge.agentic.evidence.stage import stage
from clawjudge.judge.agentic.examine import Examined, Examiner
from clawjudge.judge.agentic.keep import Keeper, Nowhere
from clawjudge.judge.agentic.program import find_program
from clawjudge.judge.agentic.session import JudgeFailure
from clawjudge.judge.agentic.settings import Settings
from clawjudge.judge.case import Case
from clawjudge.judge.fingerprint import fingerprint
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.judge.receipt import Receipt
from clawjudge.judge.store.key import KeyParts, sha256_of
from clawjudge.judge.verdict import Fingerprint, Verdict

NAME = "agentic"
_LONGEST_FOLDER = 70
_REFUSED_CASES = frozenset({"no_task", "no_reference", "task_mismatch"})


@dataclass
class AgenticJudge:
    """The judge as one value; `open` it to ask it.

    `judge` answers one case from anywhere. For many, `open` starts the gateway once and `judge_case` may run several
    times at once.
    """

    settings: Settings = field(default_factory=Settings)
    endpoint: Endpoint | None = None
    """None: what the environment says, found when the judge is opened."""
    name: str = NAME

    @property
    def fingerprint(self) -> Fingerprint:
        kind, _ = sandbox.choose(self.settings.sandbox)
        return fingerprint(
            NAME,
            self.settings.rubric,
            self.settings.model,
            **self.settings.parameters(),
            samples=self.settings.samples,
            supervise=self.settings.supervise,
            prompt_sha256=self.settings.prompt_sha256(),
            sandbox=kind,
        )

    def check(self) -> None:
        """Raises `NoCredentials`, `NoSandbox` or `FileNotFoundError` if nobody could be asked."""
        if self.endpoint is None:
            find_endpoint()
        sandbox.choose(self.settings.sandbox)
        find_program()

    def judge(self, case: Case) -> Verdict:
        """The verdict on `case`; `run` is left empty for the caller to fill in. Raises `NoCredentials`, `NoSandbox`."""

        async def alone() -> Verdict:
            async with self.open() as bench:
                return await bench.judge_case(case)

        return asyncio.run(alone())

    @contextlib.asynccontextmanager
    async def open(self, keeper: Keeper | None = None, at_once: int = 1) -> AsyncIterator[Bench]:
        """Ready to judge until the end of the block, `at_once` cases at a time. Raises `NoCredentials`, `NoSandbox`."""
        endpoint = self.endpoint or find_endpoint()
        kind, notice = sandbox.choose(self.settings.sandbox)
        with (
            # A socket's path has at most 107 bytes, and some temporary folders have long names.
            tempfile.TemporaryDirectory(prefix="clawjudge-", dir=_short_folder()) as folder,
            Gateway(endpoint, Path(folder), tcp=kind == "tools") as gateway,
        ):
            yield Bench(
                self.settings, gateway, kind, notice, keeper or Nowhere(), Budget(self.settings.max_cost, at_once)
            )


def _short_folder() -> str | None:
    return "/tmp" if len(os.fsencode(tempfile.gettempdir())) > _LONGEST_FOLDER else None


@dataclass
class Bench:
    """An opened judge."""

    settings: Settings
    gateway: Gateway
    kind: sandbox.Kind
    notice: str
    """What is less than full about the confinement; stands in every verdict too."""
    keeper: Keeper
    budget: Budget

    async def judge_case(self, case: Case, run: str = "") -> Verdict:
        """The verdict on one case; every answer is kept as soon as it is there."""
        computed = await asyncio.to_thread(OfflineJudge().judge, case)
        if computed.reason_code in _REFUSED_CASES:
            return computed
        with tempfile.TemporaryDirectory(prefix="clawjudge-evidence-", ignore_cleanup_errors=True) as folder:
            manifest = await asyncio.to_thread(stage, case, Path(folder) / "evidence", self.settings.layers)
            work = _Work(self, case, run, computed, manifest)
            return await work.verdict()


@dataclass
class _Work:
    """One case on the bench."""

    bench: Bench
    case: Case
    run: str
    computed: Verdict
    manifest: Manifest

    @property
    def settings(self) -> Settings:
        return self.bench.settings

    async def verdict(self) -> Verdict:
        verdicts: list[Verdict] = []
        for number in range(self.settings.samples):
            verdicts.append(await self._sample(number))
            if decided([verdict.outcome for verdict in verdicts], self.settings.samples):
                break
        return verdicts[0] if self.settings.samples == 1 else sampled(verdicts, self.settings)

    async def _sample(self, number: int) -> Verdict:
        parts = self._parts(sample=number)
        first = await self._kept(parts, None)
        if not self.settings.supervise or first.outcome == "unjudged":
            return first
        seen = sha256_of([first.outcome, first.justification, [f.model_dump(mode="json") for f in first.findings]])
        return supervised(first, await self._kept(self._parts(sample=number, supervises=seen), first))

    async def _kept(self, parts: KeyParts, first: Verdict | None) -> Verdict:
        """The verdict under this key: an earlier one, or a new one, kept at once."""
        earlier = await self.bench.keeper.find(parts, self.run)
        if earlier is not None:
            return earlier
        try:
            verdict, examined = await self._asked(first)
            return self.bench.keeper.keep(parts, self.run, verdict, examined, self._fingerprint())
        finally:
            self.bench.keeper.release(parts)

    async def _asked(self, first: Verdict | None) -> tuple[Verdict, Examined]:
        examiner = Examiner(self.manifest, self.settings, self.bench.gateway, self.bench.kind)
        try:
            async with self.bench.budget.share() as share:
                examined = await examiner.examine(share.limit, first)
                share.spent = examined.receipt.cost_usd
        except JudgeFailure as failure:
            examined = Examined(failure.reason, str(failure), None, Receipt(), (), ())
        notices = (self.bench.notice,) if self.bench.notice else ()
        return verdict_of(self.case, self.computed, examined, notices), examined

    def _fingerprint(self) -> Fingerprint:
        return AgenticJudge(self.settings).fingerprint

    def _parts(self, **which: object) -> KeyParts:
        instruction = self.case.task.instruction if self.case.task else ""
        return KeyParts(
            judge=NAME,
            model=f"anthropic:{self.settings.model}",
            parameters={**self.settings.parameters(), **which},
            prompt_sha256=self.settings.prompt_sha256(),
            rubric_sha256=self.settings.rubric.sha256,
            instruction_sha256=sha256_of(instruction),
            evidence_sha256=self.manifest.evidence_sha256,
            parser_version=self.settings.parameters()["answer_version"],
        )
