"""The secrets of one case, hidden wherever they stand in what is printed of it.

A password is known by its name in one layer (`{"password": …}` in a request) and stands without one in another (what
was typed into a field `f0`). Whatever any layer of either run names a secret is one in all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, quote_plus

from clawjudge.judge.case import Case
from clawjudge.judge.verdict import Verdict
from clawjudge.traces.cards import is_card_number
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.payload import query_pairs
from clawjudge.traces.pointers import flatten, unescape, unpacked
from clawjudge.traces.redaction import is_distinctive
from clawjudge.traces.secret_names import secret_kind
from clawjudge.traces.secrets import mask, replaced

_LEARNT_BYTES = 500_000
_MOST = 5000
_SHORTEST = 3
_HIDDEN = "•••"
_SAYING = frozenset({"justification", "note", "quote", "reference", "agent", "description", "message", "notices"})
"""Members of a verdict that hold words or values of a recording."""
_GIVEN = re.compile(r"([^.,;:!?\"“”«»„‘’\n]{3,60})[\"“„«]([^\"“”«»\n]{3,100})[\"”“»]")
_PLAIN_CODE = re.compile(r"(?:the|your|enter|input|user)?[\W_]*code[\W_\d]*", re.IGNORECASE)
_DIGITS = re.compile(r"\d{4,8}", re.ASCII)
_BOX = re.compile(r"\d{3,6}", re.ASCII)
_MOST_BOXES = 5
_OTHER_THING = re.compile(r"\b(?:and|then|but|or)\b", re.IGNORECASE)


def marked(case: Case) -> Iterator[tuple[Any, str]]:
    """Where secrets stand beside a name that marks them: what the task gives, what was sent and what was entered."""
    for document in case.sources.documents:
        yield document.value, ""
    yield case.sources.instruction, ""
    for found in _GIVEN.finditer(case.sources.instruction):
        # "Set the password of my network to “…”": the name is a few words away.
        before = _OTHER_THING.split(found.group(1))[-1]
        name = next((word for word in before.split() if secret_kind(word)), "")
        if name:
            yield found.group(2), name
    # How long this may take is bounded; a secret named beyond is still hidden where its name stands beside it.
    left = _LEARNT_BYTES
    for run in _runs(case):
        for request in [*run.commits, *reversed(run.changes)]:
            left -= request.size
            if left > 0:
                yield request.headers, "headers"
                yield request.url, ""
                yield request.payload().value, ""
        for step in run.steps:
            if step.value is not None and step.element is not None:
                for name in step.names:
                    yield step.value, name


def _runs(case: Case) -> list[RunDigest]:
    return [case.agent, *([case.reference] if case.reference is not None else [])]


class KnownSecrets:
    """What is secret in a case; `hide` takes it out of a value, `in_verdict` out of a verdict."""

    def __init__(self, case: Case) -> None:
        self._long: dict[str, None] = {}
        self._short: set[str] = set()
        for value, name in marked(case):
            # The names of cookies say nothing, and most of their values are no secrets.
            if name != "headers":
                replaced(value, name, self._learn)
        self._learn_counterparts(case)
        given = {str(leaf).strip() for document in case.sources.documents for _, leaf in document.leaves}
        for run in _runs(case):
            for members in _entered(run):
                for secret in (*_codes(members, given, case.sources.instruction), *_split_card(members)):
                    self._learn(secret, "secret")
        self._pattern = _any_of(self._long, "{}")
        self._quoted = _any_of(dict.fromkeys(sorted(self._short)), "(?<=['\"“=])(?:{})(?=['\"”&#]|$)")

    def hide(self, value: Any) -> Any:
        """`value`, a text or a tree, without these secrets; short ones and words go only as whole values."""
        if isinstance(value, dict):
            return {key: self.hide(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return type(value)([self.hide(inner) for inner in value])
        if value is None or isinstance(value, bool) or not isinstance(value, str | int | float):
            return value
        text = str(value)
        if text.strip() in self._short or text.strip() in self._long:
            return _HIDDEN
        if isinstance(value, str):
            for pattern in (self._pattern, self._quoted):
                value = pattern.sub(_HIDDEN, value) if pattern else value
        return value

    def in_verdict(self, verdict: Verdict) -> Verdict:
        """`verdict` without these secrets. Its citations have been checked before; none is checked here."""
        before = verdict.model_dump()
        after = self._said(before)
        return verdict if after == before else Verdict.model_validate(after)

    def _said(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self.hide(v) if key in _SAYING else self._said(v) for key, v in value.items()}
        if isinstance(value, list | tuple):
            return type(value)([self._said(inner) for inner in value])
        return value

    def _learn(self, secret: str, kind: str) -> str:
        core = (secret.partition(":")[2] if kind == "user-info" else secret).strip()
        # What a report shows of a card is decided by its digits alone.
        if len(core) >= _SHORTEST and mask(core) == core and len(self._long) + len(self._short) < _MOST:
            if is_distinctive(core):
                self._long.update(dict.fromkeys(_spellings(core)))
            else:
                self._short.add(core)
        return secret

    def _learn_counterparts(self, case: Case) -> None:
        """What one request holds where the other has a secret is one too, whatever its field is called."""
        if case.reference is None or not case.reference.commits:
            return
        theirs = dict(flatten(unpacked(case.reference.commits[-1].payload().value)))
        for commit in case.agent.commits[:8]:
            for pointer, mine in flatten(unpacked(commit.payload().value)):
                pair = (mine, theirs.get(pointer))
                if any(isinstance(one, str) and one.strip() in self._long for one in pair):
                    for one in pair:
                        if isinstance(one, str):
                            self._learn(one, "secret")


def _entered(run: RunDigest) -> Iterator[list[tuple[str, Any]]]:
    """What belongs together, with its names: the members of an object that was sent, a query, the fields of a page."""
    left = _LEARNT_BYTES
    for request in [*run.commits, *reversed(run.changes)]:
        left -= request.size
        if left > 0:
            yield list(query_pairs(request.url))
            objects: dict[str, list[tuple[str, Any]]] = {}
            for pointer, leaf in flatten(unpacked(request.payload().value)):
                parent, _, key = pointer.rpartition("/")
                objects.setdefault(parent, []).append((unescape(key), leaf))
            yield from objects.values()
    pages: dict[str, list[tuple[str, Any]]] = {}
    for step in run.steps:
        if step.kind == "fill":
            pages.setdefault(step.url, []).extend((name, step.value) for name in list(step.names)[:1] or [""])
        elif "?" in step.url and step.kind in ("navigate", "request"):
            yield list(query_pairs(step.url))
    yield from pages.values()


def _codes(members: list[tuple[str, Any]], given: set[str], instruction: str) -> Iterator[str]:
    """Digits under a plain `code` that the task does not give: they were sent to the user, or shown to him once."""
    for name, value in members:
        text = str(value).strip()
        if _PLAIN_CODE.fullmatch(name) and _DIGITS.fullmatch(text) and text not in given and text not in instruction:
            yield text


def _split_card(members: list[tuple[str, Any]]) -> Iterator[str]:
    """The parts of a card number that was entered into several boxes."""
    parts = [str(value).strip() for _, value in members if not isinstance(value, bool)]
    for first in range(len(parts)):
        joined = ""
        for last in range(first, min(first + _MOST_BOXES, len(parts))):
            if not _BOX.fullmatch(parts[last]):
                break
            joined += parts[last]
            if last > first and is_card_number(joined):
                yield from parts[first : last + 1]


def _spellings(secret: str) -> Iterator[str]:
    """A secret as texts, quoted texts, JSON and addresses write it."""
    yield secret
    yield repr(secret)[1:-1]
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield quote(secret, safe="", errors="surrogateescape")
    yield quote_plus(secret, errors="surrogateescape")


def _any_of(texts: dict[str, None], form: str) -> re.Pattern[str] | None:
    longest_first = sorted(texts, key=lambda known: (-len(known), known))
    return re.compile(form.format("|".join(map(re.escape, longest_first)))) if texts else None
