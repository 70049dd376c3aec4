"""Does an instruction name a value as one of several, in no order (`tags: cycling, repair and tools`), or as the end of
a way (`from Rome to Oslo`)?"""

from __future__ import annotations

import re

from clawjudge.traces.lexicon import words

_QUOTE = "[\"'“”„«»‘’]?"


def is_enumerated(instruction: str, value: str) -> bool:
    """Whether a comma, a semicolon, an ampersand or a word for "and" stands right before or after `value`.

    `from Rome to Oslo` names two values that may not change places, and is no enumeration.
    """
    text = re.sub(r"\s+", " ", instruction)
    joined = "|".join(re.escape(word) for word in sorted(words("and"), key=len, reverse=True))
    named = rf"{_QUOTE}(?<!\w){re.escape(value.strip())}(?!\w){_QUOTE}"
    before, after = rf"(?:[,;&、，؛،]|(?<!\w)(?:{joined}))\s*{named}", rf"{named}\s*(?:[,;&、，؛،]|(?:{joined})(?!\w))"
    return re.search(f"(?:{before})|(?:{after})", text, re.IGNORECASE) is not None


def is_directed(instruction: str, value: str) -> bool:
    """Whether a word for "to" stands right before or after `value`, so that its place among others may matter."""
    text = re.sub(r"\s+", " ", instruction)
    towards = "|".join(["→", "->", *(re.escape(word) for word in sorted(words("towards"), key=len, reverse=True))])
    named = rf"{_QUOTE}(?<!\w){re.escape(value.strip())}(?!\w){_QUOTE}"
    return re.search(rf"(?<!\w)(?:{towards})\s*{named}|{named}\s*(?:{towards})(?!\w)", text, re.IGNORECASE) is not None
