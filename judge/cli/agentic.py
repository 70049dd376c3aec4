"""Options of the agentic judge, for every command that can ask it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clawjudge.judge.cli.streams import notice

if TYPE_CHECKING:
    from clawjudge.judge.agentic.batch import Batch
    from clawjudge.judge.agentic.settings import Settings
    from clawjudge.judge.align.sources import Document
    from clawjudge.judge.evaluate import Choice
    from clawjudge.judge.pairing import Pairing
    from clawjudge.judge.verdict import Verdict

NAMES = ("model", "samples", "supervise", "max_cost", "max_turns", "timeout", "sandbox", "layers")
_LAYERS = ("http", "actions", "screenshots", "video", "messages")


def _positive(_: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value > 0):
        raise click.BadParameter(f"{value:g} is not above 0", param=parameter)
    return value


def _layers(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    named = [name.strip() for name in value.split(",")]
    unknown = [name for name in named if name not in _LAYERS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is no layer; there are: {', '.join(_LAYERS)}")
    return tuple(layer for layer in _LAYERS if layer in named)


_OPTIONS = (
    click.option("--model", metavar="NAME", help="[agentic] The model to ask, as its provider names it."),
    click.option(
        "--samples", type=click.IntRange(min=1), metavar="N", help="[agentic] Ask N times; more than half decide."
    ),
    click.option("--supervise", is_flag=True, default=None, help="[agentic] A second sub-agent confirms or overturns."),
    click.option(
        "--max-cost", type=float, callback=_positive, metavar="USD", help="[agentic] Stop when this is spent."
    ),
    click.option("--max-turns", type=click.IntRange(min=1), metavar="N", help="[agentic] Turns of one conversation."),
    click.option(
        "--timeout", type=float, callback=_positive, metavar="SECONDS", help="[agentic] Time for one conversation."
    ),
    click.option(
        "--sandbox",
        type=click.Choice(["os", "tools"]),
        help="[agentic] os: in bubblewrap or not at all; tools: confined by tools alone. Default: os if possible.",
    ),
    click.option(
        "--layers", callback=_layers, metavar="A,B,…", help=f"[agentic] What the judge sees, of {','.join(_LAYERS)}."
    ),
    click.option("--concurrency", type=click.IntRange(min=1), metavar="N", help="[agentic] Runs judged at once."),
    click.option(
        "--out",
        "home",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="[agentic] Where verdicts and conversations are kept. Default: beside the runs, in .clawjudge.",
    ),
    click.option("--dry-run", is_flag=True, help="Say what would be judged and what it may cost; ask nobody."),
)


def agentic_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; they arrive as keyword arguments, None where they were not given."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings_of(judge: str, asked: dict[str, Any]) -> Settings | None:
    """The settings that were given, the rest by default; None for another judge, which has none."""
    if judge != "agentic":
        return None
    from clawjudge.judge.agentic.settings import Settings

    return Settings(**{name: asked[name] for name in NAMES if asked.get(name) is not None})


def refuse_without_agentic(judge: str, asked: dict[str, Any]) -> None:
    """Raises `click.UsageError` if options were given that the judge has no use for."""
    given = [name for name in (*NAMES, "concurrency", "home") if asked.get(name) is not None]
    if judge != "agentic" and given:
        option = {"home": "--out"}.get(given[0], f"--{given[0].replace('_', '-')}")
        raise click.UsageError(f"{option} is for the agentic judge, and this is {judge}; add --judge agentic")


def announce(choice: Choice) -> None:
    """Say on standard error who judges, with what, and how it is confined."""
    if choice.judge.name != "agentic":
        return
    from clawjudge.judge.agentic.confinement.sandbox import choose
    from clawjudge.judge.agentic.credentials import find_endpoint
    from clawjudge.judge.agentic.judge import AgenticJudge

    judge = choice.judge
    assert isinstance(judge, AgenticJudge)
    kind, less = choose(judge.settings.sandbox)
    place = "in bubblewrap" if kind == "os" else less
    notice(f"judge: agentic with {judge.settings.model}, because {choice.why}; {place}")
    address = (judge.endpoint or find_endpoint()).public_url
    notice(f"redacted evidence goes to {address}, which costs money; --judge offline sends nothing")


def judge_with(
    choice: Choice,
    pairings: list[Pairing],
    documents: list[Document],
    take: Callable[[Verdict], None],
    agent: Path,
    asked: dict[str, Any],
) -> Batch:
    """Judge all pairings; `take` gets each verdict as it comes. Says at the end what was asked and what was not."""
    from clawjudge.judge.agentic.batch import DEFAULT_CONCURRENCY, judge_batch
    from clawjudge.judge.agentic.judge import AgenticJudge

    assert isinstance(choice.judge, AgenticJudge)
    batch = judge_batch(
        pairings,
        choice.judge,
        documents,
        take,
        home=asked["home"] or home_of(agent),
        single=agent.absolute().name,
        concurrency=asked["concurrency"] or DEFAULT_CONCURRENCY,
    )
    if batch.reused:
        notice(f"{batch.reused} answers were there already, {batch.asked} were asked for")
    if batch.budget_used_up:
        notice("the budget is used up; what was judged is kept, and the same command goes on from there")
    return batch


def home_of(agent: Path) -> Path:
    """The folder whose store keeps the verdicts: that of the runs; for a single run, the folder that it stands in."""
    from clawjudge.traces.files import is_run_folder

    return agent.absolute().parent if is_run_folder(agent) else agent


def show_plan(choice: Choice, pairings: list[Pairing], documents: list[Document]) -> str:
    """What `--dry-run` prints."""
    if choice.judge.name != "agentic":
        listed = "".join(f"  {pairing.run}\n" for pairing in pairings)
        price = "for nothing"
        if choice.judge.name.startswith("request-"):
            price = "nothing was asked (what it may cost: clawjudge rescore --dry-run)"
        return f"would judge {len(pairings)} runs with the {choice.judge.name} judge, {price}:\n{listed}"
    from clawjudge.judge.agentic.estimate import estimate, plan
    from clawjudge.judge.agentic.judge import AgenticJudge

    assert isinstance(choice.judge, AgenticJudge)
    return plan(choice.judge.settings, [estimate(p, choice.judge.settings, documents) for p in pairings])
