"""Values that must not reach a report, a log, a prompt or a fingerprint, and how they are shown instead.

This is the one place that decides what a secret is: by the name of its field (`secret_names`), by its shape or by what
stands before it in a text (`secret_texts`, `cards`), in texts, trees and texts that hold trees. `mask` shows what a
reader of a report may see; `redaction.Redactor` replaces the same secrets by tokens that still compare.

What a person ordered, wrote or gave as an address is no secret: it is the evidence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import quote, unquote_plus

from clawjudge.traces.cards import is_card_number
from clawjudge.traces.secret_members import Pair, Pairs, is_keystroke, telling_names
from clawjudge.traces.secret_names import SHOWN, Kind, is_shown, keeps, secret_kind
from clawjudge.traces.secret_texts import Span, apart, cookie_spans, encoded_values, secret_spans

Show = Callable[[str, str], str]
"""What stands in place of a secret, given the secret and its kind."""
Find = Callable[[str], Iterable[Span]]
"""More secrets of a text than can be told by looking at it."""

_HIDDEN = "•••"
_MAX_DEPTH = 60
_MAX_DIGITS = 10**30
_KEYSTROKE = re.compile(r".|(?:Key|Digit|Numpad)\w", re.DOTALL)
_SCALAR = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[^\s\[\]{}:,"]+')
_MAY_HOLD = re.compile(r"[:=@]|\d{4}|(?:\d[\W_]{0,3}){13}|-----|--\w|\b(?:is|lautet)\b|[A-Za-z0-9_-]{12}")


def mask(value: Any, name: str = "") -> Any:
    """`value` as it may be shown; `name` is the field's own name. Values without secrets come back unchanged."""
    return replaced(value, name, _masked)


def mask_entered(value: Any, names: Iterable[str]) -> Any:
    """What was entered into a field that goes by several names, as it may be shown: any of them may make it secret."""
    for name in names:
        value = mask(value, name)
    return value


def scrub(text: str) -> str:
    """Free text with its secrets replaced."""
    return str(replaced(text, "", _masked))


def _masked(secret: str, kind: str) -> str:
    if kind == "card":
        return "•••• " + "".join(c for c in secret if c.isdecimal())[-4:]
    return "[credential]" if kind in ("credential", "private-key", "user-info") else _HIDDEN


def replaced(value: Any, name: str, show: Show, find: Find | None = None) -> Any:
    """`value` with every secret in it replaced by what `show` makes of it; everything else stays as it is.

    `value` is text, bytes, a JSON tree or a part of one; `name` is the name of the field that holds it. A text that is
    a JSON document is read as one and keeps its spelling. Keys are looked at as well. What is nested too deeply to
    be looked at is hidden whole.
    """
    return _Walk(show, find).value(value, name, _MAX_DEPTH)


class _Walk:
    def __init__(self, show: Show, find: Find | None) -> None:
        self._show = show
        self._find = find

    def value(self, value: Any, name: str, depth: int) -> Any:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, dict | list | tuple):
            return self._show("", "nested") if depth == 0 else self._tree(value, name, depth)
        if isinstance(value, bytes | bytearray):
            text = bytes(value).decode("utf-8", "surrogateescape")
            new = self.value(text, name, depth)
            return value if new == text else str(new).encode("utf-8", "surrogateescape")
        if isinstance(value, str):
            return self._string(value, secret_kind(name), depth)
        return self._number(value, secret_kind(name))

    def _number(self, value: Any, kind: Kind | None) -> Any:
        if not isinstance(value, int | float):
            return value
        if isinstance(value, int) and abs(value) >= _MAX_DIGITS:
            return value if kind is None else self._show("", kind)
        if is_card_number(value):
            return self._show(str(value), "card")
        return self._show(str(value), kind) if kind and kind != "cookie" and keeps(kind, str(value)) else value

    def _string(self, value: str, kind: Kind | None, depth: int) -> str:
        if not value or is_shown(value):
            return value
        if is_card_number(value):
            return self._show(value, "card")
        if kind == "cookie":
            return self._cut(value, [*cookie_spans(value), *secret_spans(value)])
        if kind and keeps(kind, value):
            return self._show(value, kind)
        return self._text(value, depth)

    def _text(self, text: str, depth: int) -> str:
        if depth > 0 and text.lstrip()[:1] in ("{", "["):
            as_document = self._document(text, depth - 1)
            if as_document is not None:
                return as_document
        more = list(self._find(text)) if self._find else []
        if not more and not _MAY_HOLD.search(text):
            return text
        spans = apart([*more, *secret_spans(text)])
        if depth > 0 and "%" in text:
            text, spans = self._decoded(text, spans, depth - 1)
        return self._cut(text, spans)

    def _cut(self, text: str, spans: Iterable[Span]) -> str:
        out, position = "", 0
        for span in apart(spans):
            out += text[position : span.start] + self._show(span.secret(text), span.kind)
            position = span.end
        return out + text[position:]

    def _decoded(self, text: str, spans: list[Span], depth: int) -> tuple[str, list[Span]]:
        """`text` with the secrets inside percent-encoded values replaced; `spans` moved to where they are now."""
        for start, end in reversed(list(encoded_values(text))):
            if any(span.start < end and start < span.end for span in spans):
                continue
            inner = unquote_plus(text[start:end], errors="surrogateescape")
            new = self._text(inner, depth)
            if new != inner:
                new = "".join(_encoded(new))
                moved = len(new) - (end - start)
                spans = [s if s.end <= start else s._replace(start=s.start + moved, end=s.end + moved) for s in spans]
                text = text[:start] + new + text[end:]
        return text, spans

    def _document(self, text: str, depth: int) -> str | None:
        """A text that is a JSON document, its secrets replaced and the rest spelt as before; None for other texts."""
        try:
            old = json.loads(text, object_pairs_hook=Pairs)
        except (ValueError, RecursionError):
            return None
        new = self._tree(old, "", depth)
        changes = list(_scalars(old, new))
        if all(before is after or before == after for before, after in changes):
            return text
        tokens = list(_SCALAR.finditer(text))
        if len(tokens) != len(changes):
            return _spelt(_plain(new))
        out, position = "", 0
        for token, (before, after) in zip(tokens, changes, strict=True):
            if before is not after and before != after:
                out += text[position : token.start()] + _spelt(after)
                position = token.end()
        return out + text[position:]

    def _tree(self, value: Any, name: str, depth: int) -> Any:
        if isinstance(value, Pairs):
            return Pairs(self._members(value, name, depth - 1))
        if isinstance(value, dict):
            return _object(self._members([(key, inner) for key, inner in value.items()], name, depth - 1))
        if (
            len(value) == 2
            and not secret_kind(name)
            and isinstance(value[0], str)
            and isinstance(value[1], str | int | float)
        ):
            # Headers and form fields are often lists of pairs.
            names = ["", value[0]]
        else:
            names = [name] * len(value)
        new = [self.value(inner, its, depth - 1) for inner, its in zip(value, names, strict=True)]
        return tuple(new) if isinstance(value, tuple) else new

    def _members(self, pairs: list[Pair], name: str, depth: int) -> list[Pair]:
        out = []
        for (key, inner), its in zip(pairs, telling_names(pairs, name), strict=True):
            new = self._keystroke(inner) if is_keystroke(key, its) else self.value(inner, its, depth)
            out.append((self._text(key, 0) if isinstance(key, str) else key, new))
        return out

    def _keystroke(self, value: Any) -> Any:
        """A key pressed in a secret field. One token for each key would give the secret away letter by letter."""
        return self._show("", "key") if isinstance(value, str) and _KEYSTROKE.fullmatch(value) else value


def _encoded(text: str) -> Iterator[str]:
    """Percent-encoded, apart from what stands in place of secrets: it must stay equal to itself."""
    position = 0
    for shown in SHOWN.finditer(text):
        yield quote(text[position : shown.start()], safe="", errors="surrogateescape") + shown.group()
        position = shown.end()
    yield quote(text[position:], safe="", errors="surrogateescape")


def _object(members: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """An object whose keys may have become equal when they were replaced; no member is lost."""
    out: dict[Any, Any] = {}
    for key, inner in members:
        new, count = key, 2
        while new in out:
            new, count = f"{key} ({count})", count + 1
        out[new] = inner
    return out


def _scalars(old: Any, new: Any) -> Iterable[tuple[Any, Any]]:
    """Every key and every value that is no container, in order, with what became of it."""
    stack = [(old, new)]
    while stack:
        before, after = stack.pop()
        if isinstance(before, Pairs) and isinstance(after, Pairs):
            for (key, inner), (new_key, new_inner) in zip(reversed(before), reversed(after), strict=True):
                stack += [(inner, new_inner), (key, new_key)]
        elif isinstance(before, list) and isinstance(after, list):
            stack.extend(zip(reversed(before), reversed(after), strict=True))
        else:
            yield before, after


def _spelt(value: Any) -> str:
    spelt = json.dumps(value, ensure_ascii=False)
    # A lone surrogate can be written as an escape only.
    return json.dumps(value) if any("\ud800" <= c <= "\udfff" for c in spelt) else spelt


def _plain(value: Any) -> Any:
    if isinstance(value, Pairs):
        return _object([(key, _plain(inner)) for key, inner in value])
    return [_plain(inner) for inner in value] if isinstance(value, list) else value
