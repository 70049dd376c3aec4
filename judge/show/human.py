"""Verdicts for people: one in full, or many as a list with a summary.

Everything that comes from a trace is made plain first, and is printed as text, never as markup.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from clawjudge.judge.show.terminal import plain
from clawjudge.judge.verdict import Citation, FieldBinding, JudgeReport, Verdict
from clawjudge.rubrics.load import load_rubric

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

PIPE_WIDTH = 100
_COLOURS = {"pass": "bold green", "fail": "bold red", "unjudged": "bold yellow"}
_SIGNS = {"pass": "✓ PASS", "fail": "✗ FAIL", "unjudged": "? UNJUDGED"}
_MARKS = {"match": ("✓", "green"), "uncertain": ("?", "yellow")}
_WRONG = ("✗", "red")
_MAX_EVIDENCE = 3
_MAX_RIGHT = 40
"""Rows of fields that are right; a form with hundreds of them needs no more to be believed."""


def render(
    report: JudgeReport, title: str, width: int = PIPE_WIDTH, terminal: bool = False, colour: bool = False
) -> str:
    """The report as text: in full for a single verdict, else one line per run and the summary.

    `title` names what was judged. On a terminal lines are cut to `width`; in a pipe they are left whole.
    """
    if len(report.verdicts) == 1 and report.summary["n_found"] == 1:
        body = _one(report, report.verdicts[0], title)
    else:
        body = _many(report, title, width if terminal else None)
    return to_text(body, width, colour)


def to_text(parts: Iterable[Any], width: int, colour: bool) -> str:
    """Rich's renderables as text without trailing spaces; `colour` puts escape sequences of ours in."""
    from rich.console import Console

    sink = io.StringIO()
    console = Console(
        file=sink,
        width=max(width, 40),
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
    )
    for part in parts:
        _print(console, part)
    return "".join(line.rstrip() + "\n" for line in sink.getvalue().split("\n")[:-1])


def _print(console: Console, part: Any) -> None:
    from rich.text import Text

    # A line that was not made for wrapping is longer than the width on purpose.
    soft = isinstance(part, Text) and part.no_wrap is True
    console.print(part, soft_wrap=soft)


def why(verdict: Verdict) -> str:
    """The reason in one sentence: of a failed run what was wrong, without the title of the rule in front."""
    if verdict.outcome == "fail" and verdict.violated_rules:
        for finding in verdict.findings:
            if finding.rule == verdict.violated_rules[0]:
                return plain(finding.note)
    return plain(verdict.justification)


def _one(report: JudgeReport, verdict: Verdict, title: str) -> Iterator[Any]:
    yield _heading(verdict, title)
    yield _text("  ", (why(verdict), "bold"))
    for rule in verdict.violated_rules:
        yield _text("  breaks ", (f"{rule}", "bold"), f" {_rule_title(report, rule)}")
    evidence = list(_evidence(verdict))
    if evidence:
        yield _section("Evidence")
        yield _evidence_table(evidence)
    if verdict.fields:
        yield _section(_fields_title(verdict))
        yield _field_table(verdict)
        yield from _folded_fields(verdict)
    if verdict.first_divergence is not None:
        yield _section("Where the runs first part")
        yield _text(f"  {plain(verdict.first_divergence.description)}{_steps(verdict)}")
    if verdict.gaps:
        yield _section("Missing or damaged evidence")
        yield from (_text(f"  {line}") for line in _gap_lines(verdict))
    if verdict.notices:
        yield _section("Notices")
        yield from (_text(f"  {plain(notice)}") for notice in verdict.notices)
    yield _text("")
    yield _judge_line(report)


def _heading(verdict: Verdict, title: str) -> Text:
    stage = {
        "intercepted": "final request made (stage 1)",
        "not_intercepted": "no final request (stage 1)",
        "not_applicable": "stage 1 does not apply",
        "unknown": "stage 1 unknown",
    }[verdict.stage1.status]
    task = f"task {plain(verdict.task_id)} · " if verdict.task_id else ""
    sign = (_SIGNS[verdict.outcome], _COLOURS[verdict.outcome])
    return _text(sign, f"  {plain(title)}  ", (f"{task}{stage} · {plain(verdict.reason_code)}", "dim"))


def _rule_title(report: JudgeReport, rule: str) -> str:
    try:
        return f"“{load_rubric(report.judge['rubric']).rule(rule).title}”"
    except KeyError:
        # A rubric of another version of this program: its ids are all there is to show.
        return ""


def _evidence(verdict: Verdict) -> Iterator[Citation]:
    """The strongest citations, each place once: of the decisive rules, of wrong fields, of the parting, of rules met."""
    order = {rule: place for place, rule in enumerate(verdict.violated_rules)}
    ranked = sorted(verdict.findings, key=lambda f: order.get(f.rule, len(order) + (f.status != "cannot_tell")))
    wrong = [f for f in verdict.fields if _mark(f) == _WRONG]
    groups = [f.citations for f in ranked if f.status in ("violated", "cannot_tell")]
    groups += [f.citations for f in wrong]
    if verdict.first_divergence is not None and verdict.outcome != "pass":
        groups.append(verdict.first_divergence.citations)
    groups += [f.citations for f in ranked if f.status == "met"]
    seen: set[tuple[Any, ...]] = set()
    for citation in (c for group in groups for c in group if c.verified):
        place = (citation.run, citation.file, citation.line, citation.pointer, citation.quote)
        if place not in seen and len(seen) < _MAX_EVIDENCE:
            seen.add(place)
            yield citation


def where(citation: Citation) -> str:
    """`file:line`, with the run's side in front where it is the reference."""
    line = f":{citation.line}" if citation.line is not None else ""
    side = "reference " if citation.run == "reference" else ""
    return f"{side}{plain(citation.file)}{line}"


def _evidence_table(citations: list[Citation]) -> Table:
    table = _table(3)
    for citation in citations:
        quote = f"“{plain(citation.quote, 160)}”" if citation.quote else ""
        table.add_row(_cell(where(citation), "cyan"), _cell(plain(citation.pointer or ""), "dim"), _cell(quote))
    return table


def _fields_title(verdict: Verdict) -> str:
    counts = {"wrong": 0, "uncertain": 0, "right": 0}
    for field in verdict.fields:
        if field.kind != "volatile" or field.status != "match":
            mark = _mark(field)
            counts["wrong" if mark == _WRONG else "uncertain" if mark[0] == "?" else "right"] += 1
    said = ", ".join(f"{n} {word}" for word, n in counts.items() if n)
    what = "of the final request" if verdict.stage1.commits else "as far as the run came"
    return f"Fields {what}: {said or 'only volatile ones'}"


def _mark(field: FieldBinding) -> tuple[str, str]:
    if field.status == "extra" and field.kind != "bound":
        return _MARKS["uncertain"]
    return _MARKS.get(field.status, _WRONG)


def _is_folded(field: FieldBinding) -> bool:
    """Fields that are told in one line for all of them: volatile ones, and those that the run never came to."""
    return (field.kind == "volatile" and field.status == "match") or (
        field.status == "uncertain" and field.agent is None
    )


def _field_table(verdict: Verdict) -> Table:
    shown = [f for f in verdict.fields if not _is_folded(f)]
    wrong = [f for f in shown if _mark(f) == _WRONG]
    decisive = [f for f in wrong if f.agent_pointer == verdict.failing_field]
    doubtful = [f for f in shown if _mark(f)[0] == "?"]
    right = [f for f in shown if _mark(f)[0] == "✓"]
    table = _table(5)
    if shown:
        table.add_row(
            "", _cell("field", "dim"), _cell("agent", "dim"), _cell("reference", "dim"), _cell("because", "dim")
        )
    for field in [*decisive, *(f for f in wrong if f not in decisive), *doubtful]:
        table.add_row(*_field_row(field, cut=False))
    for field in right[:_MAX_RIGHT]:
        table.add_row(*_field_row(field, cut=True))
    if len(right) > _MAX_RIGHT:
        table.add_row("", _cell(f"… and {len(right) - _MAX_RIGHT} more that are right", "dim"))
    return table


def _field_row(field: FieldBinding, cut: bool) -> list[Text]:
    """The row of one field. A right one is cut to its line, because there is nothing to compare in it."""
    mark, colour = _mark(field)
    agent, reference = value_text(field.agent), value_text(field.reference)
    same = cut and agent == reference
    return [
        _cell(mark, colour),
        _cell(plain(field.pointer), "dim" if cut else "bold", cut),
        _cell(agent, "" if cut else colour, cut),
        _cell("same" if same else reference, "dim" if same else "", cut),
        _cell(_because(field), "dim", cut),
    ]


def value_text(value: Any) -> str:
    """A value for a cell: texts as they are, an absent one as a dash, the rest as JSON."""
    if value is None:
        return "—"
    if value == "":
        return "(empty)"
    return plain(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))


def _because(field: FieldBinding) -> str:
    bound = field.bound_by[0] if field.bound_by else None
    parts = [] if bound is None else [f"{bound.source.replace('_', ' ')} “{plain(bound.quote, 80)}”"]
    if bound is None and field.status == "match" and field.kind == "free":
        parts.append("not bound by the task")
    if field.normalisations:
        parts.append(f"same by {', '.join(field.normalisations)}")
    if field.note:
        parts.append(plain(field.note))
    return "; ".join(parts)


def _folded_fields(verdict: Verdict) -> Iterator[Text]:
    folded = [f for f in verdict.fields if _is_folded(f)]
    volatile = [plain(f.pointer) for f in folded if f.kind == "volatile"]
    notes: dict[str, list[str]] = {}
    for field in folded:
        if field.kind != "volatile":
            notes.setdefault(plain(field.note) or "not seen", []).append(plain(field.pointer))
    for note, pointers in notes.items():
        yield _text("  ", ("?", "yellow"), f" {_count(len(pointers), 'field')}, {note}: {', '.join(pointers)}")
    if volatile:
        verb = "differs" if len(volatile) == 1 else "differ"
        fields = f"{_count(len(volatile), 'volatile field')} {verb} as expected: {', '.join(volatile)}"
        yield _text((f"    {fields}", "dim"))


def _steps(verdict: Verdict) -> str:
    divergence = verdict.first_divergence
    assert divergence is not None
    # Steps are counted from 1 for people, as `clawjudge align` prints them.
    places = [("agent", divergence.agent_step), ("reference", divergence.reference_step)]
    said = [f"{whose} step {index + 1}" for whose, index in places if index is not None]
    said += [where(c) for c in divergence.citations if c.verified]
    counts = ", ".join(f"{n} {word}" for word, n in verdict.alignment.items() if n)
    return f" ({'; '.join(said)}). All steps: {counts}"


def _gap_lines(verdict: Verdict) -> Iterator[str]:
    for gap in verdict.gaps:
        whose = "reference: " if gap.run == "reference" else ""
        times = f" ({gap.count} times)" if gap.count > 1 else ""
        yield f"{whose}{plain(gap.message)}{times}"
    if verdict.skipped_lines:
        lines = ", ".join(f"{n} in {plain(file)}" for file, n in sorted(verdict.skipped_lines.items()))
        yield f"lines skipped: {lines}"


def _judge_line(report: JudgeReport) -> Text:
    judge = report.judge
    asked = f" ({judge['requested']}: {judge['why']})" if judge["requested"] != judge["name"] else ""
    cost = sum(v.cost_usd for v in report.verdicts)
    price = "free" if not cost else f"${cost:.4f}"
    return _text((f"Judged by {judge['id']}{asked}; {price}", "dim"))


def _many(report: JudgeReport, title: str, width: int | None) -> Iterator[Any]:
    longest = max((len(plain(v.run)) for v in report.verdicts), default=0)
    column = longest if width is None else min(longest, max(width // 2 - 12, 16))
    for verdict in report.verdicts:
        yield _run_line(verdict, column, width)
    yield _text("")
    yield from _summary(report, title)
    yield _judge_line(report)


def _run_line(verdict: Verdict, column: int, width: int | None) -> Text:
    run = plain(verdict.run)
    # The end of a path tells runs apart better than its beginning.
    run = run if len(run) <= column else "…" + run[-column + 1 :]
    rules = f" [{','.join(verdict.violated_rules)}]" if verdict.violated_rules else ""
    reason = plain(verdict.reason_code) if verdict.outcome != "pass" else ""
    said = f"{reason}{rules}: {why(verdict)}" if reason else why(verdict)
    sign = (f"{_SIGNS[verdict.outcome]:<10}", _COLOURS[verdict.outcome])
    line = _text(sign, f"  {run:<{column}}  {said}", no_wrap=True)
    if width is not None:
        line.truncate(width, overflow="ellipsis")
    return line


def _summary(report: JudgeReport, title: str) -> Iterator[Text]:
    s = report.summary
    yield _text(
        (f"{_count(s['n_total'], 'run')} in {plain(title)}: ", "bold"),
        (f"{s['n_pass']} pass", _COLOURS["pass"]),
        ", ",
        (f"{s['n_fail']} fail", _COLOURS["fail"]),
        ", ",
        (f"{s['n_unjudged']} unjudged", _COLOURS["unjudged"] if s["n_unjudged"] else "dim"),
    )
    if s["n_found"] > s["n_total"]:
        yield _text((f"  only {s['n_total']} of {s['n_found']} runs were judged", _COLOURS["unjudged"]))
    stage = s["stage1"]
    rate = f"{stage['n_intercepted']} of {stage['n_applicable']} made the final request"
    yield _text(f"  stage 1, interception  {_percent(stage['rate'])}  {rate}")
    yield _text(
        f"  stage 2, judge         {_percent(s['success_rate'])}  {s['n_pass']} of {s['n_judged']} judged runs pass"
    )
    if s["success_rate_ci"]:
        ci = s["success_rate_ci"]
        yield _text(f"    95 % interval        {_percent(ci['low'])} to {_percent(ci['high'])} (Wilson, n = {ci['n']})")
    if s["success_rate_bounds"]:
        low, high = s["success_rate_bounds"]
        yield _text(
            f"    bounds over all {s['n_total']:<4} {_percent(low)} if all unjudged fail, {_percent(high)} if all pass"
        )
    fooled = sum(v.intercepted is True and v.outcome == "fail" for v in report.verdicts)
    if fooled:
        yield _text(f"  {_count(fooled, 'run')} made the final request and still failed")
    reasons = sorted(s["reasons"].items(), key=lambda item: (-item[1], item[0]))
    yield _text(f"  reasons: {', '.join(f'{plain(code)} {n}' for code, n in reasons)}")


def _percent(share: float | None) -> str:
    return "    –  " if share is None else f"{100 * share:5.1f} %"


def _count(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def _section(title: str) -> Text:
    return _text("\n", (title, "bold"))


def _text(*parts: str | tuple[str, str], no_wrap: bool = False) -> Text:
    from rich.text import Text

    text = Text(no_wrap=no_wrap or None)
    for part in parts:
        text.append(*((part,) if isinstance(part, str) else part))
    return text


def _cell(content: str, style: str = "", cut: bool = False) -> Text:
    from rich.text import Text

    return Text(content, style=style, no_wrap=cut, overflow="ellipsis" if cut else "fold")


def _table(columns: int) -> Table:
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(width=2)
    for _ in range(columns):
        table.add_column(overflow="fold")
    return table
