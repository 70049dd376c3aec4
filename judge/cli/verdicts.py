"""`clawjudge verdicts`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clawjudge.judge.cli.store_options import (
    BUNDLE,
    FORMAT,
    OUTPUT,
    as_selector,
    comparison_document,
    judges_of,
    print_screen,
    reading,
    standing_document,
    standing_of,
)
from clawjudge.judge.cli.streams import Exit, NothingMatched, check_output, emit, notice
from clawjudge.judge.cli.streams import show as show_screen

if TYPE_CHECKING:
    from clawjudge.judge.store.records import VerdictRecord
    from clawjudge.judge.store.standing import Selector

_JUDGES = click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="JUDGE[=MODEL][@TIME]",
    callback=as_selector,
    help="Only this judge; may be given several times. @TIME: as things stood then (a date is the end of that day).",
)


@click.group()
def verdicts() -> None:
    """Look into the stored verdicts of a bundle: who said what of which run, when, and why it changed."""


@verdicts.command(
    short_help="List the verdicts that stand.",
    epilog="""\b
Examples:
  clawjudge verdicts ls runs
  clawjudge verdicts ls runs --judge request-strict --outcome unjudged
  clawjudge verdicts ls runs --format json | jq -r '.verdicts[] | select(.outcome == "fail") | .run'
""",
)
@BUNDLE
@_JUDGES
@click.option("--outcome", type=click.Choice(["pass", "fail", "unjudged"]), help="Only these verdicts.")
@FORMAT
def ls(bundle: Path, judges: tuple[Selector, ...], outcome: str | None, form: str) -> Exit:
    """List the verdict of each judge that stands for each run of BUNDLE."""
    from clawjudge.judge.show.documents import dumps
    from clawjudge.judge.show.verdicts import listing

    with reading(bundle) as store:
        chosen = judges or judges_of(store)
        groups = [(str(one), standing_of(store, one, bundle)) for one in chosen]
    if outcome is not None:
        groups = [(judge, [one for one in found if one.outcome == outcome]) for judge, found in groups]
    if not any(found for _, found in groups):
        raise NothingMatched(f"{bundle}: no verdict is {outcome or 'there'}")
    if form == "json":
        documents = [standing_document(one) for _, found in groups for one in found]
        emit(dumps({"schema_version": 1, "verdicts": documents}, indent=2) + "\n")
    else:
        print_screen(lambda screen: listing(groups, screen.width))
    return Exit.DONE


@verdicts.command(
    short_help="Show what each judge said of one run.",
    epilog="""\b
Examples:
  clawjudge verdicts show runs run-7
  clawjudge verdicts show runs run-7 --judge request-strict --format json
""",
)
@BUNDLE
@click.argument("run")
@_JUDGES
@FORMAT
def show(bundle: Path, run: str, judges: tuple[Selector, ...], form: str) -> Exit:
    """Show what each judge said of RUN (its path below BUNDLE), in full."""
    from clawjudge.judge.show.documents import dumps
    from clawjudge.judge.show.human import render
    from clawjudge.judge.show.layout import Screen

    name = run.rstrip("/")
    with reading(bundle) as store:
        records = _last_of_each(list(store.history(run=name)), judges)
    if not records:
        raise NothingMatched(
            f"{bundle}: no such verdict of a run {name!r}; clawjudge verdicts ls {bundle} lists the runs"
        )
    if form == "json":
        emit(dumps({"schema_version": 1, "verdicts": [_record_document(one) for one in records]}, indent=2) + "\n")
    else:
        screen = Screen.of_stdout()
        show_screen("\n".join(render(_report(one), name, screen) for one in records))
    return Exit.DONE


@verdicts.command(
    short_help="Tell every verdict from the first to the last.",
    epilog="""\b
Examples:
  clawjudge verdicts history runs
  clawjudge verdicts history runs run-7 --judge request-strict
""",
)
@BUNDLE
@click.argument("run", required=False)
@_JUDGES
@FORMAT
def history(bundle: Path, run: str | None, judges: tuple[Selector, ...], form: str) -> Exit:
    """Tell every verdict on the runs of BUNDLE, or on one RUN, from the first to the last."""
    from clawjudge.judge.show.documents import dumps
    from clawjudge.judge.show.verdicts import history as told

    with reading(bundle) as store:
        told_of = store.outlines(run=None if run is None else run.rstrip("/"))
        found = [one for one in told_of if not judges or any(judge.takes(one) for judge in judges)]
    if not found:
        raise NothingMatched(f"{bundle}: no such verdict{'' if run is None else f' of a run {run!r}'}")
    if form == "json":
        emit(dumps({"schema_version": 1, "verdicts": [standing_document(one) for one in found]}, indent=2) + "\n")
    else:
        print_screen(lambda _: told(found))
    return Exit.DONE


@verdicts.command(
    short_help="What differs between two judges or two times, and why.",
    epilog="""\b
Examples:
  Two judges:
    clawjudge verdicts diff runs request-strict request-lenient
  What the bundle came with, and what stands now:
    clawjudge verdicts diff runs clawbench-strict request-strict
  One judge at two times:
    clawjudge verdicts diff runs request-strict@2026-11-01 request-strict
""",
)
@BUNDLE
@click.argument("old", metavar="JUDGE[=MODEL][@TIME]", callback=as_selector)
@click.argument("new", metavar="JUDGE[=MODEL][@TIME]", callback=as_selector)
@FORMAT
def diff(bundle: Path, old: Selector, new: Selector, form: str) -> Exit:
    """Say which verdicts on the runs of BUNDLE differ between two judges, or two times, and why."""
    from clawjudge.judge.show.documents import dumps
    from clawjudge.judge.show.verdicts import comparison
    from clawjudge.judge.store.changes import compare

    with reading(bundle) as store:
        made = compare(standing_of(store, old, bundle), standing_of(store, new, bundle), by="run")
    if form == "json":
        emit(dumps(comparison_document(made, str(old), str(new)), indent=2) + "\n")
    else:
        print_screen(lambda screen: comparison(made, str(old), str(new), screen.width))
    return Exit.DONE


@verdicts.command(
    short_help="Write verdicts as CSV, JSON lines or Parquet.",
    epilog="""\b
Examples:
  clawjudge verdicts export runs --format csv -o verdicts.csv
  clawjudge verdicts export runs --format parquet --all -o verdicts.parquet
""",
)
@BUNDLE
@_JUDGES
@click.option("--all", "every", is_flag=True, help="The whole history, not only the verdicts that stand.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl", "parquet"]),
    default="csv",
    show_default=True,
    help="What to write.",
)
@OUTPUT
def export(bundle: Path, judges: tuple[Selector, ...], every: bool, form: str, output: Path | None) -> Exit:
    """Write the verdicts on the runs of BUNDLE as a table, with judge, model, rubric, tokens and cost of each."""
    check_output(output)
    from clawjudge.judge.store import export as tables

    if form == "parquet" and output is None:
        raise click.UsageError("a Parquet file is no text; name a file with -o")
    with reading(bundle) as store:
        chosen = judges or judges_of(store)
        taken = store.outlines() if every else (one for judge in chosen for one in standing_of(store, judge, bundle))
        kept = {one.id for one in taken if any(judge.takes(one) for judge in chosen)}
        records = (one for one in store if one.id in kept)
        writer = {"csv": tables.as_csv, "jsonl": tables.as_json_lines, "parquet": tables.as_parquet}[form]
        emit(writer(tables.rows(records)), output)
    return Exit.DONE


@verdicts.command(
    "import",
    short_help="Read the verdict files that runs came with.",
    epilog="""\b
Examples:
  clawjudge verdicts import runs
  clawjudge verdicts ls runs --judge clawbench-strict
"""
)  # fmt: skip
@click.argument("bundle", type=click.Path(path_type=Path, exists=True, file_okay=False))
@FORMAT
def import_(bundle: Path, form: str) -> Exit:
    """Read the judge.json and judge_llm.json that the runs of BUNDLE came with into its store.

    They are kept as clawbench-strict and clawbench-lenient with the model that they name, to be shown and compared; no
    rescore uses them. Files that hold no verdict are named.
    """
    from clawjudge.judge.pairing import find_runs
    from clawjudge.judge.show.documents import dumps
    from clawjudge.judge.store.prior import import_prior
    from clawjudge.judge.store.verdict_store import VerdictStore

    runs = [run.relative_to(bundle).as_posix() for run in find_runs(bundle)]
    if not runs:
        raise NothingMatched(f"{bundle}: holds no run; a run is a folder with run-meta.json or requests.jsonl")
    with VerdictStore.open(bundle) as store:
        done = import_prior(store, bundle, runs)
    for problem in done.problems:
        notice(f"{bundle / problem.run / problem.file}: {problem.problem}")
    if form == "json":
        problems = [{"run": p.run, "file": p.file, "problem": p.problem} for p in done.problems]
        document = {"schema_version": 1, "n_new": done.n_new, "n_known": done.n_known, "problems": problems}
        emit(dumps(document, indent=2) + "\n")
    else:
        from clawjudge.judge.show.layout import count

        known, without = f"{done.n_known} known already", count(len(done.problems), "file")
        show_screen(f"{count(done.n_new, 'verdict')} read, {known}, {without} without a verdict\n")
    if not done.n_new + done.n_known + len(done.problems):
        notice(f"{bundle}: no run holds a judge.json or judge_llm.json, so there was nothing to read")
    return Exit.DONE


def _last_of_each(records: list[VerdictRecord], judges: tuple[Selector, ...]) -> list[VerdictRecord]:
    """The verdict that stands of each judge and model."""
    from clawjudge.judge.store.records import Outline
    from clawjudge.judge.store.standing import Selector, standing

    by_id = {one.id: one for one in records}
    outlines = [Outline.of(one) for one in records]
    known = sorted({(one.judge, one.model) for one in outlines}, key=lambda one: (one[0], one[1] or ""))
    chosen = judges or [Selector(judge, model) for judge, model in known]
    return [by_id[one.id] for judge in chosen for one in standing(outlines, judge)]


def _report(record: VerdictRecord) -> Any:
    from clawjudge.judge.evaluate import summarise
    from clawjudge.judge.verdict import JudgeReport

    mark = record.fingerprint
    asked = {"requested": mark.judge, "name": mark.judge, "why": "", "id": _who(record)}
    kept = (record.verdict,)
    return JudgeReport(judge={**mark.model_dump(mode="json"), **asked}, summary=summarise(kept, 1), verdicts=kept)


def _who(record: VerdictRecord) -> str:
    """Who gave a verdict, and when."""
    mark = record.fingerprint
    model = f" ({mark.model})" if mark.model else ""
    when = f", {record.judged_at}" if record.judged_at else ""
    return f"{mark.judge}{model}, as it came{when}" if record.origin == "imported" else f"{mark.id}{model}{when}"


def _record_document(record: VerdictRecord) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "id": record.id,
        "run": record.run,
        "judge": record.parts.judge,
        "model": record.parts.model,
        "origin": record.origin,
        "final": record.final,
        "judged_at": record.judged_at,
        "key": record.key,
        "rests_on": asdict(record.parts),
        "fingerprint": record.fingerprint.model_dump(mode="json"),
        "verdict": record.verdict.model_dump(mode="json"),
        "replies": list(record.replies),
        "usage": asdict(record.usage),
    }
