from __future__ import annotations

import json

import pytest

from clawjudge.judge.cli.main import main


def test_a_wrong_value_is_a_variant(tmp_path, make_run, capsys):
    run = make_run(tmp_path / "run", {"note": "extra peanuts"})
    reference = make_run(tmp_path / "reference", human=True)
    assert main(["align", str(run), str(reference)]) == 0
    streams = capsys.readouterr()
    varied, final = [line for line in streams.out.splitlines() if line.startswith("≠  ")]
    assert "final request, differs in" in final
    assert "note: extra peanuts" in varied
    assert "note: no peanuts" in varied
    assert streams.out.splitlines()[-1] == "they first part at agent step 1 and reference step 1"
    assert streams.err == ""


def test_json_has_both_sides_and_their_places(tmp_path, make_run, capsys):
    run = make_run(tmp_path / "run", None)
    reference = make_run(tmp_path / "reference")
    assert main(["align", str(run), str(reference), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema_version"] == 1
    assert document["counts"] == {"match": 1, "variant": 0, "missing": 2, "extra": 0}
    last = document["pairs"][-1]
    assert (last["status"], last["agent"]) == ("missing", None)
    assert last["reference"]["terminal"] is True
    assert last["reference"]["sources"] == [{"layer": "http", "line": 2}]


def test_another_task_is_noted_and_shown(tmp_path, make_run, capsys):
    run, reference = make_run(tmp_path / "a"), make_run(tmp_path / "b", instruction="Buy a mug.")
    assert main(["align", str(run), str(reference)]) == 0
    assert "different instructions" in capsys.readouterr().err


def test_a_reference_without_final_request_is_aligned_all_the_same(tmp_path, make_run, capsys):
    run, reference = make_run(tmp_path / "a"), make_run(tmp_path / "b", None)
    assert main(["align", str(run), str(reference)]) == 0
    streams = capsys.readouterr()
    assert "no final request" in streams.err
    assert "navigate Menu" in streams.out


def test_hostile_labels_come_out_inert(tmp_path, make_run, capsys):
    run = make_run(tmp_path / "a", {"note": "x\x1b[2J\u202e" + "A" * 5000})
    assert main(["align", str(run), str(make_run(tmp_path / "b"))]) == 0
    out = capsys.readouterr().out
    assert not {"\x1b", "\u202e"} & set(out)
    assert len(out) < 5000


def test_secrets_are_masked(tmp_path, make_run, capsys):
    run = make_run(tmp_path / "a", {"note": "4111 1111 1111 1111"})
    reference = make_run(tmp_path / "b")
    for form in ("human", "json"):
        assert main(["align", str(run), str(reference), "--format", form]) == 0
        out = capsys.readouterr().out
        assert "4111 1111" not in out
        assert "1111" in out


@pytest.mark.parametrize("arguments", [["nowhere", "nowhere"], ["."]])
def test_bad_input(tmp_path, monkeypatch, capsys, arguments):
    monkeypatch.chdir(tmp_path)
    assert main(["align", *arguments]) == 4
    assert capsys.readouterr().out == ""


def test_without_a_reference_the_folder_beside_the_run_serves(runs, capsys):
    assert main(["align", str(runs / "wrong"), str(runs / "reference")]) == 0
    named = capsys.readouterr().out
    assert main(["align", str(runs / "wrong")]) == 0
    assert capsys.readouterr().out == named


def test_a_folder_of_runs_names_them(runs, capsys):
    assert main(["align", str(runs), str(runs / "reference")]) == 4
    said = capsys.readouterr().err
    assert "is a folder of runs; give one of them: " in said
    assert all(str(runs / name) in said for name in ("right", "unclear", "wrong"))


def test_no_reference_anywhere_is_said(tmp_path, make_run, capsys):
    assert main(["align", str(make_run(tmp_path / "alone"))]) == 4
    assert "clawjudge align RUN REF" in capsys.readouterr().err
