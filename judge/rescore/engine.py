"""One bundle, judged: what is in the store is used again, everything else is asked for, several at once.

The runs stream through: a run is opened, its evidence hashed, and only where a verdict is lacking it waits for a free
place. Of a run that is done a few texts are kept for the summary.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from clawjudge.judge.pairing import Pairing
from clawjudge.judge.request.judge import Decision
from clawjudge.judge.rescore.asking import Asking, AskingRequest, Run
from clawjudge.judge.rescore.options import Options, Spending
from clawjudge.judge.rescore.runs import Coverage, coverage, task_names
from clawjudge.judge.store.dropin import Answer, RunEntry, RunFacts
from clawjudge.judge.store.key import KeyParts, sha256_of
from clawjudge.judge.store.records import Usage, VerdictRecord, now
from clawjudge.judge.store.verdict_store import Claim, StoreError, VerdictStore
from clawjudge.judge.verdict import unjudged
from clawjudge.traces.errors import TraceError
from clawjudge.traces.meta import RunMeta
from clawjudge.traces.trace import Trace

_log = logging.getLogger(__name__)
_LOOK_AGAIN = 0.25
"""Seconds until somebody looks again whether another process has its answer, or whether money has come free."""
_READY_AT_MOST = 256
"""Runs that are opened before the first call."""


@dataclass
class Counts:
    """What a rescore did."""

    asked: int = 0
    """Verdicts that were given anew by a judge that had to be asked."""
    reused: int = 0
    calls: int = 0
    cost_usd: float = 0.0


@dataclass
class BundleResult:
    """All runs of a bundle with what is known of them."""

    bundle: Path
    home: Path
    judges: tuple[str, ...]
    runs: list[RunEntry] = field(default_factory=list)
    keys: list[dict[str, str]] = field(default_factory=list)
    """For each run, by judge: the key of its verdict in the store."""
    counts: Counts = field(default_factory=Counts)
    coverage: Coverage = field(default_factory=Coverage)
    out_of_budget: bool = False
    estimate: dict[str, tuple[int, float]] = field(default_factory=dict)
    """Of a dry run, by judge: runs to be asked about, and dollars at most."""


Tell = Callable[[int, int], None]
"""Called with the number of verdicts that are there and the number there will be."""


@dataclass
class _Ask:
    """One verdict that is lacking."""

    run: Run
    judge: Asking
    parts: KeyParts
    index: int
    after: int


class BundleRescore:
    """Judges one bundle. `await` its `go` once."""

    def __init__(
        self,
        bundle: Path,
        home: Path,
        store: VerdictStore,
        judges: Sequence[Asking],
        options: Options,
        spending: Spending,
        tell: Tell,
    ) -> None:
        self._store = store
        self._judges = judges
        self._options = options
        self._spending = spending
        self._tell = tell
        self._places = {judge.name: asyncio.Semaphore(judge.width) for judge in judges}
        self._turns = asyncio.Semaphore(options.concurrency) if options.concurrency else None
        self._started = asyncio.Event()
        self._ready = 0
        self._runs_asked = 0
        self._done = 0
        self._total = 0
        self._under_way: dict[str, asyncio.Future[None]] = {}
        self._failure: StoreError | None = None
        self.result = BundleResult(bundle, home, tuple(judge.name for judge in judges))

    async def go(self, found: Sequence[Pairing]) -> BundleResult:
        """Judge every run of those that were found. Raises `StoreError`; what is stored is kept."""
        self._total = len(found) * len(self._judges)
        names: list[tuple[str, str]] = []
        async with asyncio.TaskGroup() as group:
            for pairing in found:
                names.append(await self._see(pairing, group))
                if self._failure is not None:
                    break
            self._started.set()
        if self._failure is not None:
            raise self._failure
        self.result.coverage = coverage(names, self._options)
        return self.result

    async def _see(self, pairing: Pairing, group: asyncio.TaskGroup) -> tuple[str, str]:
        """Open one run and set off what is lacking of it. Returns its task's names."""
        index = len(self.result.runs)
        try:
            run = Run(pairing, Trace(pairing.agent))
            meta = run.trace.meta
            self._enter(pairing.run, meta, self._stage(run))
            lacking = [ask for judge in self._judges if (ask := self._lacking(run, judge, index)) is not None]
        except (TraceError, OSError) as error:
            if len(self.result.runs) == index:
                self._enter(pairing.run, RunMeta(), None)
            self._unreadable(pairing, index, str(error))
            return "", ""
        paid = [ask for ask in lacking if ask.judge.costs(run)]
        if paid and self._over_limit():
            lacking = [ask for ask in lacking if ask not in paid]
        elif paid:
            self._runs_asked += 1
        for ask in lacking:
            if self._options.dry_run:
                self._estimate(ask)
            else:
                await self._set_off(ask, group)
        if self._started.is_set():
            await asyncio.sleep(0)
        return task_names(meta)

    def _enter(self, name: str, meta: RunMeta, intercepted: bool | None) -> None:
        self.result.runs.append(RunEntry(RunFacts.of(name, meta, intercepted), {}))
        self.result.keys.append({})

    def _stage(self, run: Run) -> bool | None:
        """Whether the terminal request was made, where a judge has to look at that anyway."""
        if not any(isinstance(judge, AskingRequest) for judge in self._judges):
            return None
        return {"intercepted": True, "not_intercepted": False}.get(run.evidence.terminal.stage.status)

    def _lacking(self, run: Run, judge: Asking, index: int) -> _Ask | None:
        """What has to be asked for, or None where the store has it."""
        parts = judge.parts(run)
        known = self._store.latest(parts.key)
        if known is not None and self._still_good(known, judge.costs(run)):
            self.result.counts.reused += 1
            self._take(index, known if known.run == run.pairing.run else self._copied(known, run.pairing.run))
            return None
        return _Ask(run, judge, parts, index, known.id if known else 0)

    def _still_good(self, known: VerdictRecord, costs: bool) -> bool:
        if self._options.force or not known.final:
            return False
        return not (self._options.retry_unjudged and costs and known.verdict.outcome == "unjudged")

    def _over_limit(self) -> bool:
        limit = self._options.limit
        return self.result.out_of_budget or (limit is not None and self._runs_asked >= limit)

    def _estimate(self, ask: _Ask) -> None:
        number, dollars = self.result.estimate.get(ask.judge.name, (0, 0.0))
        if ask.judge.costs(ask.run):
            self.result.estimate[ask.judge.name] = (number + 1, dollars + ask.judge.most_it_can_cost(ask.run))

    async def _set_off(self, ask: _Ask, group: asyncio.TaskGroup) -> None:
        place = self._places[ask.judge.name]
        self._ready += 1
        # Everybody starts together: what is prepared meanwhile would make those wait that have their answer.
        if place.locked() or self._ready >= _READY_AT_MOST:
            self._started.set()
        await place.acquire()
        group.create_task(self._answer(ask, place))

    async def _answer(self, ask: _Ask, place: asyncio.Semaphore) -> None:
        try:
            await self._started.wait()
            await self._settle(ask)
        except StoreError as error:
            self._failure = self._failure or error
        finally:
            place.release()

    async def _settle(self, ask: _Ask) -> None:
        """One verdict: from another process, from a run with the same evidence, or from the judge."""
        key, store = ask.parts.key, self._store
        while key in self._under_way:
            await self._under_way[key]
        self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            claim: Claim = "theirs"
            while claim == "theirs" and self._failure is None:
                async with self._turn(ask):
                    claim = store.claim(key, ask.judge.lease, ask.after)
                    if claim == "mine":
                        await self._ask(ask)
                        store.release(key)
                if claim == "theirs":
                    await asyncio.sleep(_LOOK_AGAIN)
            if claim == "answered":
                known = store.latest(key)
                assert known is not None
                self.result.counts.reused += 1
                name = ask.run.pairing.run
                self._take(ask.index, known if known.run == name else self._copied(known, name))
        finally:
            # After an interruption the store gives back all claims at once when it is closed.
            self._under_way.pop(key).set_result(None)

    def _turn(self, ask: _Ask) -> contextlib.AbstractAsyncContextManager[None]:
        """With `--concurrency N`, never more than N verdicts are asked for and not stored: so many a kill can lose."""
        bounded = isinstance(ask.judge, AskingRequest) and ask.judge.bounded and ask.judge.costs(ask.run)
        return self._turns if bounded and self._turns is not None else contextlib.nullcontext()

    async def _ask(self, ask: _Ask) -> None:
        dollars = ask.judge.most_it_can_cost(ask.run) if self._spending.cap is not None else 0.0
        while not self._spending.reserve(dollars):
            if self._spending.reserved <= 1e-12:
                self.result.out_of_budget = True
                return
            await asyncio.sleep(_LOOK_AGAIN)
        paid = 0.0
        try:
            decision = await self._decision(ask)
            paid = decision.verdict.cost_usd
        finally:
            self._spending.settle(dollars, paid)
        counts = self.result.counts
        counts.asked += ask.judge.costs(ask.run)
        counts.calls += decision.usage.calls
        counts.cost_usd += paid
        self._keep(ask, decision)

    async def _decision(self, ask: _Ask) -> Decision:
        try:
            return await ask.judge.decide(ask.run)
        except (TraceError, OSError) as error:
            return Decision(unjudged("invalid_run", str(error), ask.run.trace.meta.task_id))
        except Exception as error:  # noqa: BLE001 (a judge's failure is never the agent's, and must not end the others)
            _log.debug("the judge failed on %s", ask.run.pairing.agent, exc_info=True)
            why = f"The judge itself failed with {type(error).__name__}: {error}"
            return Decision(unjudged("judge_error", why, ask.run.trace.meta.task_id), final=False)

    def _keep(self, ask: _Ask, decision: Decision) -> None:
        name = ask.run.pairing.run
        record = VerdictRecord(
            run=name,
            parts=ask.parts,
            fingerprint=ask.judge.fingerprint,
            verdict=decision.verdict.model_copy(update={"run": name}),
            final=decision.final,
            replies=decision.replies,
            usage=decision.usage,
            judged_at=now(),
        )
        self._store.put(record)
        self._take(ask.index, record)

    def _copied(self, known: VerdictRecord, name: str) -> VerdictRecord:
        """The verdict on the same evidence, as one on this run too; it cost nothing."""
        own = next(self._store.history(run=name, key=known.key), None)
        if own is not None or self._options.dry_run:
            return own or known
        verdict = known.verdict.model_copy(update={"run": name, "cost_usd": 0.0})
        copy = replace(known, run=name, verdict=verdict, usage=Usage(), judged_at=now(), id=0)
        self._store.put(copy)
        return copy

    def _take(self, index: int, record: VerdictRecord) -> None:
        entry, judge = self.result.runs[index], record.parts.judge
        facts = entry.facts
        if facts.intercepted is None and record.verdict.intercepted is not None:
            facts = replace(facts, intercepted=record.verdict.intercepted)
        self.result.runs[index] = RunEntry(facts, {**entry.answers, judge: Answer.of(record)})
        self.result.keys[index][judge] = record.key
        self._done += 1
        self._tell(self._done, self._total)

    def _unreadable(self, pairing: Pairing, index: int, why: str) -> None:
        for judge in self._judges:
            verdict = unjudged("invalid_run", why).model_copy(update={"run": pairing.run})
            parts = KeyParts(judge=judge.name, evidence_sha256=sha256_of([pairing.run, why]))
            record = VerdictRecord(pairing.run, parts, judge.fingerprint, verdict, judged_at=now())
            if not self._options.dry_run and self._store.latest(record.key) is None:
                self._store.put(record)
            self._take(index, record)
