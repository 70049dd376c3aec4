"""What a rescore prints: a table for people, a document for programs, and one closing line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from clawjudge.judge.models.prices import dated
from clawjudge.judge.rescore.engine import BundleResult
from clawjudge.judge.rescore.outputs import JudgeTotals, totals

SCHEMA_VERSION = 1
_LISTED = 20


def closing_line(results: Sequence[BundleResult], code: int, seconds: float) -> str:
    """One line for grep. `verdicts` is `pass` + `fail` + `unjudged` + `pending`, and the code follows from it."""
    every = [totals(result, judge) for result in results for judge in result.judges]
    fields = {
        "bundles": len(results),
        "runs": sum(len(result.runs) for result in results),
        "intercepted": sum(entry.intercepted is True for result in results for entry in result.runs),
        "verdicts": sum(one.n_total for one in every),
        "pass": sum(one.n_pass for one in every),
        "fail": sum(one.n_fail for one in every),
        "unjudged": sum(one.n_unjudged for one in every),
        "pending": sum(one.n_pending for one in every),
        "missing_tasks": sum(len(result.coverage.missing) for result in results),
        "reused": sum(result.counts.reused for result in results),
        "calls": sum(result.counts.calls for result in results),
        "cost_usd": f"{sum(result.counts.cost_usd for result in results):.6f}",
        "seconds": f"{seconds:.2f}",
        "exit": code,
    }
    return "rescore-result " + " ".join(f"{name}={value}" for name, value in fields.items())


def for_programs(results: Sequence[BundleResult], dry_run: bool, code: int) -> str:
    """One JSON document."""
    bundles = [_document(result, dry_run) for result in results]
    document = {"schema_version": SCHEMA_VERSION, "dry_run": dry_run, "exit": code, "bundles": bundles}
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def for_people(results: Sequence[BundleResult], dry_run: bool) -> str:
    """A few lines for each bundle."""
    return "".join(line + "\n" for result in results for line in _lines(result, dry_run))


def _document(result: BundleResult, dry_run: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "bundle": str(result.bundle),
        "written_to": None if dry_run else str(result.home),
        "n_runs": len(result.runs),
        "n_intercepted": sum(entry.intercepted is True for entry in result.runs),
        "missing_tasks": list(result.coverage.missing),
        "unexpected_tasks": list(result.coverage.unexpected),
        "counts": asdict(result.counts),
        "judges": {judge: asdict(totals(result, judge)) for judge in result.judges},
        "runs": [
            {
                "run": entry.facts.run,
                "task_id": entry.facts.task_id,
                "intercepted": entry.intercepted,
                "verdicts": {judge: asdict(answer) for judge, answer in entry.answers.items()},
            }
            for entry in result.runs
        ],
    }
    if dry_run:
        document["estimate"] = {
            judge: {"runs_to_ask": number, "cost_usd_at_most": None if judge == "agentic" else round(dollars, 6)}
            for judge, (number, dollars) in result.estimate.items()
        }
    return document


def _lines(result: BundleResult, dry_run: bool) -> Iterator[str]:
    intercepted = sum(entry.intercepted is True for entry in result.runs)
    known = sum(entry.intercepted is not None for entry in result.runs)
    yield f"{result.bundle}: {len(result.runs)} runs"
    yield f"  stage 1: the final request was made in {intercepted} of {known}"
    for judge in result.judges:
        if dry_run:
            number, dollars = result.estimate.get(judge, (0, 0.0))
            cost = f"at most ${dollars:.2f} (prices of {dated()})"
            if judge == "agentic":
                cost = "clawjudge evaluate --judge agentic --dry-run estimates the cost"
            yield f"  {judge}: {number} runs to ask about, {cost}"
        else:
            yield from _judge_lines(totals(result, judge))
    yield from _coverage_lines(result)
    if not dry_run:
        counts = result.counts
        yield f"  {counts.reused} verdicts were there already, {counts.calls} calls, ${counts.cost_usd:.4f}"


def _judge_lines(one: JudgeTotals) -> Iterator[str]:
    judged = one.n_pass + one.n_fail
    rate = "no rate" if one.success_rate is None else f"{100 * one.success_rate:.1f} %"
    bounds = "" if one.bounds is None else f", between {100 * one.bounds[0]:.1f} and {100 * one.bounds[1]:.1f} % of all"
    named = f" ({one.model})" if one.model else ""
    yield f"  {one.judge}{named}: {one.n_pass} pass, {one.n_fail} fail, {one.n_unjudged} unjudged: " + (
        f"{rate} of {judged} judged{bounds}"
    )
    if one.n_pending:
        yield f"    {one.n_pending} were not asked about"
    if one.reasons:
        yield "    unjudged: " + ", ".join(f"{number} {reason}" for reason, number in one.reasons.items())


def _coverage_lines(result: BundleResult) -> Iterator[str]:
    for what, names in (("missing", result.coverage.missing), ("unexpected", result.coverage.unexpected)):
        if names:
            more = f", and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            yield f"  {what} tasks: {len(names)}: {', '.join(names[:_LISTED])}{more}"
