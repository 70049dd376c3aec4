"""Values that must not reach a report, a log, a prompt or a fingerprint, and how they are shown instead.

A card number is known by its check digit, a password by the name of its field, a token by its shape. What is shown in
place of the value still tells two different values apart where a reader needs that (the last digits of a card).
"""

from __future__ import annotations

import re
from typing import Any

from clawjudge.traces.lexicon import mention

_CARD = re.compile(r"^[\s-]*\d(?:[\s-]?\d){11,18}[\s-]*$")
_CARD_INSIDE = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")
_CREDENTIAL = re.compile(
    r"(?i)\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]{12,}|\b(?:sk|pk|rk|ghp|gho|hf|xox[abp]|AKIA|AIza)[-_A-Za-z0-9]{12,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
)
_SECURITY_CODE = re.compile(r"(?i)cv[cv]|security\s*code|card\s*code|csc")


def is_card_number(value: object) -> bool:
    """13 to 19 digits, spaces and dashes allowed between them, with a valid check digit (Luhn, ISO/IEC 7812-1)."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return False
    text = str(value)
    if not _CARD.match(text):
        return False
    digits = [int(c) for c in text if c.isdecimal()]
    # Payment cards begin with 2 to 6; this also keeps epoch milliseconds out, of which every tenth has the check digit.
    if not 13 <= len(digits) <= 19 or not 2 <= digits[0] <= 6 or len(set(digits)) == 1:
        return False
    total = sum(d if i % 2 == 0 else sum(divmod(2 * d, 10)) for i, d in enumerate(reversed(digits)))
    return total % 10 == 0


def mask(value: Any, name: str = "") -> Any:
    """`value` as it may be shown; `name` is the field's own name. Values without secrets come back unchanged."""
    if value is None or isinstance(value, bool | float | dict | list):
        return value
    text = str(value)
    if is_card_number(value):
        return "•••• " + "".join(c for c in text if c.isdecimal())[-4:]
    if text and (mention("password", name) or (_SECURITY_CODE.search(name) and len(text) <= 6)):
        return "•••"
    if isinstance(value, str):
        return scrub(text)
    return value


def scrub(text: str) -> str:
    """Free text with card numbers and credentials replaced."""
    text = _CREDENTIAL.sub("[credential]", text)
    return _CARD_INSIDE.sub(lambda m: "•••• " + m.group()[-4:] if is_card_number(m.group()) else m.group(), text)
