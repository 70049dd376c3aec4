"""Are two values of a form field the same? Each rule that makes them the same has a name, which goes into the result.

A comparison has three answers: equal, different, or None where the text allows both (`01/02/2027`). The rules are tried
from the strictest to the most lenient and the first that decides wins.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

from rapidfuzz.distance import Levenshtein

from clawjudge.judge.align import moments, quantities

_SPACE = re.compile(r"\s+")
_TAG = re.compile(r"<[a-zA-Z/][^<>]{0,200}>")
_IDENTIFIER = re.compile(r"^[^\W_]+(?:[-_][^\W_]+)+$")
_NAME = re.compile(r"^[\w\s'&.,()/-]+$")
_TRUE = frozenset({"true", "yes", "on", "y", "ja", "oui", "sí", "si", "sim", "да", "是", "はい", "예", "네"})
_FALSE = frozenset({"false", "no", "off", "n", "nein", "non", "não", "нет", "否", "いいえ", "아니요", "아니오"})
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-", "−": "-", "\u00a0": " "})
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two values are the same, and by which rule."""

    equal: bool | None
    normalisations: tuple[str, ...] = ()


def is_empty(value: Any) -> bool:
    """Absent, null, blank and an empty container all say: nothing was entered."""
    return value is None or value == [] or value == {} or (isinstance(value, str) and not value.strip())


def compare(reference: Any, agent: Any, region: str | None = None) -> Comparison:
    """Compare a reference value with an agent value.

    `region` is an ISO 3166 country code for phone numbers written without one.
    """
    if type(reference) is type(agent) and reference == agent:
        return Comparison(True)
    if is_empty(reference) and is_empty(agent):
        return Comparison(True, ("empty",))
    if is_empty(reference) != is_empty(agent):
        return Comparison(False)
    if isinstance(reference, bool) or isinstance(agent, bool):
        return _compare_booleans(reference, agent)
    if isinstance(reference, dict | list) or isinstance(agent, dict | list):
        return Comparison(reference == agent)
    return _compare_texts(str(reference), str(agent), region)


def _compare_booleans(reference: Any, agent: Any) -> Comparison:
    first, second = truth(reference), truth(agent)
    if first is None or second is None:
        return Comparison(False)
    return Comparison(first == second, ("boolean",) if type(reference) is not type(agent) else ())


def truth(value: Any) -> bool | None:
    """The truth value that `true`, `yes`, `on`, `1` and their like stand for; None for anything else."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return False if value == 0 else True if value == 1 else None
    word = str(value).strip().casefold()
    return True if word in _TRUE or word == "1" else False if word in _FALSE or word == "0" else None


def _compare_texts(reference: str, agent: str, region: str | None) -> Comparison:
    if reference == agent:
        return Comparison(True, ("type",))
    names: list[str] = []
    for name, rule in (("unicode", unicode_form), ("white_space", white_space), ("case", str.casefold)):
        first, second = rule(reference), rule(agent)
        if (first, second) != (reference, agent):
            if first == second or name != "case":
                reference, agent = first, second
                names.append(name)
        if reference == agent:
            return Comparison(True, tuple(names[-2:]) if len(names) > 2 else tuple(names))
    folded = reference.casefold(), agent.casefold()
    for name, equal in _meanings(folded[0], folded[1], region):
        if equal is not False:
            return Comparison(equal, (name,))
    return Comparison(False)


def _meanings(reference: str, agent: str, region: str | None) -> list[tuple[str, bool | None]]:
    """Rules that read a text as something: a number, a date, a phone number, a code, an identifier."""
    decisions: list[tuple[str, bool | None]] = [
        ("number", quantities.same_number(reference, agent)),
        ("currency", quantities.same_amount(reference, agent)),
        ("digit_grouping", same_code(reference, agent)),
    ]
    if any(equal for _, equal in decisions):
        return decisions
    decisions += [
        ("date_time", moments.same_moment(reference, agent)),
        ("phone_number", quantities.same_phone(reference, agent, region)),
        ("country", quantities.same_country(reference, agent)),
        ("boolean", _same_boolean(reference, agent)),
        ("url_encoding", white_space(unquote_plus(reference)) == white_space(unquote_plus(agent))),
        ("markup", without_markup(reference) == without_markup(agent)),
        ("slug", same_slug(reference, agent)),
        ("number_word", quantities.same_number_word(reference, agent)),
    ]
    if sorted(slug(reference).split("-")) == sorted(slug(agent).split("-")) and slug(reference):
        # The same words in another order may be the same name ("Green, Alex") or another thing altogether.
        decisions.append(("word_order", None))
    return decisions


def unicode_form(text: str) -> str:
    return unicodedata.normalize("NFKC", text.translate(_INVISIBLE).translate(_QUOTES))


def white_space(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def without_markup(text: str) -> str:
    return white_space(html.unescape(_TAG.sub(" ", text)))


def slug(text: str) -> str:
    """`Baan Siam Kitchen` and `baan-siam-kitchen` name one thing. Empty for text that is not a short name."""
    if len(text) > 80 or not any(c.isalpha() for c in text):
        return ""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "-".join(re.findall(r"[^\W_]+", "".join(c for c in decomposed if not unicodedata.combining(c))))


def same_slug(reference: str, agent: str) -> bool:
    """Whether one text is the identifier form of the other: words joined by dashes, nothing but spaces lost on the way."""
    for identifier, name in ((reference, agent), (agent, reference)):
        if _IDENTIFIER.match(identifier) and _NAME.match(name) and "" != slug(identifier) == slug(name):
            return True
    return False


def same_code(reference: str, agent: str) -> bool:
    """Codes with digits (card, postal, IBAN, expiry) are the same whatever separates their groups with spaces or dashes."""
    if len(reference) > 40 or not any(c.isdigit() for c in reference):
        return False
    first, second = (re.sub(r"[\s\u00a0]+", "", text) for text in (reference, agent))
    if first == second:
        return True
    grouped = [re.sub(r"-", "", text) for text in (first, second)]
    # A dash separates groups only in long all-digit codes; elsewhere it is a sign, a range or a part of a date.
    return grouped[0] == grouped[1] and len(grouped[0]) >= 11 and grouped[0].isdigit()


def _same_boolean(reference: str, agent: str) -> bool:
    first, second = truth(reference), truth(agent)
    return first is not None and first == second


def distance(reference: str, agent: str) -> float:
    """0 for equal texts up to 1 for unrelated ones."""
    return float(Levenshtein.normalized_distance(reference, agent))
