"""JSON pointers (RFC 6901) into the trees that payloads are read as: every leaf by its pointer, and back.

The tree that pointers lead into is the `unpacked` one: texts that are JSON documents, and field names that spell out a
path (`lines[0][sku]`), are replaced by the trees that they stand for.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from clawjudge.traces.jsonl import decode

MAX_LEVELS = 60
_PATH_IN_NAME = re.compile(r"(?P<root>[^\[\]]+)(?P<rest>(?:\[[^\[\]]*\]){1,20})")
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


def leaf_values(value: Any) -> Iterator[Any]:
    """The leaves without their pointers, in no order: several times quicker where millions are looked through."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict) and node:
            stack.extend(node.values())
        elif isinstance(node, list) and node:
            stack.extend(node)
        else:
            yield node


def unpacked(value: Any, levels: int = MAX_LEVELS) -> Any:
    """`value` with texts that are JSON objects or lists replaced by what they hold: many sites send a document as text.

    Names of fields that spell out a path are taken apart in the same way (see `nested_names`). What is nested deeper
    than `levels` is replaced by a hash of it, so that whoever walks the result may recurse.
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
        # Most leaves hold nothing, and there may be millions of them.
        return {
            key: unpacked(item, levels - 1) if isinstance(item, str | dict | list) else item
            for key, item in nested_names(value).items()
        }
    return [unpacked(item, levels - 1) if isinstance(item, str | dict | list) else item for item in value]


def nested_names(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields whose names spell out a path, `lines[0][sku]` or `tags[]`, as the tree that they stand for.

    Forms have only names and texts, so frameworks write lists and objects like this. Numbers and empty brackets make
    lists, in the order of the numbers. Fields that contradict each other (`a` beside `a[0]`) are left as they are.
    """
    if not any("]" in name for name in fields):
        return fields
    paths = {name: _path_in(name) for name in fields}
    if not any(len(path) > 1 for path in paths.values()):
        return fields
    tree: dict[str, Any] = {}
    for name, path in paths.items():
        node = tree
        for part in path[:-1]:
            node = node.setdefault(part, _Branch())
            if not isinstance(node, _Branch):
                return fields
        if path[-1] in node:
            return fields
        node[path[-1]] = fields[name]
    return {name: _listed(node) for name, node in tree.items()}


class _Branch(dict[str, Any]):
    """A part of a tree that names of fields spelled out, not one that was sent as such."""


def _path_in(name: str) -> list[str]:
    found = _PATH_IN_NAME.fullmatch(name)
    if found is None:
        return [name]
    parts = found["rest"][1:-1].split("][")
    # Which of several elements without a number a field belongs to is nowhere said.
    return [name] if "" in parts[:-1] else [found["root"], *parts]


def _listed(node: Any) -> Any:
    if not isinstance(node, _Branch):
        return node
    if list(node) == [""]:
        return node[""] if isinstance(node[""], list) else [node[""]]
    branches = {key: _listed(item) for key, item in node.items()}
    if all(_ARRAY_INDEX.fullmatch(key) for key in branches):
        return [branches[key] for key in sorted(branches, key=int)]
    return branches


def escape(token: str) -> str:
    """One reference token as it stands in a pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """What a reference token of a pointer means."""
    return token.replace("~1", "/").replace("~0", "~")


def resolve(value: Any, pointer: str) -> Any:
    """The value that `pointer` names. Raises `KeyError` if the pointer is malformed or leads nowhere."""
    if pointer and not pointer.startswith("/"):
        raise KeyError(pointer)
    node = value
    for token in pointer.split("/")[1:]:
        key = unescape(token)
        if isinstance(node, dict) and key in node:
            node = node[key]
        elif isinstance(node, list) and _ARRAY_INDEX.fullmatch(key) and int(key) < len(node):
            node = node[int(key)]
        else:
            raise KeyError(pointer)
    return node
