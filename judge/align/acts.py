"""Did the agent do just what the human did?

If every page opened, element pressed and value entered is the same on both sides, then what the site put into the
requests by itself (booking references, quote numbers) differs for no reason that could matter, and what it kept to
itself (the content of a cart) is the same. This is the strongest comparison there is, so the test is strict.
"""

from __future__ import annotations

from clawjudge.judge.align.alignment import Alignment, StepPair
from clawjudge.judge.align.sources import TaskSources
from clawjudge.judge.align.volatile import shape
from clawjudge.traces.lexicon import mention, plain
from clawjudge.traces.payload import query_pairs
from clawjudge.traces.steps import Step
from clawjudge.traces.urls import endpoint

ENTRIES = ("fill", "select", "upload")
_PRESSES = ("click", "submit")
_MIN_ACTS = 3


def same_acts(alignment: Alignment, agent: list[Step], reference: list[Step], sources: TaskSources) -> bool:
    """Whether all acts up to the first terminal request are the same; corrected entries count by their last value."""
    acts = 0
    for position, pair in enumerate(alignment.pairs):
        mine = agent[pair.agent] if pair.agent is not None else None
        theirs = reference[pair.reference] if pair.reference is not None else None
        if (mine is not None and mine.terminal) or (theirs is not None and theirs.terminal):
            break
        step = mine or theirs
        if step is None or step.kind in ("request", "wall"):
            continue
        if not _same(mine, theirs, pair, sources) and not _corrected(mine, alignment.pairs[position + 1 :], agent):
            return False
        # Pages alone prove nothing: what was pressed and entered on them may simply not be recorded.
        acts += step.kind in ENTRIES or step.kind in _PRESSES
    return acts >= _MIN_ACTS


def pressed_elsewhere(alignment: Alignment, agent: list[Step], reference: list[Step]) -> bool:
    """Whether the agent pressed a thing of the same words at another place of the page: which of ten buttons "Book"?"""
    for pair in alignment.pairs:
        if pair.agent is None or pair.reference is None:
            continue
        mine, theirs = agent[pair.agent], reference[pair.reference]
        if mine.kind in _PRESSES and theirs.kind in _PRESSES and plain(mine.label) == plain(theirs.label):
            places = _place(mine), _place(theirs)
            if all(places) and places[0] != places[1]:
                return True
    return False


def _same(mine: Step | None, theirs: Step | None, pair: StepPair, sources: TaskSources) -> bool:
    if mine is None or theirs is None or mine.kind != theirs.kind:
        return False
    if mine.kind == "navigate":
        same_page = plain(mine.label) == plain(theirs.label) and endpoint(mine.url) == endpoint(theirs.url)
        return same_page and _query(mine) == _query(theirs)
    if _place(mine) != _place(theirs):
        return False
    if mine.kind in _PRESSES:
        return plain(mine.label) == plain(theirs.label)
    return pair.status == "match" or _is_answer(mine, theirs, sources)


def _query(step: Step) -> list[tuple[str, str]]:
    """The query of a page's address; a token counts as a token, whichever it is."""
    return sorted((name, shape(value, None) or value) for name, value in query_pairs(step.url))


def _place(step: Step) -> str:
    element = step.element
    return "" if element is None else f"{endpoint(step.url)} {element.xpath} {element.id}"


def _is_answer(mine: Step, theirs: Step, sources: TaskSources) -> bool:
    """A CAPTCHA's answer, a code or a password of one's own differs between any two runs."""
    element = mine.element
    name = "" if element is None else f"{element.id} {element.name}"
    secret = any(mention(topic, name) for topic in ("captcha", "code", "password"))
    return secret and bool(mine.value) and not sources.bind(theirs.value or "")


def _corrected(mine: Step | None, later: tuple[StepPair, ...], agent: list[Step]) -> bool:
    """Whether an entry was made again in the same field of the same page, so that only the later one counts."""
    if mine is None or mine.kind not in ENTRIES:
        return False
    for pair in later:
        step = agent[pair.agent] if pair.agent is not None else None
        if step is not None and step.kind == "navigate":
            return False
        if step is not None and pair.reference is not None and step.kind in ENTRIES and _place(step) == _place(mine):
            return True
    return False
