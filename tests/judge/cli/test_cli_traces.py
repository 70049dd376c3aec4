from __future__ import annotations

import json
import shutil

import pytest

from clawjudge.judge.cli.main import main


def info(capsys, path, code=0):
    assert main(["traces", "info", str(path), "--format", "json"]) == code
    return json.loads(capsys.readouterr().out)["runs"]


def test_a_recording_is_described(tmp_path, make_run, capsys):
    [run] = info(capsys, make_run(tmp_path / "a"))
    assert (run["run"], run["layout"], run["task_id"], run["human"]) == (".", "nested", "7", False)
    assert run["layers"]["http"]["events"] == 2
    assert run["layers"]["http"]["first_ms"] == 1_796_000_000_000
    assert run["layers"]["video"] is None
    assert run["time_span"] == {"first_ms": 1_796_000_000_000, "last_ms": 1_796_000_009_000}
    assert run["clock_skew"]["pairs"] == 1
    assert run["interception"] == {"intercepted": True, "stop_reason": ""}
    assert {gap["layer"] for gap in run["gaps"]} == {"messages", "video", "screenshots"}
    assert (run["n_problems"], run["skipped_lines"], run["prior_verdicts"]) == (0, {}, [])


def test_a_flat_recording_and_prior_verdicts(tmp_path, make_run, capsys):
    run = make_run(tmp_path / "a")
    for file in list((run / "data").iterdir()):
        file.rename(run / file.name)
    (run / "judge.json").write_text("{}")
    [described] = info(capsys, run)
    assert described["layout"] == "flat"
    assert described["layers"]["http"]["file"] == "requests.jsonl"
    assert described["prior_verdicts"] == ["judge.json"]


def test_defects_are_named_with_their_lines(tmp_path, make_run, capsys):
    run = make_run(tmp_path / "a")
    with (run / "data" / "requests.jsonl").open("a") as file:
        file.write('not json\n{"no": "url"}\n{"url": "cut')
    [described] = info(capsys, run)
    assert [(p["code"], p["line"]) for p in described["problems"]] == [
        ("bad_json", 3),
        ("wrong_type", 4),
        ("truncated_line", 5),
    ]
    assert described["skipped_lines"] == {"data/requests.jsonl": 3}
    assert main(["traces", "info", str(run)]) == 0
    out = capsys.readouterr().out
    assert "data/requests.jsonl:3  bad_json" in out
    assert "lines skipped: 3 in data/requests.jsonl" in out


def test_a_skewed_clock_is_told(tmp_path, make_run, capsys):
    run = make_run(tmp_path / "a")
    actions = run / "data" / "actions.jsonl"
    actions.write_text(actions.read_text().replace("1796000000200", "1796003600200"))
    [described] = info(capsys, run)
    assert described["clock_skew"]["offset_ms"] == 3_600_200
    assert main(["traces", "info", str(run)]) == 0
    assert "the page's runs +3600.2 s off" in capsys.readouterr().out


def test_a_folder_is_described_run_by_run_with_its_references(tmp_path, make_run, capsys):
    make_run(tmp_path / "b")
    make_run(tmp_path / "reference", human=True)
    make_run(tmp_path / "a")
    assert [run["run"] for run in info(capsys, tmp_path)] == ["a", "b", "reference"]
    assert main(["traces", "info", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("layout · task 7") == 3


def test_a_video_that_is_none_is_said_to_be(tmp_path, make_run, capsys):
    run = make_run(tmp_path / "a")
    (run / "data" / "recording.mp4").write_bytes(b"no video at all")
    [described] = info(capsys, run)
    assert described["layers"]["video"] == {"file": "data/recording.mp4", "playable": False}
    assert described["n_problems"] == 1
    assert main(["traces", "info", str(run)]) == 0
    assert "not playable" in capsys.readouterr().out


def test_hostile_recordings_come_out_inert(tmp_path, make_run, capsys):
    run = make_run(tmp_path / "a")
    (run / "run-meta.json").write_text(json.dumps({"model": "x\x1b[2J\u202e" * 9, "task_id": "\x1b]0;x\x07"}))
    (run / "data" / "requests.jsonl").write_text("\x1b[2J\n")
    assert main(["traces", "info", str(run)]) == 0
    assert not {"\x1b", "\x07", "\u202e"} & set(capsys.readouterr().out)


def test_no_run_ends_with_5_and_no_folder_with_4(tmp_path, capsys):
    assert main(["traces", "info", str(tmp_path)]) == 5
    assert main(["traces", "info", str(tmp_path / "nowhere")]) == 4
    assert capsys.readouterr().out == ""


def test_lint_of_a_sound_task(tmp_path, make_run, capsys):
    run = make_run(tmp_path / "a")
    for path in (run, run / "task.json", tmp_path):
        assert main(["traces", "lint", str(path)]) == 0
        assert "1 task: 0 errors" in capsys.readouterr().out


def write_task(path, pattern):
    path.parent.mkdir(parents=True, exist_ok=True)
    task = {"instruction": "Do it.", "eval_schema": {"url_pattern": pattern}}
    path.write_text(json.dumps(task))
    return task


@pytest.mark.parametrize(
    ("pattern", "code", "finding"),
    [(".*", 1, "matches_everything"), ("(", 4, "invalid_task"), ("(?!)", 0, "never_matches")],
)
def test_lint_findings_and_exit_codes(tmp_path, capsys, pattern, code, finding):
    write_task(tmp_path / "x" / "task.json", pattern)
    write_task(tmp_path / "y" / "task.json", r"^https://a\.test/send\?x=1")
    assert main(["traces", "lint", str(tmp_path), "--format", "json"]) == code
    document = json.loads(capsys.readouterr().out)
    assert document["summary"]["n_tasks"] == 2
    assert [task["findings"][0]["code"] for task in document["tasks"] if task["findings"]] == [finding]
    assert main(["traces", "lint", str(tmp_path)]) == code
    assert finding in capsys.readouterr().out


def test_lint_of_a_corpus_names_slugs(tmp_path, capsys):
    task = write_task(tmp_path / "task.json", ".*")
    corpus = tmp_path / "v.jsonl"
    corpus.write_text(json.dumps({"slug": "one", "task": task}) + "\n")
    assert main(["traces", "lint", str(corpus)]) == 1
    assert "v.jsonl (one)" in capsys.readouterr().out
    corpus.write_text("{\n")
    assert main(["traces", "lint", str(corpus)]) == 4
    assert "line 1" in capsys.readouterr().out


def test_lint_of_nothing(tmp_path, capsys):
    assert main(["traces", "lint", str(tmp_path)]) == 5
    assert main(["traces", "lint", str(tmp_path / "nowhere")]) == 4
    assert main(["traces", "lint"]) == 2
    assert capsys.readouterr().out == ""


def test_info_of_the_corpus(dev_corpus, tmp_path, capsys):
    described = info(capsys, dev_corpus / "food-order")
    assert len(described) == 12
    assert all(run["n_problems"] == 0 for run in described)
    shutil.copytree(dev_corpus / "food-order" / "fail-wrong-quantity", tmp_path / "x")
    [flat] = info(capsys, tmp_path / "x")
    assert flat["layout"] == "flat"
    assert flat["layers"]["video"]["playable"] is True
    assert flat["layers"]["video"]["frames"] > 0


def test_copies_of_one_task_are_named_once(tmp_path, make_run, capsys):
    for name in "abc":
        make_run(tmp_path / name)
    assert main(["traces", "lint", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.count("open_host") == 1
    assert "and 2 more with the same findings" in shown
    assert "3 tasks: 0 errors, 0 warnings, 3 notes" in shown
