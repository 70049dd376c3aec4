"""The files that ClawBench's tools read, written from verdicts: per run `judge.json` and `judge_llm.json`, per bundle
`rescore-summary.json`, `eval_results/<bundle>/` and the leaderboard row.

On complete data the numbers are ClawBench's. They differ where a judge did not answer: an unjudged run is no failure,
so it is left out of the rate and bounds are given; where no intercepted run was judged there is no rate at all. And
whether a request was made is recomputed, not read from `run-meta.json`. What ClawBench does not know stands under
further keys. The same verdicts give the same bytes: no times, no paths of this computer.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from clawjudge.judge.show.documents import spreadsheet_cell
from clawjudge.judge.store.records import VerdictRecord
from clawjudge.judge.verdict import Outcome, writable
from clawjudge.traces.atomic import write_atomically
from clawjudge.traces.meta import RunMeta
from clawjudge.traces.paths import inside

SUMMARY_FILE = "rescore-summary.json"
RESULTS_FOLDER = "eval_results"
VERDICT_FILES = {"request-strict": "judge.json", "request-lenient": "judge_llm.json"}
"""Judges with files of their own for each run."""
RUBRICS = {"request-lenient": "lenient", "request-strict": "strict"}
"""Judges that ClawBench's summary has columns for, in its order."""
ROW_COLUMNS = ("model", "harness", "dataset", "passed", "total", "pass_rate", "wall_hours")

_MATCH = {"pass": True, "fail": False, "unjudged": None}


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the files say of a run beside its verdicts: small, because a bundle may hold many thousand runs."""

    run: str
    """Path below the bundle, with forward slashes; `.` where the bundle is one run."""
    intercepted: bool | None
    """Whether the terminal request was made, recomputed; None where that does not apply or cannot be told."""
    task_id: str | int | None = None
    test_case: str | None = None
    """Task and test case as the recorder wrote them; ClawBench compares them by their type as well."""
    model: str = ""
    harness: str = ""
    corpus: str = ""
    seconds: float | None = None

    @classmethod
    def of(cls, run: str, meta: RunMeta, intercepted: bool | None) -> Self:
        task_id, case, seconds = (meta.raw.get(name) for name in ("task_id", "test_case", "duration_seconds"))
        known = isinstance(seconds, int | float) and math.isfinite(seconds)
        return cls(
            run=run,
            intercepted=intercepted,
            task_id=task_id if isinstance(task_id, str | int) else None,
            test_case=case if isinstance(case, str) else None,
            model=meta.model,
            harness=meta.harness,
            corpus=_corpus(meta),
            seconds=float(seconds) if known else None,  # type: ignore[arg-type]
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What of a verdict stands in a summary."""

    outcome: Outcome
    reason_code: str
    justification: str
    model: str | None

    @classmethod
    def of(cls, record: VerdictRecord) -> Self:
        verdict = record.verdict
        return cls(verdict.outcome, verdict.reason_code, verdict.justification, record.parts.model)


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run of a bundle with the answer of each judge that gave one, by the judge's name."""

    facts: RunFacts
    answers: Mapping[str, Answer]

    @property
    def intercepted(self) -> bool | None:
        return self.facts.intercepted

    def match(self, judge: str) -> bool | None:
        answer = self.answers.get(judge)
        return None if answer is None else _MATCH[answer.outcome]


def write_run_files(home: Path, facts: RunFacts, verdicts: Mapping[str, VerdictRecord]) -> None:
    """Write the verdict files of one run below `home`, for each request judge that was asked about a request.

    As with ClawBench there is none for a run that made no request. Raises `UnsafePath` where a link leads elsewhere.
    """
    for judge, name in VERDICT_FILES.items():
        if judge in verdicts and facts.intercepted:
            document = _run_document(verdicts[judge], facts, RUBRICS[judge])
            _write(inside(home, f"{facts.run}/{name}"), _json(document))


def write_summary_files(
    home: Path,
    name: str,
    entries: Iterable[RunEntry],
    judges: Sequence[str],
    missing: Sequence[str] = (),
    source: str | None = None,
) -> dict[str, Any]:
    """Write the files of a whole bundle below `home` and return the summary.

    `name` is the bundle's name in `eval_results/`; `judges` are those that were asked for; `missing` names tasks of
    which no run was found; `source` is the dataset at its commit, of a bundle that was pulled. Judges without a column
    of ClawBench's have none here either.
    """
    asked = _with_columns(judges)
    rows = sorted(entries, key=lambda entry: entry.facts.run.split("/"))
    summary = summarise(name, rows, asked, missing) | ({} if source is None else {"source": source})
    _write(inside(home, SUMMARY_FILE), _json(summary))
    folder = f"{RESULTS_FOLDER}/{name}"
    _write(inside(home, f"{folder}/per_task.csv"), _per_task(summary["tasks"], asked))
    _write(inside(home, f"{folder}/summary.json"), _json(_short_summary(summary, rows, asked)))
    for judge in asked:
        rubric = RUBRICS[judge]
        _write(inside(home, f"{folder}/leaderboard-{rubric}.csv"), leaderboard_row(summary, rows, rubric))
    return summary


def summarise(
    name: str, rows: Sequence[RunEntry], judges: Sequence[str], missing: Sequence[str] = ()
) -> dict[str, Any]:
    """The content of `rescore-summary.json`."""
    judges = _with_columns(judges)
    staged = [row for row in rows if row.intercepted is not None]
    intercepted = sum(row.intercepted is True for row in staged)
    summary: dict[str, Any] = {
        "batch_dir": name,
        "n_total": len(rows),
        "n_intercepted": intercepted,
        "n_stage1_unknown": len(rows) - len(staged),
        "n_missing": len(missing),
        "missing_tasks": list(missing),
        "pass_rate_stage1_only": _share(intercepted, len(staged)),
    }
    for judge in judges:
        summary |= _counts(rows, judge, RUBRICS[judge])
    old = "strict" if "request-strict" in judges else "lenient" if judges else ""
    if old:
        summary |= {
            "n_judge_match": summary[f"n_match_{old}"],
            "n_judge_mismatch": summary[f"n_mismatch_{old}"],
            "n_judge_error": summary[f"n_judge_err_{old}"],
            "pass_rate_with_judge": summary[f"reward_pct_{old}"],
        }
    models = sorted({answer.model for row in rows for answer in row.answers.values() if answer.model})
    summary["judge_model"] = models[0] if len(models) == 1 else models or None
    summary["rubrics"] = [RUBRICS[judge] for judge in judges]
    summary["tasks"] = [_task_row(row, judges) for row in rows]
    return summary


def leaderboard_row(summary: Mapping[str, Any], rows: Sequence[RunEntry], rubric: str) -> str:
    """The row of ClawBench's leaderboard under its header.

    The header stands alone while runs are unjudged or missing: a row has no place to say so.
    """
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(ROW_COLUMNS)
    total, rate = summary["n_total"], summary[f"reward_pct_{rubric}"]
    if rate is not None and summary[f"n_judged_{rubric}"] == total and not summary["n_missing"]:
        seconds = [row.facts.seconds for row in rows if row.facts.seconds is not None]
        hours = f"{math.fsum(seconds) / 3600:.2f}" if len(seconds) == total else ""
        labels = [_label(getattr(row.facts, name) for row in rows) for name in ("model", "harness", "corpus")]
        passed = summary[f"n_match_{rubric}"]
        writer.writerow([*map(spreadsheet_cell, labels), passed, total, f"{100 * passed / total:.2f}", hours])
    return sink.getvalue()


def _with_columns(judges: Sequence[str]) -> list[str]:
    return [judge for judge in RUBRICS if judge in judges]


def _counts(rows: Sequence[RunEntry], judge: str, rubric: str) -> dict[str, Any]:
    """The numbers of one rubric. A run without a request is decided without the judge: it is no match."""
    asked = [row.match(judge) for row in rows if row.intercepted]
    match, mismatch = asked.count(True), asked.count(False)
    unjudged = asked.count(None) + sum(row.intercepted is None for row in rows)
    judged = len(rows) - unjudged
    # Where the judge was down for all, the runs without a request alone would make a rate of zero.
    silent = bool(asked) and match + mismatch == 0
    bounds = None if not rows else [_share(match, len(rows)), _share(match + unjudged, len(rows))]
    return {
        f"n_match_{rubric}": match,
        f"n_mismatch_{rubric}": mismatch,
        f"n_judge_err_{rubric}": asked.count(None),
        f"n_judged_{rubric}": judged,
        f"reward_pct_{rubric}": None if silent else _share(match, judged),
        f"reward_bounds_{rubric}": bounds,
    }


def _task_row(row: RunEntry, judges: Sequence[str]) -> dict[str, Any]:
    facts = row.facts
    entry: dict[str, Any] = {"task_id": facts.task_id, "test_case": facts.test_case, "intercepted": facts.intercepted}
    for judge in judges:
        rubric, answer = RUBRICS[judge], row.answers.get(judge)
        told = answer is not None and bool(facts.intercepted)
        entry[f"match_{rubric}"] = row.match(judge) if told else None
        entry[f"reason_{rubric}"] = answer.justification if answer is not None and told else ""
        entry[f"outcome_{rubric}"] = "unjudged" if answer is None else answer.outcome
        entry[f"reason_code_{rubric}"] = "not_judged" if answer is None else answer.reason_code
    return {**entry, "run": facts.run}


def _run_document(record: VerdictRecord, facts: RunFacts, rubric: str) -> dict[str, Any]:
    verdict = record.verdict
    return {
        "match": _MATCH[verdict.outcome],
        "reason": verdict.justification,
        "judge_model": record.parts.model,
        "raw": record.replies[-1] if record.replies else None,
        "error": verdict.reason_code if verdict.outcome == "unjudged" else None,
        "task_id": facts.task_id,
        "test_case": facts.test_case,
        "original_intercepted": True,
        "rubric": rubric,
        "clawjudge": {
            "schema_version": 1,
            "key": record.key,
            "outcome": verdict.outcome,
            "reason_code": verdict.reason_code,
            "judge": record.fingerprint.model_dump(mode="json"),
        },
    }


def _per_task(tasks: Sequence[Mapping[str, Any]], judges: Sequence[str]) -> str:
    """ClawBench's columns first, then ours."""
    rubrics = [RUBRICS[judge] for judge in judges]
    columns = ["task_id", "test_case", "intercepted"]
    columns += [f"{part}_{rubric}" for rubric in rubrics for part in ("match", "reason")]
    columns += [f"{part}_{rubric}" for rubric in rubrics for part in ("outcome", "reason_code")]
    columns.append("run")
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(columns)
    for task in tasks:
        values = (task[column] for column in columns)
        writer.writerow(["" if v is None else spreadsheet_cell(v) if isinstance(v, str) else v for v in values])
    return sink.getvalue()


def _short_summary(summary: Mapping[str, Any], rows: Sequence[RunEntry], judges: Sequence[str]) -> dict[str, Any]:
    """The content of `eval_results/<bundle>/summary.json`: percentages as text, as ClawBench writes them."""
    short: dict[str, Any] = {
        "model": _label(row.facts.model for row in rows),
        "batch_dir": summary["batch_dir"],
        "n_total": summary["n_total"],
        "n_intercepted": summary["n_intercepted"],
        "intercepted_pct": _percent(summary["pass_rate_stage1_only"]),
    }
    for judge in judges:
        rubric = RUBRICS[judge]
        short |= {
            f"reward_{rubric}_pct": _percent(summary[f"reward_pct_{rubric}"]),
            f"match_{rubric}": summary[f"n_match_{rubric}"],
            f"mismatch_{rubric}": summary[f"n_mismatch_{rubric}"],
            f"judge_err_{rubric}": summary[f"n_judge_err_{rubric}"],
            f"judged_{rubric}": summary[f"n_judged_{rubric}"],
            f"reward_{rubric}_bounds": summary[f"reward_bounds_{rubric}"],
        }
    return {**short, "judge_model": summary["judge_model"], "rubrics": summary["rubrics"]}


def _corpus(meta: RunMeta) -> str:
    provenance = meta.raw.get("provenance")
    corpus = provenance.get("corpus") if isinstance(provenance, dict) else None
    suite = corpus.get("suite") if isinstance(corpus, dict) else None
    if isinstance(suite, str):
        return suite
    case = meta.raw.get("test_case")
    return "" if not isinstance(case, str) else "v2" if case.startswith("v2-") else "v1"


def _label(values: Iterable[str]) -> str:
    return " + ".join(sorted({value for value in values if value}))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f}%"


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(writable(dict(document)), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _write(path: Path, content: str) -> None:
    """Write unless the file holds just this: a second rescore of a large bundle writes nothing."""
    raw = content.encode("utf-8", "backslashreplace")
    if path.is_file() and not path.is_symlink() and path.stat().st_size == len(raw) and path.read_bytes() == raw:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, raw)
