"""How far a run without a terminal request came: for each bound field, where the agent's value was last seen.

The value is looked for in the agent's own state-changing requests, latest first, by the field's key and its place, then
by the value itself, then among what the agent typed and chose. Drafts, carts and validation calls carry the same fields
under other roots, so places are compared by their tails.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from clawjudge.judge.align.alignment import Alignment
from clawjudge.judge.align.bindings import Field, bind_fields, compare_values, is_number
from clawjudge.judge.align.context import BindingContext
from clawjudge.judge.align.noise import why_noise
from clawjudge.judge.align.payloads import FieldPair, request_tree
from clawjudge.judge.align.values import compare, is_empty, truth
from clawjudge.judge.align.volatile import shape
from clawjudge.judge.verdict import FieldStatus
from clawjudge.traces.lexicon import plain
from clawjudge.traces.pointers import flatten
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.steps import Step
from clawjudge.traces.transcripts.pages import PageState

_REQUESTS_LOOKED_AT = 300
_SHORT = 3
"""A value of so few letters may be typed anywhere (a search box); it counts only where the human typed it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Where a bound field of the reference stands in an unfinished run."""

    field: Field
    """With the agent's value, its pointer and a status; `uncertain` where the value was not found."""
    request: RequestEvent | None = None
    step: Step | None = None
    reached: bool = True
    """False where the reference set this field only after the point at which the agent stopped."""


def observe(
    wanted: list[Field],
    changes: list[RequestEvent],
    steps: list[Step],
    reference_steps: list[Step],
    alignment: Alignment,
    context: BindingContext,
    pages: list[PageState],
) -> list[Seen]:
    """One `Seen` for each of the `wanted` fields that the task binds, and for free ones that differ."""
    carried = _carried(wanted, changes[-_REQUESTS_LOOKED_AT:])
    answers = {p.agent: p.reference for p in alignment.pairs if p.agent is not None and p.reference is not None}
    out = []
    for field in wanted:
        seen = _in_requests(field, carried.get(field.pointer, []), context)
        if field.kind != "bound":
            # What the task does not bind need not be seen; but another value than the human's is a doubt.
            out += [seen] if seen is not None and _is_doubt(seen.field, context) else []
            continue
        answered = {i for i, j in answers.items() if _says(field, reference_steps[j], context)}
        answering = [step for step in steps if step.index in answered]
        distinct = len(str(field.reference)) > _SHORT and not is_number(field.reference)
        seen = seen or _in_steps(field, steps if distinct else answering, context)
        if seen is not None and seen.field.status == "mismatch":
            # A later entry in the human's own field may have put right what an earlier request still carried.
            seen = _in_steps(field, answering, context, after=seen.request) or _doubted(seen, steps, context)
        out.append(seen or _on_page(field, pages, context) or _not_entered(field, reference_steps, alignment))
    return out


def _is_doubt(field: Field, context: BindingContext) -> bool:
    """Whether a free field differs by more than tokens, timestamps and one-time codes do."""
    in_list = bool(_indices(field.pointer))
    pair = FieldPair(field.pointer, field.agent_pointer, field.reference, field.agent, in_list)
    return field.status == "uncertain" and why_noise(pair, (), context) is None


def expected_fields(reference: RequestEvent, context: BindingContext) -> list[Field]:
    """What one request of the reference carries: fields that the task binds, and free ones; no noise."""
    fields = bind_fields(reference, reference, context)
    return [
        f
        for f in fields
        if not is_empty(f.reference)
        and (f.kind == "bound" or not (shape(f.reference, context.reference_times) or isinstance(f.reference, bool)))
    ]


Sent = tuple[RequestEvent, str, Any]
"""A request, the pointer of a field in it, and the value there."""


def _carried(wanted: list[Field], changes: list[RequestEvent]) -> dict[str, list[Sent]]:
    """For each wanted pointer what requests carried for it, latest first.

    Things of a list may be sent one by one, without an index: then each value counts for every element of the list.
    """
    found: dict[str, list[Sent]] = {}
    groups: dict[tuple[str, ...], list[str]] = {}
    for field in wanted:
        groups.setdefault(tuple(_keys(field.pointer)), []).append(field.pointer)
    for request in reversed(changes):
        leaves = [(p, v) for p, v in flatten(request_tree(request)) if not p.startswith("/url")]
        for pointer, value in leaves:
            best = max(wanted, key=lambda f: _nearness(f.pointer, pointer), default=None)
            if best is None or _nearness(best.pointer, pointer) < 1 or _ambiguous(pointer, leaves, best.pointer):
                continue
            group = groups[tuple(_keys(best.pointer))]
            for place in [best.pointer] if _indices(pointer) else group:
                found.setdefault(place, []).append((request, pointer, value))
    return found


def _keys(pointer: str) -> list[str]:
    return [part.casefold() for part in pointer.split("/")[2:] if not part.isdigit()]


def _nearness(wanted: str, pointer: str) -> float:
    """At least 1 if the last keys agree; more with every key above that agrees too. 0 otherwise."""
    left, right = _keys(wanted), _keys(pointer)
    if not left or not right or left[-1] != right[-1]:
        return 0
    shared = len(set(left[:-1]) & set(right[:-1]))
    same_place = 0.1 if _indices(wanted) == _indices(pointer) else 0
    wrapper = len(left) == 1 and len(right) == 2 and not _indices(pointer)
    # Under a flat root or a mere wrapper nothing contradicts; under another parent a key ("name") means another thing.
    return 1 + shared + same_place if shared or len(right) == 1 or wrapper else 0


def _indices(pointer: str) -> list[str]:
    return [part for part in pointer.split("/") if part.isdigit()]


def _ambiguous(pointer: str, leaves: list[tuple[str, Any]], wanted: str) -> bool:
    """Whether another field of the same request answers to `wanted` just as well."""
    mine = _nearness(wanted, pointer)
    return any(p != pointer and _nearness(wanted, p) > mine for p, _ in leaves)


def _in_requests(field: Field, sent: list[Sent], context: BindingContext) -> Seen | None:
    sent = [item for item in sent if not is_empty(item[2])]
    if not sent:
        return None
    one_by_one = bool(_indices(field.pointer)) and not _indices(sent[0][1])
    looked_at = sent if one_by_one else sent[:1]
    request, pointer, value = next(
        (item for item in looked_at if same_as_reference(field.reference, item[2], context)), sent[0]
    )
    equal = same_as_reference(field.reference, value, context)
    doubtful = equal is None or one_by_one or field.kind != "bound"
    status: FieldStatus = "match" if equal else "uncertain" if doubtful else "mismatch"
    note = "last carried here" if field.kind == "bound" else "differs, and nothing in the task says what it must be"
    return Seen(replace(field, agent_pointer=pointer, agent=value, status=status, note=note), request)


def same_as_reference(reference: Any, agent: Any, context: BindingContext) -> bool | None:
    """Whether an agent's value says the same as the reference's, each run's own e-mail address counting as equal."""
    if str(reference).strip().casefold() in context.reference_emails:
        return str(agent).strip().casefold() in context.sources.own_emails
    return compare_values(reference, agent, context).equal


def _in_steps(
    field: Field, steps: list[Step], context: BindingContext, after: RequestEvent | None = None
) -> Seen | None:
    """The value among what the agent entered, by value alone; `after` asks for later than that request."""
    for step in reversed(steps):
        if step.kind not in ("fill", "select", "upload") or not step.value:
            continue
        entered_ms = step.end_ms or step.t_ms
        if after is not None and (entered_ms is None or after.t_ms is None or entered_ms <= after.t_ms):
            continue
        if same_as_reference(field.reference, step.value, context):
            entered = Field(
                field.pointer,
                field.pointer,
                field.reference,
                step.value,
                "bound",
                "match",
                field.bound_by,
                (),
                "entered",
            )
            return Seen(entered, step=step)
    return None


def _doubted(seen: Seen, steps: list[Step], context: BindingContext) -> Seen:
    """A wrong value that an entry elsewhere may have put right, or may not: then it is uncertain."""
    if _in_steps(seen.field, steps, context, after=seen.request) is None:
        return seen
    return replace(
        seen, field=replace(seen.field, status="uncertain", note="the right value was entered elsewhere later")
    )


def _says(field: Field, step: Step, context: BindingContext) -> bool:
    """Whether the human's step is the one that entered the field's value."""
    return bool(step.value) and bool(same_as_reference(field.reference, step.value, context))


def _on_page(field: Field, pages: list[PageState], context: BindingContext) -> Seen | None:
    """The value in a control of the last page: a field's content, or a box or button that is switched on."""
    for control in pages[-1].controls if pages else ():
        switched_on = truth(control.value) or (control.value or "").strip("[]").casefold() in (
            "checked",
            "selected",
            "on",
        )
        shown = control.label if switched_on else control.value
        if not shown:
            continue
        named = plain(str(field.reference)) in plain(shown) if switched_on else False
        if named or same_as_reference(field.reference, shown, context):
            return Seen(replace(field, agent=shown, status="match", note="shown on the last page"))
    return None


def _not_entered(field: Field, reference_steps: list[Step], alignment: Alignment) -> Seen:
    """Nothing seen. If the reference set the field after the agent stopped, that is no fault of the agent's."""
    setting = _setting_step(field, reference_steps)
    absent = replace(field, agent=None, status="uncertain", note="not seen in the agent's run")
    if setting is None:
        if is_number(field.reference):
            return Seen(absent)
        # Neither typed nor chosen by the human either: a constant of the page, part of the final request only.
        return Seen(replace(absent, note="put there by the page, not by the human"), reached=False)
    partner = alignment.partner_of_reference(setting.index)
    if partner is not None and partner.status == "match" and setting.kind in ("click", "submit", "navigate"):
        return Seen(
            replace(absent, agent=field.reference, status="match", note="chosen by the same act as the human's")
        )
    last = max((p.reference for p in alignment.pairs if p.agent is not None and p.reference is not None), default=-1)
    if setting.index >= last:
        return Seen(replace(absent, note="the agent stopped before this was to be entered"), reached=False)
    if partner is not None and partner.status == "missing" and setting.kind in ("fill", "select", "upload"):
        return Seen(replace(absent, status="missing", note="the reference entered it before the agent's last step"))
    return Seen(absent)


def _setting_step(field: Field, steps: list[Step]) -> Step | None:
    """The reference's step that gave the field its value: an entry, or a press on something of that name."""
    for step in steps:
        if step.kind in ("fill", "select", "upload") and step.value and compare(field.reference, step.value).equal:
            return step
    wanted = plain(str(field.reference))
    return next((s for s in steps if s.kind in ("click", "submit", "navigate") and wanted in plain(s.label)), None)
