"""Options that name the model of the request judges, for every command that can ask them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clawjudge.judge.cli.streams import notice

if TYPE_CHECKING:
    from clawjudge.judge.models.specification import ModelSpecification


def _price(_: click.Context, __: click.Parameter, value: str | None) -> Any:
    if value is None:
        return None
    from clawjudge.judge.models.prices import parse_price

    try:
        return parse_price(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


_OPTIONS = (
    click.option(
        "--judge-model",
        metavar="MODEL",
        help="Of the request judges: provider:model, or an entry of models.yaml. Default: anthropic:claude-sonnet-5-5.",
    ),
    click.option(
        "--models",
        "models_file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="models.yaml as ClawBench has it. Default: models.yaml or models/models.yaml here, if there is one.",
    ),
    click.option("--price", callback=_price, metavar="IN,OUT", help="Of that model, in US dollars per million tokens."),
)


def judge_model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; they arrive as keyword arguments, None where they were not given."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def request_model(judge: str, asked: dict[str, Any], dry_run: bool = False) -> ModelSpecification | None:
    """The model of a request judge; None for the other judges. Raises `click.UsageError`."""
    if not judge.startswith("request-"):
        given = [name for name in ("judge_model", "models_file", "price") if asked.get(name) is not None]
        if given:
            option = {"models_file": "--models"}.get(given[0], f"--{given[0].replace('_', '-')}")
            raise click.UsageError(f"{option} is for the request judges, and this is {judge}")
        return None
    from clawjudge.judge.models.configuration import USUAL_PLACES
    from clawjudge.judge.models.specification import DEFAULT_MODEL, UnknownModel, specify

    file = asked["models_file"] or next((place for place in USUAL_PLACES if place.is_file()), None)
    try:
        chosen = specify(asked["judge_model"] or DEFAULT_MODEL, os.environ, file, asked["price"], dry_run)
    except UnknownModel as error:
        raise click.UsageError(str(error)) from error
    if chosen.price is None:
        notice(f"note: the price of {chosen.label} is not known, so costs are shown as 0; --price IN,OUT gives it")
    return chosen
