"""Values that must not reach a report, a log, a prompt or a fingerprint, and how they are shown instead.

A card number is known by its issuer, its length and its check digit, a password by the name of its field, a token by
its shape. What is shown in place of the value still tells two different values apart where a reader needs that (the
last digits of a card).
"""

from __future__ import annotations

import re
from typing import Any

from clawjudge.traces.lexicon import mention

_HIDDEN = "•••"
_MAX_DEPTH = 60
_CARD = re.compile(r"[\s-]*\d(?:[\s-]?\d){12,18}[\s-]*")
# Issuers' first digits and the lengths of their numbers (ISO/IEC 7812 and the networks' published ranges). The more
# exact this is, the fewer order numbers and bar codes are taken for cards: of any digits every tenth pass the check.
_ISSUED = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"  # Visa
    r"|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|3(?:0[0-59]|[689]\d)\d{11}(?:\d{2})?"  # Diners Club
    r"|35(?:2[89]|[3-8]\d)\d{12}"  # JCB
    r"|(?:6011|64[4-9]\d|65\d\d|62\d\d)\d{12}(?:\d{3})?"  # Discover, UnionPay
    r"|(?:50|5[6-9]|6\d)\d{11,17}"  # Maestro and the debit cards of single countries
    r"|220[0-4]\d{12}(?:\d{3})?"  # Mir
)
_DIGIT_GROUPS = re.compile(r"(?<![\d.])\d{4,19}(?:[ \u00a0.\u2013-]{1,2}\d{1,13})*(?![\d.]\d)")
_GROUPINGS = re.compile(r"4 4 4(?: [1-4]| 4 [1-3])|4 6 5|4 6 4|4 5 6|4 4 5|8 8|6 1[0-3]|1[3-9]")
_CREDENTIAL = re.compile(
    r"\b(?i:bearer)\s+(?=[^\s,;]*\d)[A-Za-z0-9._~+/=-]{12,}"
    r"|\b(?i:basic)\s+(?=[A-Za-z0-9+/]*(?:[0-9+/=]|[a-z][A-Z]))[A-Za-z0-9+/]{12,}={0,2}"
    r"|\b(?:(?:sk|pk|rk)[-_]|gh[pousr]_|github_pat_|glpat-|npm_|hf_|xox[abeprs]-)(?=[-_A-Za-z0-9]*\d)[-_A-Za-z0-9]{12,}"
    r"|\bAKIA[0-9A-Z]{16}\b|\bAIza[-_0-9A-Za-z]{30,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
    r"|(?<=://)[^\s/@:]{1,200}:[^\s/@]{1,200}(?=@)"
)
_SECURITY_CODE_LENGTH = 6


def is_card_number(value: object) -> bool:
    """13 to 19 digits of a card issuer, single spaces and dashes allowed between them, with a valid check digit."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return False
    if isinstance(value, int) and not 0 < value < 10**19:
        return False
    text = str(value)
    if not _CARD.fullmatch(text):
        return False
    digits = [int(c) for c in text if c.isdecimal()]
    if len(set(digits)) == 1 or not _ISSUED.fullmatch("".join(map(str, digits))):
        return False
    total = sum(d if i % 2 == 0 else sum(divmod(2 * d, 10)) for i, d in enumerate(reversed(digits)))
    return total % 10 == 0


def mask(value: Any, name: str = "") -> Any:
    """`value` as it may be shown; `name` is the field's own name. Values without secrets come back unchanged."""
    return _mask(value, name, _MAX_DEPTH)


def _mask(value: Any, name: str, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, dict | list):
        if depth == 0:
            return _HIDDEN
        if isinstance(value, dict):
            return {key: _mask(inner, str(key), depth - 1) for key, inner in value.items()}
        return [_mask(inner, name, depth - 1) for inner in value]
    if is_card_number(value):
        return _last_digits(str(value))
    if value == "" or (isinstance(value, int) and abs(value) >= 10**30):
        return value
    if mention("password", name) or mention("secret", name):
        return _HIDDEN
    if len(str(value)) <= _SECURITY_CODE_LENGTH and mention("security_code", name):
        return _HIDDEN
    return scrub(value) if isinstance(value, str) else value


def scrub(text: str) -> str:
    """Free text with card numbers and credentials replaced."""
    return _DIGIT_GROUPS.sub(lambda found: _without_cards(found.group()), _CREDENTIAL.sub("[credential]", text))


def _without_cards(text: str) -> str:
    """A run of groups of digits, in which a card number may stand beside others (an expiry date, a quantity)."""
    groups = list(re.finditer(r"\d+", text))
    out, position, first = "", 0, 0
    while first < len(groups):
        for last in range(min(first + 4, len(groups) - 1), first - 1, -1):
            taken = groups[first : last + 1]
            shape = " ".join(str(len(group.group())) for group in taken)
            digits = "".join(group.group() for group in taken)
            if _GROUPINGS.fullmatch(shape) and is_card_number(digits):
                out += text[position : taken[0].start()] + _last_digits(digits)
                position, first = taken[-1].end(), last
                break
        first += 1
    return out + text[position:]


def _last_digits(card: str) -> str:
    return "•••• " + "".join(c for c in card if c.isdecimal())[-4:]
