"""A whole rescore: judges made, bundles judged one after the other, files written. The Python interface of it, too.

results = asyncio.run(rescore([Path("bundle")], Judges(("offline",)), Options()))
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from clawjudge.judge.models.calls import RetryPolicy
from clawjudge.judge.models.family import family_of
from clawjudge.judge.models.model import Model
from clawjudge.judge.models.specification import ModelSpecification
from clawjudge.judge.request.judge import NAMES, RequestJudge
from clawjudge.judge.rescore.asking import Asking, AskingRequest
from clawjudge.judge.rescore.engine import BundleRescore, BundleResult, Tell
from clawjudge.judge.rescore.options import Options, Spending
from clawjudge.judge.rescore.outputs import write_files
from clawjudge.judge.rescore.runs import find
from clawjudge.judge.store.prior import import_prior
from clawjudge.judge.store.verdict_store import VerdictStore
from clawjudge.traces.hub_record import source_of

if TYPE_CHECKING:
    from clawjudge.judge.rescore.asking_agentic import AskingAgentic

JUDGES = (*NAMES, "offline", "agentic")
NEED_REFERENCES = frozenset({"offline", "agentic"})
Notice = Callable[[str], None]
_NAMED = 10
"""Damaged verdict files that are named."""


@dataclass(frozen=True, slots=True)
class Judges:
    """Who judges."""

    names: tuple[str, ...]
    model: ModelSpecification | None = None
    """Of the request judges; they need one."""
    agentic_model: str | None = None
    policy: RetryPolicy = field(default_factory=RetryPolicy)


def _ignore(*_: object) -> None:
    """Nobody wants to know."""


async def rescore(
    bundles: Sequence[Path],
    judges: Judges,
    options: Options,
    tell: Tell = _ignore,
    notice: Notice = _ignore,
    results: list[BundleResult] | None = None,
) -> list[BundleResult]:
    """Judge every run of every bundle; verdicts are in the store of each as soon as they are given.

    `results` is filled as bundles are begun, for callers that are interrupted. Raises `InvalidRun`, `StoreError`,
    `UnknownModel`, `MissingSdk`, and what the agentic judge raises where it cannot be started.
    """
    out = [] if results is None else results
    spending = Spending(options.max_cost)
    async with _opened(judges, options) as asked:
        for bundle in bundles:
            home = options.home(bundle, several=len(bundles) > 1)
            found = find(bundle, options, not NEED_REFERENCES.isdisjoint(judges.names))
            if not found:
                out.append(BundleResult(bundle, home, judges.names))
                continue
            with _store(home, options.dry_run) as store:
                async with _ordering(asked, store, options) as judged:
                    work = BundleRescore(bundle, home, store, judged, options, spending, tell)
                    out.append(work.result)
                    if not options.dry_run:
                        _keep_what_came(store, bundle, [pairing.run for pairing in found], notice)
                    await work.go(found)
                _warn_of_kinship(judges, work.result, notice)
                if not options.dry_run:
                    await write_files(work.result, store)
    return out


def _store(home: Path, dry_run: bool) -> VerdictStore:
    return (VerdictStore.read(home) or VerdictStore.empty()) if dry_run else VerdictStore.open(home)


def _keep_what_came(store: VerdictStore, bundle: Path, runs: Sequence[str], notice: Notice) -> None:
    """Before a verdict file is written over, what it says goes into the store; and so does where the bundle is from."""
    done = import_prior(store, bundle, runs)
    for problem in done.problems[:_NAMED]:
        notice(f"{bundle / problem.run / problem.file}: no verdict to be kept: {problem.problem}")
    if len(done.problems) > _NAMED:
        notice(
            f"{len(done.problems) - _NAMED} more verdict files hold no verdict; clawjudge verdicts import names them"
        )
    source = source_of(bundle)
    if source is not None and store.fact("source") != source:
        store.set_fact("source", source)


@contextlib.asynccontextmanager
async def _ordering(asked: Sequence[Asking], store: VerdictStore, options: Options) -> AsyncIterator[list[Asking]]:
    """With `--batch`, the request judges as ones that order their answers in batches, noted in this store."""
    models = [judge.judge.model for judge in asked if isinstance(judge, AskingRequest)]
    if not options.batch or not models:
        yield list(asked)
        return
    from clawjudge.judge.rescore.asking_batch import AskingBatch, Orders

    orders = Orders(models[0], store)
    orders.resume()
    try:
        yield [AskingBatch(j.judge, orders=orders) if isinstance(j, AskingRequest) else j for j in asked]
    finally:
        await orders.close()


@contextlib.asynccontextmanager
async def _opened(judges: Judges, options: Options) -> AsyncIterator[list[Asking]]:
    """The judges, ready; whatever they hold is given back at the end."""
    async with contextlib.AsyncExitStack() as stack:
        model: Model | None = None
        asked: list[Asking] = []
        for name in judges.names:
            if name in NAMES:
                if model is None:
                    model = _model(judges, options)
                    stack.push_async_callback(model.close)
                    if not options.dry_run:
                        model.connect()
                asked.append(AskingRequest(RequestJudge(NAMES[name], model)))
            elif name == "offline":
                from clawjudge.judge.rescore.asking_offline import AskingOffline

                asked.append(await stack.enter_async_context(AskingOffline(options.persona).open()))
            else:
                asking = _agentic(judges, options)
                asked.append(asking if options.dry_run else await stack.enter_async_context(asking.open()))
        yield asked


def _model(judges: Judges, options: Options) -> Model:
    if judges.model is None:
        raise ValueError("the request judges need a model; name one with --judge-model")
    return Model(judges.model, judges.policy, options.concurrency)


def _agentic(judges: Judges, options: Options) -> AskingAgentic:
    from clawjudge.judge.agentic.settings import Settings
    from clawjudge.judge.rescore.asking_agentic import AskingAgentic

    settings = Settings(max_cost=options.max_cost)
    if judges.agentic_model is not None:
        settings = replace(settings, model=judges.agentic_model)
    return AskingAgentic(settings, options.persona)


def _warn_of_kinship(judges: Judges, result: BundleResult, notice: Notice) -> None:
    """Judge and agent of one maker: the reader should know."""
    models = [judges.model.name] if judges.model else []
    models += ["claude"] if "agentic" in judges.names else []
    families = {family_of(model) for model in models} - {""}
    for family in sorted(families & _families(entry.facts.model for entry in result.runs)):
        notice(
            f"note: {result.bundle}: judge and agent are both of the {family} family; a judge may favour its own kind"
        )


def _families(models: Iterable[str]) -> set[str]:
    return {family_of(model) for model in set(models)}
