"""Field bindings: each field of the terminal payload, what binds it, and whether the agent's value is the right one.

A field is **bound** if the task says what goes in (the instruction, the eval schema, extra info, the persona, the run's
own e-mail address), **volatile** if it differs between any two runs and means nothing (tokens, timestamps, one-time
codes, recognised by shape and by comparison), and **free** otherwise. A bound field that differs is wrong. A free field
that differs is uncertain: code cannot tell, and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from clawjudge.judge.align import moments
from clawjudge.judge.align.payloads import ABSENT, FieldPair, is_file, pair_fields, request_tree
from clawjudge.judge.align.sources import Bound, TaskSources
from clawjudge.judge.align.values import Comparison, compare, is_empty, truth
from clawjudge.judge.align.volatile import shape
from clawjudge.judge.verdict import FieldKind, FieldStatus
from clawjudge.traces.lexicon import mention, plain
from clawjudge.traces.payload import flatten
from clawjudge.traces.records import RequestEvent

_ENTITY_WORDS = frozenset(
    ["id", "item", "product", "sku", "variant", "listing", "offer", "job", "event", "article", "seller", "restaurant", "store", "shop"]
)
_CODE_LENGTH = (4, 10)


@dataclass(frozen=True, slots=True)
class Field:
    """One compared field; `strength` says how firmly it is bound (0 to 3)."""

    pointer: str
    agent_pointer: str
    reference: Any
    agent: Any
    kind: FieldKind
    status: FieldStatus
    bound_by: tuple[Bound, ...] = ()
    normalisations: tuple[str, ...] = ()
    note: str = ""

    @property
    def strength(self) -> int:
        return self.bound_by[0].strength if self.bound_by else 0

    @property
    def name(self) -> str:
        return leaf_name(self.pointer)


@dataclass
class BindingContext:
    """What is known of both runs beside the two requests."""

    sources: TaskSources
    reference_emails: frozenset[str] = frozenset()
    reference_times: tuple[int, int] | None = None
    agent_times: tuple[int, int] | None = None
    region: str | None = None
    """Country of the persona, for phone numbers."""
    agent_entered: frozenset[str] = frozenset()
    """What the agent typed, chose or pressed, in plain form."""
    chosen: frozenset[str] = frozenset()
    """Parts of the addresses of pages that either run opened: a token among them names a thing that was chosen."""
    was_shown: Callable[[str], bool] = field(default=lambda text: False)
    """Whether a text stood on a page or in a message that the agent read."""


def bind_fields(reference: RequestEvent, agent: RequestEvent, context: BindingContext) -> list[Field]:
    """Compare the terminal request of the agent with that of the reference, field by field."""
    trees = request_tree(reference), request_tree(agent)
    ordered = mention_of_order(context.sources.instruction)
    same_instants = _same_instant_scopes(*trees)
    fields = [_judge(pair, context, same_instants) for pair in pair_fields(*trees, ordered=ordered)]
    kept = [f for f in fields if not _is_noise(f)]
    return _weigh_numbers(kept)


def leaf_name(pointer: str) -> str:
    """The last key of a pointer that is no list index."""
    names = [part for part in pointer.split("/") if part and not part.isdigit()]
    return names[-1].replace("~1", "/").replace("~0", "~") if names else ""


def mention_of_order(instruction: str) -> bool:
    """Whether the instruction asks for things in an order."""
    words = set(instruction.casefold().replace(",", " ").split())
    return bool(words & {"order:", "ranked", "rank", "ranking", "sequence", "reihenfolge", "ordre"}) or (
        "in this order" in instruction.casefold() or "in that order" in instruction.casefold()
    )


def _judge(pair: FieldPair, context: BindingContext, same_instants: frozenset[str]) -> Field:
    reference, agent = pair.reference, pair.agent
    if reference is ABSENT or (is_empty(reference) and not is_empty(agent)):
        return _judge_extra(pair, context)
    bound = _what_binds(pair, context)
    kind: FieldKind = "bound" if bound else "free"
    result = _compare(pair, context, same_instants)
    if pair.reordered and result.equal:
        result = Comparison(True, (*result.normalisations, "list_order"))
    if result.equal:
        return _field(pair, kind, "match", bound, result.normalisations)
    if agent is ABSENT or is_empty(agent):
        return _judge_missing(pair, bound, context)
    volatile = _volatile(pair, bound, context)
    if volatile:
        return _field(pair, "volatile", "match", bound, (volatile,))
    if result.equal is None:
        return _field(pair, kind, "uncertain", bound, note=f"may be the same: {result.normalisations[0]}")
    if not bound:
        if mention("password", leaf_name(pair.pointer)):
            return _field(pair, "free", "match", note="each run chooses its own secret")
        return _field(pair, "free", "uncertain", note="differs, and nothing in the task says what it must be")
    if not bound[0].preferred and any(b.source == bound[0].source for b in context.sources.bind(agent)):
        return _field(pair, kind, "uncertain", bound, note="the persona holds both values; the task does not choose")
    return _field(pair, kind, "mismatch", bound)


def _field(
    pair: FieldPair,
    kind: FieldKind,
    status: FieldStatus,
    bound: tuple[Bound, ...] = (),
    normalisations: tuple[str, ...] = (),
    note: str = "",
) -> Field:
    return Field(
        pair.pointer, pair.agent_pointer, pair.reference, pair.agent, kind, status, bound, normalisations, note
    )


def _compare(pair: FieldPair, context: BindingContext, same_instants: frozenset[str]) -> Comparison:
    reference, agent = pair.reference, pair.agent
    if agent is ABSENT:
        return Comparison(is_empty(reference) or reference is False, ("absent",))
    if is_file(reference) or is_file(agent):
        return _compare_files(reference, agent)
    result = compare(reference, agent, context.region)
    if result.equal:
        return result
    if _sameown_address(reference, agent, context):
        return Comparison(True, ("own_email",))
    scope = pair.pointer.rsplit("/", 1)[0]
    timed = moments.moment(str(reference)) or moments.zone(reference)
    if timed and any(scope == s or scope.startswith(s + "/") for s in same_instants):
        return Comparison(True, ("same_instant",))
    return result


def _compare_files(reference: Any, agent: Any) -> Comparison:
    """Two uploads: the same bytes, or the same name (a résumé carries each run's own address), are the same file."""
    if not (is_file(reference) and is_file(agent)):
        return Comparison(False)
    if reference["sha256"] == agent["sha256"]:
        return Comparison(True)
    if not agent["size"] and reference["size"]:
        return Comparison(False)
    same = str(reference["filename"]).casefold() == str(agent["filename"]).casefold()
    return Comparison(True, ("file_name",)) if same else Comparison(None, ("file_name",))


def _what_binds(pair: FieldPair, context: BindingContext) -> tuple[Bound, ...]:
    if is_file(pair.reference):
        # An upload has no value to look up; the instruction names it by its kind ("my resume").
        names = plain(f"{leaf_name(pair.pointer)} {pair.reference['filename']}").split()
        found = (context.sources.bind(name) for name in names if len(name) > 3)
        return next((tuple(b) for b in found if b), ())
    return tuple(context.sources.bind(pair.reference, pair.pointer)) or own_address(pair.reference, context)


def own_address(reference: Any, context: BindingContext) -> tuple[Bound, ...]:
    if isinstance(reference, str) and reference.strip().casefold() in context.reference_emails:
        return (Bound("own_email", "e-mail address of the run", 3),)
    return ()


def _sameown_address(reference: Any, agent: Any, context: BindingContext) -> bool:
    """Each run has its own disposable address; a value made from it differs for that reason alone."""
    if not isinstance(reference, str) or not isinstance(agent, str):
        return False
    left, right = reference.strip().casefold(), agent.strip().casefold()
    for theirs in context.reference_emails:
        for own in context.sources.own_emails:
            for old, new in ((theirs, own), (theirs.split("@")[0], own.split("@")[0])):
                if old and old in left and left.replace(old, new) == right:
                    return True
    return False


def _volatile(pair: FieldPair, bound: tuple[Bound, ...], context: BindingContext) -> str | None:
    """Why a difference means nothing, or None."""
    if bound and bound[0].strength >= 2:
        return None
    shapes = shape(pair.reference, context.reference_times), shape(pair.agent, context.agent_times)
    if shapes[0] and shapes[0] == shapes[1]:
        return None if shapes[0] != "timestamp" and _names_a_thing(pair, context) else shapes[0]
    return "one_time_code" if _is_one_time_code(pair, context) else None


def _names_a_thing(pair: FieldPair, context: BindingContext) -> bool:
    """Whether a token stands for something chosen (a product, a slot) rather than for the session."""
    if pair.in_list or pair.pointer.startswith("/url"):
        return str(pair.reference) in context.chosen or str(pair.agent) in context.chosen or pair.in_list
    if str(pair.agent) in context.chosen or str(pair.reference) in context.chosen:
        return True
    words = set(_name_words(pair.pointer))
    session = {
        "session",
        "sid",
        "csrf",
        "xsrf",
        "token",
        "nonce",
        "trace",
        "request",
        "correlation",
        "idempotency",
        "client",
    }
    return bool(words & _ENTITY_WORDS) and not words & session


def _name_words(pointer: str) -> list[str]:
    return plain(leaf_name(pointer)).split()


def _is_one_time_code(pair: FieldPair, context: BindingContext) -> bool:
    """A short code that the agent read before it entered it, and that nothing in the task gives."""
    texts = str(pair.reference).strip(), str(pair.agent).strip()
    for text in texts:
        if not (_CODE_LENGTH[0] <= len(text) <= _CODE_LENGTH[1] and text.isalnum() and any(c.isdigit() for c in text)):
            return False
    named = mention("code", leaf_name(pair.pointer)) is not None
    typed = texts[1].casefold() in context.agent_entered
    return (named or len(texts[0]) == len(texts[1])) and typed and context.was_shown(texts[1])


def _judge_missing(pair: FieldPair, bound: tuple[Bound, ...], context: BindingContext) -> Field:
    if bound:
        return _field(pair, "bound", "missing", bound)
    if shape(pair.reference, context.reference_times):
        return _field(pair, "volatile", "match", normalisations=("absent",))
    return _field(pair, "free", "uncertain", note="only the reference has it")


def _judge_extra(pair: FieldPair, context: BindingContext) -> Field:
    """A value that only the agent sent."""
    agent = pair.agent
    if agent is ABSENT or is_empty(agent) or agent is False:
        return _field(pair, "free", "match", normalisations=("empty",))
    if shape(agent, context.agent_times) and not pair.in_list:
        return _field(pair, "volatile", "match", note="only the agent's request has it")
    bound = tuple(context.sources.bind(agent, pair.pointer))
    if pair.in_list and pair.reference is ABSENT:
        return _field(pair, "bound" if bound else "free", "extra", bound, note="one more than the reference has")
    if bound and bound[0].strength >= 2:
        return _field(pair, "bound", "match", bound, note="given by the task, left out by the reference")
    entered = str(agent).strip().casefold() in context.agent_entered
    if entered or pair.reference is not ABSENT or truth(agent) is True or isinstance(agent, int | float):
        return _field(pair, "free", "uncertain", note="only the agent sent it")
    return _field(pair, "free", "match", note="put there by the page, not by the agent")


def _is_noise(field_: Field) -> bool:
    """Path segments that agree say nothing more than that the endpoint is the same."""
    return field_.pointer.startswith("/url") and field_.status == "match"


def _weigh_numbers(fields: list[Field]) -> list[Field]:
    """A number of the instruction that another field already carries does not also bind a counter that happens to equal it."""
    carried = {
        b.quote
        for f in fields
        for b in f.bound_by
        if f.status == "match" and b.source == "instruction" and is_number(f.reference)
    }
    return [
        Field(
            f.pointer,
            f.agent_pointer,
            f.reference,
            f.agent,
            "free",
            "uncertain",
            f.bound_by,
            (),
            "a number, bound elsewhere",
        )
        if f.status in ("mismatch", "missing")
        and is_number(f.reference)
        and f.bound_by
        and all(b.source == "instruction" and b.quote in carried for b in f.bound_by)
        else f
        for f in fields
    ]


def is_number(value: Any) -> bool:
    return (isinstance(value, int | float) and not isinstance(value, bool)) or str(value).strip().isdigit()


def _same_instant_scopes(reference: dict[str, Any], agent: dict[str, Any]) -> frozenset[str]:
    """Objects in which every time is the same instant on both sides, whatever zone it is written in."""
    scopes = set()
    left, right = _times_by_scope(reference), _times_by_scope(agent)
    for scope, times in left.items():
        others = right.get(scope)
        if others and set(times) == set(others) and all(times[k] is not None and times[k] == others[k] for k in times):
            scopes.add(scope)
    return frozenset(scopes)


def _times_by_scope(tree: dict[str, Any]) -> dict[str, dict[str, Any]]:
    zones: dict[str, Any] = {}
    texts: dict[str, str] = {}
    for pointer, leaf in flatten(tree):
        if isinstance(leaf, str) and moments.moment(leaf):
            texts[pointer] = leaf
        elif moments.zone(leaf):
            zones[pointer.rsplit("/", 1)[0]] = moments.zone(leaf)
    grouped: dict[str, dict[str, Any]] = {}
    for pointer, text in texts.items():
        scope = pointer.rsplit("/", 1)[0]
        where = next((zones[s] for s in _ancestors(scope) if s in zones), None)
        grouped.setdefault(scope, {})[pointer] = moments.instant(text, where)
    return grouped


def _ancestors(scope: str) -> list[str]:
    parts = scope.split("/")
    return ["/".join(parts[:n]) for n in range(len(parts), 0, -1)]
