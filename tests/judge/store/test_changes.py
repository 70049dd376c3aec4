"""Verdicts held against each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.judge.store.bundles import record

from clawjudge.judge.store.changes import compare, why
from clawjudge.judge.store.records import Outline
from clawjudge.judge.verdict import Outcome


def verdict(run: str, outcome: Outcome, judge: str = "request-strict", **more: Any) -> Outline:
    return Outline.of(record(judge, run, outcome, **more))


def test_pairs_by_run_and_counts_each_change() -> None:
    old = [
        verdict(run, outcome)
        for run, outcome in zip("abcdefg", ("pass", "pass", "fail", "fail", "pass", "unjudged", "pass"), strict=True)
    ]  # type: ignore[arg-type]
    new = [
        verdict(run, outcome)
        for run, outcome in zip("abcdefh", ("pass", "fail", "pass", "fail", "unjudged", "pass", "pass"), strict=True)
    ]  # type: ignore[arg-type]
    made = compare(old, new, by="run")
    table = made.table
    assert (table.both_pass, table.lost, table.gained, table.both_fail) == (1, 1, 1, 1)
    assert [(change.old.run, change.kind) for change in made.changes] == [
        ("b", "pass_to_fail"),
        ("e", "pass_to_unjudged"),
        ("c", "fail_to_pass"),
        ("f", "unjudged_to_pass"),
    ]
    assert [pair[0].run for pair in made.unjudged] == ["e", "f"]
    assert (made.only_old, made.only_new, made.n_pairs) == (("g",), ("h",), 6)


def test_other_folders_of_the_same_tasks_are_paired_by_task() -> None:
    old = [verdict(f"old/{n}", "pass", task_id=str(n)) for n in range(3)]
    new = [verdict(f"new/{n}", "fail", task_id=str(n)) for n in range(1, 4)]
    made = compare(old, new)
    assert (made.by, made.table.lost, made.only_old, made.only_new) == ("task", 2, ("task 0",), ("task 3",))
    assert compare(old, old).by == "run"


def test_a_task_with_several_runs_is_not_paired_by_task() -> None:
    old = [verdict("x/1", "pass", task_id="1"), verdict("x/2", "fail", task_id="2")]
    new = [
        verdict("y/1", "pass", task_id="1"),
        verdict("y/1b", "fail", task_id="1"),
        verdict("y/2", "fail", task_id="2"),
    ]
    made = compare(old, new)
    assert (made.several, made.n_pairs, made.only_new) == (("task 1",), 1, ())


def test_why_names_what_is_not_the_same() -> None:
    old = verdict("a", "pass", model="p:one")
    assert why(old, verdict("a", "fail", model="p:one")) == (
        "nothing that it rests on changed: the judge answered otherwise",
    )
    assert why(old, verdict("a", "fail", model="p:two")) == ("another model: p:one → p:two",)
    said = why(old, verdict("a", "fail", "request-lenient", model="p:one", evidence="x", prompt_sha256="y"))
    assert said == ("another judge: request-strict → request-lenient", "another prompt", "other evidence")


def test_why_of_an_import_is_what_its_file_names() -> None:
    theirs = Outline.of(replace(record("clawbench-strict", "a", "pass", model="deepseek"), origin="imported"))
    assert why(theirs, verdict("a", "fail", model="p:one")) == (
        "another judge: clawbench-strict → request-strict",
        "another model: deepseek → p:one",
        "what an imported verdict rests on is not known",
    )
