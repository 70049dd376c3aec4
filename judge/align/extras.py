"""What only the agent's request holds: filled in from the user's details, put there by the page, or neither."""

from __future__ import annotations

import re
from typing import Any

from clawjudge.judge.align.context import BindingContext
from clawjudge.judge.align.payloads import FieldPair
from clawjudge.judge.align.sources import Bound
from clawjudge.traces.lexicon import mention, plain
from clawjudge.traces.pointers import unescape

_TRACKING = re.compile(
    r"(?i)^(?:utm_\w+|gclid|gbraid|wbraid|fbclid|msclkid|dclid|yclid|twclid|ttclid|igshid|mc_[ce]id|_ga|_gl|hsa_\w+"
    r"|pk_\w+|mtm_\w+|ref|referr?er|trk|spm)$"
)
_PERHAPS_TRACKING = re.compile(r"(?i)^(?:source|src|campaign|cid|aff(?:iliate)?(?:_?id)?|partner)$")
"""Names that may as well be those of a choice: a donation has a campaign, a transfer a source."""

_LONG_WORD = 4


def is_filled_in(pair: FieldPair, bound: tuple[Bound, ...]) -> bool:
    """Whether the field is called what the user's details call the value (`phone` for `/contact/phone`).

    Under another name a value that the task happens to mention may say the opposite: `cc`, `remove`, `billingStreet`.
    """
    name = plain(_name(pair.pointer))
    for one in bound:
        if one.source == "own_email" and mention("mail", name):
            return True
        if one.source in ("persona", "extra_info") and one.strength >= 2 and plain(_name(one.quote)) == name:
            return True
    return False


def is_left_alone(pair: FieldPair, context: BindingContext) -> bool:
    """Whether a switch is off that the task does not speak of; where it does, `public: false` says something."""
    if pair.agent is not False:
        return False
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", _name(pair.pointer))
    asked = plain(context.sources.instruction)
    return not any(len(word) >= _LONG_WORD and word in asked for word in plain(name).split())


def is_tracking(pair: FieldPair, context: BindingContext) -> bool:
    """Whether a parameter of the address is one by which sites follow where visitors come from.

    One whose name could mean anything is that only if the address of a page that was opened had it already.
    """
    if not pair.pointer.startswith("/params/") or not isinstance(pair.agent, str) or pair.in_list:
        return False
    name = _name(pair.pointer)
    return _TRACKING.match(name) is not None or (
        _PERHAPS_TRACKING.match(name) is not None and context.was_met(f"{name}={pair.agent}")
    )


def is_entered(value: Any, context: BindingContext) -> bool:
    """Whether the agent typed, chose or pressed something that says `value`; yes, if its acts were not recorded."""
    wanted = plain(str(value))
    if not context.agent_entered:
        return True
    return any(str(value).strip().casefold() == text or wanted in plain(text) for text in context.agent_entered)


def _name(pointer: str) -> str:
    return unescape(pointer.rsplit("/", 1)[-1])
