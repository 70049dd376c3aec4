"""JSON pointers (RFC 6901) into the trees that payloads are read as: every leaf by its pointer, and back."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from clawjudge.traces.jsonl import decode

MAX_LEVELS = 60
_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)


def flatten(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Pointer and value of every leaf in document order; an empty object or array is a leaf. Any depth is fine."""
    stack: list[tuple[str, Any]] = [(prefix, value)]
    while stack:
        pointer, node = stack.pop()
        if isinstance(node, dict) and node:
            stack.extend((f"{pointer}/{escape(str(key))}", node[key]) for key in reversed(node))
        elif isinstance(node, list) and node:
            stack.extend((f"{pointer}/{index}", node[index]) for index in reversed(range(len(node))))
        else:
            yield pointer, node


def unpacked(value: Any, levels: int = MAX_LEVELS) -> Any:
    """`value` with texts that are JSON objects or lists replaced by what they hold: many sites send a document as text.

    What is nested deeper than `levels` is replaced by a hash of it, so that whoever walks the result may recurse.
    """
    if isinstance(value, str) and value[:1] in ("{", "[") and value[-1:] in ("}", "]"):
        try:
            value = decode(value.encode("utf-8", "surrogatepass"))
        except ValueError:
            return value
    if not isinstance(value, dict | list):
        return value
    if levels == 0:
        return "nested:" + hashlib.sha256(repr(list(flatten(value))).encode("utf-8", "surrogatepass")).hexdigest()
    if isinstance(value, dict):
        return {key: unpacked(item, levels - 1) for key, item in value.items()}
    return [unpacked(item, levels - 1) for item in value]


def escape(token: str) -> str:
    """One reference token as it stands in a pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def resolve(value: Any, pointer: str) -> Any:
    """The value that `pointer` names. Raises `KeyError` if the pointer is malformed or leads nowhere."""
    if pointer and not pointer.startswith("/"):
        raise KeyError(pointer)
    node = value
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict) and key in node:
            node = node[key]
        elif isinstance(node, list) and _ARRAY_INDEX.fullmatch(key) and int(key) < len(node):
            node = node[int(key)]
        else:
            raise KeyError(pointer)
    return node
