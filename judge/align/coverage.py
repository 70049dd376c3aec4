"""Is everything that the instruction spells out visible in what was compared?

The terminal request may carry only a cart's number, with the quantity sent long before or kept by the site. Then equal
terminal payloads prove little. So every text that the instruction quotes, and every number and day it names, must be
found in a field that agreed, or in what the agent itself sent, entered or opened before; what is found nowhere stays
uncertain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from rapidfuzz import fuzz

from clawjudge.judge.align import calendar_words, moments, quantities
from clawjudge.judge.align.bindings import MAX_SEARCHED, Field, own_address
from clawjudge.judge.align.context import BindingContext
from clawjudge.judge.align.noise import why_noise
from clawjudge.judge.align.payloads import FieldPair, request_tree
from clawjudge.judge.align.progress import same_as_reference
from clawjudge.judge.align.quotes import QUOTED, exact_texts, holds
from clawjudge.judge.align.terminal import operation_text
from clawjudge.judge.align.values import compare, is_empty, slug
from clawjudge.judge.align.volatile import shape
from clawjudge.judge.verdict import FieldStatus
from clawjudge.traces.lexicon import plain
from clawjudge.traces.pointers import flatten, leaf_values
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.steps import Step

_TRIVIAL_NUMBERS = frozenset({"0", "1"})
_REQUESTS_COMPARED = 400
_ALIKE = 85


@dataclass(frozen=True, slots=True)
class Unseen:
    """Something the instruction asks for that nothing compared so far shows."""

    what: str
    note: str


def uncovered(
    fields: list[Field], case_context: BindingContext, agent_steps: list[Step], before: list[RequestEvent]
) -> list[Unseen]:
    """Quoted texts, numbers and days of the instruction that no agreeing field and no earlier act of the agent shows.

    `before` are the agent's state-changing requests ahead of the terminal one.
    """
    sources = case_context.sources
    agreed = [f for f in fields if f.status == "match" and f.kind != "volatile"]
    missing = []
    exact = exact_texts(sources.instruction)
    for text in sources.quoted:
        if text in exact and not _to_the_letter(text, agreed, agent_steps, before):
            missing.append(Unseen(text, "wanted to the letter, but seen so in nothing that the agent sent or entered"))
        elif not (_text_in_fields(text, agreed) or _text_in_steps(text, agent_steps) or _text_sent(text, before)):
            missing.append(Unseen(text, "quoted by the instruction, but seen in nothing that the agent sent or opened"))
    spoken = _without_quotes(sources.instruction)
    numbers = {n: words for n, words in sources.numbers.items() if plain(words) in plain(spoken)}
    for number, words in _without_moments(numbers, spoken).items():
        if number not in _TRIVIAL_NUMBERS and not _number_in(number, words, agreed):
            missing.append(Unseen(words, "a number of the instruction that no compared field carries"))
    for day in calendar_words.find_dates(spoken):
        if not (_day_in_fields(day, agreed) or _day_in_steps(day, agent_steps)):
            missing.append(Unseen(day.quote, "a day of the instruction that no compared field carries"))
    times = calendar_words.find_times(spoken)
    if times and not _any_time(agreed, agent_steps, before):
        missing.append(
            Unseen(times[0][1], "a time of the instruction, but nothing compared, sent or chosen has a time")
        )
    return missing


def earlier_fields(
    reference: list[RequestEvent], agent: list[RequestEvent], fields: list[Field], context: BindingContext
) -> list[Field]:
    """Bound values that the reference sent before the terminal request and that the terminal request does not repeat.

    Each is compared with what the agent last sent to the same place; where the agent went another way, it is enough
    that it sent or entered the value anywhere. A difference is uncertain, not wrong: a search or a draft on the way is
    not the commitment.
    """
    mine = _last_sent(agent)
    operations = {place for place, _ in mine}
    out = []
    for wanted in sent_before(reference, fields, context):
        place = wanted.note
        if place in operations:
            other = mine.get((place, wanted.pointer))
            same = other is not None and same_as_reference(wanted.reference, other, context)
        elif wanted.kind == "free":
            continue
        else:
            other = wanted.reference
            same = any(same_as_reference(wanted.reference, value, context) for value in mine.values()) or (
                str(wanted.reference).strip().casefold() in context.agent_entered
            )
        if wanted.kind == "free" and (same or _is_noise(wanted, other, context)):
            continue
        status: FieldStatus = "match" if same else "uncertain"
        note = f"sent earlier, by {place}" if place in operations else f"the reference sent it earlier, by {place}"
        out.append(replace(wanted, agent=other if same or place in operations else None, status=status, note=note))
    return out


def sent_before(reference: list[RequestEvent], fields: list[Field], context: BindingContext) -> list[Field]:
    """What the reference's earlier requests sent and `fields` do not repeat; `note` holds the operation.

    These are the values that the task binds, and the free ones that went along with them: the same operation told the
    site both. Tokens, yes and no, and values that stand at one place in several operations are not repeated.
    """
    repeated = [f.reference for f in fields if f.reference is not None]
    to_the_letter = {str(value) for value in repeated}
    latest = _last_sent(reference)
    found: dict[tuple[str, str], Field] = {}
    free: list[Field] = []
    for (place, pointer), value in latest.items():
        if is_empty(value) or isinstance(value, bool) or str(value) in to_the_letter:
            continue
        if any(compare(value, r).equal for r in repeated[:MAX_SEARCHED]):
            continue
        bound = tuple(context.sources.bind(value)) or own_address(value, context)
        if bound:
            field = Field(pointer, pointer, value, None, "bound", "uncertain", bound, (), place)
            found.setdefault((pointer, repr(value)), field)
        elif not shape(value, context.reference_times):
            free.append(Field(pointer, pointer, value, None, "free", "uncertain", (), (), place))
    places = {field.note for field in found.values()}
    for field in free:
        if field.note in places:
            found.setdefault((field.pointer, repr(field.reference)), field)
    return list(found.values())


def _is_noise(field: Field, agent: Any, context: BindingContext) -> bool:
    in_list = any(part.isdigit() for part in field.pointer.split("/"))
    return why_noise(FieldPair(field.pointer, field.pointer, field.reference, agent, in_list), (), context) is not None


def _last_sent(requests: list[RequestEvent]) -> dict[tuple[str, str], Any]:
    """(operation, pointer) to the value that was sent there last."""
    latest: dict[tuple[str, str], Any] = {}
    for request in requests[-_REQUESTS_COMPARED:]:
        place = operation_text(request)
        leaves = flatten(request_tree(request))
        latest.update({(place, pointer): value for pointer, value in leaves if not pointer.startswith("/url")})
    return latest


def _to_the_letter(text: str, fields: list[Field], steps: list[Step], before: list[RequestEvent]) -> bool:
    """Whether a text that is wanted exactly stands so somewhere. The human may have left out its last stop."""
    sent = [value for request in before[-_REQUESTS_COMPARED:] for value in leaf_values(request_tree(request))]
    values = [*(f.agent for f in fields), *(part for s in steps for part in (s.value, s.label)), *sent]
    if any(isinstance(value, str) and holds(value, text) for value in values):
        return True
    return any(isinstance(f.agent, str) and f.agent == f.reference and holds(text, f.agent.strip()) for f in fields)


def _text_in_fields(text: str, fields: list[Field]) -> bool:
    """Whether an agreeing field says `text`, as it stands or as an identifier made from it (`sorties-weekend`)."""
    wanted = plain(text)
    letters = wanted.replace(" ", "")
    return any(
        isinstance(f.agent, str)
        and (
            wanted in plain(f.agent)
            or (slug(f.agent) and slug(f.agent) == slug(text))
            or (len(letters) > 7 and fuzz.ratio(letters, plain(f.agent).replace(" ", "")) >= _ALIKE)
        )
        for f in fields
    )


def _day_in_fields(day: calendar_words.TextDate, fields: list[Field]) -> bool:
    return any(b.quote.startswith(day.quote) for f in fields for b in f.bound_by)


def _day_in_steps(day: calendar_words.TextDate, steps: list[Step]) -> bool:
    """Whether the agent pressed or opened something that names the day (an appointment to be moved)."""
    return any(
        (found.month, found.day) == (day.month, day.day)
        for step in steps
        if step.kind in ("click", "submit", "navigate")
        for found in calendar_words.find_dates(step.label)
    )


def _any_time(fields: list[Field], steps: list[Step], before: list[RequestEvent]) -> bool:
    """Whether any time of the day stands in what agreed, was sent or was done. Which one, the comparison says."""
    sent = [value for request in before[-_REQUESTS_COMPARED:] for value in leaf_values(request_tree(request))]
    values = [*(f.agent for f in fields), *(part for s in steps for part in (s.value, s.label)), *sent]
    return any(
        isinstance(value, str) and (moments.moment(value) is not None or calendar_words.find_times(value))
        for value in values
    )


def _text_in_steps(text: str, steps: list[Step]) -> bool:
    wanted = plain(text)
    return any(wanted in plain(f"{s.label} | {s.value or ''} | {s.url}") for s in steps)


def _text_sent(text: str, requests: list[RequestEvent]) -> bool:
    wanted = plain(text)
    return any(
        isinstance(value, str) and wanted in plain(value)
        for request in requests[-_REQUESTS_COMPARED:]
        for value in leaf_values(request_tree(request))
    )


def _number_in(number: str, words: str, fields: list[Field]) -> bool:
    """Whether an agreeing field carries a number: as such, in cents, inside a text, or as part of a longer code."""
    digits = re.sub(r"\D", "", words)
    for field in fields:
        value = quantities.number(str(field.agent))
        if value is not None and quantities.digits(value) == number:
            return True
        if any(words in b.quote for b in field.bound_by if b.source == "instruction"):
            return True
        held = re.sub(r"\D", "", str(field.agent)) if isinstance(field.agent, str) else ""
        if isinstance(field.agent, str) and (
            number in (plain(field.agent).split() if len(number) < 2 else re.findall(r"\d+", field.agent))
            or (len(digits) > 3 and digits in held)
        ):
            return True
    return False


def _without_quotes(instruction: str) -> str:
    return QUOTED.sub(" ", instruction)


def _without_moments(numbers: dict[str, str], spoken: str) -> dict[str, str]:
    """Numbers that are not merely the digits of a day or a clock time."""
    taken = " ".join(d.quote for d in calendar_words.find_dates(spoken))
    taken += " " + " ".join(q for _, q in calendar_words.find_times(spoken))
    return {n: words for n, words in numbers.items() if plain(words) not in plain(taken)}
