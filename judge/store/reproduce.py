"""Does a rescore give what a leaderboard row says? Reproduced, not reproduced, or no valid attempt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clawjudge.judge.store.paired import PairedTable
from clawjudge.judge.store.published import COLUMNS, Row
from clawjudge.judge.store.records import Outline

Answer = Literal["reproduced", "not_reproduced", "invalid"]
JUDGES = {"lenient": "request-lenient", "strict": "request-strict"}
PRIOR = {"lenient": "clawbench-lenient", "strict": "clawbench-strict"}
"""Who gave the verdicts behind the row, where the bundle still holds them."""


@dataclass(frozen=True, slots=True)
class Column:
    """One number of the row beside ours."""

    name: str
    published: int
    observed: int
    n: int
    table: PairedTable | None
    """Run by run: the published verdicts against ours, or the fewest changes that lead from one number to the other."""
    paired: bool
    """Whether the table is of published verdicts on the same runs."""
    reproduced: bool
    note: str


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The answer, and what it rests on."""

    row: Row
    answer: Answer
    problems: tuple[str, ...]
    """Why there is no valid attempt; empty if there is."""
    columns: tuple[Column, ...]
    n_runs: int
    n_tasks: int
    n_unjudged: int
    notices: tuple[str, ...]


def reproduce(
    row: Row,
    ours: dict[str, Sequence[Outline]],
    prior: dict[str, Sequence[Outline]],
    columns: Sequence[str] = COLUMNS,
) -> Reproduction:
    """Hold `row` against verdicts on its runs. `ours` and `prior` are by rubric, `lenient` and `strict`.

    The runs are the row's own, so the question is not how far two samples of tasks may lie apart, but how many verdicts
    on the same runs changed. A column is reproduced if chance explains the changes: the paired 95 % interval holds 0.
    Interception involves no judge and must be equal.
    """
    asked = [name for name in columns if row.count(name) is not None]
    rubrics = [name for name in asked if name in JUDGES]
    some = next((ours[rubric] for rubric in (*rubrics, *JUDGES) if ours.get(rubric)), ())
    problems = [*_coverage(row, some), *(said for rubric in rubrics for said in _completeness(rubric, ours, some))]
    if not asked:
        problems.append("the row has none of the columns that were asked for")
    made = [] if problems else [_column(row, name, some, ours, prior) for name in asked]
    answer: Answer = "invalid" if problems else "reproduced" if all(c.reproduced for c in made) else "not_reproduced"
    return Reproduction(
        row=row,
        answer=answer,
        problems=tuple(problems),
        columns=tuple(made),
        n_runs=len(some),
        n_tasks=len({one.task_id or one.run for one in some}),
        n_unjudged=sum(one.outcome == "unjudged" for rubric in rubrics for one in ours.get(rubric, ())),
        notices=tuple(_notices(row, rubrics, ours)),
    )


def _coverage(row: Row, some: Sequence[Outline]) -> list[str]:
    tasks = {one.task_id or one.run for one in some}
    problems = []
    if len(tasks) != row.n:
        problems.append(f"the row is of {row.n} tasks, and verdicts are there for {len(tasks)}")
    if len(some) > len(tasks):
        problems.append(f"{len(some)} runs are of {len(tasks)} tasks; judge one run of each")
    return problems


def _completeness(rubric: str, ours: dict[str, Sequence[Outline]], some: Sequence[Outline]) -> list[str]:
    verdicts = ours.get(rubric, ())
    if not verdicts:
        return [f"{rubric}: not judged; run clawjudge rescore with --judge {JUDGES[rubric]} first"]
    problems = []
    if {one.run for one in verdicts} != {one.run for one in some}:
        problems.append(f"{rubric}: judged {len(verdicts)} runs, and others than the other rubric")
    unjudged = sum(one.outcome == "unjudged" for one in verdicts)
    if unjudged:
        problems.append(f"{rubric}: {unjudged} of {len(verdicts)} runs are unjudged; rescore them first")
    return problems


def _column(
    row: Row,
    name: str,
    some: Sequence[Outline],
    ours: dict[str, Sequence[Outline]],
    prior: dict[str, Sequence[Outline]],
) -> Column:
    published = row.count(name)
    assert published is not None
    if name not in JUDGES:
        observed = sum(one.intercepted is True for one in some)
        same = observed == published
        note = "no judge is involved" if same else "no judge is involved: other runs, or another way to tell"
        return Column(name, published, observed, row.n, None, False, same, note)
    verdicts = ours[name]
    observed = sum(one.outcome == "pass" for one in verdicts)
    table = _published_table(published, verdicts, prior.get(name, ()))
    paired = table is not None
    note = (
        "published verdicts on the same runs" if paired else "fewest changes; the verdicts behind the row are not here"
    )
    table = table or _fewest_changes(published, observed, row.n)
    return Column(name, published, observed, row.n, table, paired, table.p_value >= 0.05, note)


def _published_table(published: int, verdicts: Sequence[Outline], prior: Sequence[Outline]) -> PairedTable | None:
    """Published verdicts against ours, run by run; None unless they add up to the published number.

    A run that made no request has no published verdict, and failed.
    """
    before = {one.run: one.outcome == "pass" for one in prior}
    known = [(before.get(one.run, False), one.outcome == "pass") for one in verdicts]
    if not prior or sum(old for old, _ in known) != published:
        return None
    return PairedTable(*(known.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False))))


def _fewest_changes(published: int, observed: int, n: int) -> PairedTable:
    both = min(published, observed)
    lost, gained = max(published - observed, 0), max(observed - published, 0)
    return PairedTable(both, lost, gained, n - both - lost - gained)


def _notices(row: Row, rubrics: Sequence[str], ours: dict[str, Sequence[Outline]]) -> list[str]:
    models = sorted({one.model or "no model" for rubric in rubrics for one in ours.get(rubric, ())})
    if not row.judge_model or not models or all(_same_model(model, row.judge_model) for model in models):
        return []
    return [f"the row was judged by {row.judge_model}, this rescore by {', '.join(models)}"]


def _same_model(ours: str, theirs: str) -> bool:
    """Whether both name one model: providers are written in front of it, or not."""
    return ours.replace(":", "/").rpartition("/")[2] == theirs.replace(":", "/").rpartition("/")[2]
