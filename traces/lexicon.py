"""Words by which people of many languages name the few things a judge must recognise on any site.

The words are data (`lexicon.json`); nothing in them belongs to one site. Identifiers are split before matching
(`mobilePhone`, `card-number`, `password2`), words of scripts with spaces match whole, words of scripts without match
anywhere. A word that means something else inside a sentence is written `=handy`: it counts only where it is the whole
of a label or a part of a path. A phrase `!promo code` is taken out before anything is looked for.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ACRONYM = re.compile(r"(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATORS = re.compile(r"[\W_]+")
# Turkish capitals would otherwise not fold to what stands in a word list.
_DOTS = str.maketrans("ıİ", "iI")
_PARTS = re.compile(r"[/()|\n]")
# Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean: no spaces between words, or particles glued to them.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_CHANGE_OF_SCRIPT = re.compile(f"(?<=[0-9a-z])(?=[{_UNSPACED}])|(?<=[{_UNSPACED}])(?=[0-9a-z])")
_LOOKED_AT = 20_000
_SOON = 120
LABEL_LENGTH = 200
"""Longer texts are no labels."""


def plain(text: str) -> str:
    """Lower case, NFKC, identifiers split into words, everything that is not a letter or digit one space."""
    return _folded(_CAMEL.sub(" ", unicodedata.normalize("NFKC", text)))


def mention(topic: str, text: str) -> str | None:
    """A word of `topic` that `text` mentions, or None. `topic` is a key of `lexicon.json`."""
    if not text:
        return None
    words = _topic(topic)
    for form in _forms(text[:_LOOKED_AT]):
        found = words.anywhere.search(words.excluded.sub(" ", form))
        if found:
            return found.group().strip()
    if words.alone and (len(text) <= LABEL_LENGTH or " " not in text):
        return next((part for part in map(_part, _PARTS.split(text)) if part in words.alone), None)
    return None


def words(topic: str) -> frozenset[str]:
    """The words of `topic` as they stand in `lexicon.json`, for what must be one of them as a whole."""
    return frozenset(_words()[topic])


def mention_then(first: str, second: str, text: str) -> bool:
    """Whether a line of `text` has a word of topic `first` and, soon after it, the beginning of one of `second`."""
    return _sequence(first, second).search(text) is not None


@functools.cache
def _sequence(first: str, second: str) -> re.Pattern[str]:
    one, other = ("|".join(map(re.escape, sorted(words(topic)))) for topic in (first, second))
    return re.compile(rf"(?i)\b(?:{one})\b[^\n]{{0,{_SOON}}}\b(?:{other})")


@dataclass(frozen=True, slots=True)
class _Topic:
    anywhere: re.Pattern[str]
    excluded: re.Pattern[str]
    alone: frozenset[str]


@functools.cache
def _topic(topic: str) -> _Topic:
    raw = _words()[topic]
    return _Topic(
        anywhere=_pattern(word for word in raw if word[0] not in "=!"),
        excluded=_pattern(word[1:] for word in raw if word[0] == "!"),
        alone=frozenset(_part(word[1:]) for word in raw if word[0] == "="),
    )


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    forms = sorted({form.strip() for word in words for form in _forms(word)}, key=lambda form: (-len(form), form))
    unspaced = [re.escape(form) for form in forms if _HAS_UNSPACED.search(form)]
    by_first: dict[str, list[str]] = {}
    for form in forms:
        if not _HAS_UNSPACED.search(form):
            by_first.setdefault(form[0], []).append(re.escape(form[1:]))
    # Grouped by first letters, because most words of most texts begin with none of them: many times faster. A field
    # that is asked for twice is numbered: password1, password2.
    groups = "|".join(f"{re.escape(letter)}(?:{'|'.join(rests)})" for letter, rests in by_first.items())
    spaced = [f" (?:{groups})(?=[0-9]{{0,2}} )"] if groups else []
    return re.compile("|".join(spaced + unspaced) or r"(?!)")


def _forms(text: str) -> Iterator[str]:
    """`text` in the ways that words may be read out of it: `reCAPTCHA` is one word, `mobilePhone` is two."""
    text = unicodedata.normalize("NFKC", text).translate(_DOTS)
    split = _folded(_ACRONYM.sub(" ", _CAMEL.sub(" ", text)))
    yield _CHANGE_OF_SCRIPT.sub(" ", split)
    whole = _folded(text)
    if whole != split:
        yield _CHANGE_OF_SCRIPT.sub(" ", whole)


def _folded(text: str) -> str:
    return " " + _SEPARATORS.sub(" ", text).casefold().strip() + " "


def _part(text: str) -> str:
    return _folded(unicodedata.normalize("NFKC", text).translate(_DOTS)).strip()


@functools.cache
def _words() -> dict[str, list[str]]:
    raw: dict[str, list[str]] = json.loads(files("clawjudge.traces").joinpath("lexicon.json").read_text("utf-8"))
    return raw
