"""Text from a trace made harmless for a terminal. Whatever is printed and was not written by us goes through `plain`.

A page, an agent or a file name may hold escape sequences that repaint the screen, control characters, or marks that
turn the direction of text around so that a FAIL reads as a PASS. They are taken out, and a sign is left in their place:
two values that differ only in them must not look the same.
"""

from __future__ import annotations

import re
import unicodedata

LIMIT = 300
"""Characters of one text that are shown; a value of a recording can be megabytes long."""

_ESCAPE = "␛"
_CONTROL = "\ufffd"
# Of a sequence that carries a text (a window title, a link) only the introducer goes: nothing recorded may be hidden.
_SEQUENCE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[\]PX^_\\]|\x1b[ -/]*[0-~]?|[\x90\x98\x9c-\x9f]")
_SPACES = re.compile(r"[ \t\v\f\u2028\u2029\x85]+")
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
# Joiners belong to the spelling of Persian and of Indic languages, and hold emoji together.
_KEPT_FORMAT = frozenset("\u200c\u200d")
_TURNS_TEXT = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def plain(text: object, limit: int | None = LIMIT) -> str:
    """`text` on one line, without anything that a terminal would act upon; beyond `limit` it is cut and ends with `…`.

    Line ends are shown as `↵`, the start of an escape sequence as `␛`, and other control characters, marks that turn
    the direction of text, and half surrogates as U+FFFD. Other invisible characters are left out.
    """
    whole = str(text)
    # Cut before the work as well as after it, with room for what is taken out.
    part = whole if limit is None else whole[: 8 * limit]
    part = _LINE_ENDS.sub("↵", _SEQUENCE.sub(_ESCAPE, part))
    part = "".join(_shown(character) for character in _SPACES.sub(" ", part)).strip()
    if limit is not None and (len(part) > limit or len(whole) > 8 * limit):
        return part[: limit - 1].rstrip() + "…"
    return part


def plain_lines(text: object) -> str:
    """Like `plain`, for a text of ours whose lines and indents are wanted, such as a traceback with a value in it."""
    return "\n".join(" " * (len(line) - len(line.lstrip(" "))) + plain(line, 2000) for line in str(text).split("\n"))


def _shown(character: str) -> str:
    if character.isprintable() or character in _KEPT_FORMAT:
        return character
    if unicodedata.category(character) in ("Cc", "Cs") or character in _TURNS_TEXT:
        return _CONTROL
    # What is left is invisible (a soft hyphen, a byte order mark), of private use, or another kind of space.
    return " " if character.isspace() else "" if unicodedata.category(character) == "Cf" else character
