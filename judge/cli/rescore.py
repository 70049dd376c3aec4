"""`clawjudge rescore`."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clawjudge.judge.cli.judge_model import judge_model_options, request_model
from clawjudge.judge.cli.streams import Exit, NothingMatched, check_output, emit, gravest, notice, output_file, show

if TYPE_CHECKING:
    from clawjudge.judge.models.specification import ModelSpecification
    from clawjudge.judge.rescore.engine import BundleResult
    from clawjudge.judge.rescore.session import Judges

_QUIET_SECONDS = 10.0


@click.command(
    epilog="""\b
Examples:
  Both rubrics of ClawBench in one pass, with the default model (needs ANTHROPIC_API_KEY):
    clawjudge rescore runs
  As ClawBench's leaderboard does it, with its models.yaml:
    clawjudge rescore runs --judge request-lenient --judge-model deepseek-v4-pro --models models/models.yaml
  What would it cost?
    clawjudge rescore runs --judge request-strict --dry-run
  Without a model, a key or a network, against human references:
    clawjudge rescore runs --judge offline --refs humans
  A model of your own, on a bundle that may not be written to:
    OPENAI_BASE_URL=http://localhost:8000/v1 clawjudge rescore /mnt/runs --judge-model openai:my-model --out scores

\b
The same command again goes on where the last one stopped, and asks only for what is lacking. Verdicts are kept in
BUNDLE/.clawjudge/verdicts.sqlite; judge.json, judge_llm.json, rescore-summary.json and eval_results/ are written for
ClawBench's tools. The last line begins with "rescore-result" and is made for grep.

\b
Exit codes: 0 done (any mix of pass and fail), 2 usage, 3 some runs are unjudged or expected tasks are missing,
4 input invalid, 5 no run found, 6 --max-cost reached, 130 interrupted. What was judged is always kept.
"""
)
@click.argument("bundles", nargs=-1, required=True, metavar="BUNDLE...")
@click.option(
    "--judge",
    "judges",
    multiple=True,
    type=click.Choice(["request-strict", "request-lenient", "offline", "agentic"]),
    help="Who judges; give it several times for several judges in one pass. Default: both request judges.",
)
@judge_model_options
@click.option("--agentic-model", metavar="NAME", help="Claude model of the agentic judge.")
@click.option(
    "--refs",
    "references",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Reference runs for the offline and agentic judges. Default: folders `reference` beside the runs.",
)
@click.option("--persona", type=click.Path(path_type=Path), metavar="FILE", help="JSON file with the user's details.")
@click.option("--force", is_flag=True, help="Ask for every verdict anew; the earlier ones stay in the history.")
@click.option(
    "--retry",
    type=click.Choice(["unjudged"]),
    help="Ask again where the judge answered without a verdict. After an outage it is asked again in any case.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Ask about N runs at most.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Take N runs by lot, and only these.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="S", help="Of the lot.")
@click.option(
    "--attempts",
    type=click.Choice(["all", "first", "last"]),
    default="all",
    show_default=True,
    help="Which runs of one task by one agent count, in the order of their paths.",
)
@click.option(
    "--expect", type=click.IntRange(min=1), metavar="N", help="Tasks that there must be; missing ones are listed."
)
@click.option(
    "--tasks",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The tasks that there must be: one id a line, a JSON list, or a corpus as JSON lines.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Requests to the model at once. Default: found out from the provider.",
)
@click.option("--max-cost", type=click.FloatRange(min=0), metavar="USD", help="Stop before more than this is spent.")
@click.option(
    "--deadline",
    type=click.FloatRange(min=1),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="For one answer of the model, all retries included.",
)
@click.option("--batch", is_flag=True, help="Order answers in batches, at half the price; Anthropic only.")
@click.option("--dry-run", is_flag=True, help="Ask nobody and write nothing; say what would be asked and its cost.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where store and files go instead of the bundle, which is then only read.",
)
@click.option("--format", "form", type=click.Choice(["human", "json"]), default="human", show_default=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE",
    callback=output_file,
    help="Write what is printed to this file; - is standard output.",
)
def rescore(bundles: tuple[str, ...], form: str, output: Path | None, **given: Any) -> Exit:
    """Judge every run of one or more bundles again, with one or several judges in one pass.

    A BUNDLE is a folder with runs at any depth, or hf://datasets/ORG/NAME[@REVISION][/PATH].
    """
    check_output(output)
    from clawjudge.judge.rescore.report import closing_line, for_people, for_programs

    options = _options(given)
    judges = _judges(given)
    folders = [_folder(bundle, judges.names) for bundle in bundles]
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise click.UsageError("a bundle was given twice")
    results: list[BundleResult] = []
    began = time.monotonic()
    interrupted = False
    try:
        with _progress() as tell:
            asyncio.run(_work(folders, judges, options, tell, results))
    except KeyboardInterrupt:
        interrupted = True
        notice("interrupted; the verdicts so far are stored, and the same command goes on from here")
    if not interrupted and not any(result.runs for result in results):
        raise NothingMatched(f"{', '.join(bundles)}: no run found; a run is a folder that holds run-meta.json")
    code = gravest([*_codes(results), Exit.INTERRUPTED if interrupted else Exit.DONE])
    line = closing_line(results, int(code), time.monotonic() - began)
    if form == "json":
        emit(for_programs(results, options.dry_run, int(code)), output)
        notice(line)
        return code
    text = for_people(results, options.dry_run)
    if output is None:
        show(f"{text}{line}\n")
    else:
        emit(text, output)
        notice(line)
    return code


def _codes(results: list[BundleResult]) -> Iterator[Exit]:
    from clawjudge.judge.rescore.outputs import totals

    for result in results:
        if result.out_of_budget:
            yield Exit.BUDGET_REACHED
        if result.coverage.missing or any(totals(result, judge).n_unjudged for judge in result.judges):
            yield Exit.UNJUDGED


async def _work(
    folders: list[Path], judges: Judges, options: Any, tell: Callable[[int, int], None], results: list[BundleResult]
) -> None:
    from clawjudge.judge.rescore.session import rescore as run

    await run(folders, judges, options, tell, notice, results)


def _options(given: dict[str, Any]) -> Any:
    from clawjudge.judge.rescore.options import Options
    from clawjudge.judge.rescore.runs import read_expected

    if given["expect"] and given["tasks"]:
        raise click.UsageError("--expect and --tasks say the same in two ways; give one of them")
    return Options(
        references=given["references"],
        force=given["force"],
        retry_unjudged=given["retry"] == "unjudged",
        limit=given["limit"],
        sample=given["sample"],
        seed=given["seed"],
        attempts=given["attempts"],
        concurrency=given["concurrency"],
        max_cost=given["max_cost"],
        dry_run=given["dry_run"],
        batch=given["batch"],
        expected_number=given["expect"],
        expected_tasks=None if given["tasks"] is None else read_expected(given["tasks"]),
        out=given["out"],
        persona=given["persona"],
    )


def _judges(given: dict[str, Any]) -> Judges:
    from clawjudge.judge.models.calls import RetryPolicy
    from clawjudge.judge.request.judge import NAMES
    from clawjudge.judge.rescore.session import Judges

    names = tuple(dict.fromkeys(given["judges"] or NAMES))
    model = _model(given) if any(name in NAMES for name in names) else None
    return Judges(names, model, given["agentic_model"], RetryPolicy(deadline=given["deadline"]))


def _model(given: dict[str, Any]) -> ModelSpecification | None:
    chosen = request_model("request-", given, given["dry_run"])
    if chosen is not None and given["batch"] and chosen.api != "anthropic-messages":
        raise click.UsageError(f"--batch: {chosen.label} is not asked through Anthropic's API; leave --batch out")
    if chosen is not None and chosen.price is None and given["max_cost"] is not None:
        raise click.UsageError(f"--max-cost: the price of {chosen.label} is not known; give --price IN,OUT")
    return chosen


def _folder(bundle: str, judges: tuple[str, ...]) -> Path:
    """The local folder of a bundle; one on the Hub is pulled first, with what these judges need."""
    from clawjudge.judge.cli.pull import local_folder

    return local_folder(bundle, "agentic" if "agentic" in judges else "offline" if "offline" in judges else "request")


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Tells on standard error how far it is: a bar on a terminal, else a line now and then."""
    if not sys.stderr.isatty():
        yield _occasional_lines()
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("judging", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _occasional_lines() -> Callable[[int, int], None]:
    last = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > _QUIET_SECONDS:
            last = time.monotonic()
            notice(f"{done} of {total} verdicts")

    return tell
