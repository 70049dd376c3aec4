"""The field table of a verdict: wrong fields first and in full, right ones a line each, volatile ones in one line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from clawjudge.judge.show.layout import Line, Screen, cell, count, heading, line, table
from clawjudge.judge.show.terminal import plain
from clawjudge.judge.verdict import FieldBinding, Verdict

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_MARKS = {"✗": "red", "?": "yellow", "✓": "green"}
_MAX_RIGHT = 40
"""Rows of fields that are right; a form with hundreds of them needs no more to be believed."""
_TABLE_WIDTH = 90
"""Below this, a table of four columns would fold every value into a tower."""


def is_wrong(field: FieldBinding) -> bool:
    """Whether this field alone fails the run."""
    return _mark(field) == "✗"


def fields_section(verdict: Verdict, screen: Screen) -> Iterator[Line | Table]:
    """The table with its heading, laid out for the width of `screen`."""
    shown = [f for f in verdict.fields if not _is_folded(f)]
    wrong = sorted((f for f in shown if is_wrong(f)), key=lambda f: f.agent_pointer != verdict.failing_field)
    doubtful = [f for f in shown if _mark(f) == "?"]
    right = [f for f in shown if _mark(f) == "✓"]
    yield heading(_title(verdict))
    if screen.width >= _TABLE_WIDTH:
        yield _wide([*wrong, *doubtful], right[:_MAX_RIGHT], screen.width)
    else:
        for field in [*wrong, *doubtful]:
            yield from _stacked(field)
        yield _narrow(right[:_MAX_RIGHT])
    if len(right) > _MAX_RIGHT:
        yield line((f"… and {len(right) - _MAX_RIGHT} more that are right", "dim"), indent=3)
    yield from _folded([f for f in verdict.fields if _is_folded(f)])


def value_text(value: Any) -> str:
    """A value for a cell: texts as they are, an absent one as a dash, the rest as JSON."""
    if value is None:
        return "—"
    if value == "":
        return "(empty)"
    return plain(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))


def _mark(field: FieldBinding) -> str:
    if field.status == "match":
        return "✓"
    return "?" if field.status == "uncertain" or (field.status == "extra" and field.kind != "bound") else "✗"


def _is_folded(field: FieldBinding) -> bool:
    """Fields that are told in one line for all of them: volatile ones, and those that the run never came to."""
    return (field.kind == "volatile" and field.status == "match") or (
        field.status == "uncertain" and field.agent is None
    )


def _title(verdict: Verdict) -> str:
    marks = [_mark(f) for f in verdict.fields if f.kind != "volatile" or f.status != "match"]
    counts = [(marks.count("✗"), "wrong"), (marks.count("?"), "uncertain"), (marks.count("✓"), "right")]
    said = ", ".join(f"{n} {word}" for n, word in counts if n)
    what = "of the final request" if verdict.stage1.commits else "as far as the run came"
    return f"Fields {what}: {said or 'only volatile ones'}"


def _wide(marked: list[FieldBinding], right: list[FieldBinding], width: int) -> Table:
    made = table(columns=5)
    # If something has to be cut, then the reasons and not the names.
    made.columns[1].no_wrap = all(len(plain(f.pointer)) < 0.4 * width for f in [*marked, *right])
    if marked or right:
        made.add_row("", *(cell(title, "dim") for title in ("field", "agent", "reference", "because")))
    for field in marked:
        made.add_row(*_row(field))
    for field in right:
        made.add_row(*_right_row(field))
    return made


def _row(field: FieldBinding) -> list[Text]:
    mark = _mark(field)
    agent, reference = value_text(field.agent), value_text(field.reference)
    pointer = plain(field.pointer)
    return [
        cell(f"  {mark}", _MARKS[mark]),
        cell(pointer, "bold"),
        cell(agent, _MARKS[mark]),
        cell(reference),
        cell(_because(field), "dim"),
    ]


def _right_row(field: FieldBinding) -> list[Text]:
    """Cut to one line, because there is nothing to compare in it."""
    agent, reference = value_text(field.agent), value_text(field.reference)
    same = agent == reference
    return [
        cell("  ✓", _MARKS["✓"]),
        cell(plain(field.pointer), "", cut=True),
        cell(agent, "", cut=True),
        cell("same" if same else reference, "dim" if same else "", cut=True),
        cell(_because(field), "dim", cut=True),
    ]


def _stacked(field: FieldBinding) -> Iterator[Line]:
    mark = _mark(field)
    yield line((f"{mark} ", _MARKS[mark]), (plain(field.pointer), "bold"), indent=2)
    yield line(("agent      ", "dim"), (value_text(field.agent), _MARKS[mark]), indent=4)
    yield line(("reference  ", "dim"), value_text(field.reference), indent=4)
    because = _because(field)
    if because:
        yield line(("because    ", "dim"), because, indent=4)


def _narrow(right: list[FieldBinding]) -> Table:
    made = table(columns=3)
    for field in right:
        made.add_row(*_right_row(field)[:3])
    return made


def _because(field: FieldBinding) -> str:
    """What makes the value right or wrong: what binds it, and under which rules it is the same."""
    parts = []
    if field.bound_by:
        bound = field.bound_by[0]
        # Into the persona it is a pointer, which says little more than the field's own name.
        quote = "" if bound.source in ("persona", "own_email") else f" “{plain(bound.quote, 80)}”"
        parts.append(f"{_SOURCES[bound.source]}{quote}")
    elif field.status == "match" and field.kind == "free":
        parts.append("not bound by the task")
    if field.normalisations:
        parts.append(f"same but for {', '.join(map(plain, field.normalisations))}")
    if field.note:
        parts.append(plain(field.note))
    return "; ".join(parts)


_SOURCES = {
    "instruction": "instruction",
    "eval_schema": "eval schema",
    "extra_info": "extra info",
    "persona": "the user's details",
    "own_email": "the run's own address",
}


def _folded(fields: list[FieldBinding]) -> Iterator[Line]:
    notes: dict[str, list[str]] = {}
    for field in fields:
        if field.kind != "volatile":
            notes.setdefault(plain(field.note) or "not seen in the agent's run", []).append(plain(field.pointer))
    for note, pointers in notes.items():
        yield line(
            ("? ", "yellow"), f"{count(len(pointers), 'field')}: {note}", (f" ({', '.join(pointers)})", "dim"), indent=2
        )
    volatile = [plain(f.pointer) for f in fields if f.kind == "volatile"]
    if volatile:
        verb = "differs" if len(volatile) == 1 else "differ"
        said = f"{count(len(volatile), 'volatile field')} {verb} as expected ({', '.join(volatile)})"
        yield line((said, "dim"), indent=4)
