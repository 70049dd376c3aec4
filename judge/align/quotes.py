"""Texts that an instruction quotes, and which of them it wants to the letter."""

from __future__ import annotations

import functools
import re
import unicodedata

from clawjudge.judge.align.texts import unicode_form, word_list
from clawjudge.traces.lexicon import mention

QUOTED = re.compile(
    r'"([^"\n]{1,400})"|“([^”\n]{1,400})”|«\s*([^»\n]{1,400}?)\s*»|„([^“”\n]{1,400})[“”]|「([^」\n]{1,400})」'
    r"|『([^』\n]{1,400})』|»([^«\n]{1,400})«|(?<![\w'’])'([^'\n]{2,400})'(?![\w'’])|(?<!\w)‘([^‘’\n]{2,400})’(?!\w)"
)
_BEFORE = 80
_BEHIND = 40
_BETWEEN = 15
_SENTENCE_ENDS = re.compile(r"[.!?。]\s|\n")


def quoted_texts(instruction: str) -> tuple[str, ...]:
    """What stands in quotation marks, as it stands."""
    return tuple(_inside(match) for match in QUOTED.finditer(instruction))


def _inside(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group).strip()


@functools.lru_cache(maxsize=64)
def exact_texts(instruction: str) -> tuple[str, ...]:
    """Quoted texts that the instruction wants as they stand: `exactly "…"`, `"…" (verbatim)`, `genau „…“`."""
    found: list[str] = []
    end, exact_before = 0, False
    for match in QUOTED.finditer(instruction):
        ahead = _SENTENCE_ENDS.split(instruction[max(end, match.start() - _BEFORE) : match.start()])[-1]
        behind = _SENTENCE_ENDS.split(QUOTED.split(instruction[match.end() :][:_BEHIND])[0])[0]
        if _inside(match)[-1:] in ".!?" and behind.lstrip()[:1].isupper():
            # The sentence ended inside the quotation marks.
            behind = ""
        continued = (
            exact_before and len(ahead) <= _BETWEEN and not _SENTENCE_ENDS.search(instruction[end : match.start()])
        )
        exact = continued or any(mention("exactly", part) for part in (ahead, behind))
        if exact:
            found.append(_inside(match))
        end, exact_before = match.end(), exact
    return tuple(found)


def holds(value: str, text: str) -> bool:
    """Whether `value` holds `text` to the letter; only Unicode's two spellings of one letter may differ."""
    return _composed(text) in _composed(value)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n"))


def breaks_exactness(instruction: str, reference: str, agent: str) -> bool:
    """Whether the instruction gives the reference's text to the letter, and the agent's differs from it in a letter."""
    if unicode_form(reference).strip() == unicode_form(agent).strip():
        # Keyboards and sites turn straight quotation marks into curly ones and back; nobody asked for either.
        return False
    for text in exact_texts(instruction):
        if " ".join(word_list(text)) not in " ".join(word_list(reference)) and not holds(reference, text):
            continue
        # A full stop inside the quotation marks may belong to the instruction's sentence.
        bare = text.rstrip(".,;")
        wanted = bare if holds(reference, bare) and not holds(reference, text) else text
        if not holds(agent, wanted):
            return True
    return False
