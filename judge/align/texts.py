"""Forms of one text: what of its characters, spaces, marks and markup may differ without a difference in meaning."""

from __future__ import annotations

import functools
import html
import re
import unicodedata
from urllib.parse import unquote, unquote_plus

_SPACE = re.compile(r"\s+")
_ATTRIBUTE = r"\s+[\w:-]+=(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>]+)"
# Only tags that format: what stands between < and > in other texts is part of the text.
_TAG = re.compile(
    r"</?(?:p|br|div|span|b|i|u|em|strong|ul|ol|li|a|h[1-6]|blockquote|pre|code|font)"
    rf"(?:{_ATTRIBUTE}){{0,20}}\s*/?>",
    re.IGNORECASE,
)
_TELLING_ATTRIBUTE = re.compile(r"<[^<>]*?\s(?!(?:class|style|dir|lang|id)\s*=)[\w:-]+\s*=", re.IGNORECASE)
"""An attribute that says more than how a text looks: where a link leads, for one."""
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_IDENTIFIER = re.compile(r"^[^\W_]+(?:[-_][^\W_]+)+$")
_NAME = re.compile(r"^[\w\s'&.,()/-]+$")
_SPLIT_NUMBER = re.compile(r"\d[.,/]\d|(?:^|\s)[-+]\d")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-", "−": "-", "\u00a0": " "})
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u2060\ufeff\u00ad\u200e\u200f\u061c\u2066\u2067\u2068\u2069\ufe0e\ufe0f"))
_HARMLESS_FORMS = (
    "<wide>",
    "<narrow>",
    "<noBreak>",
    "<compat>",
    "<small>",
    "<initial>",
    "<medial>",
    "<final>",
    "<isolated>",
)
_SLUG_LENGTH = 80


def unicode_form(text: str) -> str:
    """Composed, with plain quotes, dashes and spaces, full-width letters narrowed, and marks removed that nobody sees.

    Superscripts, circled digits, fractions and joined emoji stay: `5²` is not 52, a family is not three people.
    """
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text.translate(_INVISIBLE).translate(_QUOTES))
    return unicodedata.normalize("NFC", "".join(c if c < "\u0080" else _compatible(c) for c in text))


@functools.lru_cache(maxsize=8192)
def _compatible(character: str) -> str:
    if unicodedata.decomposition(character).startswith(_HARMLESS_FORMS):
        return unicodedata.normalize("NFKC", character)
    return character


def is_email(text: str) -> bool:
    """Whether the whole of `text` has the form of an e-mail address."""
    return _EMAIL.fullmatch(text) is not None


def loose_form(text: str) -> str:
    """Every compatible character replaced and every invisible one removed: what may look alike."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if unicodedata.category(c) != "Cf")


def white_space(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def same_url_text(reference: str, agent: str) -> bool | None:
    """One text is the percent-encoded form of the other; None where a plus may stand for a space."""
    for encoded, text in ((reference, agent), (agent, reference)):
        if "%" in encoded and white_space(unquote(encoded)) == white_space(text):
            return True
    if "%" in reference + agent or "+" in reference + agent:
        if white_space(unquote_plus(reference)) == white_space(unquote_plus(agent)):
            return None
    return False


def same_markup(reference: str, agent: str) -> bool | None:
    """The same text, once with tags or entities; None where both sides have tags, or a tag says more than its looks."""
    left, right = without_markup(reference), without_markup(agent)
    if left != right or not left:
        return False
    tags = [_TAG.findall(text) for text in (reference, agent)]
    return None if all(tags) or any(_TELLING_ATTRIBUTE.match(tag) for found in tags for tag in found) else True


def without_markup(text: str) -> str:
    return white_space(html.unescape(_TAG.sub(" ", text)))


def slug(text: str) -> str:
    """`Baan Siam Kitchen` and `baan-siam-kitchen` name one thing. Empty for text that is not a short name."""
    return "-".join(word_list(text)) if len(text) <= _SLUG_LENGTH and any(c.isalpha() for c in text) else ""


def word_list(text: str) -> list[str]:
    """The words of `text` without accents, case and punctuation."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return re.findall(r"[^\W_]+", "".join(c for c in decomposed if not unicodedata.combining(c)))


def same_slug(reference: str, agent: str) -> bool | None:
    """Whether one text is the identifier form of the other: words joined by dashes, nothing but spaces lost on the way.

    None where the dash may have replaced a sign of its own (`1-2-cup` for `1.2 cup`).
    """
    for identifier, name in ((reference, agent), (agent, reference)):
        if _IDENTIFIER.match(identifier) and _NAME.match(name) and "" != slug(identifier) == slug(name):
            return None if _SPLIT_NUMBER.search(name) else True
    return False


def same_words(reference: str, agent: str) -> str | None:
    """`punctuation` or `word_order`, if nothing else differs: it may be the same name, or another thing altogether."""
    if not any(c.isalpha() for c in reference) or not any(c.isalpha() for c in agent):
        return None
    left, right = word_list(reference), word_list(agent)
    if left == right and (left or len(reference) == len(agent)):
        return "punctuation" if left else None
    short = max(len(reference), len(agent)) <= _SLUG_LENGTH
    return "word_order" if short and left and sorted(left) == sorted(right) else None


def _cut_short(short: str, long: str) -> bool:
    return 2 <= len(short) <= 5 < len(long) + 1 and short.isalpha() and long.isalpha() and long.startswith(short)


def abbreviates(reference: str, agent: str) -> bool:
    """Whether one text may be short for the other: `ON` for Ontario, `664 Spadina Ave` for `664 Spadina Avenue`."""
    left, right = word_list(reference), word_list(agent)
    if len(left) == len(right) > 1 and any(a == b for a, b in zip(left, right, strict=True)):
        if all(a == b or _cut_short(a, b) or _cut_short(b, a) for a, b in zip(left, right, strict=True)):
            return True
    for short, long in ((reference, agent), (agent, reference)):
        letters = short.replace(".", "").replace(" ", "")
        is_code = letters.isupper() or (len(letters) == 2 and letters.istitle() and letters[1] not in "aeiou")
        if not (1 <= len(letters) <= 4 and letters.isalpha() and is_code and len(letters) + 2 <= len(long) <= 60):
            continue
        rest = iter(long.casefold())
        if long[:1].casefold() == letters[0].casefold() and all(c in rest for c in letters.casefold()):
            return True
    return False
