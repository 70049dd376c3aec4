"""Where the agent's run first parts from the reference, in words and with citations."""

from __future__ import annotations

from clawjudge.judge.align.alignment import StepPair
from clawjudge.judge.align.parting import first_parting
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
    """The first parting that could matter, described; see `judge.align.parting`."""
    if not (facts.agent.counts.get("actions") and facts.reference.counts.get("actions")):
        # Without one side's acts every act of the other would look like a difference.
        return None
    sources = facts.case.sources
    pair = first_parting(
        facts.alignment, facts.agent.steps, facts.reference.steps, lambda value: bool(sources.bind(value))
    )
    return None if pair is None else _describe(facts, pair)


def _describe(facts: Facts, pair: StepPair) -> Divergence:
    mine = facts.agent.steps[pair.agent] if pair.agent is not None else None
    theirs = facts.reference.steps[pair.reference] if pair.reference is not None else None
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
