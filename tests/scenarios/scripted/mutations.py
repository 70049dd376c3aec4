"""Changing one leaf of the request that a run is judged by."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

from scripted.editing import Folder, Record

Way = tuple[str | int, ...]
_DELETED = object()


def leaves(value: Any, path: Way = ()) -> Iterator[tuple[Way, Any]]:
    """Every leaf of a JSON value with its way there; an empty list or object is a leaf."""
    if isinstance(value, dict | list) and value:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*path, key))
    else:
        yield path, value


def pointer(path: Way) -> str:
    """The JSON pointer of a leaf of the body."""
    return "/body" + "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def other(value: Any) -> Any:
    """Another value of the same kind: the next number, the other truth, other words."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str() if re.search(r"\d", value):
            return re.sub(r"(\d)(?=\D*$)", lambda digit: str((int(digit[1]) + 1) % 10), value)
        case str() if "@" in value:
            return "morgan.reed@" + value.partition("@")[2]
    return "Quondam"


def changed(body: Any, path: Way, value: Any) -> Any:
    """A copy of `body` with another value at `path`."""
    body = copy.deepcopy(body)
    holder = body
    for part in path[:-1]:
        holder = holder[part]
    if value is _DELETED:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return body


def mutate_commit(folder: Folder, path: Way, deleted: bool) -> None:
    """Change (or delete) one leaf of the commit, in the log and where it was blocked."""

    def mutated(request: Record) -> Record:
        if not folder.is_commit(request):
            return request
        value = _DELETED if deleted else other(dict(leaves(request["body"]))[path])
        return {**request, "body": changed(request["body"], path, value)}

    folder.change_requests(mutated)
