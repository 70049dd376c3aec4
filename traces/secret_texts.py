"""Where secrets stand inside a text: by their shape, or behind the name of a field.

Texts are whatever a recording holds: prose, URLs, form bodies, multipart bodies, headers, markup, page snapshots, JSON
that was cut off. Nothing is parsed; places are found, so that all the rest of the text stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote_plus

from clawjudge.traces.cards import card_spans
from clawjudge.traces.secret_names import SHOWN, Kind, is_shown, keeps, secret_kind


class Span(NamedTuple):
    """Characters `start` to `end` of a text are a secret of that kind."""

    start: int
    end: int
    kind: str
    """A kind of `secret_names`, or `credential`, `private-key`, `user-info` for what only a shape tells."""
    encoded: bool = False
    """Whether it is percent-encoded, as in a form or a query."""

    def secret(self, text: str) -> str:
        found = text[self.start : self.end]
        return unquote_plus(found, errors="surrogateescape") if self.encoded else found


_CREDENTIAL = re.compile(
    r"\b(?i:bearer)\s+(?=[^\s,;]*\d)[A-Za-z0-9._~+/=-]{12,}"
    r"|\b(?i:basic)\s+(?=[A-Za-z0-9+/]*(?:[0-9+/=]|[a-z][A-Z]))[A-Za-z0-9+/]{12,}={0,2}"
    r"|\b(?:(?:sk|pk|rk)[-_]|whsec_|gh[pousr]_|github_pat_|glpat-|npm_|hf_|dop_v1_|shp(?:at|ss)_|xox[abeprs]-|pypi-)"
    r"(?=[-_A-Za-z0-9]*\d)[-_A-Za-z0-9]{12,}"
    r"|\bA(?:KIA|SIA)[0-9A-Z]{16}\b|\bAIza[-_0-9A-Za-z]{30,}|\bya29\.[-_0-9A-Za-z]{20,}"
    r"|\bSG\.[-_0-9A-Za-z]{16,}\.[-_0-9A-Za-z]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
)
_USER_INFO = re.compile(r"(?<=://)[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:.*?-----END [A-Z ]{0,30}PRIVATE KEY-----|.*)", re.S
)
_BETWEEN = re.compile(r"=>|[:=]|(?<=[^\W\d_] )(?:is|lautet)(?= )")
_CODE_BEHIND_NAME = re.compile(r"(?<![^\W_])([^\W\d_]{2,20}2?)[ \t#.(]{1,3}(\d{3,8})\b")
_OPTION = re.compile(r"(?<!\S)--?([A-Za-z][\w-]{2,40})[ \t]+(?=[^\s-])")
_ENDS_NAME = re.compile(r"[\r\n:=&?;,{}<>\"'`|\\#!]")
_BESIDE_NAME = " \t\"'`\\*_"
_NAME_LENGTH = 90
_NAME_WORDS = 3
_BRACKETED = re.compile(r"[\[(][^\[(\r\n]{0,40}[\])]$")
_SNAPSHOT_LINE = re.compile(r"^\s*- [a-z]+ \"")
_QUOTE = re.compile(r"\\*[\"'`]")
_FORM_VALUE = re.compile(r"[^\s&\"'<>#]+")
_BARE_VALUE = re.compile(r"[^\s&\"'<>`,;|\\]+")
_REST_OF_LINE = re.compile(r"[^\r\n\"'`\\]+")
_VALUE_LENGTH = 10_000
_CLOSING = ".,;:!?)]}"
_TAG = re.compile(r"<(?:input|meta)\b[^<>]{0,4000}>?", re.IGNORECASE)
_TAG_VALUES = frozenset({"value", "content"})
_ATTRIBUTE = re.compile(r"([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_PART = re.compile(r"\"([^\"\r\n]{1,200})\"[^\r\n]*\r?\n(?:[^\r\n]+\r?\n){0,8}\r?\n(.*?)(?=\r?\n--|\Z)", re.S)
_COOKIE = re.compile(r"(?:^|;)\s*([^=;\s]{1,200})=([^;]*)")
_COOKIE_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "priority", "version"})
_HEADERS_TO_END = re.compile(r"(?:proxy[- ])?authorization$|cookie$", re.IGNORECASE)


def secret_spans(text: str) -> list[Span]:
    """The secrets of `text` in order, apart from each other."""
    shapes = [
        *(Span(*found.span(), "private-key") for found in _PRIVATE_KEY.finditer(text)),
        *(Span(*found.span(), "credential") for found in _CREDENTIAL.finditer(text)),
        *(Span(*found.span(), "user-info") for found in _USER_INFO.finditer(text)),
    ]
    begun = apart(shapes)
    named = [*_pairs(text), *_options(text), *_tags(text), *_parts(text)]
    # `Authorization: Bearer …` is one secret, not a secret word "Bearer" and a token behind it.
    named = [span for span in named if not any(s.start <= span.start < s.end for s in begun)]
    cards = [Span(start, end, "card") for start, end in card_spans(text)]
    beside = _beside_card(text) if cards or "•" in text else ()
    return apart([*begun, *named, *cards, *beside])


def apart(spans: Iterable[Span]) -> list[Span]:
    """`spans` in order; those that overlap become one, of the kind of the longest."""
    out: list[Span] = []
    for span in sorted(spans):
        if out and span.start < out[-1].end:
            longest = max(out[-1], span, key=lambda s: s.end - s.start)
            out[-1] = Span(out[-1].start, max(out[-1].end, span.end), longest.kind, longest.encoded)
        elif span.end > span.start:
            out.append(span)
    return out


def cookie_spans(text: str, start: int = 0) -> Iterator[Span]:
    """The values of a `Cookie` or `Set-Cookie` header; the names of cookies say nothing, so every value counts."""
    for found in _COOKIE.finditer(text):
        value = found.group(2).strip()
        if value and found.group(1).lower() not in _COOKIE_ATTRIBUTES and not is_shown(value):
            at = found.start(2) + found.group(2).index(value)
            yield Span(start + at, start + at + len(value), "cookie")


def encoded_values(text: str) -> Iterator[tuple[int, int]]:
    """Where values of a form or a query stand that are percent-encoded and may hold more than they show."""
    for found in re.finditer(r"(?<==)[^\s&\"'<>#=]*%[^\s&\"'<>#]*", text):
        yield found.span()


def _pairs(text: str) -> Iterator[Span]:
    """`name=value`, `name: value`, `"name": "value"`, `name is value`."""
    shown = {at for found in SHOWN.finditer(text) for at in range(*found.span())}
    for between in _BETWEEN.finditer(text):
        if between.start() in shown or text.startswith("//", between.end()):
            continue
        kind, before = _name_before(text, between.start())
        if kind is None:
            continue
        start, end = _value_after(text, between, before)
        value = text[start:end]
        if not value or is_shown(value) or not keeps(kind, value):
            continue
        if between.group().isalpha() and not re.search(r"\d", value):
            continue  # "the password is wrong"
        if kind == "cookie":
            yield from cookie_spans(value, start)
        else:
            yield Span(start, end, kind, between.group() == "=" and start == between.end())


def _name_before(text: str, at: int) -> tuple[Kind | None, str]:
    """The kind of secret whose name stands before `at`, and the line up to there."""
    piece = text[max(0, at - _NAME_LENGTH) : at]
    before = piece.rsplit("\n", 1)[-1]
    name = before.rstrip(_BESIDE_NAME)
    for _ in range(3):
        last = _ENDS_NAME.split(name)[-1]
        words = (unquote_plus(last) if "%" in last or "+" in last else last).split()
        kinds = (secret_kind(" ".join(words[-count:])) for count in range(1, min(len(words), _NAME_WORDS) + 1))
        kind: Kind | None = next((kind for kind in kinds if kind), None)
        if kind is not None or not _BRACKETED.search(name):
            return kind, before
        name = _BRACKETED.sub("", name).rstrip(_BESIDE_NAME)
    return None, before


def _value_after(text: str, between: re.Match[str], before: str) -> tuple[int, int]:
    start = between.end()
    while start < len(text) and text[start] in " \t" and start - between.end() < 8:
        start += 1
    quote = _QUOTE.match(text, start)
    if quote:
        return quote.end(), _closing(text, quote.end(), quote.group())
    if text[start : start + 1] in ("{", "[") and not SHOWN.match(text, start):
        return start, start
    header = between.group() == ":" and _HEADERS_TO_END.search(before.rstrip(_BESIDE_NAME))
    line = between.group() == ":" and _SNAPSHOT_LINE.match(before)
    if header or line:
        found = _REST_OF_LINE.match(text, start, start + _VALUE_LENGTH)
        return start, start + len(found.group().rstrip()) if found else start
    form = between.group() == "=" and start == between.end()
    found = (_FORM_VALUE if form else _BARE_VALUE).match(text, start, start + _VALUE_LENGTH)
    if not found or SHOWN.match(found.group()):
        return start, start
    return start, start + (len(found.group()) if form else len(found.group().rstrip(_CLOSING)))


def _closing(text: str, start: int, quote: str) -> int:
    """Where a quoted text ends; one that was cut off ends with its line."""
    at, limit = start, min(len(text), start + _VALUE_LENGTH)
    while (at := text.find(quote, at, limit)) >= 0:
        escapes = len(text[start:at]) - len(text[start:at].rstrip("\\"))
        if escapes % 2 == 0:
            return at
        at += len(quote)
    end = text.find("\n", start, limit)
    return limit if end < 0 else end


def _beside_card(text: str) -> Iterator[Span]:
    """`4519 8734 2460 4532 exp 09/28 cvv 847`: codes in a text that holds a card number need no sign between."""
    for found in _CODE_BEHIND_NAME.finditer(text):
        kind = secret_kind(found.group(1))
        if kind in ("security-code", "pin") and keeps(kind, found.group(2)):
            yield Span(*found.span(2), kind)


def _options(text: str) -> Iterator[Span]:
    """`--password value` on a command line."""
    for option in _OPTION.finditer(text):
        kind = secret_kind(option.group(1))
        quote = _QUOTE.match(text, option.end())
        start = quote.end() if quote else option.end()
        found = _BARE_VALUE.match(text, start)
        end = _closing(text, start, quote.group()) if quote else found.end() if found else start
        if kind and keeps(kind, text[start:end]) and not is_shown(text[start:end]):
            yield Span(start, end, kind)


def _tags(text: str) -> Iterator[Span]:
    """`<input type="password" value="…">`, `<meta name="csrf-token" content="…">`, attributes in any order."""
    for tag in _TAG.finditer(text):
        attributes = {a.group(1).lower(): a for a in _ATTRIBUTE.finditer(text, tag.start(), tag.end())}
        said = {key: found[found.lastindex or 0] for key, found in attributes.items()}
        kinds = [secret_kind(text) for key, text in said.items() if key not in _TAG_VALUES]
        kind = next((kind for kind in kinds if kind), None)
        for key in _TAG_VALUES & said.keys():
            if kind and keeps(kind, said[key]) and not is_shown(said[key]):
                yield Span(*attributes[key].span(attributes[key].lastindex or 0), kind)


def _parts(text: str) -> Iterator[Span]:
    """Parts of a multipart body, also of one that a recorder cut at its first `=`."""
    if "form-data" not in text.lower() and not re.match(r"\"[^\"\r\n]+\"[^\r\n]*\r?\n\r?\n", text):
        return
    for part in _PART.finditer(text):
        kind = secret_kind(part.group(1))
        if kind and keeps(kind, part.group(2)) and not is_shown(part.group(2)):
            yield Span(*part.span(2), kind)
