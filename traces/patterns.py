"""Regular expressions written by strangers: checked, searched within a time limit, and read for what they can match.

Python's own engine backtracks without an end: `(a+)+$` keeps it busy for years. So a pattern is checked by `re`, whose
language tasks are written in, and searched by `regex`, which stops when it is told to. What the two read differently
(a brace that is no quantifier, a bracket inside a set) is escaped on the way from one to the other.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

import regex

MAX_PATTERN_LENGTH = 2000
"""Characters. Longer patterns are generated or hostile."""
MAX_REPEATS = 10_000
"""Characters that the counts of a pattern (`{8}`) may ask for together; more than any URL has, and too much memory."""
SEARCH_SECONDS = 2.0
"""For one search. An ordinary pattern takes microseconds for the longest URL that is looked at."""


class TooSlow(Exception):
    """A search was given up: whether the pattern matches cannot be told."""


class Pattern:
    """A checked pattern. Raises `ValueError` if it is not usable."""

    def __init__(self, written: str) -> None:
        self._compiled = _compile(written)

    def search(self, text: str, end: int | None = None, seconds: float = SEARCH_SECONDS) -> int | None:
        """Where the first match in `text[:end]` begins, or None. Raises `TooSlow`."""
        try:
            found = self._compiled.search(text, 0, len(text) if end is None else end, timeout=seconds)
        except (TimeoutError, MemoryError):
            raise TooSlow from None
        return None if found is None else int(found.start())


def compile_pattern(written: str) -> Pattern:
    """`written`, ready to be searched. Raises `ValueError` that says what is wrong with it."""
    if not written.strip():
        raise ValueError("is empty and would match every request; name the host and path of the final request")
    if len(written) > MAX_PATTERN_LENGTH:
        raise ValueError(f"is {len(written)} characters long; at most {MAX_PATTERN_LENGTH} are accepted")
    return Pattern(written)


def _compile(written: str) -> regex.Pattern[str]:
    with warnings.catch_warnings():
        # Python warns of patterns that might change their meaning one day; they are the author's choice and valid.
        warnings.simplefilter("ignore")
        try:
            re.compile(written)
            if _repeats(written) > MAX_REPEATS:
                raise ValueError(f"asks for more than {MAX_REPEATS} repeats; no URL is as long as {written!r}")
            return regex.compile(_for_the_engine(written), regex.VERSION0)
        except (re.error, regex.error, OverflowError, RecursionError, MemoryError) as error:
            raise ValueError(f"is not a Python regular expression: {error}; correct {written!r}") from None


def _for_the_engine(written: str) -> str:
    # A comment of a verbose pattern may hold half a bracket; then the tokens are not what they seem.
    return written if _FLAGS.search(written) else "".join(_neutral(token) for token in _TOKEN.findall(written))


def _neutral(token: str) -> str:
    """A token of `re` as `regex` must see it to understand the same."""
    if token in ("{", "{}"):
        return "\\" + token
    if token.startswith("[") and len(token) > 1:
        opening = "[^" if token.startswith("[^") else "["
        return opening + _SET_PART.sub(
            lambda part: "\\[" if part.group() == "[" else part.group(), token[len(opening) :]
        )
    return token


def _repeats(written: str) -> int:
    """How many characters the least counts of a pattern multiply to; the engine lays them all out in memory."""
    sizes, last = [0], 0
    for token in _TOKEN.findall(written):
        if token.startswith("("):
            sizes.append(0)
            last = 0
        elif token == ")" and len(sizes) > 1:
            last = sizes.pop()
            sizes[-1] += last
        elif _QUANTIFIER.fullmatch(token):
            least = re.match(r"\{(\d+)", token)
            extra = last * (int(least.group(1)) - 1) if least and int(least.group(1)) > 1 else 0
            last += extra
            sizes[-1] += extra
        else:
            last = 1
            sizes[-1] += 1
    return sum(sizes)


# What an expression can never match. This reads the text of the pattern, because Python's own parser is private.

_TOKEN = re.compile(r"\\N\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[=!<:#P]?[=!]?|\{\d*,?\d*\}|.", re.DOTALL)
_SET_PART = re.compile(r"\\.|.", re.DOTALL)
_QUANTIFIER = re.compile(r"[*+?]|\{\d*,?\d*\}")
_OPTIONAL = re.compile(r"[*?]|\{0?,\d*\}|\{0\}")
_FLAGS = re.compile(r"\(\?[a-zA-Z]*[mx]")
_WORD = re.compile(r"_*[A-Z0-9]+(?:[_-]+[A-Z0-9]+)*_*|<[A-Z0-9 _-]+>")
_PLACEHOLDER = re.compile(
    r"(?:^|_)(?:PLACEHOLDER|NEVER|SENTINEL|FIXME|TBD|UNMATCHABLE|IMPOSSIBLE|(?:NO|NOT|NEVER|DONT)_MATCH(?:ES|ING)?)(?:_|$)"
)
_EMPTY_CLASSES = frozenset({r"[^\s\S]", r"[^\S\s]", r"[^\w\W]", r"[^\W\w]", r"[^\d\D]", r"[^\D\d]"})
_ZERO_WIDTH = (r"\b", r"\B", "(?=", "(?!", "(?<=", "(?<!", "(?#")


def is_placeholder(pattern: str) -> bool:
    """Whether a pattern is a word that stands for a pattern still to be written."""
    word = pattern.removeprefix("^").removesuffix("$")
    if not _WORD.fullmatch(word):
        return False
    wrapped = word.startswith(("__", "<")) and word.endswith(("__", ">"))
    return wrapped or ("_" in word and _PLACEHOLDER.search(word.replace("-", "_")) is not None)


def split_alternatives(pattern: str) -> list[str]:
    """The branches of a valid pattern between its outermost `|`."""
    branches, depth = [""], 0
    for token in _TOKEN.findall(pattern):
        depth += token.startswith("(") - (token == ")")
        if token == "|" and depth == 0:
            branches.append("")
        else:
            branches[-1] += token
    return branches


def cannot_match(pattern: str) -> bool:
    """Whether no text can match, because an anchor or a part of every branch cannot hold. False when in doubt."""
    if _FLAGS.search(pattern):
        return False  # With (?m) and (?x) the signs below mean something else.
    return all(_branch_cannot_match(branch) for branch in split_alternatives(pattern))


def _branch_cannot_match(branch: str) -> bool:
    """Whether an anchor stands where it cannot hold, or a part is empty by construction. False when in doubt."""
    started = consumed = ended = may_consume = False
    for atom, optional in atoms(branch):
        if atom in ("^", r"\A"):
            if consumed or ended:
                return True
            started = True
        elif atom in ("$", r"\Z"):
            ended = True
        elif atom == "(?!)":
            if not optional:
                return True
        elif atom.startswith(_ZERO_WIDTH):
            continue
        elif optional or atom.startswith("("):
            may_consume = True
        elif ended or atom in _EMPTY_CLASSES:
            return True
        else:
            consumed = True
    return started and ended and not consumed and not may_consume


def atoms(branch: str) -> Iterator[tuple[str, bool]]:
    """The parts of one branch, a group as one part, each with whether its quantifier allows zero times."""
    atom, depth = "", 0
    for token in _TOKEN.findall(branch):
        if depth == 0 and _QUANTIFIER.fullmatch(token):
            if atom:
                yield atom, _OPTIONAL.fullmatch(token) is not None
            atom = ""
            continue
        if depth == 0:
            if atom:
                yield atom, False
            atom = ""
        atom += token
        depth += token.startswith("(") - (token == ")")
    if atom:
        yield atom, False
