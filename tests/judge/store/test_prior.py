"""Verdict files that a bundle came with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.judge.store.bundles import Case, records_of, write_run

from clawjudge.judge.store.dropin import write_run_files
from clawjudge.judge.store.prior import PriorProblem, import_prior, read_prior
from clawjudge.judge.store.records import VerdictRecord
from clawjudge.judge.store.verdict_store import VerdictStore

THEIRS = {
    "match": False,
    "reason": "wrong size",
    "judge_model": "deepseek-v4-pro",
    "raw": '{"match": false, "reason": "wrong size"}',
    "error": None,
    "task_id": 12,
    "original_intercepted": True,
}


def put(bundle: Path, file: str, content: Any) -> None:
    path = bundle / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


def test_a_prior_verdict_keeps_the_name_of_who_gave_it(tmp_path: Path) -> None:
    put(tmp_path, "r/data/judge.json", THEIRS)
    [found] = read_prior(tmp_path, "r")
    assert isinstance(found, VerdictRecord)
    assert (found.parts.judge, found.parts.model, found.origin) == ("clawbench-strict", "deepseek-v4-pro", "imported")
    assert (found.verdict.outcome, found.verdict.justification, found.verdict.task_id) == ("fail", "wrong size", "12")
    assert (found.fingerprint.judge, found.fingerprint.version) == ("clawbench-strict", "unknown")
    assert found.replies == (THEIRS["raw"],)
    assert found.verdict.intercepted is True


@pytest.mark.parametrize(
    ("file", "more", "judge"),
    [
        ("judge.json", {}, "clawbench-strict"),
        ("judge_llm.json", {}, "clawbench-lenient"),
        ("judge.json", {"rubric": "lenient"}, "clawbench-lenient"),
        ("judge_llm.json", {"rubric": ["x"]}, "clawbench-lenient"),
    ],
)
def test_the_rubric_is_that_of_the_file(file: str, more: dict[str, Any], judge: str, tmp_path: Path) -> None:
    put(tmp_path, f"r/{file}", THEIRS | more)
    [found] = read_prior(tmp_path, "r")
    assert isinstance(found, VerdictRecord)
    assert found.parts.judge == judge


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"match":', "not JSON"),
        (b"", "the file is empty"),
        (b"[]", "expected an object, found list"),
        (b"{}", "the object is empty"),
        ({"match": "false"}, "`match` is str, not true, false or null"),
        ({"match": 1}, "`match` is int"),
        ({"match": [True]}, "`match` is list"),
        ({"reason": "x"}, "has no `match`"),
        (b"\xff\xfe", "not JSON"),
    ],
)
def test_damaged_files_are_named_and_never_fatal(content: Any, said: str, tmp_path: Path) -> None:
    put(tmp_path, "a/judge.json", content)
    put(tmp_path, "b/judge.json", THEIRS)
    with VerdictStore.open(tmp_path) as store:
        done = import_prior(store, tmp_path, ["a", "b"])
        assert [record.run for record in store] == ["b"]
    [problem] = done.problems
    assert (problem.run, problem.file) == ("a", "judge.json")
    assert said in problem.problem


def test_values_of_any_type_are_taken_as_they_are(tmp_path: Path) -> None:
    odd = {"match": None, "reason": 5, "judge_model": {"a": 1}, "raw": [1], "error": "http_402", "task_id": {}}
    put(tmp_path, "r/judge_llm.json", odd)
    [found] = read_prior(tmp_path, "r")
    assert isinstance(found, VerdictRecord)
    assert (found.verdict.outcome, found.verdict.reason_code) == ("unjudged", "imported_without_verdict")
    assert (found.verdict.justification, found.parts.model, found.replies) == ("http_402", None, ())


def test_an_import_is_done_once(tmp_path: Path) -> None:
    for run in ("a", "b"):
        put(tmp_path, f"{run}/judge.json", THEIRS)
    with VerdictStore.open(tmp_path) as store:
        assert import_prior(store, tmp_path, ["a", "b"]).n_new == 2
        assert len({record.key for record in store}) == 2
        again = import_prior(store, tmp_path, ["a", "b"])
        assert (again.n_new, again.n_known, len(store)) == (0, 2, 2)
        put(tmp_path, "a/judge.json", THEIRS | {"match": True})
        assert import_prior(store, tmp_path, ["a", "b"]).n_new == 1
        assert [record.verdict.outcome for record in store.history(run="a")] == ["fail", "pass"]


def test_an_import_is_never_used_for_a_verdict_of_ours(tmp_path: Path) -> None:
    put(tmp_path, "r/judge.json", THEIRS)
    with VerdictStore.open(tmp_path) as store:
        import_prior(store, tmp_path, ["r"])
        assert store.current("r", "request-strict") is None
        assert store.current("r", "clawbench-strict", "deepseek-v4-pro") is not None


def test_two_copies_count_once_and_two_that_differ_twice(tmp_path: Path) -> None:
    put(tmp_path, "r/judge.json", THEIRS)
    put(tmp_path, "r/data/judge.json", THEIRS)
    assert len(list(read_prior(tmp_path, "r"))) == 1
    put(tmp_path, "r/judge.json", THEIRS | {"match": True})
    found = [one for one in read_prior(tmp_path, "r") if isinstance(one, VerdictRecord)]
    assert [one.verdict.outcome for one in found] == ["fail", "pass"]


def test_our_own_files_are_no_prior_verdicts(tmp_path: Path) -> None:
    write_run_files(tmp_path, write_run(tmp_path, Case("a")), records_of(Case("a")))
    assert (tmp_path / "a/judge.json").exists()
    assert list(read_prior(tmp_path, "a")) == []


def test_a_link_out_of_the_bundle_is_not_read(tmp_path: Path) -> None:
    put(tmp_path, "outside.json", THEIRS)
    (tmp_path / "bundle/r").mkdir(parents=True)
    (tmp_path / "bundle/r/judge.json").symlink_to(tmp_path / "outside.json")
    [found] = read_prior(tmp_path / "bundle", "r")
    assert isinstance(found, PriorProblem)
    assert "leads outside" in found.problem


def test_a_bundle_that_is_one_run(tmp_path: Path) -> None:
    put(tmp_path, "judge.json", THEIRS)
    [found] = read_prior(tmp_path, ".")
    assert isinstance(found, VerdictRecord)
    assert found.run == "."
