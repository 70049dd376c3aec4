"""Does an instruction name a value as one of several, in no order: `tags: cycling, repair and tools`?"""

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
