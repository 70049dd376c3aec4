from __future__ import annotations

from pathlib import Path

import pytest

from clawjudge.judge.pairing import find_runs, pair
from clawjudge.traces.errors import InvalidRun


def names(root: Path, runs: list[Path]) -> list[str]:
    return [run.relative_to(root).as_posix() for run in runs]


def test_a_run_folder_is_the_only_run(tmp_path, make_run):
    run = make_run(tmp_path / "a")
    make_run(run / "inner")
    assert find_runs(run) == [run]


def test_runs_are_found_at_any_depth_in_the_order_of_their_paths(tmp_path, make_run):
    for name in ("b/2", "a", "b/10", "c/d/e"):
        make_run(tmp_path / name)
    (tmp_path / "empty").mkdir()
    assert names(tmp_path, find_runs(tmp_path)) == ["a", "b/10", "b/2", "c/d/e"]


def test_references_are_no_agent_runs(tmp_path, make_run):
    make_run(tmp_path / "t" / "run")
    make_run(tmp_path / "t" / "reference")
    make_run(tmp_path / "reference" / "7")
    assert names(tmp_path, find_runs(tmp_path)) == ["t/run"]
    assert names(tmp_path, find_runs(tmp_path, with_references=True)) == ["reference/7", "t/reference", "t/run"]
    assert find_runs(tmp_path / "t" / "reference") == [tmp_path / "t" / "reference"]


def test_links_to_folders_are_not_followed(tmp_path, make_run):
    make_run(tmp_path / "outside" / "run")
    make_run(tmp_path / "runs" / "a")
    (tmp_path / "runs" / "out").symlink_to(tmp_path / "outside")
    (tmp_path / "runs" / "loop").symlink_to(tmp_path / "runs")
    (tmp_path / "runs" / "again").symlink_to(tmp_path / "runs" / "a")
    assert names(tmp_path / "runs", find_runs(tmp_path / "runs")) == ["a"]


@pytest.mark.parametrize("name", ["nowhere", "file.txt"])
def test_what_is_no_folder_is_refused_with_a_remedy(tmp_path, name):
    (tmp_path / "file.txt").touch()
    with pytest.raises(InvalidRun, match=rf"{name}.*give"):
        find_runs(tmp_path / name)
    with pytest.raises(InvalidRun, match=rf"{name}.*give"):
        pair(tmp_path, tmp_path / name)


def test_a_single_run_takes_the_reference_beside_it(tmp_path, make_run):
    run = make_run(tmp_path / "run")
    reference = make_run(tmp_path / "reference")
    [pairing] = pair(run, None)
    assert (pairing.run, pairing.agent, pairing.reference, pairing.problem) == (".", run, reference, "")


def test_relative_paths_work_too(tmp_path, make_run, monkeypatch):
    make_run(tmp_path / "t" / "run")
    make_run(tmp_path / "t" / "reference")
    monkeypatch.chdir(tmp_path / "t" / "run")
    [pairing] = pair(Path(), None)
    assert pairing.run == "."
    assert pairing.reference is not None
    assert pairing.reference.samefile(tmp_path / "t" / "reference")


def test_the_nearest_reference_of_the_task_serves(tmp_path, make_run):
    make_run(tmp_path / "x" / "seven")
    make_run(tmp_path / "x" / "eight", task_id=8)
    make_run(tmp_path / "x" / "nine", task_id=9)
    make_run(tmp_path / "x" / "reference")
    make_run(tmp_path / "reference" / "for-7")
    make_run(tmp_path / "reference" / "for-8", task_id=8)
    found = {p.run: p for p in pair(tmp_path, None)}
    assert found["x/seven"].reference == tmp_path / "x" / "reference"
    assert found["x/eight"].reference == tmp_path / "reference" / "for-8"
    assert found["x/nine"].reference is None
    assert "of other tasks" in found["x/nine"].detail


def test_a_run_is_not_its_own_reference(tmp_path, make_run):
    reference = make_run(tmp_path / "reference")
    [pairing] = pair(reference, None)
    assert pairing.reference is None
    [pairing] = pair(reference, reference)
    assert pairing.reference == reference


def test_a_reference_link_that_leads_away_is_not_followed(tmp_path, make_run):
    make_run(tmp_path / "away" / "gold")
    run = make_run(tmp_path / "home" / "run")
    (tmp_path / "home" / "reference").symlink_to(tmp_path / "away" / "gold")
    assert pair(run, None)[0].reference is None


def test_a_given_reference_serves_all_runs_of_its_task(tmp_path, make_run):
    make_run(tmp_path / "runs" / "a")
    make_run(tmp_path / "runs" / "b", task_id=8)
    make_run(tmp_path / "runs" / "c", task=False)
    make_run(tmp_path / "runs" / "d", task=False, meta_task=False)
    reference = make_run(tmp_path / "gold")
    served = {p.run: p.reference for p in pair(tmp_path / "runs", reference)}
    assert served == {"a": reference, "b": None, "c": reference, "d": reference}


def test_a_single_pair_is_paired_whatever_the_task(tmp_path, make_run):
    run, reference = make_run(tmp_path / "run"), make_run(tmp_path / "gold", task_id=8)
    assert pair(run, reference)[0].reference == reference


def test_references_in_a_folder_are_found_by_task_id_and_else_by_instruction(tmp_path, make_run):
    make_run(tmp_path / "runs" / "seven")
    make_run(tmp_path / "runs" / "words", task_id=None, instruction="Book  a table.")
    make_run(tmp_path / "runs" / "other", task_id=99)
    seven = make_run(tmp_path / "gold" / "x")
    words = make_run(tmp_path / "gold" / "y", task_id=None, instruction="Book a\ntable.")
    served = {p.run: p.reference for p in pair(tmp_path / "runs", tmp_path / "gold")}
    assert served == {"other": None, "seven": seven, "words": words}


def test_several_references_of_a_task_are_a_problem_that_names_them(tmp_path, make_run):
    make_run(tmp_path / "runs" / "a")
    make_run(tmp_path / "gold" / "one")
    make_run(tmp_path / "gold" / "two")
    [pairing] = pair(tmp_path / "runs", tmp_path / "gold")
    assert (pairing.reference, pairing.problem) == (None, "duplicate_reference")
    assert "gold/one" in pairing.detail
    assert "gold/two" in pairing.detail


def test_of_several_references_the_one_in_the_runs_own_folder_serves(tmp_path, make_run):
    for place in ("x", "y"):
        make_run(tmp_path / place / "run")
        make_run(tmp_path / place / "reference")
    served = {p.run: p.reference for p in pair(tmp_path, tmp_path)}
    assert served == {"x/run": tmp_path / "x" / "reference", "y/run": tmp_path / "y" / "reference"}


def test_a_run_given_as_reference_is_not_judged_as_well(tmp_path, make_run):
    make_run(tmp_path / "agent")
    human = make_run(tmp_path / "human")
    assert [p.run for p in pair(tmp_path, human)] == ["agent"]


def test_an_empty_folder_of_references_is_refused(tmp_path, make_run):
    run = make_run(tmp_path / "run")
    (tmp_path / "gold").mkdir()
    with pytest.raises(InvalidRun, match="holds no reference"):
        pair(run, tmp_path / "gold")


def test_damaged_small_files_do_not_end_the_pairing(tmp_path, make_run):
    run = make_run(tmp_path / "runs" / "a")
    (run / "task.json").write_text("{")
    (run / "run-meta.json").write_bytes(b"\xff\xfe[1")
    (tmp_path / "runs" / "b" / "data" / "requests.jsonl").mkdir(parents=True)
    reference = make_run(tmp_path / "gold")
    assert [p.reference for p in pair(tmp_path / "runs", reference)] == [reference, reference]


def test_every_run_of_the_corpus_finds_its_reference(dev_corpus):
    pairings = pair(dev_corpus, None)
    assert len(pairings) == 83
    assert all(p.reference == p.agent.parent / "reference" for p in pairings)
    assert pair(dev_corpus, dev_corpus) == pairings
