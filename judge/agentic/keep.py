"""Where answers are kept as they come: the verdict store, and beside it the conversation that led to each."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Protocol

from clawjudge.judge.agentic.examine import Examined
from clawjudge.judge.store.key import KeyParts
from clawjudge.judge.store.records import Usage, VerdictRecord, now
from clawjudge.judge.store.verdict_store import FOLDER, VerdictStore
from clawjudge.judge.verdict import Fingerprint, Verdict
from clawjudge.traces.atomic import write_atomically
from clawjudge.traces.secrets import scrub

TRANSCRIPTS = "transcripts"
ASKED_AGAIN = frozenset({"provider_error", "timeout", "budget", "judge_error"})
"""Reason codes that say nothing about the run: the next command asks again."""
_POLL_SECONDS = 1.0


class Keeper(Protocol):
    """What a bench keeps its answers with."""

    async def find(self, parts: KeyParts, run: str) -> Verdict | None:
        """An earlier verdict under this key; None if this process is the one to ask."""

    def keep(
        self, parts: KeyParts, run: str, verdict: Verdict, examined: Examined, fingerprint: Fingerprint
    ) -> Verdict:
        """Keep a verdict at once and whole; returned with the place of its transcript."""

    def release(self, parts: KeyParts) -> None:
        """This process asks no more for this key."""


class Nowhere:
    """Keeps nothing."""

    async def find(self, parts: KeyParts, run: str) -> Verdict | None:
        return None

    def keep(
        self, parts: KeyParts, run: str, verdict: Verdict, examined: Examined, fingerprint: Fingerprint
    ) -> Verdict:
        return verdict

    def release(self, parts: KeyParts) -> None:
        pass


class StoreKeeper:
    """Keeps in a verdict store. Two processes on one bundle do not ask twice for the same key."""

    def __init__(self, store: VerdictStore, home: Path, claim_seconds: float, single: str = ".") -> None:
        self._store = store
        self._folder = home / FOLDER
        self._claim_seconds = claim_seconds
        self._single = single
        """Name below `home` of a run that is judged alone and so called `.`."""
        self._asking: dict[str, asyncio.Event] = {}
        """Keys that this process asks for just now: two runs may be the same to the last byte."""
        self.reused = 0
        self.kept = 0

    async def find(self, parts: KeyParts, run: str) -> Verdict | None:
        while True:
            if parts.key in self._asking:
                await self._asking[parts.key].wait()
                continue
            claim = self._store.claim(parts.key, self._claim_seconds)
            if claim == "mine":
                self._asking[parts.key] = asyncio.Event()
                return None
            if claim == "answered":
                record = self._store.latest(parts.key)
                if record is not None and record.final:
                    self.reused += 1
                    return record.verdict
                return None
            await asyncio.sleep(_POLL_SECONDS)

    def keep(
        self, parts: KeyParts, run: str, verdict: Verdict, examined: Examined, fingerprint: Fingerprint
    ) -> Verdict:
        run = self._single if run == "." else run
        receipt = verdict.receipt
        name = self._write_transcript(parts, examined)
        if receipt is not None:
            verdict = verdict.model_copy(update={"receipt": receipt.model_copy(update={"transcript": name})})
        taken = examined.receipt
        usage = Usage(taken.calls, taken.input_tokens, taken.cached_tokens, taken.output_tokens, taken.seconds)
        self._store.put(
            VerdictRecord(
                run=run,
                parts=parts,
                fingerprint=fingerprint,
                verdict=verdict.model_copy(update={"run": run}),
                final=verdict.reason_code not in ASKED_AGAIN,
                replies=examined.replies,
                usage=usage,
                judged_at=now(),
            )
        )
        self.kept += 1
        return verdict

    def release(self, parts: KeyParts) -> None:
        self._store.release(parts.key)
        asking = self._asking.pop(parts.key, None)
        if asking is not None:
            asking.set()

    def _write_transcript(self, parts: KeyParts, examined: Examined) -> str:
        """The conversation as JSON lines; the evidence in it was redacted before the judge saw it."""
        if not examined.transcript:
            return ""
        folder = self._folder / TRANSCRIPTS
        folder.mkdir(exist_ok=True)
        number = sum(1 for _ in folder.glob(f"{parts.key[:16]}-*.jsonl"))
        path = folder / f"{parts.key[:16]}-{number:03}.jsonl"
        lines = (scrub(json.dumps(entry, ensure_ascii=True)) for entry in examined.transcript)
        write_atomically(path, "".join(f"{line}\n" for line in lines))
        return f"{TRANSCRIPTS}/{path.name}"
