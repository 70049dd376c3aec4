"""`clawjudge reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clawjudge.judge.cli.store_options import FORMAT, OUTPUT, print_screen, reading
from clawjudge.judge.cli.streams import Exit, check_output, emit

if TYPE_CHECKING:
    from clawjudge.judge.store.records import Outline
    from clawjudge.judge.store.reproduce import Column, Reproduction

_EXITS = {"reproduced": Exit.DONE, "not_reproduced": Exit.GATE_FAILED, "invalid": Exit.INVALID_INPUT}


@click.command(
    epilog="""\b
Examples:
  A row that ClawBench published, after a rescore with both request judges:
    clawjudge reproduce --row glm-5.1 ClawBenchV2Trace/batch-aligned-20260520/glm-5.1__hermes
  A row of your own, one rubric:
    clawjudge reproduce --row row.json --rubric lenient runs
  Which rows there are:
    clawjudge reproduce --list

\b
Exit codes: 0 reproduced, 1 not reproduced, 3 invalid because runs are unjudged, 4 invalid for another reason (not all
tasks, a rubric that was not run, a row that cannot be), 5 no verdicts.
"""
)
@click.argument("bundles", nargs=-1, metavar="BUNDLE...", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--row", "name", metavar="FILE|NAME", help="A public row by its model's name, or a file with one.")
@click.option(
    "--rubric",
    type=click.Choice(["both", "lenient", "strict"]),
    default="both",
    show_default=True,
    help="Which rewards to compare; interception is always compared.",
)
@click.option("--list", "lists", is_flag=True, help="List the public rows.")
@FORMAT
@OUTPUT
def reproduce(
    bundles: tuple[Path, ...], name: str | None, rubric: str, lists: bool, form: str, output: Path | None
) -> Exit:
    """Say whether the stored verdicts on BUNDLE give what a leaderboard row says.

    A reward is reproduced if chance explains the verdicts that changed: their paired 95 % interval holds 0. It is no
    attempt at all (invalid) unless every task of the row was judged once under the rubric and none is unjudged.
    """
    check_output(output)
    if lists:
        _list(form, output)
        return Exit.DONE
    if name is None or not bundles:
        raise click.UsageError("give a row with --row and at least one bundle; --list shows the public rows")
    from clawjudge.judge.show.documents import dumps
    from clawjudge.judge.show.verdicts import reproduction
    from clawjudge.judge.store.published import COLUMNS, find_row
    from clawjudge.judge.store.reproduce import JUDGES, PRIOR
    from clawjudge.judge.store.reproduce import reproduce as hold

    row = find_row(name, rubric)
    columns = [column for column in COLUMNS if rubric in ("both", column) or column not in JUDGES]
    made = hold(row, _verdicts(bundles, JUDGES), _verdicts(bundles, PRIOR), columns)
    if form == "json":
        emit(dumps(_document(made), indent=2) + "\n", output)
    else:
        print_screen(lambda _: reproduction(made), output)
    if made.n_unjudged and made.answer == "invalid" and len(made.problems) == _n_unjudged_problems(made):
        return Exit.UNJUDGED
    return _EXITS[made.answer]


def _n_unjudged_problems(made: Reproduction) -> int:
    return sum("are unjudged" in problem for problem in made.problems)


def _verdicts(bundles: tuple[Path, ...], judges: dict[str, str]) -> dict[str, Any]:
    """The standing verdicts of each judge over all bundles, by rubric; a run is named by its bundle as well."""
    from dataclasses import replace

    from clawjudge.judge.store.standing import Selector, standing

    found: dict[str, list[Outline]] = {rubric: [] for rubric in judges}
    for number, bundle in enumerate(bundles):
        with reading(bundle) as store:
            for rubric, judge in judges.items():
                verdicts = standing(store.outlines(judge=judge), Selector(judge))
                found[rubric] += [replace(one, run=f"{number}/{one.run}") for one in verdicts]
    return found


def _list(form: str, output: Path | None) -> None:
    from clawjudge.judge.show.documents import dumps
    from clawjudge.judge.show.layout import line
    from clawjudge.judge.store.published import published_rows

    rows = published_rows()
    if form == "json":
        import msgspec

        document = {"schema_version": 1, "rows": [msgspec.structs.asdict(row) for row in rows]}
        emit(dumps(document, indent=2) + "\n", output)
        return
    lines = [line((f"{'model':<24} {'harness':<8} {'n':>4} {'intercepted':>11} {'lenient':>8} {'strict':>7}", "dim"))]
    for row in rows:
        counts = f"{row.n:>4} {row.intercepted:>11} {row.lenient:>8} {row.strict:>7}"
        lines.append(line(f"{row.model:<24} {row.harness:<8} {counts}"))
    lines.append(line((f"{rows[0].source}, {rows[0].date}; judged by {rows[0].judge_model}", "dim")))
    print_screen(lambda _: lines, output)


def _document(made: Reproduction) -> dict[str, Any]:
    import msgspec

    return {
        "schema_version": 1,
        "answer": made.answer,
        "row": msgspec.structs.asdict(made.row),
        "problems": list(made.problems),
        "n_runs": made.n_runs,
        "n_tasks": made.n_tasks,
        "n_unjudged": made.n_unjudged,
        "columns": [_column(column) for column in made.columns],
        "notices": list(made.notices),
    }


def _column(column: Column) -> dict[str, Any]:
    table = column.table
    return {
        "name": column.name,
        "published": column.published,
        "observed": column.observed,
        "n": column.n,
        "reproduced": column.reproduced,
        "paired": column.paired,
        "lost": None if table is None else table.lost,
        "gained": None if table is None else table.gained,
        "difference": None if table is None else table.difference,
        "interval_95": None if table is None else table.interval,
        "p_value": None if table is None else table.p_value,
        "note": column.note,
    }
