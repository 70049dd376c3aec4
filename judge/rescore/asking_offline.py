"""The offline judge in a rescore: it computes, so it works in processes of its own, one for each processor."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from importlib.resources import files
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

from clawjudge.judge.case import read_persona
from clawjudge.judge.evaluate import judge_pairings
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.judge.pairing import Pairing
from clawjudge.judge.request.judge import Decision
from clawjudge.judge.rescore.asking import Run
from clawjudge.judge.store.key import KeyParts, sha256_of
from clawjudge.judge.verdict import Fingerprint, Verdict


@dataclass
class AskingOffline:
    """The offline judge, in as many processes as there are processors."""

    persona: Path | None = None
    name: str = "offline"
    lease: float = 3600.0
    width: int = field(default_factory=lambda: 2 * (os.cpu_count() or 1))
    _pool: Pool | None = None

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[AskingOffline]:
        """Ready until the end of the block; the processes start with the first run."""
        try:
            yield self
        finally:
            if self._pool is not None:
                self._pool.terminate()
                self._pool = None

    @functools.cached_property
    def fingerprint(self) -> Fingerprint:
        return OfflineJudge().fingerprint

    def parts(self, run: Run) -> KeyParts:
        persona = sha256_of(self.persona.read_text("utf-8", "replace")) if self.persona else None
        return KeyParts(
            judge=self.name,
            parameters={} if persona is None else {"persona": persona},
            prompt_sha256=program_sha256(),
            rubric_sha256=self.fingerprint.rubric_sha256,
            evidence_sha256=run.recording_sha256,
        )

    def costs(self, run: Run) -> bool:
        return True

    def most_it_can_cost(self, run: Run) -> float:
        return 0.0

    async def decide(self, run: Run) -> Decision:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Verdict] = loop.create_future()
        if self._pool is None:
            # Not forked: a fork would hold the claims of this process open when it dies.
            context = multiprocessing.get_context("spawn")
            self._pool = context.Pool(os.cpu_count() or 1, signal.signal, (signal.SIGINT, signal.SIG_IGN))

        def settle(verdict: Verdict | None, error: BaseException | None) -> None:
            if not done.done():
                if verdict is None:
                    done.set_exception(error or RuntimeError("the process gave no verdict"))
                else:
                    done.set_result(verdict)

        self._pool.apply_async(
            judge_offline,
            (run.pairing, self.persona),
            callback=lambda verdict: loop.call_soon_threadsafe(settle, verdict, None),
            error_callback=lambda error: loop.call_soon_threadsafe(settle, None, error),
        )
        return Decision(await done)


def judge_offline(pairing: Pairing, persona: Path | None) -> Verdict:
    """The offline verdict on one run; called in a process of its own."""
    documents = [] if persona is None else [read_persona(persona)]
    return next(judge_pairings([pairing], OfflineJudge(), documents))


@functools.cache
def program_sha256() -> str:
    """Of the source text of everything that the offline judge's verdicts come from."""
    mark = hashlib.sha256()
    for package in ("clawjudge.traces", "clawjudge.judge.align", "clawjudge.judge.offline", "clawjudge.judge"):
        for source in sorted(_sources(files(package), deep=package != "clawjudge.judge"), key=lambda s: s[0]):
            mark.update(source[0].encode() + b"\0" + source[1])
    return mark.hexdigest()


def _sources(folder: Any, deep: bool, prefix: str = "") -> list[tuple[str, bytes]]:
    found = []
    for entry in folder.iterdir():
        if entry.is_file() and entry.name.endswith((".py", ".json")):
            found.append((f"{prefix}{entry.name}", entry.read_bytes()))
        elif deep and entry.is_dir():
            found += _sources(entry, deep, f"{prefix}{entry.name}/")
    return found
