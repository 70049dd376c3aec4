"""`clawjudge align`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from clawjudge.judge.cli.streams import Exit, emit, notice, show

if TYPE_CHECKING:
    from clawjudge.judge.align.alignment import Alignment
    from clawjudge.judge.case import Case
    from clawjudge.traces.digest import RunDigest

_NAMED = 10


@click.command(
    epilog="""\b
Examples:
  clawjudge align runs/42 humans/42
  clawjudge align runs/42 humans/42 --format json | jq '.pairs[] | select(.status != "match")'
  clawjudge align runs/42 humans/42 --frames screens && xdg-open screens

\b
Signs: = the same, ≠ same target but another value, - only in the reference, + only in the run.
"""
)
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("reference", metavar="[REF]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(["human", "json"]), default="human", show_default=True, help="What to print."
)
@click.option(
    "--frames",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Also write the screens before and after every step to DIR (new or empty), as 012-match-agent-after.jpg.",
)
def align(run: Path, reference: Path | None, form: str, frames: Path | None) -> Exit:
    """Show the steps of RUN beside those of the reference REF: the same, varied, left out or added.

    Without REF, the folder `reference` beside the run serves, as in `evaluate`.
    """
    reference = _reference_of(run, reference)
    from clawjudge.judge.align.frames import check_folder
    from clawjudge.judge.align.parting import first_parting
    from clawjudge.judge.case import build_case
    from clawjudge.judge.known_secrets import KnownSecrets
    from clawjudge.judge.show.documents import dumps
    from clawjudge.judge.show.layout import Screen
    from clawjudge.judge.show.steps import hidden_steps, render_steps, steps_document
    from clawjudge.traces.trace import Trace

    if frames is not None:
        check_folder(frames, run, reference)
    case = build_case(Trace(run), Trace(reference))
    if case.task_mismatch:
        notice(f"note: {case.task_mismatch}")
    theirs = case.reference
    assert theirs is not None
    alignment = _alignment(case)
    if frames is not None:
        _write_frames(alignment, case.agent, theirs, frames)
    mine, binds = case.agent.steps, case.sources.bind
    first = first_parting(alignment, mine, theirs.steps, lambda value: bool(binds(value)))
    hide = KnownSecrets(case).hide
    shown = (alignment, hidden_steps(mine, hide), hidden_steps(theirs.steps, hide), first)
    if form == "json":
        emit(dumps(steps_document(*shown), indent=2) + "\n")
    else:
        show(render_steps(*shown, Screen.of_stdout()))
    return Exit.DONE


def _reference_of(run: Path, given: Path | None) -> Path:
    """The reference to align with. Raises `InvalidRun` if there is none, or if `run` is a folder of runs."""
    from clawjudge.judge.pairing import find_runs, pair
    from clawjudge.traces.errors import InvalidRun

    runs = find_runs(run)
    if runs and runs != [run]:
        names = ", ".join(str(one) for one in runs[:_NAMED]) + (
            f" and {len(runs) - _NAMED} more" * (len(runs) > _NAMED)
        )
        raise InvalidRun(f"{run}: is a folder of runs; give one of them: {names}")
    if given is not None:
        return given
    pairings = pair(run, None)
    if not pairings:
        raise InvalidRun(f"{run}: is no run; a run is a folder that holds run-meta.json or requests.jsonl")
    if pairings[0].reference is None:
        raise InvalidRun(f"{run}: no reference to hold it against; give it as REF: clawjudge align RUN REF")
    return pairings[0].reference


def _write_frames(alignment: Alignment, agent: RunDigest, reference: RunDigest, folder: Path) -> None:
    from clawjudge.judge.align.frames import write_frames

    count = write_frames(alignment, agent, reference, folder)
    for whose, run in (("run", agent), ("reference", reference)):
        for problem in run.trace.problems:
            if problem.code == "no_pictures":
                notice(f"note: the {whose} has no screens: {problem.message}")
    notice(f"wrote {count} screens to {folder}")


def _alignment(case: Case) -> Alignment:
    """The alignment that a judge sees; for a reference without a final request, one without an anchor."""
    from clawjudge.judge.align.comparison import RunComparison, align_runs

    compared = RunComparison.of(case)
    if compared is not None:
        return compared.alignment
    notice("note: the reference makes no final request, so the runs are aligned without one")
    alignment = align_runs(case)
    assert alignment is not None
    return alignment
