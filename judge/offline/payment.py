"""Rule R3: does the task include paying by card, and was a payment really attempted?

A card number is recognised by its check digit wherever it stands, so no site's field names are needed.
"""

from __future__ import annotations

from collections.abc import Iterable

from clawjudge.judge.align.payloads import request_tree
from clawjudge.judge.offline import cite
from clawjudge.judge.offline.facts import Facts
from clawjudge.judge.verdict import Citation
from clawjudge.traces.cards import is_card_number
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.pointers import flatten, leaf_values
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.steps import Step


def applies(facts: Facts) -> bool:
    """The human sent or entered a card number."""
    return _card_sent(facts.reference) is not None or _card_entered(facts.reference) is not None


def attempted(facts: Facts) -> Citation | None:
    """Where the agent sent a card number, or entered one and went on to press something; None if it did neither."""
    sent = _card_sent(facts.agent)
    if sent is not None:
        request, pointer, value = sent
        return cite.request(facts.agent, request, pointer, value)
    entered = _card_entered(facts.agent)
    if entered is not None and _pressed_on(facts, entered):
        return cite.step(facts.agent, entered)
    return None


def _pressed_on(facts: Facts, entered: Step) -> bool:
    """Whether the agent then pressed what the human pressed to pay, and not something that leads elsewhere."""
    theirs = _card_entered(facts.reference)
    return theirs is not None and any(
        pair.status == "match"
        and pair.agent is not None
        and pair.agent > entered.index
        and pair.reference is not None
        and pair.reference > theirs.index
        and facts.agent.steps[pair.agent].kind in ("click", "submit")
        for pair in facts.alignment.pairs
    )


def unanswered(facts: Facts) -> bool:
    """Whether the right card was sent, nothing before it is wrong, and the run ended without a final request: the site
    may have refused the card in words that are not known here."""
    if facts.commits or not applies(facts) or _card_sent(facts.agent) is None:
        return False
    return not any(s.field.status in ("mismatch", "missing") for s in facts.progress)


def reference_citation(facts: Facts) -> list[Citation]:
    """Where the human paid."""
    sent = _card_sent(facts.reference)
    if sent is not None:
        return [cite.request(facts.reference, sent[0], sent[1], sent[2], "reference")]
    entered = _card_entered(facts.reference)
    return [cite.step(facts.reference, entered, "reference")] if entered else []


def _card_sent(run: RunDigest) -> tuple[RequestEvent, str, object] | None:
    requests: Iterable[RequestEvent] = {id(r): r for r in [*run.commits, *run.changes]}.values()
    for request in requests:
        if not any(map(is_card_number, leaf_values(request_tree(request)))):
            continue
        for pointer, value in flatten(request_tree(request)):
            if is_card_number(value) and not pointer.startswith("/url"):
                return request, pointer, value
    return None


def _card_entered(run: RunDigest) -> Step | None:
    return next((s for s in run.steps if s.kind == "fill" and is_card_number(s.value)), None)
