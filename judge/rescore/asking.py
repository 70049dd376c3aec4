"""The judges of a rescore behind one interface: what a verdict will rest on, and the verdict."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from clawjudge.judge.pairing import Pairing
from clawjudge.judge.request.evidence import RequestEvidence, gather
from clawjudge.judge.request.judge import Decision, RequestJudge
from clawjudge.judge.store.key import KeyParts, sha256_of
from clawjudge.judge.verdict import Fingerprint
from clawjudge.traces.files import LAYER_FILES, RUN_FILES
from clawjudge.traces.trace import Trace

_ENDS_OF_A_FILM = 65_536
_PLACES = 256


@dataclass
class Run:
    """One run while it is being judged."""

    pairing: Pairing
    trace: Trace
    _evidence: RequestEvidence | None = None
    _digest: str = ""

    @property
    def evidence(self) -> RequestEvidence:
        if self._evidence is None:
            self._evidence = gather(self.trace)
        return self._evidence

    @property
    def recording_sha256(self) -> str:
        """Of the files of the run and of its reference, for judges that look at all of them."""
        if not self._digest:
            reference = self.pairing.reference
            both = [_recording(self.trace), None if reference is None else _recording(Trace(reference))]
            self._digest = sha256_of([*both, self.pairing.problem])
        return self._digest


class Asking(Protocol):
    """A judge as a rescore uses it."""

    name: str
    width: int
    """Runs at once, at most."""
    lease: float
    """Seconds after which a decision is there in any case."""

    @property
    def fingerprint(self) -> Fingerprint: ...

    def parts(self, run: Run) -> KeyParts: ...

    def costs(self, run: Run) -> bool:
        """Whether deciding this run takes anything but reading it."""
        ...

    def most_it_can_cost(self, run: Run) -> float: ...

    async def decide(self, run: Run) -> Decision: ...


@dataclass
class AskingRequest:
    """A request judge."""

    judge: RequestJudge
    width: int = 0
    bounded: bool = True
    """Whether `--concurrency` bounds what is asked for and not stored."""

    def __post_init__(self) -> None:
        # More than the gate lets through, so that somebody always waits there, and not so many that a bundle is held.
        self.width = self.width or max(2 * self.judge.model.limiter.widest, _PLACES)
        self.name = self.judge.name
        self.lease = 2 * self.judge.model.deadline

    @property
    def fingerprint(self) -> Fingerprint:
        return self.judge.fingerprint

    def parts(self, run: Run) -> KeyParts:
        return self.judge.parts(run.evidence)

    def costs(self, run: Run) -> bool:
        return self.judge.needs_model(run.evidence)

    def most_it_can_cost(self, run: Run) -> float:
        # Twice: the one re-ask.
        return 2 * self.judge.model.most_it_can_cost(self.judge.question(run.evidence))

    async def decide(self, run: Run) -> Decision:
        return await self.judge.decide(run.evidence, run.trace)


def _recording(trace: Trace) -> list[Any]:
    """Names and hashes of a run's files. Of films and pictures, which are large, only size and both ends are read."""
    out: list[Any] = []
    for key in (*LAYER_FILES, *RUN_FILES):
        path = trace.files.found.get(key)
        if path is None:
            continue
        if key == "screenshots":
            out.append([key, sorted((entry.name, entry.stat().st_size) for entry in os.scandir(path))])
        else:
            out.append([key, _hash(path, whole=key != "video")])
    return out


def _hash(path: Path, whole: bool) -> str:
    with path.open("rb") as file:
        if whole:
            return hashlib.file_digest(file, "sha256").hexdigest()
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        head = file.read(_ENDS_OF_A_FILM)
        file.seek(max(size - _ENDS_OF_A_FILM, 0))
        return hashlib.sha256(b"%d\0" % size + head + file.read()).hexdigest()
