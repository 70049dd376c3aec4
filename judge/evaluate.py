"""The public Python interface: judge one run or a folder of runs, and sum up.

from clawjudge.judge.evaluate import evaluate
report = evaluate(Path("runs"), Path("references"))
print(report.summary["success_rate"], [v.run for v in report.verdicts if v.outcome == "fail"])
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from clawjudge.judge.align.sources import Document
from clawjudge.judge.availability import decide
from clawjudge.judge.case import Case, build_case, read_persona
from clawjudge.judge.intervals import wilson
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.judge.pairing import Pairing, pair
from clawjudge.judge.verdict import Fingerprint, JudgeReport, Verdict, unjudged
from clawjudge.traces.errors import TraceError
from clawjudge.traces.trace import Trace

if TYPE_CHECKING:
    from clawjudge.judge.agentic.settings import Settings
    from clawjudge.judge.models.specification import ModelSpecification

_log = logging.getLogger(__name__)


class Judge(Protocol):
    """Anything that turns a case into a verdict."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> Fingerprint: ...

    def judge(self, case: Case) -> Verdict: ...


@dataclass(frozen=True, slots=True)
class Choice:
    """The judge that does the work, and how it came to it."""

    requested: str
    judge: Judge
    why: str

    def describe(self) -> dict[str, Any]:
        """The `judge` part of a report: what was asked for, what it became, and the fingerprint."""
        fingerprint = self.judge.fingerprint
        return {
            "requested": self.requested,
            "name": self.judge.name,
            "why": self.why,
            "id": fingerprint.id,
            **fingerprint.model_dump(mode="json"),
        }


def choose_judge(
    requested: str,
    settings: Settings | None = None,
    *,
    asking: bool = True,
    model: ModelSpecification | None = None,
) -> Choice:
    """The judge of that name; `settings` are for the agentic one, `model` for the request judges. `auto` is the agentic
    judge where there is a key for a model and the judge's SDK is installed, else the offline one.

    Raises `UnavailableJudge`, and `InvalidInput` if the judge could not work here; not without `asking`.
    """
    decision = decide(requested, asking=asking)
    if decision.name == "offline":
        return Choice(requested, OfflineJudge(), decision.why)
    if decision.name != "agentic":
        return Choice(requested, _request_judge(decision.name, model), decision.why)
    from clawjudge.judge.agentic.judge import AgenticJudge

    judge = AgenticJudge() if settings is None else AgenticJudge(settings)
    if asking:
        judge.check()
    return Choice(requested, judge, decision.why)


def _request_judge(name: str, model: ModelSpecification | None) -> Judge:
    from clawjudge.judge.models.model import Model
    from clawjudge.judge.request.judge import NAMES, RequestJudge

    if model is None:
        from clawjudge.judge.models.specification import DEFAULT_MODEL, specify

        model = specify(DEFAULT_MODEL, os.environ)
    return RequestJudge(NAMES[name], Model(model))


def evaluate(
    agent: Path,
    reference: Path | None = None,
    *,
    judge: str = "auto",
    settings: Settings | None = None,
    model: ModelSpecification | None = None,
    home: Path | None = None,
    persona: Path | None = None,
    limit: int | None = None,
    on_verdict: Callable[[Verdict], None] | None = None,
) -> JudgeReport:
    """Judge the run at `agent`, or every run below it, against `reference`.

    `clawjudge.judge.pairing.pair` says which reference serves which run. `persona` is a JSON file with the user's
    details; `limit` judges the first runs only. Verdicts come in the order of the runs' paths, each handed to
    `on_verdict` as soon as it is there. A run that cannot be read or judged is `unjudged`, never an exception.
    `settings` and `home` are for the agentic judge: how, and the folder whose verdict store keeps its answers; `model`
    is the one that a request judge asks.
    Raises `UnavailableJudge`, `InvalidInput` for a persona that is none, and `InvalidRun` for paths that hold no run.
    """
    choice = choose_judge(judge, settings, model=model)
    documents = [] if persona is None else [read_persona(persona)]
    pairings = pair(agent, reference)
    verdicts: list[Verdict] = []

    def take(verdict: Verdict) -> None:
        verdicts.append(verdict)
        if on_verdict is not None:
            on_verdict(verdict)

    if choice.judge.name == "agentic":
        from clawjudge.judge.agentic.batch import judge_batch

        judge_batch(pairings[:limit], choice.judge, documents, take, home=home)  # type: ignore[arg-type]
    elif choice.judge.name.startswith("request-"):
        from clawjudge.judge.request.several import judge_several

        judge_several(pairings[:limit], choice.judge, take)  # type: ignore[arg-type]
    else:
        for verdict in judge_pairings(pairings[:limit], choice.judge, documents):
            take(verdict)
    return report(choice, sorted(verdicts, key=lambda verdict: verdict.run), n_found=len(pairings))


def judge_pairings(pairings: Iterable[Pairing], judge: Judge, persona: Iterable[Document] = ()) -> Iterator[Verdict]:
    """One verdict for each pairing, in their order, each judged when it is asked for."""
    documents = list(persona)
    for pairing in pairings:
        yield _judge_one(pairing, judge, documents)


def report(choice: Choice, verdicts: Iterable[Verdict], n_found: int | None = None) -> JudgeReport:
    """The report on these verdicts. `n_found` is the number of runs there are, if not all of them were judged."""
    kept = tuple(verdicts)
    summary = summarise(kept, len(kept) if n_found is None else n_found)
    return JudgeReport(judge=choice.describe(), summary=summary, verdicts=kept)


def summarise(verdicts: tuple[Verdict, ...], n_found: int) -> dict[str, Any]:
    """Totals with both stages side by side, and with what they would be if all unjudged runs failed or passed."""
    outcomes = Counter(v.outcome for v in verdicts)
    total, passed, unjudged = len(verdicts), outcomes["pass"], outcomes["unjudged"]
    judged = total - unjudged
    staged = [v for v in verdicts if v.stage1.status in ("intercepted", "not_intercepted")]
    intercepted = sum(v.stage1.status == "intercepted" for v in staged)
    return {
        "n_found": n_found,
        "n_total": total,
        "n_judged": judged,
        "n_pass": passed,
        "n_fail": outcomes["fail"],
        "n_unjudged": unjudged,
        "n_disputed": sum(bool(v.disputed) for v in verdicts),
        "success_rate": _share(passed, judged),
        "success_rate_bounds": None if not total else [_share(passed, total), _share(passed + unjudged, total)],
        "success_rate_ci": wilson(passed, judged),
        "stage1": {"n_applicable": len(staged), "n_intercepted": intercepted, "rate": _share(intercepted, len(staged))},
        "reasons": dict(sorted(Counter(v.reason_code for v in verdicts).items())),
        "unjudged": [
            {"run": v.run, "reason_code": v.reason_code, "justification": v.justification}
            for v in verdicts
            if v.outcome == "unjudged"
        ],
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None


def _judge_one(pairing: Pairing, judge: Judge, persona: list[Document]) -> Verdict:
    case = read_case(pairing, persona)
    if isinstance(case, Verdict):
        return with_pairing(case, pairing)
    try:
        verdict = judge.judge(case)
    except (TraceError, OSError) as error:
        verdict = unjudged("invalid_run", str(error), _task_id(case.agent.trace))
    except Exception as error:  # noqa: BLE001 (a judge's failure is never the agent's, and must not end the batch)
        _log.debug("the judge failed on %s", pairing.agent, exc_info=True)
        verdict = failed_verdict(error, case.agent.trace)
    return with_pairing(verdict, pairing)


def read_case(pairing: Pairing, persona: list[Document]) -> Case | Verdict:
    """The case of a pairing, or the verdict that there is none. Never raises."""
    try:
        agent = Trace(pairing.agent)
    except (TraceError, OSError) as error:
        return unjudged("invalid_run", str(error))
    try:
        reference = None if pairing.reference is None else Trace(pairing.reference)
    except (TraceError, OSError) as error:
        return unjudged("invalid_reference", str(error), _task_id(agent))
    try:
        return build_case(agent, reference, persona)
    except (TraceError, OSError) as error:
        return unjudged("invalid_run", str(error), _task_id(agent))
    except Exception as error:  # noqa: BLE001 (as above: one run that breaks us must not end the batch)
        _log.debug("%s cannot be read", pairing.agent, exc_info=True)
        return failed_verdict(error, agent)


def with_pairing(verdict: Verdict, pairing: Pairing) -> Verdict:
    """`verdict` under the name of its run, with what the pairing knows of a reference that is missing."""
    if verdict.outcome == "unjudged" and verdict.reason_code == "no_reference" and pairing.detail:
        code = pairing.problem or verdict.reason_code
        why = f"No reference: {pairing.detail}."
        verdict = verdict.model_copy(update={"reason_code": code, "justification": why})
    return verdict.model_copy(update={"run": pairing.run})


def failed_verdict(error: Exception, trace: Trace) -> Verdict:
    """The verdict where the judge itself broke."""
    why = f"The judge itself failed with {type(error).__name__}: {error}"
    return unjudged("judge_error", why, _task_id(trace))


def _task_id(trace: Trace) -> str | None:
    return trace.meta.task_id
