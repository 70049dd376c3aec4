"""Two aligned runs, step beside step."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from clawjudge.judge.align.alignment import Alignment, StepPair
from clawjudge.judge.show.layout import Line, Screen, cell, line, table
from clawjudge.judge.show.terminal import plain
from clawjudge.traces.secrets import mask_entered, scrub
from clawjudge.traces.steps import Step

if TYPE_CHECKING:
    from rich.table import Table

SCHEMA_VERSION = 1
_MARKS = {"match": ("=", "green"), "variant": ("≠", "bold red"), "missing": ("-", "yellow"), "extra": ("+", "cyan")}
_TABLE_WIDTH = 90


def hidden_steps(steps: Sequence[Step], hide: Callable[[Any], Any]) -> list[Step]:
    """`steps` as they may be shown: what their own names make secret is masked, and `hide` takes out what is known."""
    return [
        dataclasses.replace(
            step,
            label=hide(step.label),
            target=hide(step.target),
            url=hide(step.url),
            value=hide(mask_entered(step.value, step.names)),
        )
        for step in steps
    ]


def steps_document(
    alignment: Alignment, agent: Sequence[Step], reference: Sequence[Step], first: StepPair | None
) -> dict[str, Any]:
    """The alignment for programs. Steps count from 0, as in a verdict's `first_divergence`; secrets are masked."""
    return {
        "schema_version": SCHEMA_VERSION,
        "counts": alignment.counts,
        "first_divergence": None if first is None else alignment.pairs.index(first),
        "pairs": [
            {
                "status": pair.status,
                "agent": None if pair.agent is None else _step_document(agent[pair.agent]),
                "reference": None if pair.reference is None else _step_document(reference[pair.reference]),
                "similarity": pair.similarity,
                "reason": scrub(pair.reason),
                "reordered": pair.reordered,
                "detour": pair.detour,
            }
            for pair in alignment.pairs
        ],
    }


def render_steps(
    alignment: Alignment,
    agent: Sequence[Step],
    reference: Sequence[Step],
    first: StepPair | None,
    screen: Screen,
) -> str:
    """The alignment for people. Steps are numbered from 0, as in the document. `first` is where the runs part."""
    return screen.render(_parts(alignment, agent, reference, first, screen))


def _parts(
    alignment: Alignment,
    agent: Sequence[Step],
    reference: Sequence[Step],
    first: StepPair | None,
    screen: Screen,
) -> Iterator[Line | Table]:
    if not alignment.pairs:
        yield line("neither run holds a step that could be aligned")
        return
    if screen.width >= _TABLE_WIDTH:
        yield _side_by_side(alignment, agent, reference)
    else:
        for pair in alignment.pairs:
            yield from _stacked(pair, agent, reference)
    yield line("")
    signs = [f"{_MARKS[status][0]} {n} {word}" for status, n in alignment.counts.items() for word in [_WORDS[status]]]
    yield line(", ".join(signs))
    yield line("the runs do not part" if first is None else f"they first part at {_place(first)}")


_WORDS = {"match": "the same", "variant": "with another value", "missing": "left out", "extra": "more"}


def _side_by_side(alignment: Alignment, agent: Sequence[Step], reference: Sequence[Step]) -> Table:
    made = table(columns=6)
    made.columns[1].no_wrap = made.columns[3].no_wrap = True
    titles = ("", "#", "agent", "#", "reference", "")
    made.add_row(*(cell(title, "dim") for title in titles))
    for pair in alignment.pairs:
        mark, style = _MARKS[pair.status]
        same = pair.status == "match"
        mine, theirs = _shown(pair.agent, agent), _shown(pair.reference, reference)
        made.add_row(
            cell(mark, style),
            cell(_number(pair.agent), "dim"),
            cell(mine, "" if same else style, cut=same),
            cell(_number(pair.reference), "dim"),
            cell("same" if same and mine == theirs else theirs, "dim" if same else "", cut=same),
            cell(_reason(pair, agent, reference), "dim"),
        )
    return made


def _stacked(pair: StepPair, agent: Sequence[Step], reference: Sequence[Step]) -> Iterator[Line]:
    mark, style = _MARKS[pair.status]
    mine, theirs = _shown(pair.agent, agent), _shown(pair.reference, reference)
    number = f"{_number(pair.agent) or '·'}|{_number(pair.reference) or '·'}"
    yield line(
        (f"{mark} ", style), (f"{number:<8}", "dim"), mine or theirs, (f"  {_reason(pair, agent, reference)}", "dim")
    )
    if mine and theirs and mine != theirs:
        yield line(("reference ", "dim"), theirs, indent=10)


def _number(index: int | None) -> str:
    return "" if index is None else str(index)


def _shown(index: int | None, steps: Sequence[Step]) -> str:
    if index is None:
        return ""
    step = steps[index]
    name = scrub(step.label or step.target or step.url)
    # A request already begins with its method.
    said = plain(name, 80) if step.kind == "request" else f"{step.kind} {plain(name, 80)}"
    if step.value is not None and step.kind not in ("click", "submit", "navigate"):
        said += f": {plain(_masked(step), 120)}"
    return said


def _reason(pair: StepPair, agent: Sequence[Step], reference: Sequence[Step]) -> str:
    """What the mark and the values do not say."""
    steps = [agent[pair.agent]] if pair.agent is not None else []
    steps += [reference[pair.reference]] if pair.reference is not None else []
    said = ["final request"] if any(step.terminal for step in steps) else []
    said += [plain(scrub(pair.reason))] if said and pair.status == "variant" else []
    said += ["in another order"] if pair.reordered else []
    said += ["detour"] if pair.detour else []
    said += [f"{pair.similarity:.2f} alike"] if len(steps) == 2 and pair.similarity <= 0.98 else []
    return ", ".join(said)


def _place(pair: StepPair) -> str:
    places = [("agent", pair.agent), ("reference", pair.reference)]
    return " and ".join(f"{whose} step {index}" for whose, index in places if index is not None)


def _masked(step: Step) -> Any:
    return mask_entered(step.value, step.names)


def _step_document(step: Step) -> dict[str, Any]:
    return {
        "index": step.index,
        "kind": step.kind,
        "label": scrub(step.label),
        "target": scrub(step.target),
        "value": _masked(step),
        "url": scrub(step.url),
        "method": step.method,
        "terminal": step.terminal,
        "t_ms": step.t_ms,
        "sources": [{"layer": source.layer, "line": source.line} for source in step.sources],
    }
