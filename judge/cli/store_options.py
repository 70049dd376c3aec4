"""What the commands on stored verdicts share: opening a store, choosing judges, JSON of a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clawjudge.judge.cli.streams import NothingMatched, emit, output_file, show

if TYPE_CHECKING:
    from clawjudge.judge.show.layout import Line, Screen
    from clawjudge.judge.store.changes import Comparison
    from clawjudge.judge.store.records import Outline
    from clawjudge.judge.store.standing import Selector
    from clawjudge.judge.store.verdict_store import VerdictStore

FORMAT = click.option(
    "--format", "form", type=click.Choice(["human", "json"]), default="human", show_default=True, help="What to print."
)
OUTPUT = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    callback=output_file,
    help="Write the result to this file, whole or not at all; - is standard output.",
)
BUNDLE = click.argument("bundle", type=click.Path(path_type=Path, exists=True, file_okay=False))


@contextmanager
def reading(bundle: Path) -> Iterator[VerdictStore]:
    """The store of `bundle`, for reading. Raises `NothingMatched` if it has none."""
    from clawjudge.judge.store.verdict_store import VerdictStore

    store = VerdictStore.read(bundle)
    if store is None:
        raise NothingMatched(
            f"{bundle}: holds no verdicts (.clawjudge/verdicts.sqlite); run clawjudge rescore on it, or "
            "clawjudge verdicts import for those that it came with"
        )
    with store:
        yield store


def judges_of(store: VerdictStore) -> tuple[Selector, ...]:
    """Every judge with every model that gave a verdict, by name."""
    from clawjudge.judge.store.standing import Selector

    return tuple(Selector(judge, model) for judge, model in store.judges())


def standing_of(store: VerdictStore, selector: Selector, bundle: Path) -> list[Outline]:
    """The verdicts that stand under `selector`. Raises `NothingMatched`, and says who did judge, if there are none."""
    from clawjudge.judge.store.standing import standing

    found = standing(store.outlines(judge=selector.judge), selector)
    if not found:
        known = ", ".join(map(str, judges_of(store))) or "nobody"
        raise NothingMatched(f"{bundle}: no verdict of {selector}; verdicts are there of: {known}")
    return found


def as_selector(_: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Turns what the user wrote into selectors."""
    from clawjudge.judge.store.standing import Selector

    def parse(text: str) -> Selector:
        try:
            return Selector.parse(text)
        except ValueError as error:
            raise click.BadParameter(str(error), param=parameter) from error

    return tuple(map(parse, value)) if isinstance(value, tuple) else None if value is None else parse(value)


def print_screen(parts: Callable[[Screen], Iterable[Line]], output: Path | None = None) -> None:
    """Lay out a text for people, for standard output or for the file `output`, and put it there."""
    from clawjudge.judge.show.layout import Screen

    screen = Screen.of_stdout() if output is None else Screen()
    text = screen.render(parts(screen))
    if output is None:
        show(text)
    else:
        emit(text, output)


def standing_document(one: Outline) -> dict[str, Any]:
    return {
        "run": one.run,
        "task_id": one.task_id,
        "judge": one.judge,
        "model": one.model,
        "outcome": one.outcome,
        "reason_code": one.reason_code,
        "justification": one.justification,
        "intercepted": one.intercepted,
        "judged_at": one.judged_at,
        "origin": one.origin,
        "cost_usd": one.cost_usd,
        "key": one.parts.key if one.parts else None,
    }


def comparison_document(made: Comparison, old: str, new: str) -> dict[str, Any]:
    table = made.table
    changes = [
        {
            "kind": change.kind,
            "old": standing_document(change.old),
            "new": standing_document(change.new),
            "why": list(change.why),
        }
        for change in made.changes
    ]
    return {
        "schema_version": 1,
        "old": old,
        "new": new,
        "paired_by": made.by,
        "n_pairs": made.n_pairs,
        "n_judged": table.n,
        "both_pass": table.both_pass,
        "lost": table.lost,
        "gained": table.gained,
        "both_fail": table.both_fail,
        "difference": table.difference,
        "interval_95": table.interval,
        "p_value": table.p_value,
        "n_changed": len(made.changes),
        "changes": changes,
        "unjudged": [[standing_document(one) for one in pair] for pair in made.unjudged],
        "only_old": list(made.only_old),
        "only_new": list(made.only_new),
        "missing_passes": list(made.missing_passes),
        "several_runs": list(made.several),
    }
