"""What a judging model answered, read: the one parser of verdicts, for every judge and every provider.

A verdict is a JSON object with a key `match` that is true or false. It may stand in prose or in a code fence, and after
a block of thoughts; it is never guessed from prose, taken from a list, from inside another object or from a text. Two
verdicts that differ are none. Whatever is not clearly a verdict is None, and the judge is asked once more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

PARSER_VERSION = "1"
"""Part of every verdict's key: raise it when a reply may come to be read differently."""

ReplyProblem = Literal["", "empty_reply", "refused", "unparseable", "conflicting_verdicts"]

_SPELLINGS = {"true": True, "false": False}
_THOUGHTS = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHTS_END = re.compile(r".*</(?:think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)
_THOUGHTS_START = re.compile(r"<(?:think|thinking|thought|reasoning)>.*", re.DOTALL | re.IGNORECASE)
_OPENING = re.compile(r"\{|\[\s*(?=\{)")
_REFUSAL = re.compile(
    r"\b(?:I|we)\s*(?:'m|am|are)?\s*(?:sorry|afraid|can(?:not|['’]t| not)|could(?:n['’]t| not)|(?:won|wouldn)['’]t|"
    r"will not|unable|not able|must decline|decline)\b|\bI['’]m (?:sorry|unable|not able)\b|\bas an AI\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply, read."""

    match: bool | None
    """The verdict; None if the reply holds none."""
    reason: str = ""
    problem: ReplyProblem = ""
    """Why there is no verdict; empty if there is one."""
    detail: str = ""
    """`problem` as a sentence, in our words."""


class _Damaged(ValueError):
    """The reply holds something that begins like JSON and cannot be read as it."""


def parse_reply(text: str) -> Reply:
    """The verdict in a model's reply. Never raises."""
    said = _without_thoughts(text.replace("\ufeff", ""))
    if not said.strip():
        return Reply(None, problem="empty_reply", detail="the reply is empty")
    try:
        values = list(json_values(said))
        verdicts = [value for value in values if isinstance(value, dict) and "match" in value]
        if any(_holds_a_verdict(value) for value in values if value not in verdicts):
            raise _Damaged("a verdict stands inside a list or another object")
        answers = [_truth(verdict["match"]) for verdict in verdicts]
    except _Damaged as error:
        return Reply(None, problem="unparseable", detail=str(error))
    if not verdicts:
        if _REFUSAL.search(said):
            return Reply(None, problem="refused", detail="the model declined to judge")
        return Reply(None, problem="unparseable", detail="the reply holds no JSON object with the key match")
    if None in answers:
        return Reply(None, _reason(verdicts[-1]), "unparseable", "match is neither true nor false")
    if len(set(answers)) > 1:
        return Reply(None, problem="conflicting_verdicts", detail="the reply holds two verdicts that differ")
    return Reply(answers[0], _reason(verdicts[-1]))


def json_values(text: str) -> Iterator[Any]:
    """The JSON objects and lists of objects in a text, outermost only, in order; other braces in it are prose.

    Raises ValueError where one begins and is cut off, is followed by no end, or has a key twice.
    """
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
    position = 0
    while opening := _OPENING.search(text, position):
        try:
            value, position = decoder.raw_decode(text, opening.start())
        except _Damaged:
            raise
        except (ValueError, RecursionError):
            position = _end_of_braces(text, opening.start())
        else:
            yield value


def contradiction(match: bool, reason: str) -> str:
    """One sentence if the reason concludes the opposite of the verdict, else empty.

    Only plain conclusions in English count, and a reason that holds conclusions of both kinds is no contradiction.
    """
    against = [m.group() for m in _NEGATIVE.finditer(reason) if not _negated(reason, m.start())]
    favour = [m.group() for m in _POSITIVE.finditer(reason) if not _negated(reason, m.start())]
    opposite, same = (against, favour) if match else (favour, against)
    if not opposite or same:
        return ""
    return f'the verdict is match: {str(match).lower()}, but its reason says "{opposite[0]}"'


def _without_thoughts(text: str) -> str:
    """Without the blocks in which some models think aloud; one that never ends takes everything after it along."""
    text = _THOUGHTS.sub("", text)
    text = _THOUGHTS_END.sub("", text)
    return _THOUGHTS_START.sub("", text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    collected = dict(pairs)
    if len(collected) != len(pairs):
        raise _Damaged("a key stands twice in one object")
    return collected


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _end_of_braces(text: str, start: int) -> int:
    """Behind the brace or bracket that closes the one at `start`. Raises `_Damaged` if there is none."""
    depth, quoted, position = 0, False, start
    while position < len(text):
        character = text[position]
        if character == "\\":
            position += 1
        elif character == '"':
            quoted = not quoted
        elif not quoted and character in "{[":
            depth += 1
        elif not quoted and character in "}]":
            depth -= 1
            if depth == 0:
                if text[start] == "[":
                    raise _Damaged("a list begins that is not JSON")
                return position + 1
        position += 1
    raise _Damaged("an object begins and does not end: the reply was cut off")


def _holds_a_verdict(value: Any) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if "match" in item:
                return True
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return False


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    return _SPELLINGS.get(value.lower()) if isinstance(value, str) else None


def _reason(verdict: dict[str, Any]) -> str:
    reason = verdict.get("reason", "")
    return reason.strip() if isinstance(reason, str) else ""


_WHOLE = (
    r"(?:the |this |that |what |all of |its |user['’]s |given )*(?:instructions?|requests?|tasks?|order|user|asked)"
)
_DOES = r"(?:fulfil(?:l)?s?|match(?:es)?|satisf(?:y|ies)|meets?|compl(?:y|ies) with|follows?)"
_NEGATIVE = re.compile(
    rf"\b(?:does|do|did|would|could|will)(?:n['’]t| not)\s+(?:\w+ly\s+)?{_DOES}\b"
    rf"|\bfail(?:s|ed)? to (?:\w+ly )?{_DOES}\b"
    r"|\b(?:is|are|was|were) (?:the )?(?:wrong|incorrect|a mismatch)\b"
    r"|\b(?:contradicts?|violates?) (?:the |an? |this |explicit )*(?:instruction|request|task)",
    re.IGNORECASE,
)
_POSITIVE = re.compile(
    rf"\b(?:fully |correctly |clearly |exactly )?(?:fulfil(?:l)?s|satisfies|meets|matches) {_WHOLE}"
    r"|\bno (?:\w+ )?(?:contradictions?|mismatch(?:es)?)\b"
    r"|\b(?:does not|doesn['’]t) contradict\b|\bnothing contradicts\b"
    r"|\b(?:everything|all (?:\w+ ){0,2}(?:fields|values|details)|it) (?:is|are) (?:right|correct)\b",
    re.IGNORECASE,
)
_NEGATOR = re.compile(
    r"\b(?:not|n['’]t|no|nothing|never|without|none|nor|if|unless|whether|neither)\b[^.;,]{0,40}$", re.I
)


def _negated(text: str, position: int) -> bool:
    """Whether the words just before, in the same clause, turn the meaning around."""
    return _NEGATOR.search(text[max(0, position - 60) : position]) is not None
