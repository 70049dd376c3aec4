"""Which members of an object hold a secret: by their own key, by the key of what they stand in, or by a neighbour."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from clawjudge.traces.pointers import unescape
from clawjudge.traces.secret_names import secret_kind, word_set

Pair = tuple[Any, Any]


class Pairs(list[Pair]):
    """A JSON object in which a key may stand twice."""


# A member by one of these names says what its neighbours hold: {"name": "password", "value": "x"}.
_NAMING = word_set(
    "name key field id label element selector placeholder type autocomplete ref target locator param parameter header"
    " arialabel fieldname"
)
_NAMED = word_set(
    "value val values text data input content answer response newvalue oldvalue default defaultvalue fill string"
    " textcontent innertext key code"
)
# Members of an object with a secret name that are not secret themselves.
_INNOCENT = word_set(
    "type name label id user username login email mail phone domain path expires expiry httponly secure samesite scheme"
    " required error errors message placeholder autocomplete minlength maxlength title description provider method"
    " format pattern"
)
_ELEMENT_CONTENT = word_set("textcontent innertext value text xpath href src")
_NO_NAME = re.compile(r"[=&{}\n]")
"""A key with one of these is a body that a recorder took apart, not the name of what stands beside it."""
_LONGEST_NAMING = 80
_ARRAY_INDEX = re.compile(r"\d{1,9}", re.ASCII)


def telling_names(pairs: Sequence[Pair], outer: str = "") -> list[str]:
    """For every member the name that promises a secret, or an empty text. `outer` is that of the object itself."""
    naming, inherited = _naming(pairs), _inherited(outer)
    return [_telling(key, inherited, naming) for key, _ in pairs]


def _naming(pairs: Iterable[Pair]) -> dict[Any, str]:
    """Members that say what their neighbours hold, with what they say."""
    return {
        key: said
        for key, inner in pairs
        if isinstance(inner, str | dict | Pairs) and _word(key) in _NAMING and (said := _said(inner))
    }


def _inherited(outer: str) -> str:
    return "secret" if secret_kind(outer) == "cookie" else outer if secret_kind(outer) else ""


def _telling(key: Any, inherited: str, naming: dict[Any, str]) -> str:
    if isinstance(key, str) and secret_kind(key) and not _NO_NAME.search(key):
        return key
    word = _word(key)
    if inherited and word not in _INNOCENT:
        return inherited
    return next(iter(naming.values()), "") if key not in naming and word in _NAMED else ""


def is_keystroke(key: Any, name: str) -> bool:
    """Whether the member `key`, told secret by `name`, says which key was pressed."""
    return bool(name) and name != key and _word(key) in ("key", "code")


def promised_secrets(element: dict[str, Any]) -> Iterator[str]:
    """What a recorder says of an element that promises a secret (`type="password"`, `autocomplete="cc-number"`).

    What the element holds and shows is no name; all else may be, whatever its key: recorders have keys of their own.
    """
    for key, said in element.items():
        if _word(key) not in _ELEMENT_CONTENT and isinstance(said, str | dict) and (promise := _promise(said)):
            yield promise


def _promise(said: str | dict[str, Any]) -> str:
    if isinstance(said, str):
        return _said(said)
    return next((promise for inner in said.values() if isinstance(inner, str) and (promise := _said(inner))), "")


class TellingNames:
    """The names that say what the values of one document are; for many pointers into it."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._known: dict[int, dict[Any, str]] = {}

    def at(self, pointer: str) -> str:
        """The name that says what the value at `pointer` is: of a secret, else the last key of the pointer.

        A leaf alone does not say that: `/fields/0/value` may be a password because `/fields/0/name` says so.
        """
        node, name, key = self._document, "", ""
        for token in pointer.split("/")[1:]:
            token = unescape(token)
            if isinstance(node, dict):
                if id(node) not in self._known:
                    self._known[id(node)] = _naming(node.items())
                name = _telling(token, _inherited(name), self._known[id(node)]) if token in node else ""
                node, key = node.get(token), token
            elif isinstance(node, list) and _ARRAY_INDEX.fullmatch(token) and int(token) < len(node):
                node = node[int(token)]
            else:
                break
        return name or key or pointer.rsplit("/", 1)[-1]


def telling_name(document: Any, pointer: str) -> str:
    """The name that says what the value at `pointer` of `document` is."""
    return TellingNames(document).at(pointer)


def _word(key: Any) -> str:
    if not isinstance(key, str):
        return ""
    folded = key.casefold()
    return folded if folded.isalnum() else "".join(c for c in folded if c.isalnum())


def _said(value: Any) -> str:
    """The secret that a naming member promises, in its own words: it is a name, or an element with names of its own."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_NAMING and secret_kind(value) else ""
    members = value.items() if isinstance(value, dict) else value if isinstance(value, Pairs) else ()
    names = (_said(inner) for key, inner in members if _word(key) in _NAMING and isinstance(inner, str))
    return next(filter(None, names), "")
