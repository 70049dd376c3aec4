"""A screen for a terminal that does not know our signs: words and plain characters in their place, columns kept."""

from __future__ import annotations

import os
import re
import sys

_PLAIN = {
    "✓": "ok",
    "✗": "no",
    "≠": "!=",
    "—": "-",
    "–": "-",
    "…": "...",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "·": "|",
    "±": "+/-",
    "↵": "\\n",
    "␛": "\\e",
    "\ufffd": "?",
    "\xa0": " ",
    "█": "#",
}
_SIGN_OR_SPACES = re.compile(r"[^\x00-\x7f]| {2,}")


def stdout_encoding() -> str:
    """What standard output can take. A language that was set to C is plain ASCII, whatever Python makes of it."""
    language = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG")
    return "ascii" if language in ("C", "POSIX") else sys.stdout.encoding or "utf-8"


def encode(text: str, encoding: str) -> bytes:
    """`text` in `encoding`; what that has no sign for is written in ASCII, anything unknown as its escape."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(_plain(line, encoding) for line in text.splitlines(keepends=True)).encode(encoding)


def _plain(line: str, encoding: str) -> str:
    """A line in signs of `encoding`. What a word is longer than its sign, the blanks between columns give back."""
    debt = 0

    def replace(found: re.Match[str]) -> str:
        nonlocal debt
        piece = found.group()
        if piece.isspace() and piece.isascii():
            kept = max(len(piece) - debt, 1)
            debt -= len(piece) - kept
            return " " * kept
        try:
            piece.encode(encoding)
        except UnicodeEncodeError:
            said = _PLAIN.get(piece) or piece.encode("ascii", "backslashreplace").decode()
            debt += len(said) - 1
            return said
        return piece

    return _SIGN_OR_SPACES.sub(replace, line)
