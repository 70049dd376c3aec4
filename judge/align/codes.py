"""Codes with digits: cards, accounts, postal codes, model names. Some blanks in them mean nothing, others a lot."""

from __future__ import annotations

import re

_BETWEEN_KINDS = re.compile(r"(?<=[^\W\d_])\s+(?=\d)|(?<=\d)\s+(?=[^\W\d_])|\s+(?=/)|(?<=/)\s+")
_INNER_DASH = re.compile(r"(?<=\w)-(?=\w)")
_IN_GROUPS = (
    re.compile(r"^[a-z]{2}\d{2}[a-z0-9]{11,30}$"),  # IBAN
    re.compile(r"^[a-z]{1,2}\d[a-z\d]?\d[a-z]{2}$"),  # British postal code
)
_SPACED_POSTAL = re.compile(r"^\d{3} \d{2}$")
_DASHED_POSTAL = re.compile(r"^(?:\d{5}-\d{3,4}|\d{3}-\d{4}|[a-z]\d[a-z]-\d[a-z]\d)$")
_MONTH_AND_YEAR = re.compile(r"^(\d{2}|\d{4})\s*[/.-]\s*(\d{2}|\d{4})$", re.ASCII)
_LONG_CODE = 8
_LONG_DASHED_CODE = 11
_MAX_LENGTH = 60


def same_code(reference: str, agent: str) -> bool | None:
    """Whether two texts with digits, lower case, are one code; None where a lost blank or dash may join two numbers."""
    if max(len(reference), len(agent)) > _MAX_LENGTH or not any(c.isdigit() for c in reference):
        return False
    if _BETWEEN_KINDS.sub("", reference) == _BETWEEN_KINDS.sub("", agent):
        return True
    joined = re.sub(r"\s+", "", reference), re.sub(r"\s+", "", agent)
    if joined[0] == joined[1]:
        if joined[0].isdecimal():
            postal = any(_SPACED_POSTAL.match(text) for text in (reference, agent))
            return True if len(joined[0]) >= _LONG_CODE or postal else None
        return True if any(shape.match(joined[0]) for shape in _IN_GROUPS) else None
    bare = [_INNER_DASH.sub("", text) for text in joined]
    if bare[0] != bare[1]:
        return False
    # A dash separates groups only in long codes; elsewhere it is a sign, a range or a part of a date.
    if any(_DASHED_POSTAL.match(text) for text in joined):
        return True
    if bare[0].isdecimal():
        return True if len(bare[0]) >= _LONG_DASHED_CODE else None if len(bare[0]) >= _LONG_CODE else False
    return None


def same_month_and_year(reference: str, agent: str) -> bool | None:
    """None where four or six digits hold the month and year of the other text (`09/28` and `2809`), else False.

    Cards expire so, and services order the two as they like.
    """
    for parted, joined in ((reference, agent), (agent, reference)):
        found = _MONTH_AND_YEAR.match(parted)
        if found and joined.isdecimal() and len(joined) in (4, 6):
            first, second = (part[-2:] for part in found.groups())
            halves = {(joined[:2], joined[-2:]), (joined[2:4], joined[-2:])}
            if halves & {(first, second), (second, first)}:
                return None
    return False
