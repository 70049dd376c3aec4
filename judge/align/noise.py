"""Why a difference between two values may mean nothing: tokens, timestamps, one-time codes, what the site assigned."""

from __future__ import annotations

import re
from typing import Any

from clawjudge.judge.align import moments, quantities
from clawjudge.judge.align.context import BindingContext
from clawjudge.judge.align.payloads import FieldPair
from clawjudge.judge.align.sources import Bound
from clawjudge.judge.align.volatile import epoch_ms, shape
from clawjudge.traces.lexicon import mention

_SOON_SECONDS = 120
_CODE_LENGTH = (4, 10)
_UNNAMED_CODE_LENGTH = 6
"""Years, house numbers and most postal codes are shorter."""


def why_noise(pair: FieldPair, bound: tuple[Bound, ...], context: BindingContext) -> str | None:
    """The reason for which the difference of `pair` means nothing, or None."""
    if bound and bound[0].strength >= 2:
        return None
    shapes = shape(pair.reference, context.reference_times), shape(pair.agent, context.agent_times)
    if shapes[0] and shapes[0] == shapes[1]:
        if shapes[0] == "timestamp":
            return "timestamp" if not bound and _at_like_distance(pair, context) else None
        return None if _names_a_thing(pair, context) or _is_shared(pair, context) else shapes[0]
    if _is_one_time_code(pair, context):
        return "one_time_code"
    assigned = not bound and _is_assigned(pair, context) and not _is_shared(pair, context)
    return "server_assigned" if assigned else None


def _at_like_distance(pair: FieldPair, context: BindingContext) -> bool:
    """Whether two moments, if they lie in the future of their runs, lie there at a like distance.

    The end of a session does; a deadline that somebody chose need not.
    """
    ahead = [
        (when - times[1]) / 1000
        for when, times in (
            (epoch_ms(pair.reference), context.reference_times),
            (epoch_ms(pair.agent), context.agent_times),
        )
        if when is not None and times is not None
    ]
    if len(ahead) < 2 or max(ahead) <= _SOON_SECONDS:
        return True
    return abs(ahead[0] - ahead[1]) <= max(_SOON_SECONDS, 0.1 * max(ahead))


def _is_shared(pair: FieldPair, context: BindingContext) -> bool:
    """Whether the one run knew the other's value: what is made anew for each run can occur in one of them only."""
    return context.in_agent(str(pair.reference)) or context.in_reference(str(pair.agent))


def _names_a_thing(pair: FieldPair, context: BindingContext) -> bool:
    """Whether a token stands for something chosen (a product, a slot) rather than for the session.

    A token in the address of an opened page names a thing unless both runs saw a page of the same title there. One that
    stands in a header or a cookie belongs to the session. Of the rest, a name from the life of sessions lets the shape
    and the difference count; under any other name it may be a thing (a recipient, a room).
    """
    if context.same_acts:
        return not _is_of_the_run(pair, context)
    if pair.in_list or str(pair.agent).strip().casefold() in context.agent_entered:
        return True
    titles = [known.get(str(value)) for known, value in zip(context.titles, (pair.reference, pair.agent), strict=True)]
    if any(titles):
        return titles[0] != titles[1]
    if str(pair.agent) in context.headers:
        return False
    return context.pressed_elsewhere or not _is_named_as_session(pair)


def _is_of_the_run(pair: FieldPair, context: BindingContext) -> bool:
    """Whether a sign other than its shape says that a token belongs to this run, and was not chosen by the same acts
    from a page that was sorted otherwise."""
    text = str(pair.agent)
    return text in context.headers or _is_named_as_session(pair) or context.was_met(text) or context.was_shown(text)


def _is_named_as_session(pair: FieldPair) -> bool:
    return mention("session", pair.pointer.rsplit("/", 1)[-1]) is not None


def _is_one_time_code(pair: FieldPair, context: BindingContext) -> bool:
    """A short code that the agent read before it entered it, and that nothing in the task gives."""
    texts = str(pair.reference).strip(), str(pair.agent).strip()
    for text in texts:
        if not (_CODE_LENGTH[0] <= len(text) <= _CODE_LENGTH[1] and text.isalnum() and any(c.isdigit() for c in text)):
            return False
    name = pair.pointer.rsplit("/", 1)[-1]
    if mention("other_code", name) or context.was_shown(texts[0]):
        # A code that is shown in both runs is no one-time code.
        return False
    # A course has a code, too: without a mailbox the field itself must say that something is verified.
    named = mention("code", name) is not None and (context.mail_read or _verifies(pair.pointer))
    typed = texts[1].casefold() in context.agent_entered
    unnamed = context.mail_read and len(texts[0]) == len(texts[1]) >= _UNNAMED_CODE_LENGTH
    return (named or unnamed) and typed and context.was_shown(texts[1])


def _verifies(pointer: str) -> bool:
    return any(mention(topic, pointer) for topic in ("verification", "one_time_code", "captcha"))


def _is_assigned(pair: FieldPair, context: BindingContext) -> bool:
    """Something of the site's own making (a booking reference): the same acts led to it, nobody entered it."""
    if not context.same_acts or pair.in_list or not (_is_code(pair.reference) and _is_code(pair.agent)):
        return False
    if not _is_of_the_run(pair, context):
        return False
    texts = str(pair.reference), str(pair.agent)
    entered = {_bare(text) for text in context.agent_entered}
    return abs(len(texts[0]) - len(texts[1])) <= 1 and _bare(texts[1]) not in entered


def _bare(text: str) -> str:
    """Letters and digits only: a number typed in groups is sent without them."""
    return "".join(c for c in text.casefold() if c.isalnum())


def _is_code(value: Any) -> bool:
    """Something made to identify, not to say: letters with digits, or capitals alone; no amount, day or size."""
    text = str(value)
    if isinstance(value, bool) or not isinstance(value, str | int) or not 6 <= len(text) <= 64:
        return False
    if quantities.number(text) is not None or quantities.same_amount(text, text) or moments.read(text) is not None:
        return False
    return re.fullmatch(r"(?=.*\d)[A-Za-z0-9_.:-]+|[A-Z]+", text) is not None
