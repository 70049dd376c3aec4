"""Reproducing a leaderboard row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.judge.store.bundles import record

from clawjudge.judge.store.published import Row, find_row
from clawjudge.judge.store.records import Outline
from clawjudge.judge.store.reproduce import JUDGES, reproduce
from clawjudge.judge.verdict import Outcome

ROW = Row(model="m", n=100, intercepted=60, lenient=50, strict=20, judge_model="deepseek-v4-pro")


def verdicts(rubric: str, passed: int, n: int = 100, made: int = 60) -> list[Outline]:
    found = []
    for i in range(n):
        outcome: Outcome = "pass" if i < passed else "fail"
        found.append(Outline.of(record(JUDGES[rubric], f"r{i:03}", outcome, intercepted=i < made, task_id=str(i))))
    return found


def both(lenient: int = 50, strict: int = 20, **more: int) -> dict[str, Sequence[Outline]]:
    return {"lenient": verdicts("lenient", lenient, **more), "strict": verdicts("strict", strict, **more)}


def test_the_same_numbers_are_reproduced() -> None:
    made = reproduce(ROW, both(), {})
    assert (made.answer, made.problems) == ("reproduced", ())
    assert [(c.name, c.published, c.observed) for c in made.columns] == [
        ("intercepted", 60, 60),
        ("lenient", 50, 50),
        ("strict", 20, 20),
    ]


@pytest.mark.parametrize(
    ("strict", "answer"), [(15, "reproduced"), (25, "reproduced"), (14, "not_reproduced"), (26, "not_reproduced")]
)
def test_six_verdicts_that_all_changed_one_way_are_no_chance(strict: int, answer: str) -> None:
    # Exact test: 2 * 0.5 ** 5 is above 0.05, 2 * 0.5 ** 6 below.
    made = reproduce(ROW, both(strict=strict), {})
    assert made.answer == answer
    assert made.columns[2].note.startswith("fewest changes")


def test_interception_must_be_equal() -> None:
    made = reproduce(ROW, both(made=59), {})
    assert made.answer == "not_reproduced"
    assert [c.reproduced for c in made.columns] == [False, True, True]


def test_published_verdicts_are_compared_run_by_run() -> None:
    # Equal totals hide that 15 passes were lost and 15 gained: chance explains that, and it is shown.
    theirs = [replace(one, outcome="pass" if 15 <= i < 35 else "fail") for i, one in enumerate(verdicts("strict", 0))]
    made = reproduce(ROW, both(strict=20), {"strict": theirs})
    table = made.columns[2].table
    assert table is not None
    assert (made.columns[2].paired, table.lost, table.gained, table.both_pass) == (True, 15, 15, 5)
    # Many changes make room: six more lost than gained are chance among 30 and not among 6.
    theirs = [replace(one, outcome="pass" if 9 <= i < 29 else "fail") for i, one in enumerate(verdicts("strict", 0))]
    assert reproduce(ROW, both(strict=14), {"strict": theirs}).answer == "reproduced"


def test_verdicts_that_do_not_add_up_to_the_row_are_not_taken_for_it() -> None:
    theirs = verdicts("strict", 3)
    assert reproduce(ROW, both(), {"strict": theirs}).columns[2].paired is False


def test_five_tasks_with_the_same_percentages_are_invalid() -> None:
    row = Row(model="m", n=130, intercepted=78, lenient=52, strict=26)
    made = reproduce(row, both(lenient=2, strict=1, n=5, made=3), {})
    assert (made.answer, made.columns) == ("invalid", ())
    assert made.problems == ("the row is of 130 tasks, and verdicts are there for 5",)


def test_several_runs_of_a_task_are_no_coverage() -> None:
    ours = {
        rubric: [replace(one, task_id=str(int(one.task_id or 0) // 2)) for one in found]
        for rubric, found in both().items()
    }
    made = reproduce(ROW, ours, {})
    assert made.answer == "invalid"
    assert made.problems[1] == "100 runs are of 50 tasks; judge one run of each"


def test_a_rubric_that_was_not_run_is_invalid_unless_it_is_not_asked_for() -> None:
    ours = {"lenient": verdicts("lenient", 50)}
    made = reproduce(ROW, ours, {})
    assert made.problems == ("strict: not judged; run clawjudge rescore with --judge request-strict first",)
    assert reproduce(ROW, ours, {}, ("intercepted", "lenient")).answer == "reproduced"


def test_unjudged_runs_make_it_invalid() -> None:
    ours = both()
    ours["strict"] = [*ours["strict"][:-2], *(replace(one, outcome="unjudged") for one in ours["strict"][-2:])]
    made = reproduce(ROW, ours, {})
    assert made.problems == ("strict: 2 of 100 runs are unjudged; rescore them first",)
    assert (made.answer, made.n_unjudged) == ("invalid", 2)


def test_nothing_judged_is_invalid() -> None:
    assert reproduce(ROW, {}, {}).answer == "invalid"
    assert reproduce(Row(model="m", n=5, strict=1), {}, {}, ("lenient",)).answer == "invalid"


def test_another_judge_is_said() -> None:
    assert reproduce(ROW, both(), {}).notices == (
        "the row was judged by deepseek-v4-pro, this rescore by anthropic:claude-judge",
    )
    ours = {
        rubric: [replace(one, model="openrouter:deepseek/deepseek-v4-pro") for one in found]
        for rubric, found in both().items()
    }
    assert reproduce(ROW, ours, {}).notices == ()


def test_small_numbers_are_told_apart_by_runs_and_not_by_percent() -> None:
    row = find_row("deepseek-v4-flash")
    ours = {"lenient": verdicts("lenient", 0, n=129, made=4), "strict": verdicts("strict", 0, n=129, made=4)}
    made = reproduce(row, ours, {})
    # 2.3 % published, 0 % here: three changed verdicts, which chance explains; the interval says how little is known.
    assert made.answer == "reproduced"
    table = made.columns[1].table
    assert table is not None
    assert table.interval is not None
    assert table.interval[0] == pytest.approx(-3 / 129)
