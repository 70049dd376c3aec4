"""Where the agent's run first parts from the reference, in words and with citations."""

from __future__ import annotations

from clawjudge.judge.align.alignment import StepPair
from clawjudge.judge.offline import cite
from clawjudge.judge.offline.facts import Facts
from clawjudge.judge.offline.report import shown_value
from clawjudge.judge.verdict import Citation, Divergence
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.secrets import mask_entered, scrub
from clawjudge.traces.step_frames import screen_after
from clawjudge.traces.steps import Step

_DONE = {
    "navigate": "opened",
    "click": "pressed",
    "submit": "submitted",
    "fill": "filled in",
    "select": "chose in",
    "upload": "uploaded to",
    "request": "sent",
}


def first_divergence(facts: Facts) -> Divergence | None:
    """The first parting that could matter.

    That is another value for something the task binds; else something only one of the two did, or did otherwise,
    leaving out requests that pages send by themselves, and walls, which only an agent's transcript shows.
    """
    if not (facts.agent.counts.get("actions") and facts.reference.counts.get("actions")):
        # Without one side's acts every act of the other would look like a difference.
        return None
    differing = [p for p in facts.alignment.pairs if p.status != "match" and not p.detour and not _is_wall(facts, p)]
    acts = [p for p in differing if _is_act(facts, p)]
    ranked = [
        *(p for p in differing if p.status == "variant" and _is_bound(facts, p)),
        *(p for p in acts if p.status in ("variant", "missing")),
        *acts,
        *differing,
    ]
    return _describe(facts, ranked[0]) if ranked else None


def _steps(facts: Facts, pair: StepPair) -> tuple[Step | None, Step | None]:
    mine = facts.agent.steps[pair.agent] if pair.agent is not None else None
    return mine, facts.reference.steps[pair.reference] if pair.reference is not None else None


def _is_wall(facts: Facts, pair: StepPair) -> bool:
    return any(step is not None and step.kind == "wall" for step in _steps(facts, pair))


def _is_act(facts: Facts, pair: StepPair) -> bool:
    return any(step is not None and (step.kind != "request" or step.terminal) for step in _steps(facts, pair))


def _is_bound(facts: Facts, pair: StepPair) -> bool:
    theirs = _steps(facts, pair)[1]
    return theirs is not None and theirs.value is not None and bool(facts.case.sources.bind(theirs.value))


def _describe(facts: Facts, pair: StepPair) -> Divergence:
    mine, theirs = _steps(facts, pair)
    citations: list[Citation] = []
    if mine is not None:
        citations += [cite.step(facts.agent, mine), *_screen(facts.agent, mine)]
    if theirs is not None:
        citations.append(cite.step(facts.reference, theirs, "reference"))
    return Divergence(
        kind="missing" if mine is None else "extra" if theirs is None else "variant",
        description=_sentence(mine, theirs),
        agent_step=pair.agent,
        reference_step=pair.reference,
        citations=tuple(citations),
    )


def _sentence(mine: Step | None, theirs: Step | None) -> str:
    if mine is not None and theirs is not None:
        if mine.kind in ("fill", "select", "upload"):
            entered = [shown_value(mask_entered(step.value, step.names), _name(step)) for step in (mine, theirs)]
            values = " instead of ".join(entered)
            return f"in field {_name(mine)!r} the agent entered {values}"
        return f"the agent {_did(mine)}, the human {_did(theirs)}"
    if theirs is not None:
        return f"the human {_did(theirs)}, the agent did not"
    return f"the agent {_did(mine)}, the human did not" if mine is not None else ""


def _did(step: Step) -> str:
    return f"{_DONE.get(step.kind, step.kind)} {scrub(_name(step))!r}"


def _name(step: Step) -> str:
    """What a person would call the thing; a list goes by its own name, for its recorded text is all its options."""
    element = step.element
    if element is not None and element.tag == "SELECT":
        return element.name or element.id or "list"
    return step.label


def _screen(run: RunDigest, step: Step) -> list[Citation]:
    """What the screen showed after the agent's step, if anything recorded it."""
    seen = screen_after(run, step)
    return [Citation(layer=seen.source, file=seen.file, t_ms=seen.t_ms, frame=seen.video_ms)] if seen else []
