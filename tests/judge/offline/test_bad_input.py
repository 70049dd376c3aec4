"""Damaged, incomplete and hostile recordings: a clear outcome or a named gap, never a crash or an accidental pass."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clawjudge.judge.case import build_case
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.judge.verdict import Verdict
from clawjudge.traces.trace import Trace

Judge = Callable[[Any], Verdict]


def _codes(verdict: Verdict) -> set[str]:
    return {gap.code for gap in verdict.gaps if gap.run == "agent"}


@pytest.fixture
def folder(agent: Any, tmp_path: Path) -> Path:
    written: Path = agent.commit().write(tmp_path / "agent")
    return written


REQUESTS = "data/requests.jsonl"


@pytest.mark.parametrize(
    ("damage", "code", "outcomes"),
    [
        (lambda raw: raw + b'{"url": "http://lumen.exam', "truncated_line", {"pass"}),
        (lambda raw: b"\xef\xbb\xbf" + raw, None, {"pass"}),
        (lambda raw: raw.replace(b"\n", b"\r\n"), None, {"pass"}),
        (lambda raw: raw + b'{"x": "\x00\x00"}\n', "bad_json", {"pass"}),
        (lambda raw: raw + b'{"url": "http://lumen.example/\xff\xfe", "method": "GET"}\n', "invalid_utf8", {"pass"}),
        (lambda raw: raw + b"[1, 2]\n7\nnull\n", "wrong_type", {"pass"}),
        (lambda raw: raw + b'{"url": 5, "method": {}}\n', "wrong_type", {"pass"}),
        (lambda raw: raw + b'{"url": "http://l.example", "method": "GET", "body": NaN}\n', None, {"pass"}),
        (lambda raw: raw + b'{"url": "http://l.example", "method": "GET", "body": "\\ud83d"}\n', None, {"pass"}),
        (
            lambda raw: raw + b'{"url": "http://l.example", "method": "GET", "body": "' + b"x" * 10_000_000 + b'"}\n',
            None,
            {"pass"},
        ),
        (lambda raw: raw + b"[" * 3000 + b"]" * 3000 + b"\n", "bad_json", {"pass"}),
        (lambda raw: b"", "layer_empty", {"unjudged"}),
        (lambda raw: b"\x00" * 4096, "truncated_line", {"unjudged"}),
    ],
    ids=["cut", "bom", "crlf", "nul", "utf8", "types", "fields", "nan", "surrogate", "10mb", "deep", "empty", "zeros"],
)
def test_a_damaged_request_log(
    folder: Path, judge: Judge, damage: Callable[[bytes], bytes], code: str | None, outcomes: set[str]
) -> None:
    path = folder / REQUESTS
    path.write_bytes(damage(path.read_bytes()))
    verdict = judge(folder)
    assert verdict.outcome in outcomes, verdict.justification
    assert code is None or code in _codes(verdict)
    assert code not in ("truncated_line", "bad_json", "wrong_type") or verdict.skipped_lines[REQUESTS] >= 1


@pytest.mark.parametrize("name", ["requests.jsonl", "actions.jsonl", "agent-messages.jsonl", "interception.json"])
@pytest.mark.parametrize("how", ["missing", "empty", "folder", "link"])
def test_a_layer_that_is_not_there(folder: Path, judge: Judge, tmp_path: Path, name: str, how: str) -> None:
    path = folder / "data" / name
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(path.read_bytes())
    path.unlink()
    if how == "empty":
        path.touch()
    elif how == "folder":
        path.mkdir()
    elif how == "link":
        path.symlink_to(outside)
    verdict = judge(folder)
    if name == "requests.jsonl":
        assert verdict.outcome == "unjudged"
    if name != "interception.json":
        assert _codes(verdict) & {"layer_missing", "layer_empty", "unsafe_path", "not_a_file", "empty_file"}
    if how == "link":
        assert "unsafe_path" in _codes(verdict)


def test_a_body_that_was_not_recorded_is_no_empty_body(agent: Any, judge: Judge) -> None:
    agent.commit()
    agent.commits[-1]["body"] = None
    verdict = judge(agent)
    assert (verdict.outcome, verdict.reason_code) == ("unjudged", "missing_evidence")


def test_an_interception_that_the_log_does_not_have(folder: Path, judge: Judge) -> None:
    path = folder / "data" / "interception.json"
    claim = json.loads(path.read_text())
    lines = (folder / REQUESTS).read_text().splitlines(keepends=True)
    (folder / REQUESTS).write_text("".join(line for line in lines if "/api/orders" not in line))
    verdict = judge(folder)
    assert (verdict.outcome, verdict.reason_code) == ("unjudged", "evidence_conflict")
    claim["request"]["url"] = "http://elsewhere.example/api"
    path.write_text(json.dumps(claim))
    assert judge(folder).reason_code == "evidence_conflict"


def test_a_forged_interception_does_not_replace_the_request(folder: Path, judge: Judge) -> None:
    wrong = (folder / REQUESTS).read_text().replace('"count": 3', '"count": 1')
    (folder / REQUESTS).write_text(wrong)
    assert judge(folder).outcome in ("fail", "unjudged")


CUT = '{"lines": [{"sku": "DL-3", "name": "Desk La'


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (CUT, "application/json"),
        (CUT, ""),
        ('--b\r\nContent-Disposition: form-data; name="sku"\r\n\r\nDL-', "multipart/form-data; boundary=b"),
    ],
)
def test_a_body_that_breaks_off_says_nothing_of_the_agent(
    agent: Any, judge: Judge, body: str, content_type: str
) -> None:
    agent.commit(body)
    agent.requests[-1]["headers"]["Content-Type"] = content_type
    verdict = judge(agent)
    assert (verdict.outcome, verdict.reason_code) == ("unjudged", "missing_evidence")
    assert "damaged" in verdict.justification


def test_a_body_shorter_than_was_sent(agent: Any, judge: Judge) -> None:
    whole = json.dumps(agent.body)
    agent.commit(json.dumps({**agent.body, "lines": []}))
    agent.requests[-1]["headers"]["Content-Length"] = str(len(whole))
    assert judge(agent).reason_code == "missing_evidence"


def test_a_body_as_long_as_was_sent(agent: Any, judge: Judge) -> None:
    agent.commit(json.dumps(agent.body))
    agent.requests[-1]["headers"]["Content-Length"] = str(len(json.dumps(agent.body)))
    assert judge(agent).outcome == "pass"


def test_a_reference_whose_body_breaks_off(agent: Any, judge: Judge, reference: Path) -> None:
    log = reference / REQUESTS
    rows = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    rows[-1]["body"] = json.dumps(rows[-1]["body"])[:60]
    claim = json.loads((reference / "data/interception.json").read_text("utf-8"))
    claim["request"]["body"] = rows[-1]["body"]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (reference / "data/interception.json").write_text(json.dumps(claim))
    assert judge(agent.commit()).reason_code == "missing_evidence"


def test_a_key_with_two_values_is_a_doubt_however_the_body_was_recorded(folder: Path, judge: Judge) -> None:
    for name in (REQUESTS, "data/interception.json"):
        file = folder / name
        file.write_text(file.read_text("utf-8").replace('"count": 3', '"count": 5, "count": 3'))
    verdict = judge(folder)
    assert (verdict.outcome, "duplicate_key" in verdict.justification) == ("unjudged", True)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [({}, "evidence_conflict"), ({"status": 200}, "committed"), ({"blocked": True}, "committed_and_blocked")],
)
def test_a_recorder_that_saw_no_block(folder: Path, judge: Judge, answer: dict[str, Any], outcome: str) -> None:
    _answered(folder, answer)
    claim = folder / "data/interception.json"
    kept = json.loads(claim.read_text("utf-8"))
    claim.write_text(json.dumps({"intercepted": False, "stop_reason": "agent_exited", "schema": kept["schema"]}))
    assert judge(folder).reason_code == outcome


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"blocked": False, "status": 302}, "evidence_conflict"),
        ({"blocked": False}, "evidence_conflict"),
        ({"blocked": True}, "committed_and_blocked"),
        ({}, "committed_and_blocked"),
    ],
)
def test_a_block_that_the_log_denies(folder: Path, judge: Judge, answer: dict[str, Any], outcome: str) -> None:
    _answered(folder, answer)
    assert judge(folder).reason_code == outcome


def _answered(folder: Path, answer: dict[str, Any]) -> None:
    """What became of the final request, as the log says."""
    log = folder / REQUESTS
    rows = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    rows[-1].update(answer)
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_another_task_is_not_judged(agent: Any, judge: Judge) -> None:
    agent.task["instruction"] = "Do something else."
    assert judge(agent.commit()).reason_code == "task_mismatch"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"instruction": "x", "eval_schema": {"url_pattern": "("}}', "url_pattern"),
        ('{"instruction": "x",', "not JSON: "),
        ("[1, 2]", "expected an object, found list"),
        ('"task"', "expected an object, found str"),
        ("", "the file is empty"),
        ("{}", "an empty object"),
    ],
)
def test_a_damaged_task_is_named_and_not_judged(folder: Path, judge: Judge, content: str, said: str) -> None:
    (folder / "task.json").write_text(content)
    verdict = judge(folder)
    assert (verdict.outcome, verdict.reason_code) == ("unjudged", "invalid_task")
    assert "task.json: " in verdict.justification
    assert said in verdict.justification
    assert "invalid_task" in _codes(verdict)
    assert verdict.skipped_lines == {}


def test_a_run_without_a_task(folder: Path, judge: Judge) -> None:
    (folder / "task.json").unlink()
    assert judge(folder).outcome == "pass", "run-meta.json still says that the task is the reference's"
    (folder / "run-meta.json").write_text("{}")
    assert (judge(folder).outcome, judge(folder).reason_code) == ("unjudged", "task_mismatch")


def test_a_lone_surrogate_can_still_be_printed(agent: Any, judge: Judge) -> None:
    body = json.loads(json.dumps(agent.body))
    body["lines"][0]["colour"] = "bla\ud83dck"
    body["gift\udc00"] = "\ud800"
    verdict = judge(agent.commit(body))
    assert verdict.outcome == "fail"
    assert Verdict.model_validate_json(verdict.model_dump_json()) == verdict


def test_no_reference(folder: Path) -> None:
    verdict = OfflineJudge().judge(build_case(Trace(folder), None))
    assert (verdict.outcome, verdict.reason_code) == ("unjudged", "no_reference")


def test_a_reference_that_never_committed(agent: Any, folder: Path, tmp_path: Path) -> None:
    agent.requests = [r for r in agent.requests if "/api/orders" not in r["url"]]
    unfinished = agent.write(tmp_path / "unfinished", human=True)
    verdict = OfflineJudge().judge(build_case(Trace(folder), Trace(unfinished)))
    assert (verdict.outcome, verdict.reason_code) == ("unjudged", "invalid_reference")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "recording_empty"),
        (b"garbage" * 10, "recording_unplayable"),
        (b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2", "recording_no_moov"),
    ],
    ids=["empty", "garbage", "no-moov"],
)
def test_a_recording_that_does_not_play_is_a_gap(folder: Path, judge: Judge, content: bytes, code: str) -> None:
    (folder / "data" / "recording.mp4").write_bytes(content)
    verdict = judge(folder)
    assert verdict.outcome == "pass"
    assert any(gap.layer == "video" and gap.code.startswith("recording") for gap in verdict.gaps)


def test_a_screenshot_that_leads_outside(folder: Path, judge: Judge) -> None:
    shots = folder / "data" / "screenshots"
    shots.mkdir()
    (shots / "1796000000000.png").symlink_to("/etc/passwd")
    (shots / "1796000000001.png").write_bytes(b"not a picture")
    verdict = judge(folder)
    assert "unsafe_path" in _codes(verdict)


def test_page_clock_ahead_of_the_recorder(agent: Any, judge: Judge) -> None:
    agent.commit()
    for action in agent.actions:
        action["timestamp"] += 2000
    verdict = judge(agent)
    assert verdict.outcome == "pass"
    assert any("clock" in notice for notice in verdict.notices)


def test_lines_out_of_order(agent: Any, judge: Judge) -> None:
    agent.commit()
    agent.actions.reverse()
    assert judge(agent).outcome == "pass"


@settings(max_examples=int(os.environ.get("CLAWJUDGE_EXAMPLES", "60")), suppress_health_check=list(HealthCheck))
@given(
    name=st.sampled_from(
        [
            "data/requests.jsonl",
            "data/actions.jsonl",
            "data/agent-messages.jsonl",
            "data/interception.json",
            "run-meta.json",
            "task.json",
        ]
    ),
    place=st.floats(0, 1),
    size=st.integers(0, 400),
    filler=st.binary(max_size=60),
)
def test_random_damage_never_turns_a_wrong_run_into_a_pass(
    agent: Any, reference: Path, tmp_path: Path, name: str, place: float, size: int, filler: bytes
) -> None:
    wrong = json.loads(json.dumps(agent.body))
    wrong["lines"][0]["colour"] = "white"
    if not agent.commits:
        agent.commit(wrong)
    folder = agent.write(tmp_path / "agent")
    raw = (folder / name).read_bytes()
    start = int(place * len(raw))
    (folder / name).write_bytes(raw[:start] + filler + raw[start + size :])
    verdict = OfflineJudge().judge(build_case(Trace(folder), Trace(reference)))
    assert verdict.outcome != "pass"
    assert Verdict.model_validate_json(verdict.model_dump_json()) == verdict


def test_a_pattern_that_never_ends_is_unjudged_in_seconds_and_never_a_pass(
    agent: Any, reference: Path, judge: Judge
) -> None:
    run = agent.commit()
    run.task["eval_schema"]["url_pattern"] = r"(lumen\.example/api/orders$)|(a|a)*b$"
    (reference / "task.json").write_text(json.dumps(run.task))
    run.requests.insert(0, {**run.requests[-1], "url": f"http://lumen.example/{'a' * 3000}"})
    started = time.process_time()
    verdict = judge(run)
    assert time.process_time() - started < 20
    assert (verdict.outcome, verdict.reason_code) == ("unjudged", "pattern_too_slow")
    assert (verdict.stage1.status, verdict.intercepted) == ("unknown", None)
    gap = next(gap for gap in verdict.gaps if gap.code == "pattern_too_slow")
    assert gap.message.startswith("data/requests.jsonl:1: ")
