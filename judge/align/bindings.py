"""Field bindings: each field of the terminal payload, what binds it, and whether the agent's value is the right one.

A field is **bound** if the task says what goes in (the instruction, the eval schema, extra info, the persona, the run's
own e-mail address), **volatile** if it differs between any two runs and means nothing (tokens, timestamps, one-time
codes, recognised by shape and by comparison), and **free** otherwise. A bound field that differs is wrong. A free field
that differs is uncertain: code cannot tell, and says so.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from clawjudge.judge.align import moments
from clawjudge.judge.align.context import BindingContext
from clawjudge.judge.align.enumerations import is_directed, is_enumerated
from clawjudge.judge.align.extras import is_entered, is_filled_in, is_left_alone, is_tracking
from clawjudge.judge.align.instants import is_timed, same_instant_scopes
from clawjudge.judge.align.noise import why_noise
from clawjudge.judge.align.payloads import ABSENT, MAX_FIELDS, FieldPair, is_file, pair_fields, request_tree
from clawjudge.judge.align.quotes import breaks_exactness
from clawjudge.judge.align.sources import Bound
from clawjudge.judge.align.values import Comparison, compare, is_empty, truth, verbatim
from clawjudge.judge.align.volatile import shape
from clawjudge.judge.verdict import FieldKind, FieldStatus
from clawjudge.traces.lexicon import mention, plain
from clawjudge.traces.pointers import flatten, unescape
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.secret_members import TellingNames
from clawjudge.traces.secret_names import secret_kind

_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_MIN_LOCAL_PART = 4
MAX_SEARCHED = 400
"""So many fields that agree, and so many that differ, are looked up in all that the task gives, in every spelling."""
_SETTLED_BY_WORDS = frozenset({"number", "unit", "currency", "date_time"})


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
    telling: str = ""
    """The name that tells whether the values are secret, where that is not the field's own."""

    @property
    def strength(self) -> int:
        return self.bound_by[0].strength if self.bound_by else 0

    @property
    def name(self) -> str:
        return leaf_name(self.pointer)

    @property
    def shown_as(self) -> str:
        """By which name its values are masked."""
        return self.telling or self.name


def bind_fields(reference: RequestEvent, agent: RequestEvent, context: BindingContext) -> list[Field]:
    """Compare the terminal request of the agent with that of the reference, field by field."""
    trees = request_tree(reference), request_tree(agent)
    ordered = mention_of_order(context.sources.instruction)
    pairs = pair_fields(*trees, ordered=ordered)
    same_instants = same_instant_scopes(
        {pair.pointer: pair.reference for pair in pairs}, {pair.agent_pointer: pair.agent for pair in pairs}
    )
    searched: Counter[bool] = Counter()
    fields = []
    for pair in pairs:
        searched[_is_verbatim(pair)] += 1
        often = searched[_is_verbatim(pair)] > MAX_SEARCHED
        fields.append(_judge_briefly(pair, context) if often else _judge(pair, context, same_instants))
    kept = [f for f in fields if not _is_noise(f)]
    if len(pairs) >= MAX_FIELDS and trees[0] != trees[1]:
        note = f"only the first {MAX_FIELDS} fields were compared, and the requests differ"
        kept.append(Field("/url", "/url", reference.url, agent.url, "free", "uncertain", note=note))
    names = TellingNames(trees[0]), TellingNames(trees[1])
    return [_with_telling_name(f, *names) for f in _weigh_extras(_weigh_numbers(kept))]


def _with_telling_name(field_: Field, reference: TellingNames, agent: TellingNames) -> Field:
    names = reference.at(field_.pointer), agent.at(field_.agent_pointer)
    secret = next((name for name in names if secret_kind(name)), "")
    return replace(field_, telling=secret) if secret and secret != field_.name else field_


def leaf_name(pointer: str) -> str:
    """The last key of a pointer that is no list index."""
    names = [part for part in pointer.split("/") if part and not part.isdigit()]
    return unescape(names[-1]) if names else ""


def mention_of_order(instruction: str) -> bool:
    """Whether the instruction asks for things in an order."""
    # A colon behind the word opens a list; without it, it is a thing that is bought.
    return mention("list_order", instruction) is not None or "order:" in instruction.casefold().split()


def _order_may_count(pair: FieldPair, instruction: str) -> bool:
    """Whether the place of an element may mean something: the instruction has words of order (it may mean the order of
    acts), answers stand in the order of their questions, and bare values in no order only where they are listed so."""
    if mention("perhaps_order", instruction) or truth(pair.reference) is not None:
        return True
    named = str(pair.reference)
    return is_directed(instruction, named) or (pair.is_element and not is_enumerated(instruction, named))


def _judge(pair: FieldPair, context: BindingContext, same_instants: frozenset[str]) -> Field:
    reference, agent = pair.reference, pair.agent
    if reference is ABSENT or (is_empty(reference) and not is_empty(agent)):
        return _judge_extra(pair, context)
    bound = _what_binds(pair, context)
    kind: FieldKind = "bound" if bound else "free"
    result = _compare(pair, context, same_instants)
    if pair.reordered and result.equal:
        if _order_may_count(pair, context.sources.instruction):
            return _field(pair, kind, "uncertain", bound, note="in another order; the task may ask for this one")
        result = Comparison(True, (*result.normalisations, "list_order"))
    if result.equal:
        return _field(pair, kind, "match", bound, result.normalisations)
    if agent is ABSENT or is_empty(agent):
        return _judge_missing(pair, bound, context)
    noise = why_noise(pair, bound, context)
    if noise:
        return _field(pair, "volatile", "match", bound, (noise,))
    if result.equal is None and _as_instructed(pair, result, bound, context):
        return _field(pair, kind, "match", bound, ("as_instructed", *result.normalisations))
    if result.equal is None:
        return _field(pair, kind, "uncertain", bound, note=f"may be the same: {result.normalisations[0]}")
    if not bound:
        if mention("password", leaf_name(pair.pointer)):
            return _field(pair, "free", "match", note="each run chooses its own secret")
        return _field(pair, "free", "uncertain", note="differs, and nothing in the task says what it must be")
    if pair.guessed:
        return _field(pair, kind, "uncertain", bound, note="a long list; which element answers to which is a guess")
    if not bound[0].preferred and any(b.source == bound[0].source for b in context.sources.bind(agent)):
        return _field(pair, kind, "uncertain", bound, note="the persona holds both values; the task does not choose")
    return _field(pair, kind, "mismatch", bound)


def _judge_briefly(pair: FieldPair, context: BindingContext) -> Field:
    """One of very many fields: to the letter the same, or left to somebody who can look at it."""
    bound = tuple(context.sources.bind_to_the_letter(pair.reference, pair.pointer))
    kind: FieldKind = "bound" if bound else "free"
    if _is_verbatim(pair) and not (pair.reordered and _order_may_count(pair, context.sources.instruction)):
        return _field(pair, kind, "match", bound, ("list_order",) if pair.reordered else ())
    note = f"beyond {MAX_SEARCHED} such fields values are compared to the letter only"
    return _field(pair, kind, "uncertain", bound, note=note)


def _is_verbatim(pair: FieldPair) -> bool:
    return type(pair.reference) is type(pair.agent) and bool(pair.reference == pair.agent)


def _as_instructed(pair: FieldPair, result: Comparison, bound: tuple[Bound, ...], context: BindingContext) -> bool:
    """Whether an ambiguous writing is settled by the instruction: it says the agent's very words, where it binds the
    reference's (`12,000 km` for 12000, `May 3, 2027` for `2027-05-03` against `03.05.2027`)."""
    if not set(result.normalisations) & _SETTLED_BY_WORDS:
        # The words `C` stand in an instruction that asks for `C++`, and those of an exact text in any case.
        return False
    readings = moments.read(str(pair.reference)), moments.read(str(pair.agent))
    if any(reading is not None and reading.clock is not None for reading in readings):
        # A day that the instruction names says nothing of the time that stands behind it.
        return False
    reason = compare(pair.reference, pair.agent, context.region).normalisations[:1]
    if reason == ("unit",):
        # Only a unit that the instruction itself spells out may be added, none may be left out.
        said = str(pair.agent)
        return said in context.sources.instruction and any(c.isalpha() for c in said)
    if reason != ("date_time",):
        return False
    theirs = [b for b in bound if b.source == "instruction"]
    mine = [b for b in context.sources.bind(pair.agent) if b.source == "instruction"]
    if not theirs or not mine or len(moments.dates(str(pair.agent))) > 1:
        return False
    return any(plain(a.quote) in plain(b.quote) or plain(b.quote) in plain(a.quote) for a in mine for b in theirs)


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
        return _compare_files(reference, agent, context)
    if str(reference).strip().casefold() in context.reference_emails and context.sources.own_emails:
        # Each run has an address of its own: the human's address in the agent's request is a wrong one.
        mine = str(agent).strip().casefold() in context.sources.own_emails
        return Comparison(mine, ("own_email",) if mine and reference != agent else ())
    result = compare_values(reference, agent, context)
    if result.equal and mention("password", leaf_name(pair.pointer)) and not verbatim(str(reference), str(agent)):
        return Comparison(False)
    if result.equal and result.normalisations == ("country",) and not _is_country_field(pair):
        # `CA` is Canada and California.
        return Comparison(None, result.normalisations)
    if result.equal:
        return result
    if _same_own_address(reference, agent, context):
        return Comparison(True, ("own_email",))
    scope = pair.pointer.rsplit("/", 1)[0]
    if is_timed(reference) and is_timed(agent) and any(scope == s or scope.startswith(s + "/") for s in same_instants):
        return Comparison(True, ("same_instant",))
    return result


def _is_country_field(pair: FieldPair) -> bool:
    """Whether a name on the way to the field says that it holds a country, or both values are more than two letters."""
    if all(len(str(value).strip()) > 2 for value in (pair.reference, pair.agent)):
        return True
    return mention("country", " ".join(pair.pointer.split("/"))) is not None


def compare_values(reference: Any, agent: Any, context: BindingContext) -> Comparison:
    """Compare two values; a text that the instruction gives to the letter must be the same to the letter."""
    result = compare(reference, agent, context.region)
    if result.equal and isinstance(reference, str) and isinstance(agent, str):
        if breaks_exactness(context.sources.instruction, reference, agent):
            return Comparison(None, ("exact_text",))
    return result


_SLIGHT = 20
"""A file so many times smaller than the human's of the same name holds something else, or nothing."""


def _compare_files(reference: Any, agent: Any, context: BindingContext) -> Comparison:
    """Two uploads of one name are the same file: a résumé carries each run's own address, so bytes may differ."""
    if not (is_file(reference) and is_file(agent)):
        return Comparison(False)
    same_name = str(reference["filename"]).casefold() == str(agent["filename"]).casefold()
    if same_name and _SLIGHT * agent["size"] < reference["size"]:
        # Not the file of that name, or the recorder did not keep all of it; neither can be told from here.
        return Comparison(None, ("file_name",))
    if same_name:
        return Comparison(True, () if reference["sha256"] == agent["sha256"] else ("file_name",))
    # The task may name the very file; then another name is another file, whatever recovered bytes say.
    if _words_in_task(reference["filename"], context) - _words_in_task(agent["filename"], context):
        return Comparison(False)
    return Comparison(None, ("file_name",))


def _words_in_task(file_name: Any, context: BindingContext) -> frozenset[str]:
    words = (word for word in plain(str(file_name).rsplit(".", 1)[0]).split() if len(word) > 3)
    return frozenset(word for word in words if context.sources.bind(word))


def _what_binds(pair: FieldPair, context: BindingContext) -> tuple[Bound, ...]:
    if is_file(pair.reference):
        # An upload has no value to look up; the instruction names it by its kind ("my resume").
        names = plain(f"{leaf_name(pair.pointer)} {pair.reference['filename']}").split()
        found = (context.sources.bind(name) for name in names if len(name) > 3)
        return next((tuple(b) for b in found if b), ())
    if isinstance(pair.reference, dict):
        leaves = (context.sources.bind(leaf) for _, leaf in flatten(pair.reference))
        return next((tuple(b) for b in leaves if b), ())
    found_values = tuple(context.sources.bind(pair.reference, pair.pointer)) or own_address(pair.reference, context)
    return found_values or _bound_by_option(pair.reference, context)


def _bound_by_option(reference: Any, context: BindingContext) -> tuple[Bound, ...]:
    """A code the human chose from a list (`std`) when the instruction names one of that list's options ("Standard").

    The human's choice is the right one by definition, and the list is one that the task speaks of.
    """
    options = context.options.get(str(reference).strip().casefold())
    if not options:
        return ()
    for word in _LONG_WORD.findall(context.sources.instruction):
        for found in re.finditer(re.escape(word), options, re.IGNORECASE):
            before, after = options[: found.start()][-1:], options[found.end() :][:1]
            # Options stand in one text without anything between them: a capital, a digit or the end closes a word.
            opens = not before or not before.isalpha() or (before.islower() and found.group()[0].isupper())
            if opens and (not after or not after.isalpha() or after.isupper()):
                return (Bound("instruction", word, 1),)
    return ()


def own_address(reference: Any, context: BindingContext) -> tuple[Bound, ...]:
    if isinstance(reference, str) and reference.strip().casefold() in context.reference_emails:
        return (Bound("own_email", "e-mail address of the run", 3),)
    return ()


def _same_own_address(reference: Any, agent: Any, context: BindingContext) -> bool:
    """Each run has its own disposable address; a value made from it differs for that reason alone."""
    if not isinstance(reference, str) or not isinstance(agent, str):
        return False
    left, right = reference.strip().casefold(), agent.strip().casefold()
    for theirs in context.reference_emails:
        for own in context.sources.own_emails:
            for old, new in ((theirs, own), (theirs.split("@")[0], own.split("@")[0])):
                # A short local part may stand inside any word; a name (`alex`) is more than a part of the address.
                if len(old) < _MIN_LOCAL_PART or context.sources.bind(old):
                    continue
                if re.sub(rf"(?<![^\W_]){re.escape(old)}(?![^\W_])", new.replace("\\", r"\\"), left) == right != left:
                    return True
    return False


def _judge_missing(pair: FieldPair, bound: tuple[Bound, ...], context: BindingContext) -> Field:
    if bound:
        return _field(pair, "bound", "missing", bound)
    if shape(pair.reference, context.reference_times):
        return _field(pair, "volatile", "match", normalisations=("absent",))
    return _field(pair, "free", "uncertain", note="only the reference has it")


def _judge_extra(pair: FieldPair, context: BindingContext) -> Field:
    """A value that only the agent sent."""
    agent = pair.agent
    if agent is ABSENT or is_empty(agent) or is_left_alone(pair, context):
        return _field(pair, "free", "match", normalisations=("empty",))
    if shape(agent, context.agent_times) and not pair.in_list:
        return _field(pair, "volatile", "match", note="only the agent's request has it")
    bound = tuple(context.sources.bind(agent, pair.pointer))
    if pair.in_list and pair.reference is ABSENT:
        return _field(pair, "free", "extra", bound, note="one more than the reference has")
    if is_filled_in(pair, bound) and not is_number(agent) and truth(agent) is None:
        return _field(pair, "bound", "match", bound, note="given by the task, left out by the reference")
    if is_tracking(pair, context) and not is_entered(agent, context):
        return _field(pair, "free", "match", note="tracking, put there by the page")
    return _field(pair, "free", "uncertain", note="only the agent sent it")


def _is_noise(field_: Field) -> bool:
    """Path segments that agree say nothing more than that the endpoint is the same."""
    return field_.pointer.startswith("/url") and field_.status == "match"


def _weigh_numbers(fields: list[Field]) -> list[Field]:
    """A number that another field already carries does not also bind a counter that happens to equal it."""
    carried = {
        b.quote
        for f in fields
        for b in f.bound_by
        if f.status == "match" and b.source == "instruction" and is_number(f.reference)
    }
    return [
        replace(f, kind="free", status="uncertain", note="a number, bound elsewhere")
        if f.status in ("mismatch", "missing")
        and is_number(f.reference)
        and f.bound_by
        and all(b.source == "instruction" and b.quote in carried for b in f.bound_by)
        else f
        for f in fields
    ]


def _weigh_extras(fields: list[Field]) -> list[Field]:
    """An element more is wrong where the task spells out what the list holds, and uncertain elsewhere."""
    spelled_out = {
        _list_of(f.pointer)
        for f in fields
        if f.bound_by and f.bound_by[0].source == "instruction" and f.status != "extra"
    } - {""}
    return [
        replace(f, kind="bound") if f.status == "extra" and _list_of(f.pointer) in spelled_out else f for f in fields
    ]


def _list_of(pointer: str) -> str:
    """The pointer of the innermost list that holds `pointer`, or an empty text."""
    parts = pointer.split("/")
    place = max((i for i, part in enumerate(parts) if part.isdigit()), default=0)
    return "/".join(parts[:place])


def is_number(value: Any) -> bool:
    return (isinstance(value, int | float) and not isinstance(value, bool)) or str(value).strip().isdecimal()
