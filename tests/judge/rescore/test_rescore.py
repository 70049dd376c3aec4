"""`clawjudge rescore` end to end: real SDK, real store, a scripted model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from rescored import NO, YES, write_run
from servers.messages_script import Failure, Text
from servers.openai import ScriptedChat, prompt_of

from clawjudge.judge.cli.main import main
from clawjudge.judge.store.verdict_store import VerdictStore

STRICT = ("--judge", "request-strict")


def document(bundle: Path, name: str) -> dict[str, Any]:
    return json.loads((bundle / name).read_text())  # type: ignore[no-any-return]


def quantity(request: Any) -> int:
    """The quantity in the body that the judge was shown."""
    found = re.search(r'"quantity": (\d+)', prompt_of(request))
    assert found
    return int(found.group(1))


def test_both_rubrics_in_one_pass(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(6, every=2)
    with ScriptedChat(lambda request: NO if quantity(request) == 3 else YES) as server:
        said = run(server, bundle)
        assert (said.code, said.line["exit"]) == (0, "0")
        assert said.line["runs"] == "6"
        assert said.line["intercepted"] == "3"
        assert said.line["calls"] == str(len(server.requests)) == "6"
        assert {k: said.line[k] for k in ("verdicts", "pass", "fail", "unjudged", "pending")} == {
            "verdicts": "12",
            "pass": "4",
            "fail": "8",
            "unjudged": "0",
            "pending": "0",
        }
    strict = document(bundle, "run-00000/judge.json")
    assert (strict["match"], strict["rubric"], strict["judge_model"]) == (True, "strict", "openai:gpt-5")
    assert document(bundle, "run-00002/judge_llm.json")["match"] is False
    assert not (bundle / "run-00001/judge.json").exists()
    summary = document(bundle, "rescore-summary.json")
    assert (summary["n_total"], summary["n_intercepted"], summary["n_judge_match"]) == (6, 3, 2)
    assert summary["reward_pct_lenient"] == pytest.approx(2 / 6)


def test_the_same_command_twice_makes_no_call(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(5)
    with ScriptedChat(YES) as server:
        first = run(server, bundle)
        before = {path: path.read_bytes() for path in bundle.rglob("*.json")}
        again = run(server, bundle)
        assert len(server.requests) == 10
        assert (again.line["calls"], again.line["reused"]) == ("0", "10")
        assert {k: first.line[k] for k in ("pass", "exit")} == {k: again.line[k] for k in ("pass", "exit")}
        assert {path: path.read_bytes() for path in bundle.rglob("*.json")} == before
        with VerdictStore.open(bundle) as store:
            assert len(store) == 10


@pytest.mark.parametrize(
    "change",
    [
        ("--judge-model", "openai:gpt-5-mini"),
        ("--force",),
    ],
)
def test_what_changes_the_judge_asks_anew(make_bundle, run, change) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(2)
    with ScriptedChat(YES) as server:
        run(server, bundle, *STRICT)
        said = run(server, bundle, *STRICT, *change)
        assert said.line["calls"] == "2"
        with VerdictStore.open(bundle) as store:
            assert len(store) == 4


def test_what_changes_the_evidence_asks_anew(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(3)
    with ScriptedChat(YES) as server:
        run(server, bundle, *STRICT)
        path = bundle / "run-00001/data/interception.json"
        path.write_text(path.read_text().replace('"quantity": 2', '"quantity": 7'))
        assert run(server, bundle, *STRICT).line["calls"] == "1"
        meta = bundle / "run-00002/run-meta.json"
        meta.write_text(meta.read_text().replace("Order 3", "Order 4"))
        assert run(server, bundle, *STRICT).line["calls"] == "1"


def test_old_verdict_files_are_never_believed(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(5)
    old = ['{"match": true, "judge_model": "old"}', '{"match":', "[]", '{"match": "x"}', ""]
    for index, text in enumerate(old):
        (bundle / f"run-{index:05d}/judge.json").write_text(text)
    with ScriptedChat(NO) as server:
        assert run(server, bundle, *STRICT).line["calls"] == "5"
    assert all(document(bundle, f"run-{index:05d}/judge.json")["match"] is False for index in range(5))


@pytest.mark.parametrize("failure", [Failure(401), Failure(402), Failure(503), Failure(0), Failure(404)], ids=repr)
def test_a_judge_that_is_down_for_all(make_bundle, run, failure) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(30, every=2)
    with ScriptedChat(failure) as server:
        said = run(server, bundle, "--deadline", "2")
        assert (said.code, said.line["exit"], said.line["unjudged"]) == (3, "3", "30")
        assert "no rate" in said.out
        assert not re.search(r"\d+\.\d %\s+of \d+ judged", said.out)
        summary = document(bundle, "rescore-summary.json")
        assert summary["reward_pct_strict"] is None
        assert summary["pass_rate_with_judge"] is None
    with ScriptedChat(YES) as server:
        again = run(server, bundle)
        assert (again.code, again.line["calls"], again.line["pass"]) == (0, "30", "30")
        assert again.line["reused"] == "30"


def test_after_recovery_only_the_unjudged_are_asked(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(10)
    with ScriptedChat(lambda r: Failure(400, "no") if quantity(r) == 4 else YES) as server:
        said = run(server, bundle, *STRICT)
        assert (said.code, said.line["unjudged"], said.line["pass"]) == (3, "1", "9")
        assert "judge_rejected_request" in said.out
    with ScriptedChat(YES) as server:
        # The provider answered that it does not take this request; it is asked again only on demand.
        assert run(server, bundle, *STRICT).line["calls"] == "0"
        assert run(server, bundle, *STRICT, "--retry", "unjudged").line["calls"] == "1"
        assert run(server, bundle, *STRICT).line["pass"] == "10"


@pytest.mark.parametrize(
    ("replies", "outcome", "calls"),
    [
        ([Text("I cannot help with that."), YES], "pass", 2),
        ([Text("prose"), NO], "fail", 2),
        ([Text(""), YES], "pass", 2),
        ([Text("prose"), Text("prose"), YES], "unparseable", 2),
        ([Text("I cannot help with that."), Text("I can't."), YES], "refused", 2),
        ([Text('{"reason": "the item is wrong", "match": true}'), NO], "fail", 2),
        ([Text('{"reason": "the item is wrong", "match": true}')] * 2 + [YES], "contradictory_reply", 2),
        ([Text('{"match": true}{"match": false}'), YES], "pass", 2),
    ],
)
def test_a_reply_without_a_verdict_is_asked_for_once_more(make_bundle, run, replies, outcome, calls) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(1)
    with ScriptedChat(replies) as server:
        said = run(server, bundle, *STRICT)
        assert len(server.requests) == calls
        with VerdictStore.open(bundle) as store:
            [record] = store
            assert outcome in (record.verdict.outcome, record.verdict.reason_code)
            assert len(record.replies) == calls
            assert record.usage.calls == calls
        assert said.code == (0 if outcome in ("pass", "fail") else 3)
        # Answered without a verdict is an answer: it is asked again only on demand.
        assert run(server, bundle, *STRICT).line["calls"] == "0"


def test_limit_goes_on_where_it_stopped(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(10, every=2)
    with ScriptedChat(YES) as server:
        said = run(server, bundle, *STRICT, "--limit", "2")
        assert (said.line["calls"], said.line["pending"], said.code) == ("2", "3", 0)
        assert run(server, bundle, *STRICT, "--limit", "2").line["calls"] == "2"
        assert run(server, bundle, *STRICT).line["calls"] == "1"


def test_a_sample_is_drawn_by_lot(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(20)
    with ScriptedChat(YES) as server:
        first = json.loads(run(server, bundle, *STRICT, "--sample", "5", "--format", "json").out)
        again = json.loads(run(server, bundle, *STRICT, "--sample", "5", "--format", "json").out)
        other = json.loads(run(server, bundle, *STRICT, "--sample", "5", "--seed", "1", "--format", "json").out)
    names = [[r["run"] for r in document["bundles"][0]["runs"]] for document in (first, again, other)]
    assert names[0] == names[1] != names[2]
    assert len(names[0]) == 5


def test_money_is_never_spent_beyond_the_cap(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(40)
    with ScriptedChat(YES, latency=0.01) as server:
        # A call costs at most 2 x 8000 x 10 / 1e6 and a little for reading, in truth a few hundredths of a cent.
        said = run(server, bundle, *STRICT, "--max-cost", "0.18", "--price", "2,10")
        assert said.code == 6 or said.line["pending"] == "0"
        assert float(said.line["cost_usd"]) <= 0.18
        tight = run(server, bundle, *STRICT, "--max-cost", "0.01", "--price", "2,10", "--force")
        assert (tight.code, tight.line["calls"], tight.line["pending"]) == (6, "0", "40")


def test_a_cap_needs_a_price(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    with ScriptedChat(YES) as server:
        said = run(server, make_bundle(1), "--judge-model", "openai:unheard-of", "--max-cost", "1")
        assert said.code == 2
        assert "--price" in said.err


def test_a_dry_run_asks_nobody_and_writes_nothing(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(4, every=2)
    before = sorted(bundle.rglob("*"))
    said = run(None, bundle, "--dry-run")
    assert said.code == 0
    assert "2 runs to ask about, at most $" in said.out
    assert sorted(bundle.rglob("*")) == before


def test_expected_tasks_that_are_missing_are_listed(make_bundle, run, tmp_path) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(3)
    tasks = tmp_path / "tasks.txt"
    tasks.write_text("0\nv2-001-shop\n2\n77  # not recorded\n")
    with ScriptedChat(YES) as server:
        said = run(server, bundle, *STRICT, "--tasks", str(tasks))
        assert (said.code, said.line["missing_tasks"]) == (3, "1")
        assert "missing tasks: 1: 77" in said.out
        assert document(bundle, "rescore-summary.json")["missing_tasks"] == ["77"]
        said = run(server, bundle, *STRICT, "--expect", "130")
        assert (said.code, said.line["missing_tasks"]) == (3, "127")
        assert run(server, bundle, *STRICT, "--expect", "3").code == 0
        fewer = run(server, bundle, *STRICT, "--expect", "2")
        assert "unexpected" in fewer.out


@pytest.mark.parametrize("text", ["", "# nothing\n", "[1, 2", '{"slug": "a"}', "\x00\xff"])
def test_a_list_of_tasks_that_is_none(make_bundle, run, tmp_path, text) -> None:  # type: ignore[no-untyped-def]
    tasks = tmp_path / "tasks.txt"
    tasks.write_bytes(text.encode("latin-1"))
    said = run(None, make_bundle(1), "--judge", "offline", "--tasks", str(tasks))
    assert said.code in (0, 3, 4)
    assert said.code == 4 or "\x00" in text
    assert "internal error" not in said.err


def test_attempts(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(2)
    write_run(bundle / "run-00000-again", 0, timestamp="20261130-111111")
    with ScriptedChat(YES) as server:
        runs = {
            attempts: [
                entry["run"]
                for entry in json.loads(run(server, bundle, *STRICT, "--attempts", attempts, "--format", "json").out)[
                    "bundles"
                ][0]["runs"]
            ]
            for attempts in ("all", "first", "last")
        }
    assert runs["all"] == ["run-00000", "run-00000-again", "run-00001"]
    assert runs["first"] == ["run-00000", "run-00001"]
    assert runs["last"] == ["run-00000-again", "run-00001"]


def test_a_bundle_that_may_not_be_written_to(make_bundle, run, tmp_path) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(2)
    before = {path: path.read_bytes() for path in bundle.rglob("*") if path.is_file()}
    out = tmp_path / "scores"
    with ScriptedChat(YES) as server:
        assert run(server, bundle, *STRICT, "--out", str(out)).code == 0
        assert run(server, bundle, *STRICT, "--out", str(out)).line["calls"] == "0"
    assert {path: path.read_bytes() for path in bundle.rglob("*") if path.is_file()} == before
    assert document(out, "run-00001/judge.json")["match"] is True


def test_layouts_of_published_bundles(run, tmp_path) -> None:  # type: ignore[no-untyped-def]
    bundle = tmp_path / "published"
    write_run(bundle / "model-a" / "batch-1" / "run-1", 1)
    write_run(bundle / "model-a" / "batch-2" / "run-2", 2)
    flat = write_run(bundle / "model-b" / "run-3", 3)
    (flat / "data" / "interception.json").rename(flat / "interception.json")
    (flat / "data").rmdir()
    with ScriptedChat(YES) as server:
        assert run(server, bundle, *STRICT).line["runs"] == "3"
    assert document(bundle / "model-a" / "batch-1", "rescore-summary.json")["n_total"] == 1
    assert document(bundle, "rescore-summary.json")["n_total"] == 3
    assert (flat / "judge.json").exists()


def test_damaged_runs_are_named_and_hold_nobody_up(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(8)
    (bundle / "run-00000/run-meta.json").write_text('{"task_id": 0, "instr')
    (bundle / "run-00001/data/interception.json").write_text('{"intercepted": true, "requ')
    (bundle / "run-00002/data/interception.json").write_text("[1, 2]")
    (bundle / "run-00003/data/interception.json").unlink()
    meta = json.loads((bundle / "run-00004/run-meta.json").read_text())
    del meta["instruction"]
    (bundle / "run-00004/run-meta.json").write_text(json.dumps(meta))
    flat = json.loads((bundle / "run-00005/data/interception.json").read_text())["request"]
    (bundle / "run-00005/data/interception.json").write_text(json.dumps(flat))
    forged = json.loads((bundle / "run-00006/data/interception.json").read_text())
    forged["request"]["url"] = "https://other.test/nothing"
    (bundle / "run-00006/data/interception.json").write_text(json.dumps(forged))
    with ScriptedChat(YES) as server:
        said = run(server, bundle, *STRICT, "--format", "json")
        assert said.code == 3
        assert len(server.requests) == 2
    runs = json.loads(said.out)["bundles"][0]["runs"]
    codes = [entry["verdicts"]["request-strict"]["reason_code"] for entry in runs]
    assert codes == [
        "no_instruction",
        "missing_evidence",
        "missing_evidence",
        "missing_evidence",
        "no_instruction",
        "request_matches",
        "evidence_conflict",
        "request_matches",
    ]
    assert said.line["unjudged"] == "6"


def test_what_is_no_bundle(run, tmp_path) -> None:  # type: ignore[no-untyped-def]
    with ScriptedChat(YES) as server:
        assert run(server, tmp_path / "nothing").code == 4
        (tmp_path / "empty").mkdir()
        said = run(server, tmp_path / "empty")
        assert (said.code, "no run found" in said.err) == (5, True)
        assert run(server, tmp_path / "empty", str(tmp_path / "empty")).code == 2


def test_a_judge_without_a_key_says_which(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    said = run(None, make_bundle(1))
    assert said.code == 2
    assert "ANTHROPIC_API_KEY" in said.err


def test_keys_are_nowhere(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(2)
    with ScriptedChat(Failure(401, "Incorrect API key provided: sk-very-secret-42")) as server:
        run(server, bundle)
    with ScriptedChat(YES) as server:
        run(server, bundle)
    written = b"".join(path.read_bytes() for path in bundle.rglob("*") if path.is_file())
    assert b"sk-very-secret-42" not in written


def test_kinship_is_told(make_bundle, run) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(1)
    write_run(bundle / "kin", 5, model="gpt-5.5")
    with ScriptedChat(YES) as server:
        assert "GPT" in run(server, bundle, *STRICT).err


def test_the_offline_judge_needs_no_model(run, tmp_path) -> None:  # type: ignore[no-untyped-def]
    examples = Path(__file__).parents[3] / "examples" / "food-order"
    out = tmp_path / "out"
    said = run(None, examples, "--judge", "offline", "--out", str(out))
    assert (said.code, said.line["pass"], said.line["fail"]) == (0, "2", "1")
    again = run(None, examples, "--judge", "offline", "--out", str(out))
    assert (again.line["reused"], again.line["exit"]) == ("3", "0")


def test_the_store_of_a_full_disk_is_explained(make_bundle, run, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(30)
    opened = VerdictStore.open.__func__  # type: ignore[attr-defined]

    def small(cls, home):  # type: ignore[no-untyped-def]
        store = opened(cls, home)
        store._connection.execute("PRAGMA max_page_count = 20")
        return store

    monkeypatch.setattr(VerdictStore, "open", classmethod(small))
    with ScriptedChat(YES) as server:
        said = run(server, bundle, *STRICT)
        assert said.code == 4
        assert "make room on the disk" in said.err
        monkeypatch.setattr(VerdictStore, "open", classmethod(opened))
        again = run(server, bundle, *STRICT)
        assert (again.code, again.line["pass"]) == (0, "30")
        assert int(again.line["reused"]) > 0


def test_evaluate_asks_the_request_judges_too(make_bundle, run, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    bundle = make_bundle(4, every=2)
    with ScriptedChat(lambda request: NO if quantity(request) == 3 else YES) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        line = ["evaluate", "--agent-trace", str(bundle), "--format", "json", "--judge", "request-lenient"]
        code = main([*line, "--judge-model", "openai:gpt-5"])
        document = json.loads(capsys.readouterr().out)
        assert code == 0
        assert [v["outcome"] for v in document["verdicts"]] == ["pass", "fail", "fail", "fail"]
        assert document["judge"]["rubric"] == "v2-lenient"
        assert document["verdicts"][0]["findings"][0]["citations"][0]["verified"] is True
        assert len(server.requests) == 2
    assert main([*line[:-1], "offline", "--judge-model", "openai:gpt-5"]) == 2
