"""Text from a trace made harmless for a terminal. Whatever is printed and was not written by us goes through `plain`.

A page, an agent or a file name may hold escape sequences that repaint the screen, control characters, or marks that turn
the direction of text around so that a FAIL reads as a PASS.
"""

from __future__ import annotations

import re
import unicodedata

LIMIT = 300
"""Characters of one text that are shown; a value of a recording can be megabytes long."""

_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor, erasing
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS and their like: titles, links
    r"|\x1b[ -/]*[0-~]?"
)
_SPACES = re.compile(r"[ \t\v\f\u2028\u2029\x85]+")
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
# Joiners belong to the spelling of Persian and of Indic languages, and hold emoji together.
_KEPT_FORMAT = frozenset("\u200c\u200d")


def plain(text: object, limit: int | None = LIMIT) -> str:
    """`text` on one line, without anything that a terminal would act upon; beyond `limit` it is cut and ends with `…`.

    Line ends are shown as `↵`, half surrogates as `\ufffd`.
    """
    whole = str(text)
    # Cut before the work as well as after it, with room for what is taken out.
    part = whole if limit is None else whole[: 8 * limit]
    part = _LINE_ENDS.sub("↵", _SEQUENCE.sub("", part))
    part = "".join(_shown(character) for character in _SPACES.sub(" ", part)).strip()
    if limit is not None and (len(part) > limit or len(whole) > 8 * limit):
        return part[: limit - 1].rstrip() + "…"
    return part


def plain_lines(text: object) -> str:
    """Like `plain`, for a text of ours whose lines and indents are wanted, such as a traceback with a value in it."""
    return "\n".join(" " * (len(line) - len(line.lstrip(" "))) + plain(line, 2000) for line in str(text).split("\n"))


def _shown(character: str) -> str:
    if character.isascii():
        return character if character.isprintable() else ""
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    if category in ("Cc", "Cf") and character not in _KEPT_FORMAT:
        return ""
    return character
