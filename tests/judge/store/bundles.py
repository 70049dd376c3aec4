"""Bundles of judged runs, made as a rescore makes them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from clawjudge.judge.fingerprint import fingerprint
from clawjudge.judge.store.dropin import Answer, RunEntry, RunFacts
from clawjudge.judge.store.key import KeyParts
from clawjudge.judge.store.records import VerdictRecord
from clawjudge.judge.store.verdict_store import VerdictStore
from clawjudge.judge.verdict import Outcome, Stage1, Verdict
from clawjudge.rubrics.load import load_rubric
from clawjudge.traces.meta import parse_meta

JUDGES = ("request-strict", "request-lenient")
MODEL = "anthropic:claude-judge"
_RUBRICS = {"request-strict": "v2-strict", "request-lenient": "v2-lenient", "offline": "v1-agentic"}
_STAGES: dict[bool | None, Any] = {True: "intercepted", False: "not_intercepted", None: "not_applicable"}


@dataclass(frozen=True)
class Case:
    """A run and what the judges say of it."""

    run: str
    intercepted: bool | None = True
    strict: Outcome = "pass"
    lenient: Outcome = "pass"
    task_id: Any = 7
    meta: Any = None


def record(
    judge: str,
    run: str,
    outcome: Outcome,
    *,
    intercepted: bool | None = True,
    task_id: str | None = "7",
    model: str | None = MODEL,
    evidence: str = "e",
    reason_code: str = "judged",
    reason: str = "It is what was asked.",
    judged_at: str = "2026-11-30T10:00:00Z",
    **parts: Any,
) -> VerdictRecord:
    verdict = Verdict(
        run=run,
        task_id=task_id,
        outcome=outcome,
        reason_code=reason_code,
        justification=reason,
        stage1=Stage1(status=_STAGES[intercepted]),
        intercepted=intercepted,
    )
    mark = fingerprint(judge, load_rubric(_RUBRICS.get(judge, "v2-strict")), model)
    key = KeyParts(judge=judge, model=model, evidence_sha256=f"{evidence} {run}", **parts)
    return VerdictRecord(run, key, mark, verdict, replies=('{"match": true}',), judged_at=judged_at)


def write_run(bundle: Path, case: Case) -> RunFacts:
    """The run's folder as ClawBench leaves it, and what the summary needs to know of it."""
    folder = bundle / case.run
    (folder / "data").mkdir(parents=True)
    meta = {
        "task_id": case.task_id,
        "test_case": f"v2-{case.task_id}-shop",
        "instruction": "Buy two.",
        "intercepted": bool(case.intercepted),
        "model": "glm-5.1",
        "harness": "hermes",
        "duration_seconds": 360,
    }
    meta |= case.meta or {}
    (folder / "run-meta.json").write_text(json.dumps(meta))
    (folder / "data" / "interception.json").write_text(json.dumps({"intercepted": bool(case.intercepted)}))
    return RunFacts.of(case.run, parse_meta(meta), case.intercepted)


def records_of(case: Case) -> dict[str, VerdictRecord]:
    outcomes = dict(zip(JUDGES, (case.strict, case.lenient), strict=True))
    made = {}
    for judge, outcome in outcomes.items():
        told: Outcome = outcome if case.intercepted else "fail" if case.intercepted is False else "unjudged"
        code = "judge_unavailable" if told == "unjudged" else "judged" if case.intercepted else "no_request"
        made[judge] = record(judge, case.run, told, intercepted=case.intercepted, reason_code=code)
    return made


def entry_of(facts: RunFacts, records: dict[str, VerdictRecord]) -> RunEntry:
    return RunEntry(facts, {judge: Answer.of(one) for judge, one in records.items()})


def judged_bundle(home: Path, cases: Iterable[Case], times: str = "2026-11-30T10:00:00Z") -> Path:
    """A bundle with its runs and a store that holds the verdicts on them."""
    home.mkdir(exist_ok=True)
    with VerdictStore.open(home) as store:
        for case in cases:
            if not (home / case.run).exists():
                write_run(home, case)
            for one in records_of(case).values():
                verdict = one.verdict.model_copy(update={"task_id": str(case.task_id)})
                store.put(replace(one, verdict=verdict, judged_at=times))
    return home
