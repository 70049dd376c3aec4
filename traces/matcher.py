"""Does a request hit a task's terminal submission target? The one predicate, live in the interceptor and offline.

Constraints are tried in the order method, URL, params, body; the first that fails names the reason.

URL. A search over `scheme://host[:port]/path?query`; user info and fragment are removed, nothing is decoded. As in
ClawBench, `$` is the end of that whole text, so `api/events$` does not match `/api/events?x=1`. Stricter than
ClawBench: the match must begin in the scheme, host or path, or at the `?`, because a URL quoted in another URL's query
(`https://ads.test/?u=https://shop.test/api/order`) is not the request. From there it may run into the query. A pattern
whose leading wildcard (`.*shop\\.test/api/order`) would bring in such a quoted URL does not match either. Only absolute
URLs with a host can match. A pattern that backtracks without an end is given up (`too_slow`): then it cannot be told
whether the request matches, and whoever must be safe blocks it.

Method. Equal, whatever the case; a schema without a method allows all.

Params. Every listed parameter must be present, blank ones count. A single value is met by any of the values of a
repeated parameter; a list by distinct values, in any order, others allowed.

Body. A subset: listed fields must be there, others may be. Objects are compared field by field, to any depth. A list
needs a distinct item for each listed item, in any order. A body that is itself a list (a GraphQL batch) meets an object
constraint if one of its items does. In forms, a single value and a list are compared as in params. A body that is
missing or has no fields gives `body_missing`: whoever must be safe blocks then.

Values. Text equals the same text. A number equals a number, or a text that is that number in JSON notation (`1`, `1.0`,
`"1"` and `"1.0"` are equal, `"01"` and `" 1"` are not). Booleans equal only themselves, never 1 or 0; in forms and
params, where all is text, also `"true"` and `"false"`. Null equals null.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from clawjudge.traces.patterns import Pattern, TooSlow
from clawjudge.traces.payload import Payload, query_value
from clawjudge.traces.pointers import escape
from clawjudge.traces.task import EvalSchema

_ABSOLUTE = re.compile(r"([a-z][a-z0-9+.-]*://)(?:[^/?#]*@)?([^/?#]+)", re.IGNORECASE | re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,9})?", re.ASCII)
_LONGEST_NUMBER = 400
_TEXT_KINDS = ("form", "multipart", "undecided")


@dataclass(frozen=True, slots=True)
class Match:
    """The answer for one request."""

    matched: bool
    applicable: bool
    """False if the schema was made never to match: then stage 1 has nothing to say about the task."""
    reason: str
    """`matched`, or the first constraint that failed: `never_matches`, `method`, `url`, `url_in_query`, `params`,
    `body_missing`, `body`; or `too_slow`."""
    pointer: str | None = None
    """JSON pointer into the schema, to the part of the constraint that failed."""

    @property
    def undecided(self) -> bool:
        """Whether it cannot be told if the request matches, because the pattern takes too long to search."""
        return self.reason == "too_slow"


def match_request(schema: EvalSchema, method: str, url: str, payload: Payload | None) -> Match:
    """Compare one request with `schema`. `payload` is None where the body is not known. Never raises."""
    if schema.never_matches:
        return Match(False, False, "never_matches", "/url_pattern")
    if schema.methods and method.strip().upper() not in schema.methods:
        return Match(False, True, "method", "/method")
    try:
        defect = _url_defect(schema.pattern, url)
    except TooSlow:
        defect = "too_slow"
    if defect:
        return Match(False, True, defect, "/url_pattern")
    if schema.params:
        unmet = _unmet(schema.params, query_value(url), True, "/params")
        if unmet is not None:
            return Match(False, True, "params", unmet)
    if schema.body:
        return _match_body(schema.body, payload)
    return Match(True, True, "matched")


# URL
MAX_URL = 8192
"""Patterns are searched in the first characters only: with wildcards the time grows with powers of the length."""


def _url_defect(pattern: Pattern, url: str) -> str | None:
    """None if the URL matches, else `url` or `url_in_query`. Raises `TooSlow`."""
    absolute = _ABSOLUTE.match(url)
    if absolute is None:
        return "url"
    scheme, host = absolute.groups()
    text = (scheme + host + url[absolute.end() :].partition("#")[0])[:MAX_URL]
    found = pattern.search(text)
    if found is None:
        return "url"
    mark = text.find("?")
    if mark < 0:
        return None
    if found > mark:
        return "url_in_query"
    # A match from the very beginning may owe that to a wildcard. It counts if it needs what stands before the query.
    wild = found < len(scheme) and pattern.search(text, mark) is None
    elsewhere = f"{scheme}other.invalid/&{text[mark + 1 :]}"
    return "url_in_query" if wild and pattern.search(elsewhere) is not None else None


# Body and params


def _match_body(constraint: dict[str, Any], payload: Payload | None) -> Match:
    if payload is None or not isinstance(payload.value, dict | list):
        return Match(False, True, "body_missing", "/body")
    loose = payload.kind in _TEXT_KINDS
    if isinstance(payload.value, dict):
        unmet = _unmet(constraint, payload.value, loose, "/body")
    else:
        answers = [_unmet(constraint, item, loose, "/body") for item in payload.value]
        unmet = None if None in answers else answers[0] if len(answers) == 1 else "/body"
    return Match(True, True, "matched") if unmet is None else Match(False, True, "body", unmet)


def _unmet(expected: Any, actual: Any, loose: bool, pointer: str) -> str | None:
    """Pointer to the first part of `expected` that `actual` does not meet, or None.

    `loose` is for forms and params: values are texts, and a name that repeats holds a list. Recursion follows
    `expected`, whose depth is limited when the task is loaded.
    """
    if isinstance(expected, dict):
        if not isinstance(actual, dict):
            return pointer
        for key, value in expected.items():
            below = f"{pointer}/{escape(str(key))}"
            unmet = _unmet(value, actual[key], loose, below) if key in actual else below
            if unmet is not None:
                return unmet
        return None
    if isinstance(expected, list | tuple):
        items = [actual] if loose and not isinstance(actual, list) else actual
        if not isinstance(items, list):
            return pointer
        missing = _unplaced(expected, items, lambda one, other: _unmet(one, other, loose, pointer) is None)
        return None if missing is None else f"{pointer}/{missing}"
    if loose and isinstance(actual, list):
        return None if any(_equal(expected, item, loose) for item in actual) else pointer
    return None if _equal(expected, actual, loose) else pointer


def _unplaced(wanted: list[Any] | tuple[Any, ...], items: list[Any], fits: Callable[[Any, Any], bool]) -> int | None:
    """Index of a wanted item for which no item of its own is left, or None.

    Taking the first fit is not enough: `{}` fits every object and could take the only one that the next one needs. So
    taken items are handed on along augmenting paths (bipartite matching).
    """
    fitting = [[index for index, item in enumerate(items) if fits(want, item)] for want in wanted]
    taken_by: dict[int, int] = {}
    for start in range(len(wanted)):
        came_from: dict[int, int] = {}
        queue, free = [start], None
        while queue and free is None:
            want = queue.pop(0)
            for index in fitting[want]:
                if index in came_from:
                    continue
                came_from[index] = want
                if index not in taken_by:
                    free = index
                    break
                queue.append(taken_by[index])
        if free is None:
            return start
        _hand_on(free, came_from, taken_by, start)
    return None


def _hand_on(free: int, came_from: dict[int, int], taken_by: dict[int, int], start: int) -> None:
    holds = {want: index for index, want in taken_by.items()}
    while True:
        want = came_from[free]
        taken_by[free] = want
        if want == start:
            return
        free = holds[want]


def _equal(expected: Any, actual: Any, loose: bool) -> bool:
    if isinstance(expected, bool) or isinstance(actual, bool):
        if isinstance(expected, bool) and isinstance(actual, bool):
            return expected is actual
        return loose and str(expected).lower() == actual if isinstance(expected, bool) else False
    if isinstance(expected, str) and isinstance(actual, str):
        return expected == actual
    if expected is None or actual is None:
        return expected is actual
    first, second = _number(expected), _number(actual)
    return first is not None and second is not None and first == second


def _number(value: Any) -> Decimal | None:
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(value)) if math.isfinite(value) else None
    if isinstance(value, str) and len(value) <= _LONGEST_NUMBER and _NUMBER.fullmatch(value):
        try:
            return Decimal(value)
        except InvalidOperation:
            return None
    return None
