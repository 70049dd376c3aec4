"""Numbers of payment cards: known by issuer, length and check digit, found in text however their digits are grouped."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

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
_SEPARATOR = r"(?:%[0-9A-Fa-f]{2}|[^\w\s]|[ \u00a0\u2007\u202f_\t]){1,3}"
_RUN = re.compile(rf"(?<![\d.])\d+(?:{_SEPARATOR}\d+)*")
_GROUP = re.compile(r"%[0-9A-Fa-f]{2}|(\d+)")
_USUAL = re.compile(r"4 4 4(?: [1-4]| 4 [1-3])|4 6 5|4 6 4|4 5 6|4 4 5|8 8|6 1[0-3]|1[3-9]")
_USUAL_SEPARATOR = re.compile(r"[ \u00a0.\u2013-]{1,2}")
_SHORTEST, _LONGEST = 13, 19
_LONGEST_GROUP = 5
"""Digits of one group where all groups are alike; anything longer is two numbers side by side."""


def is_card_number(value: object) -> bool:
    """13 to 19 digits of a card issuer, single spaces and dashes allowed between them, with a valid check digit."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return False
    if isinstance(value, int) and not 10 ** (_SHORTEST - 1) <= value < 10**_LONGEST:
        return False
    text = str(value)
    return _CARD.fullmatch(text) is not None and _is_issued("".join(c for c in text if c.isdecimal()))


def _is_issued(digits: str) -> bool:
    if len(set(digits)) == 1 or not _ISSUED.fullmatch(digits):
        return False
    total = sum(int(d) if i % 2 == 0 else sum(divmod(2 * int(d), 10)) for i, d in enumerate(reversed(digits)))
    return total % 10 == 0


def card_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where card numbers stand in `text`, whatever stands between their groups of digits, in order."""
    for run in _RUN.finditer(text):
        if len(run.group()) >= _SHORTEST:
            groups = [m.span(1) for m in _GROUP.finditer(text, run.start(), run.end()) if m.group(1)]
            yield from _cards_among(text, groups)


def _cards_among(text: str, groups: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """A run of groups of digits, in which a card number may stand beside others (an expiry date, a quantity)."""
    first = 0
    while first < len(groups):
        found = _card_from(text, groups, first)
        if found is not None:
            yield groups[first][0], groups[found][1]
            first = found
        first += 1


def _card_from(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    """Index of the last group of the longest card number that begins with group `first`."""
    found, length, last = None, 0, first
    while last < len(groups) and length <= _LONGEST:
        length += groups[last][1] - groups[last][0]
        if _SHORTEST <= length <= _LONGEST:
            taken = groups[first : last + 1]
            digits = "".join(text[start:end] for start, end in taken)
            if _is_issued(digits) and _is_grouped(text, taken):
                found = last
        last += 1
    return found


def _is_grouped(text: str, groups: list[tuple[int, int]]) -> bool:
    """Whether digits so grouped may be one number: the groups of a card, or groups all alike."""
    if len(groups) == 1:
        return not text.endswith(".", 0, groups[0][0])  # digits behind a decimal point are a fraction
    sizes = [end - start for start, end in groups]
    between = [text[left[1] : right[0]] for left, right in itertools.pairwise(groups)]
    one_separator = len(set(between)) == 1
    if _USUAL.fullmatch(" ".join(map(str, sizes))):
        return one_separator or all(map(_USUAL_SEPARATOR.fullmatch, between))
    alike = len(set(sizes[:-1])) == 1 and sizes[-1] <= sizes[0] <= _LONGEST_GROUP
    return one_separator and alike
