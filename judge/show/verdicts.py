"""Stored verdicts for people: lists, histories, and what changed between two sets of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from clawjudge.judge.show.layout import Line, count, heading, line
from clawjudge.judge.show.outcomes import COLOURS, SIGNS
from clawjudge.judge.show.terminal import plain
from clawjudge.judge.store.changes import Change, Comparison, why
from clawjudge.judge.store.records import Outline
from clawjudge.judge.store.reproduce import Column, Reproduction

_KINDS = {
    "pass_to_fail": "lost: passed before, fails now",
    "pass_to_unjudged": "passed before, unjudged now",
    "fail_to_pass": "gained: failed before, passes now",
    "fail_to_unjudged": "failed before, unjudged now",
    "unjudged_to_pass": "unjudged before, passes now",
    "unjudged_to_fail": "unjudged before, fails now",
}
_ANSWERS = {
    "reproduced": ("REPRODUCED", COLOURS["pass"]),
    "not_reproduced": ("NOT REPRODUCED", COLOURS["fail"]),
    "invalid": ("INVALID", COLOURS["unjudged"]),
}
_COLUMN_NAMES = {"intercepted": "intercepted", "lenient": "reward, lenient", "strict": "reward, strict"}
_NAMED = 20
"""Runs that are named of those that have no partner."""


def listing(groups: Iterable[tuple[str, Sequence[Outline]]], width: int) -> Iterator[Line]:
    """The verdicts of each judge, with their totals."""
    for number, (judge, verdicts) in enumerate(groups):
        if number:
            yield line("")
        yield line((plain(judge), "bold"), "  ", *_totals(verdicts))
        column = _column(verdicts, width)
        for one in verdicts:
            yield line(_sign(one), f"  {_run(one.run, column)}  {plain(one.justification)}", _code(one), cut=True)


def history(verdicts: Sequence[Outline]) -> Iterator[Line]:
    """Verdicts in the order in which they were given, each with what is not as it was the time before."""
    before: dict[tuple[str, str], Outline] = {}
    for one in verdicts:
        judge = plain(one.judge + (f"={one.model}" if one.model else ""))
        when = plain(one.judged_at) or ("imported" if one.origin == "imported" else "")
        yield line((f"{when:<20}  ", "dim"), _sign(one), f"  {plain(one.run)}  {judge}", _code(one))
        yield line(plain(one.justification), indent=24)
        held = before.get((one.run, one.judge))
        if held is not None and held.outcome != one.outcome:
            yield line((f"was {held.outcome}; {'; '.join(map(plain, why(held, one)))}", "dim"), indent=24)
        before[one.run, one.judge] = one


def comparison(made: Comparison, old: str, new: str, width: int) -> Iterator[Line]:
    """What changed, how much of it chance explains, and every run that changed."""
    table = made.table
    kinds = Counter(change.kind for change in made.changes)
    changed = f"{len(made.changes)} of {count(made.n_pairs, 'verdict')} changed"
    for side, names in (("OLD", made.only_old), ("NEW", made.only_new)):
        changed += f", {count(len(names), made.by)} only in {side}" if names else ""
    yield line((changed, "bold"), f"  {plain(old)} → {plain(new)}, paired by {made.by}")
    if table.n and table.interval is not None and table.difference is not None:
        before, after = table.both_pass + table.lost, table.both_pass + table.gained
        yield line(f"passes {before} → {after} of {table.n} that are judged on both sides", indent=2)
        low, high = (_points(bound) for bound in table.interval)
        said = f"{_points(table.difference)} pp, 95 % interval {low} to {high} pp"
        yield line(f"{said}; exact paired test p = {table.p_value:.2g}", indent=2)
    reasons = Counter(reason for change in made.changes for reason in change.why)
    if reasons:
        yield line("why: " + ", ".join(f"{plain(reason)} ({n})" for reason, n in reasons.most_common()), indent=2)
    for kind, title in _KINDS.items():
        if kinds[kind]:
            yield heading(f"{title} ({kinds[kind]})")
            yield from _changes([change for change in made.changes if change.kind == kind], width)
    still = [pair for pair in made.unjudged if pair[0].outcome == pair[1].outcome]
    if still:
        yield line("")
        yield line((f"{count(len(still), 'run')} unjudged on both sides", COLOURS["unjudged"]))
    for title, names in (
        ("only in OLD", made.only_old),
        ("only in NEW", made.only_new),
        ("several runs of", made.several),
    ):
        if names:
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            yield line(f"{title}: {', '.join(map(plain, names[:_NAMED]))}{more}")


def reproduction(made: Reproduction) -> Iterator[Line]:
    """The answer, the numbers beside each other, and what they rest on."""
    row = made.row
    names = " · ".join(plain(part) for part in (row.model, row.harness, row.dataset) if part)
    yield line(_ANSWERS[made.answer], f"  {names}, {count(row.n, 'task')}")
    for problem in made.problems:
        yield line(plain(problem, 1000), indent=2)
    if made.columns:
        yield line("")
        yield line((f"  {'':<16}  {'published':>16}  {'rescored':>16}  95 % interval of the change", "dim"))
    for column in made.columns:
        yield _column_line(column)
        yield line((column.note, "dim"), indent=4)
    for notice in made.notices:
        yield line("")
        yield line((plain(notice), COLOURS["unjudged"]), indent=2)
    if row.source:
        yield line("")
        yield line((f"row: {plain(row.source)}{f', {plain(row.date)}' if row.date else ''}", "dim"))


def _column_line(column: Column) -> Line:
    published, observed = (f"{k} ({100 * k / column.n:.1f} %)" for k in (column.published, column.observed))
    parts = f"{_COLUMN_NAMES[column.name]:<16}  {published:>16}  {observed:>16}  "
    change = "none allowed"
    if column.table is not None and column.table.interval is not None:
        low, high = (_points(bound) for bound in column.table.interval)
        change = f"{low} to {high} pp, {column.table.n_changed} changed, p = {column.table.p_value:.2g}"
    sign, colour = ("✓", COLOURS["pass"]) if column.reproduced else ("✗", COLOURS["fail"])
    return line((sign, colour), f" {parts}{change}")


def _changes(changes: Sequence[Change], width: int) -> Iterator[Line]:
    column = _column([change.new for change in changes], width)
    for change in changes:
        was = f" (was {plain(change.old.run)})" if change.old.run != change.new.run else ""
        yield line(
            f"{_run(change.new.run, column)}{was}  {plain(change.new.justification)}",
            _code(change.new),
            indent=2,
            cut=True,
        )


def _totals(verdicts: Sequence[Outline]) -> Iterator[str | tuple[str, str]]:
    outcomes = Counter(one.outcome for one in verdicts)
    cost = sum(one.cost_usd for one in verdicts)
    yield f"{count(len(verdicts), 'run')}: "
    for number, outcome in enumerate(("pass", "fail", "unjudged")):
        yield ", " if number else ""
        yield (f"{outcomes[outcome]} {outcome}", COLOURS[outcome] if outcomes[outcome] else "dim")  # type: ignore[index]
    yield (f"  ${cost:.4f}" if cost else "", "dim")


def _column(verdicts: Sequence[Outline], width: int) -> int:
    longest = max((len(plain(one.run)) for one in verdicts), default=0)
    return max(min(longest, width // 2 - 8), 3)


def _run(run: str, column: int) -> str:
    # The end of a path tells runs apart better than its beginning.
    shown = plain(run)
    return f"{shown if len(shown) <= column else '…' + shown[-column + 1 :]:<{column}}"


def _sign(one: Outline) -> tuple[str, str]:
    return (f"{SIGNS[one.outcome]:<10}", COLOURS[one.outcome])


def _code(one: Outline) -> tuple[str, str]:
    return (f"  {plain(one.reason_code)}", "dim")


def _points(share: float) -> str:
    """Percentage points with their sign."""
    return f"{100 * share:+.1f}".replace("-", "−")
