"""`clawjudge compare`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from clawjudge.judge.cli.store_options import (
    FORMAT,
    OUTPUT,
    as_selector,
    comparison_document,
    judges_of,
    print_screen,
    reading,
    standing_of,
)
from clawjudge.judge.cli.streams import Exit, NothingMatched, check_output, emit, gravest, notice

if TYPE_CHECKING:
    from clawjudge.judge.store.changes import Comparison
    from clawjudge.judge.store.records import Outline
    from clawjudge.judge.store.standing import Selector

_SIGNIFICANT = 0.05


@click.command(
    epilog="""\b
Examples:
  The verdicts of two reports of `evaluate`:
    clawjudge compare old.json new.json
  Two bundles that were rescored, in continuous integration:
    clawjudge compare runs-main runs-branch --judge request-strict --fail-on regression

\b
Exit codes: 0 done, 1 a gate failed, 3 some pairs are unjudged on a side, 4 input invalid, 5 nothing can be paired.
1 comes before 3.
"""
)
@click.argument("old", type=click.Path(path_type=Path, exists=True))
@click.argument("new", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--judge",
    metavar="JUDGE[=MODEL][@TIME]",
    callback=as_selector,
    help="Whose verdicts, for bundles. Default: the only judge there is.",
)
@click.option(
    "--by",
    type=click.Choice(["run", "task"]),
    help="Pair by the runs' paths or by task. Default: by run where the paths agree.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["regression", "significant"]),
    help="Exit with 1 if a run that passed fails now or is missing; or only if chance does not explain that fewer pass "
    "(5 %).",
)
@FORMAT
@OUTPUT
def compare(
    old: Path,
    new: Path,
    judge: Selector | None,
    by: Literal["run", "task"] | None,
    fail_on: str | None,
    form: str,
    output: Path | None,
) -> Exit:
    """Hold the verdicts of NEW against those of OLD: which changed, and does chance explain it?

    Each is a report of `clawjudge evaluate` (JSON or JSON lines) or a bundle with stored verdicts.
    """
    check_output(output)
    from clawjudge.judge.show.documents import dumps
    from clawjudge.judge.show.verdicts import comparison
    from clawjudge.judge.store.changes import compare as hold

    made = hold(_verdicts(old, judge), _verdicts(new, judge), by)
    if not made.n_pairs:
        raise NothingMatched(f"no {made.by} of {old} is in {new}; pair by the other with --by")
    if form == "json":
        emit(dumps(comparison_document(made, str(old), str(new)), indent=2) + "\n", output)
    else:
        print_screen(lambda screen: comparison(made, str(old), str(new), screen.width), output)
    return gravest(_gates(made, fail_on))


def _gates(made: Comparison, fail_on: str | None) -> Iterator[Exit]:
    table = made.table
    if made.unjudged:
        yield Exit.UNJUDGED
    if fail_on == "regression" and (table.lost or made.missing_passes):
        counted = [(table.lost, "fail now"), (len(made.missing_passes), "are not in NEW")]
        said = " and ".join(f"{number} that passed before {what}" for number, what in counted if number)
        notice(f"gate failed: {said} (--fail-on regression)")
        yield Exit.GATE_FAILED
    if fail_on == "significant" and table.lost > table.gained and table.p_value < _SIGNIFICANT:
        notice(f"gate failed: fewer pass than chance explains, p = {table.p_value:.2g} (--fail-on significant)")
        yield Exit.GATE_FAILED


def _verdicts(path: Path, judge: Selector | None) -> list[Outline]:
    if path.is_file():
        from clawjudge.judge.store.reports import read_report

        return read_report(path)
    with reading(path) as store:
        if judge is None:
            known = judges_of(store)
            if len(known) != 1:
                names = ", ".join(map(str, known)) or "nobody"
                raise click.UsageError(f"{path}: name one with --judge; verdicts are there of: {names}")
            [judge] = known
        return standing_of(store, judge, path)
