"""Where two aligned runs first part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from clawjudge.judge.align.alignment import Alignment, StepPair
from clawjudge.traces.steps import Step


def first_parting(
    alignment: Alignment, agent: Sequence[Step], reference: Sequence[Step], is_bound: Callable[[Any], bool]
) -> StepPair | None:
    """The first pair of steps that differs in a way that could matter; None where the runs do not part.

    That is another value for something that the task binds (`is_bound` says so of the reference's value); else
    something that only one of the two did, or did otherwise, what was varied or left out before what was added.
    Requests that pages send by themselves come last; walls, which only an agent's transcript shows, and detours do not
    count.
    """

    def steps(pair: StepPair) -> tuple[Step | None, Step | None]:
        mine = agent[pair.agent] if pair.agent is not None else None
        return mine, reference[pair.reference] if pair.reference is not None else None

    def is_act(pair: StepPair) -> bool:
        return any(step is not None and (step.kind != "request" or step.terminal) for step in steps(pair))

    def differs_in_bound(pair: StepPair) -> bool:
        theirs = steps(pair)[1]
        return pair.status == "variant" and theirs is not None and theirs.value is not None and is_bound(theirs.value)

    differing = [
        pair
        for pair in alignment.pairs
        if pair.status != "match" and not pair.detour and all(s is None or s.kind != "wall" for s in steps(pair))
    ]
    acts = [pair for pair in differing if is_act(pair)]
    ranked = [
        *filter(differs_in_bound, differing),
        *(pair for pair in acts if pair.status != "extra"),
        *acts,
        *differing,
    ]
    return ranked[0] if ranked else None
