"""`clawjudge evaluate`."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clawjudge.judge.cli.agentic import (
    agentic_options,
    announce,
    judge_with,
    refuse_without_agentic,
    settings_of,
    show_plan,
)
from clawjudge.judge.cli.judge_model import judge_model_options, request_model
from clawjudge.judge.cli.pull import as_source, local_folder
from clawjudge.judge.cli.streams import (
    Exit,
    NothingMatched,
    check_output,
    emit,
    gravest,
    notice,
    output_file,
    partial_of,
    show,
)

if TYPE_CHECKING:
    from clawjudge.judge.align.sources import Document
    from clawjudge.judge.evaluate import Choice
    from clawjudge.judge.pairing import Pairing
    from clawjudge.judge.verdict import JudgeReport, Verdict
    from clawjudge.traces.hub_selection import Wants

_FEW_RUNS = 5
"""Up to this many are judged before anyone wonders."""
_QUIET_SECONDS = 10.0


def _a_share(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    try:
        share = float(value.rstrip().removesuffix("%"))
    except ValueError:
        share = math.nan
    percent = value.rstrip().endswith("%")
    if 0 <= share <= 1 and not percent:
        return share
    meant = f", so {share / 100:g} for {share:g} %" if 0 <= share <= 100 else ""
    raise click.BadParameter(f"{value!r} is not a share; give a number from 0 to 1{meant}")


def _nothing_misplaced(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> None:
    if value:
        raise click.UsageError(f"paths are given by name; did you mean --agent-trace {value[0]}?")


@click.command(
    epilog="""\b
Examples:
  Judge one run:
    clawjudge evaluate --agent-trace runs/42 --reference-trace humans/42
  A folder of runs, where a folder `reference` stands beside the runs of each task:
    clawjudge evaluate --agent-trace runs
  A folder of runs against a folder of references, paired by task:
    clawjudge evaluate --agent-trace runs --reference-trace humans --format csv -o verdicts.csv
  Runs that are published on the Hugging Face Hub, which are pulled into a folder here first (docs/hub.md):
    clawjudge evaluate --agent-trace hf://datasets/ORG/NAME/run --reference-trace hf://datasets/ORG/NAME/human-run
  In continuous integration:
    clawjudge evaluate --agent-trace runs --format junit -o report.xml --fail-under 0.8

\b
Exit codes: 0 done (any mix of pass and fail), 1 a gate failed, 2 usage, 3 some runs are unjudged,
4 input invalid, 5 no run found, 6 --max-cost was reached (what is done is printed and kept),
70 internal error, 130 interrupted (what is done is printed, or with -o FILE.json kept in
FILE.partial.json). 6 comes before 1, and 1 before 3.
"""
)
@click.argument("misplaced", nargs=-1, metavar="", is_eager=True, expose_value=False, callback=_nothing_misplaced)
@click.option(
    "--agent-trace",
    "agent_source",
    callback=as_source,
    required=True,
    metavar="PATH",
    help="The run to judge, or a folder of runs at any depth; or hf://datasets/ORG/NAME[@REVISION][/PATH].",
)
@click.option(
    "--reference-trace",
    "reference_source",
    callback=as_source,
    metavar="PATH",
    help="The human's run of the task, or a folder of such runs. Default: the folder `reference` beside each run.",
)
@click.option(
    "--judge",
    type=click.Choice(["auto", "offline", "agentic", "request-strict", "request-lenient"]),
    default="auto",
    show_default=True,
    help="Who judges. agentic and the request judges ask a model, for money; auto takes agentic where there is a key, "
    "else offline.",
)
@judge_model_options
@click.option(
    "--persona",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="JSON file with the user's details, where the run does not hold them.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["human", "json", "jsonl", "csv", "junit"]),
    default="human",
    show_default=True,
    help="What to print.",
)
@click.option(
    "--fail-under",
    metavar="SHARE",
    callback=_a_share,
    help="Exit with 1 if the success rate over the judged runs is below this share (0 to 1).",
)
@click.option(
    "--fail-on",
    type=click.Choice(["fail", "unjudged", "any"]),
    help="Exit with 1 if there is such a verdict; any means either.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Judge only the first N runs.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE",
    callback=output_file,
    help="Write the result to this file, whole or not at all; - is standard output.",
)
@agentic_options
def evaluate(
    agent_source: str | Path,
    reference_source: str | Path | None,
    judge: str,
    persona: Path | None,
    form: str,
    fail_under: float | None,
    fail_on: str | None,
    limit: int | None,
    output: Path | None,
    dry_run: bool,
    **asked: Any,
) -> Exit:
    """Judge a run, or every run in a folder, against a human reference of the same task.

    The verdict is pass, fail or unjudged, with the places in the recording that show it. The offline judge sends
    nothing anywhere; the agentic judge sends redacted evidence to a model and costs money (docs/agentic-judge.md).
    """
    check_output(output)
    # What may be wrong with the input is found out before the judges are imported, which takes a second or two.
    from clawjudge.judge.availability import decide
    from clawjudge.judge.pairing import pair

    name = decide(judge, asking=not dry_run).name
    refuse_without_agentic(name, asked)
    model = request_model(name, asked, dry_run)
    wants: Wants = "agentic" if name == "agentic" else "offline"
    agent = local_folder(agent_source, wants)
    pairings = pair(agent, None if reference_source is None else local_folder(reference_source, wants))
    if not pairings:
        raise NothingMatched(
            f"{agent}: holds no agent run; a run is a folder that holds run-meta.json or requests.jsonl; "
            "folders named `reference` and runs given as references do not count"
        )
    from clawjudge.judge.case import read_persona
    from clawjudge.judge.evaluate import choose_judge, report

    documents = [] if persona is None else [read_persona(persona)]
    choice = choose_judge(judge, settings_of(name, asked), asking=not dry_run, model=model)
    chosen = pairings[:limit]
    if dry_run:
        emit(show_plan(choice, chosen, documents), output)
        return Exit.DONE
    announce(choice)
    verdicts, interrupted, out_of_budget = _judge_all(choice, chosen, documents, agent, asked)
    if interrupted:
        said = "the results so far follow"
        if output is not None:
            said = f"the results so far go to {partial_of(output)}, and {output} is left as it is"
            output = partial_of(output)
        notice(f"interrupted after {len(verdicts)} of {len(chosen)} runs; {said}")
    result = report(choice, verdicts, n_found=len(pairings))
    broken = sum(verdict.reason_code == "judge_error" for verdict in verdicts)
    if broken:
        notice(f"the judge itself failed on {broken} of {len(verdicts)} runs; run again with -v to see where")
    text = _formatted(result, form, agent, to_file=output is not None)
    if form == "human" and output is None:
        show(text)
    else:
        emit(text, output)
    codes = [Exit.INTERRUPTED] * interrupted + [Exit.BUDGET_REACHED] * out_of_budget
    return gravest([*_gates(result, fail_under, fail_on), *codes])


def _judge_all(
    choice: Choice, pairings: list[Pairing], documents: list[Document], agent: Path, asked: dict[str, Any]
) -> tuple[list[Verdict], bool, bool]:
    """The verdicts in the order of their runs, whether the user broke off, and whether the budget did."""
    from clawjudge.judge.evaluate import judge_pairings

    verdicts: list[Verdict] = []
    interrupted = out_of_budget = False
    try:
        with _progress(len(pairings)) as tell:

            def take(verdict: Verdict) -> None:
                verdicts.append(verdict)
                tell(verdict)

            if choice.judge.name.startswith("request-"):
                from clawjudge.judge.request.several import judge_several

                judge_several(pairings, choice.judge, take)  # type: ignore[arg-type]
            elif choice.judge.name == "agentic":
                out_of_budget = judge_with(choice, pairings, documents, take, agent, asked).budget_used_up
            else:
                for verdict in judge_pairings(pairings, choice.judge, documents):
                    take(verdict)
    except KeyboardInterrupt:
        interrupted = True
    return sorted(verdicts, key=lambda verdict: verdict.run), interrupted, out_of_budget


def _formatted(result: JudgeReport, form: str, agent: Path, to_file: bool) -> str:
    if form == "human":
        from clawjudge.judge.show.human import render
        from clawjudge.judge.show.layout import Screen

        return render(result, str(agent), Screen() if to_file else Screen.of_stdout())
    if form == "junit":
        from clawjudge.judge.show.junit import junit_document

        return junit_document(result)
    from clawjudge.judge.show import documents

    writers = {"json": documents.json_document, "jsonl": documents.json_lines, "csv": documents.csv_table}
    return writers[form](result)


def _gates(result: JudgeReport, fail_under: float | None, fail_on: str | None) -> Iterator[Exit]:
    """The codes that apply, with a notice for each gate that failed."""
    summary = result.summary
    rate = summary["success_rate"]
    if summary["n_unjudged"]:
        yield Exit.UNJUDGED
    if fail_under is not None and (rate is None or rate < fail_under):
        if rate is None:
            notice(f"gate failed: no run was judged, so --fail-under {fail_under:g} cannot hold")
        else:
            shares = f"the success rate {100 * rate:.1f} % is under {100 * fail_under:.1f} %"
            notice(f"gate failed: {shares} (--fail-under {fail_under:g})")
        yield Exit.GATE_FAILED
    counted = {"fail": ["fail"], "unjudged": ["unjudged"], "any": ["fail", "unjudged"], None: []}[fail_on]
    for outcome in counted:
        number = summary[f"n_{outcome}"]
        if number:
            notice(f"gate failed: {number} {outcome} (--fail-on {fail_on})")
            yield Exit.GATE_FAILED


@contextmanager
def _progress(total: int) -> Iterator[Callable[[Verdict], None]]:
    """Tells on standard error how far it is: a bar on a terminal, else a line now and then; nothing for a few runs."""
    if total <= _FEW_RUNS:
        yield lambda verdict: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("judging", total=total)
            yield lambda verdict: bar.advance(task)
    else:
        yield _occasional_lines(total)


def _occasional_lines(total: int) -> Callable[[Verdict], None]:
    done, last = 0, time.monotonic()

    def tell(verdict: Verdict) -> None:
        nonlocal done, last
        done += 1
        if time.monotonic() - last > _QUIET_SECONDS:
            last = time.monotonic()
            notice(f"judged {done} of {total} runs")

    return tell
