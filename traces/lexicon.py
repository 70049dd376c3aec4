"""Words by which people of many languages name the few things a judge must recognise on any site.

The words are data (`lexicon.json`); nothing in them belongs to one site. Identifiers are split before matching
(`mobilePhone`, `card-number`), words of scripts with spaces match whole, words of scripts without match anywhere.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from importlib.resources import files

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """Lower case, NFKC, identifiers split into words, everything that is not a letter or digit one space."""
    return " " + _SEPARATORS.sub(" ", _CAMEL.sub(" ", unicodedata.normalize("NFKC", text))).casefold().strip() + " "


def mention(topic: str, text: str) -> str | None:
    """The first word of `topic` that `text` mentions, or None. `topic` is a key of `lexicon.json`."""
    if not text:
        return None
    found = _pattern(topic).search(plain(text[:20_000]))
    return found.group().strip() if found else None


@functools.cache
def _pattern(topic: str) -> re.Pattern[str]:
    alternatives = []
    for word in sorted(_words()[topic], key=len, reverse=True):
        folded = plain(word).strip()
        spaced = all(ord(c) < 0x0E00 for c in folded)
        alternatives.append(f"(?<= ){re.escape(folded)}(?= )" if spaced else re.escape(folded))
    return re.compile("|".join(alternatives))


@functools.cache
def _words() -> dict[str, list[str]]:
    raw: dict[str, list[str]] = json.loads(files("clawjudge.traces").joinpath("lexicon.json").read_text("utf-8"))
    return raw
