"""Verdicts that a bundle came with (`judge.json`, `judge_llm.json`), read into the store under their true judge's name.

They are claims of whoever made the bundle: kept, shown and compared, never used in place of a verdict of ours.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawjudge.judge.store.key import KeyParts
from clawjudge.judge.store.records import VerdictRecord
from clawjudge.judge.store.verdict_store import VerdictStore
from clawjudge.judge.verdict import Fingerprint, Stage1, Verdict
from clawjudge.traces.errors import TraceError
from clawjudge.traces.files import PRIOR_VERDICT_FILES
from clawjudge.traces.meta import read_document
from clawjudge.traces.paths import inside
from clawjudge.traces.problems import ProblemLog

_RUBRICS = {"judge.json": "strict", "judge_llm.json": "lenient"}
_OUTCOMES = {True: "pass", False: "fail", None: "unjudged"}
_MAX_REASON = 20_000
_AT_ONCE = 200
"""Verdicts in one transaction."""


@dataclass(frozen=True, slots=True)
class PriorProblem:
    """A verdict file that holds no verdict."""

    run: str
    file: str
    problem: str


@dataclass(frozen=True, slots=True)
class Import:
    """What an import did."""

    n_new: int
    n_known: int
    """Were in the store already."""
    problems: tuple[PriorProblem, ...]


def import_prior(store: VerdictStore, bundle: Path, runs: Iterable[str]) -> Import:
    """Put the prior verdicts of `runs` (paths below `bundle`) into the store, each once. Damaged files are named."""
    n_new = n_known = 0
    problems: list[PriorProblem] = []
    waiting: list[VerdictRecord] = []
    for run in runs:
        for found in read_prior(bundle, run):
            if isinstance(found, PriorProblem):
                problems.append(found)
            elif store.latest(found.key) is not None:
                n_known += 1
            else:
                waiting.append(found)
        if len(waiting) >= _AT_ONCE:
            n_new += len(store.put_all(waiting))
            waiting.clear()
    n_new += len(store.put_all(waiting))
    return Import(n_new, n_known, tuple(problems))


def read_prior(bundle: Path, run: str) -> Iterator[VerdictRecord | PriorProblem]:
    """The verdicts that the run came with, at its root or under `data/`, and files that should hold one and do not.

    Of two copies with the same content one counts; of two that differ the one at the root comes last, as the newer.
    Files that we wrote ourselves are no prior verdicts.
    """
    for name in PRIOR_VERDICT_FILES:
        contents: set[bytes] = set()
        for file in (f"data/{name}", name):
            try:
                path = inside(bundle, f"{run}/{file}")
                if not path.is_file():
                    continue
            except (TraceError, OSError) as error:
                yield PriorProblem(run, file, str(error))
                continue
            log = ProblemLog()
            document = read_document(path, "meta", file, log)
            if not document:
                said = "; ".join(problem.message for problem in log) or "the object is empty"
                yield PriorProblem(run, file, said)
            elif "clawjudge" not in document:
                digest = hashlib.sha256(repr(document).encode("utf-8", "surrogatepass")).digest()
                if digest not in contents:
                    contents.add(digest)
                    yield _record(document, run, file, digest)


def _record(document: dict[str, Any], run: str, file: str, digest: bytes) -> VerdictRecord | PriorProblem:
    match = document.get("match", "missing")
    if match is not None and not isinstance(match, bool):
        said = "has no `match`" if match == "missing" else f"`match` is {type(match).__name__}, not true, false or null"
        return PriorProblem(run, file, said)
    told = document.get("rubric")
    rubric = told if told in _RUBRICS.values() else _RUBRICS[Path(file).name]
    judge = f"clawbench-{rubric}"
    model = document.get("judge_model")
    model = model if isinstance(model, str) and model else None
    raw, claimed, task_id = document.get("raw"), document.get("original_intercepted"), document.get("task_id")
    verdict = Verdict(
        run=run,
        task_id=str(task_id) if isinstance(task_id, str | int) else None,
        outcome=_OUTCOMES[match],  # type: ignore[arg-type]
        reason_code="imported" if match is not None else "imported_without_verdict",
        justification=_reason(document),
        stage1=Stage1(status="unknown", note="a prior verdict does not say how it was told"),
        intercepted=claimed if isinstance(claimed, bool) else None,
    )
    return VerdictRecord(
        run=run,
        parts=KeyParts(judge=judge, model=model, import_id=_import_id(digest, run)),
        fingerprint=Fingerprint(
            judge=judge, version="unknown", rubric=judge, rubric_version="unknown", rubric_sha256="", model=model
        ),
        verdict=verdict,
        origin="imported",
        replies=(raw,) if isinstance(raw, str) and raw else (),
    )


def _import_id(digest: bytes, run: str) -> str:
    """The run is part of it, because one text may be the verdict file of many runs."""
    return hashlib.sha256(digest + run.encode("utf-8", "surrogatepass")).hexdigest()


def _reason(document: dict[str, Any]) -> str:
    for key in ("reason", "error"):
        text = document.get(key)
        if isinstance(text, str) and text.strip():
            return text if len(text) <= _MAX_REASON else text[: _MAX_REASON - 1] + "…"
    return ""
