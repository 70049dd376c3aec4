"""Are two values of a form field the same? Each rule that makes them the same has a name, which goes into the result.

A comparison has three answers: equal, different, or None where the text allows both (`01/02/2027`). The rules are tried
from the strictest to the most lenient; one that says equal wins over one that says perhaps.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clawjudge.judge.align import moments, quantities
from clawjudge.judge.align.codes import same_code, same_month_and_year
from clawjudge.judge.align.texts import (
    abbreviates,
    is_email,
    loose_form,
    same_markup,
    same_slug,
    same_url_text,
    same_words,
    slug,
    unicode_form,
    white_space,
    without_markup,
)
from clawjudge.traces import lexicon
from clawjudge.traces.pointers import flatten

__all__ = [
    "Comparison",
    "compare",
    "is_empty",
    "same_code",
    "same_slug",
    "slug",
    "truth",
    "unicode_form",
    "verbatim",
    "white_space",
    "without_markup",
]

_TRUE = lexicon.words("yes") | {"1"}
_FALSE = lexicon.words("no") | {"0"}
_SWITCHES = frozenset({"true", "false", "yes", "no", "on", "off", "1", "0"})
_CASE_MATTERS = re.compile(
    r"^(?=[^@\s]{8,}$)(?=.*\d)(?=.*[A-Z])(?=.*[a-z])(?!.*[^\w.+/=:~-]).*\S{2}[a-z\d].*$|://[^/]+/."
)
_UNIT = re.compile(r"^[\d.,]+\s*(?!(?i:am|pm)$)[A-Za-zµ]{1,3}(?:/[a-z]{1,3})?$")
"""`5 mW` is not `5 MW`, nor `50 Mb/s` `50 MB/s`."""
_CACHED_LENGTH = 300
_BLANK = "".join(c for c in map(chr, range(0x3001)) if c.isspace()) + "\u200b\u200e\u200f\u2060\ufeff"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two values are the same, and by which rule."""

    equal: bool | None
    normalisations: tuple[str, ...] = ()


_DIFFERENT = Comparison(False)


def is_empty(value: Any) -> bool:
    """Absent, null, blank and an empty container all say: nothing was entered."""
    return value is None or value == [] or value == {} or (isinstance(value, str) and not value.strip(_BLANK))


def compare(reference: Any, agent: Any, region: str | None = None) -> Comparison:
    """Compare a reference value with an agent value.

    `region` is an ISO 3166 country code for phone numbers written without one.
    """
    if isinstance(reference, str) and isinstance(agent, str) and reference == agent:
        return Comparison(True)
    if is_empty(reference) and is_empty(agent):
        return Comparison(True, ("empty",) if type(reference) is not type(agent) or reference != agent else ())
    if is_empty(reference) != is_empty(agent):
        return _DIFFERENT
    if isinstance(reference, bool) or isinstance(agent, bool):
        return _compare_booleans(reference, agent)
    if isinstance(reference, int | float) and isinstance(agent, int | float):
        same = reference == agent or str(reference) == str(agent)
        return Comparison(same, ("number",) if same and type(reference) is not type(agent) else ())
    if isinstance(reference, dict | list) or isinstance(agent, dict | list):
        return Comparison(None, ("wrapped",)) if _wraps(reference, agent) else Comparison(_same_tree(reference, agent))
    first, second = str(reference), str(agent)
    if len(first) + len(second) <= _CACHED_LENGTH:
        return _compare_short_texts(first, second, region)
    return _compare_texts(first, second, region)


def verbatim(reference: str, agent: str) -> bool:
    """Whether two texts are the same to the letter, but for white space around them and Unicode's two spellings."""
    return _composed(reference) == _composed(agent)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").strip())


def _same_tree(reference: Any, agent: Any) -> bool:
    if type(reference) is not type(agent):
        return False
    left, right = dict(flatten(reference)), dict(flatten(agent))
    return left.keys() == right.keys() and all(
        isinstance(value, bool) == isinstance(right[pointer], bool)
        # Not a number is not equal to itself.
        and (value == right[pointer] or str(value) == str(right[pointer]) == "nan")
        for pointer, value in left.items()
    )


def _wraps(reference: Any, agent: Any) -> bool:
    """Whether the one is a list that holds nothing but the other, once or several times."""
    for outer, inner in ((reference, agent), (agent, reference)):
        if isinstance(outer, list) and outer and not isinstance(inner, dict | list):
            if all(not isinstance(item, dict | list) and compare(item, inner).equal for item in outer):
                return True
    return False


def _compare_booleans(reference: Any, agent: Any) -> Comparison:
    first, second = truth(reference), truth(agent)
    if first is None or second is None:
        return _DIFFERENT
    if first != second:
        return _DIFFERENT
    return Comparison(True, ("boolean",) if type(reference) is not type(agent) else ())


def truth(value: Any) -> bool | None:
    """The truth value that `true`, `yes`, `on`, `1` and their like stand for; None for anything else."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return False if value == 0 else True if value == 1 else None
    word = str(value).strip().casefold()
    return True if word in _TRUE else False if word in _FALSE else None


def _compare_texts(reference: str, agent: str, region: str | None) -> Comparison:
    if reference == agent:
        return Comparison(True, ("type",))
    names: list[str] = []
    for name, rule in (("unicode", unicode_form), ("white_space", white_space)):
        first, second = rule(reference), rule(agent)
        if (first, second) != (reference, agent):
            reference, agent = first, second
            names.append(name)
        if reference == agent:
            return Comparison(True, tuple(names))
    if reference.casefold() == agent.casefold():
        doubtful = any(_CASE_MATTERS.search(text) or _UNIT.match(text) for text in (reference, agent))
        return Comparison(None if doubtful else True, (*names, "case"))
    if is_email(reference) and is_email(agent):
        return _DIFFERENT
    perhaps: Comparison | None = None
    for name, equal in _meanings(reference, agent, region):
        if equal:
            return Comparison(True, (name,))
        if equal is None and perhaps is None:
            perhaps = Comparison(None, (name,))
    return perhaps or _DIFFERENT


_compare_short_texts = functools.lru_cache(maxsize=65536)(_compare_texts)


def _meanings(reference: str, agent: str, region: str | None) -> Iterator[tuple[str, bool | None]]:
    """Rules that read a text as something: a number, a date, a phone number, a code, an identifier."""
    first, second = reference.casefold(), agent.casefold()
    yield "number", quantities.same_number(first, second)
    yield "currency", quantities.same_amount(reference, agent)
    yield "digit_grouping", same_code(first, second)
    moment = moments.same_moment(reference, agent)
    yield "date_time", moment
    yield "month_and_year", same_month_and_year(reference, agent)
    if moment is False:
        yield "phone_number", quantities.same_phone(first, second, region)
    yield "country", quantities.same_country(reference, agent)
    yield "boolean", _same_boolean(reference, agent)
    yield "url_encoding", same_url_text(reference, agent)
    yield "markup", same_markup(first, second)
    yield "slug", same_slug(first, second)
    yield "number_word", quantities.same_number_word(first, second)
    yield "unit", quantities.same_unit(first, second)
    yield "abbreviation", None if abbreviates(reference, agent) else False
    yield "look_alike", None if loose_form(first) == loose_form(second) else False
    words = same_words(first, second)
    yield words or "", None if words else False


def _same_boolean(reference: str, agent: str) -> bool | None:
    first, second = truth(reference), truth(agent)
    if first is None or first != second:
        return False
    if any(len(text) == 2 and text.isupper() for text in (reference, agent)):
        # ON, NO and SI are also provinces and countries.
        return None
    if {"1", "0"} & {reference, agent} and not {reference.casefold(), agent.casefold()} <= _SWITCHES:
        return None
    return True
