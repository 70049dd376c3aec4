"""`run-meta.json` and `interception.json` in all their forms, and documents that are no documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.traces import meta
from clawjudge.traces.meta import Interception, parse_interception, parse_meta, read_document
from clawjudge.traces.problems import ProblemLog

URL = "https://shop.test/api/orders"
REQUEST = {"url": URL, "method": "POST", "params": {}, "body": {"qty": 2}, "headers": {"Content-Type": "x/y", "A": 1}}


def read(tmp_path: Path, content: bytes) -> tuple[dict[str, Any], list[tuple[str, str, str]]]:
    path = tmp_path / "run-meta.json"
    path.write_bytes(content)
    log = ProblemLog()
    return read_document(path, "meta", "run-meta.json", log), [(p.code, p.layer, p.file) for p in log]


@pytest.mark.parametrize(
    ("content", "value", "code"),
    [
        (b'{"a": 1}', {"a": 1}, None),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}, None),
        (b'\r\n\xef\xbb\xbf\r\n{"a": 1}\r\n', {"a": 1}, None),
        (b'{"a": NaN, "b": "\\ud83d"}', None, None),
        (b'{"a": "caf\xe9"}', {"a": "caf\ufffd"}, "invalid_utf8"),
        (b"", {}, "empty_file"),
        (b" \n", {}, "empty_file"),
        (b"\xef\xbb\xbf", {}, "empty_file"),
        (b'{"a": ', {}, "bad_json"),
        (b'{"a": 1}{"b": 2}', {}, "bad_json"),
        (b"\x00" * 40, {}, "bad_json"),
        (b"[" * 100_000, {}, "bad_json"),
        (b"[]", {}, "wrong_type"),
        (b'"x"', {}, "wrong_type"),
        (b"null", {}, "wrong_type"),
        (b"7", {}, "wrong_type"),
    ],
)
def test_document(tmp_path: Path, content: bytes, value: dict[str, Any] | None, code: str | None) -> None:
    found, problems = read(tmp_path, content)
    assert found == value if value is not None else found["b"] == "\ud83d"
    assert problems == ([(code, "meta", "run-meta.json")] if code else [])


def test_huge_document_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run-meta.json"
    with path.open("wb") as file:
        file.truncate(meta.MAX_DOCUMENT_BYTES + 1)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("read"))
    log = ProblemLog()
    assert read_document(path, "meta", "run-meta.json", log) == {}
    assert [p.code for p in log] == ["file_too_large"]


@pytest.mark.parametrize(("size", "code"), [(20, None), (21, "file_too_large")])
def test_limit_of_a_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, code: str | None) -> None:
    monkeypatch.setattr(meta, "MAX_DOCUMENT_BYTES", 20)
    found, problems = read(tmp_path, b'{"a": 1}'.ljust(size))
    assert bool(found) is (code is None)
    assert [p[0] for p in problems] == ([code] if code else [])


def test_missing_document(tmp_path: Path) -> None:
    log = ProblemLog()
    assert read_document(tmp_path / "gone", "meta", "gone", log) == {}
    assert [p.code for p in log] == ["unreadable"]


def test_meta_of_a_run() -> None:
    raw = {
        "task_id": 9107,
        "model": "m",
        "harness": "claude-code",
        "email_used": "a@b.test",
        "instruction": "Buy",
        "metaclass": "office",
        "intercepted": True,
    }
    found = parse_meta(raw)
    assert (found.task_id, found.model, found.harness) == ("9107", "m", "claude-code")
    assert (found.email_used, found.instruction, found.category) == ("a@b.test", "Buy", "office")
    assert found.human is False
    assert found.raw is raw


@pytest.mark.parametrize(
    ("raw", "human"),
    [
        ({"harness": "human"}, True),
        ({"run_flags": {"human": True}}, True),
        ({"run_flags": {"human": "yes"}}, False),
        ({"run_flags": ["human"]}, False),
        ({"harness": "humanloop"}, False),
        ({}, False),
    ],
)
def test_whether_a_human_did_it(raw: dict[str, Any], human: bool) -> None:
    assert parse_meta(raw).human is human


@pytest.mark.parametrize(
    ("task_id", "expected"),
    [("v1-7", "v1-7"), (7, "7"), (0, "0"), (None, None), (True, None), ([], None), ({"a": 1}, None), (1.5, None)],
)
def test_task_id_is_a_name_or_a_number(task_id: Any, expected: str | None) -> None:
    assert parse_meta({"task_id": task_id}).task_id == expected


def test_values_of_the_wrong_type_are_as_good_as_missing() -> None:
    empty = parse_meta({"model": 1, "harness": [], "email_used": None, "instruction": {}, "metaclass": True})
    assert (empty.model, empty.harness, empty.email_used, empty.instruction, empty.category) == ("", "", "", "", "")


def claim(raw: dict[str, Any]) -> Interception:
    return parse_interception(raw)


def test_nested_form() -> None:
    found = claim({"intercepted": True, "request": REQUEST, "schema": {"method": "POST"}, "intercepted_at": 1796040000})
    assert found.intercepted
    assert found.schema == {"method": "POST"}
    assert found.request is not None
    assert (found.request.line, found.request.method, found.request.url) == (0, "POST", URL)
    assert found.request.headers == {"Content-Type": "x/y", "A": "1"}
    assert (found.request.body, found.request.blocked) == ({"qty": 2}, True)
    assert found.request.t_ms == 1_796_040_000_000


def test_flat_form_has_no_flag() -> None:
    found = claim({**REQUEST, "method": "post", "timestamp": 1796040000.5})
    assert found.intercepted
    assert found.request is not None
    assert (found.request.method, found.request.t_ms) == ("POST", 1_796_040_000_500)


@pytest.mark.parametrize(
    "raw",
    [
        {"intercepted": False, "stop_reason": "time_limit", "request": None},
        {"intercepted": False, "stop_reason": "time_limit"},
        {"stop_reason": "time_limit"},
        {"stop_reason": "time_limit", "request": "none"},
    ],
)
def test_stopped_form(raw: dict[str, Any]) -> None:
    found = claim(raw)
    assert (found.intercepted, found.request, found.stop_reason) == (False, None, "time_limit")


@pytest.mark.parametrize("flag", [False, "true", 1, "yes"])
def test_only_a_real_true_claims_a_block(flag: Any) -> None:
    assert claim({"intercepted": flag, "request": REQUEST}).intercepted is False
    assert claim({**REQUEST, "intercepted": flag}).intercepted is False


@pytest.mark.parametrize(
    ("raw", "t_ms"),
    [
        ({"intercepted_at": 10, "request": {**REQUEST, "timestamp": 5}}, 10_000),
        ({"intercepted_at": None, "request": {**REQUEST, "timestamp": 5}}, 5000),
        ({"intercepted_at": "soon", "request": {**REQUEST, "timestamp": 5}}, 5000),
        ({"request": REQUEST}, None),
        ({"intercepted_at": 0, "request": {**REQUEST, "timestamp": 5}}, 0),
    ],
)
def test_time_of_the_block(raw: dict[str, Any], t_ms: int | None) -> None:
    request = claim(raw).request
    assert request is not None
    assert request.t_ms == t_ms


@pytest.mark.parametrize("request_value", [{}, {"url": 7}, {"url": None, "method": "POST"}, [], "x", 1])
def test_request_without_a_url_is_none(request_value: Any) -> None:
    found = claim({"intercepted": True, "request": request_value})
    assert found.request is None
    assert found.intercepted


def test_body_of_the_wrong_type_is_kept_for_the_parser() -> None:
    for body in (None, "a=1", ["x"], 7, {"a": {}}):
        request = claim({"request": {**REQUEST, "body": body, "headers": "none"}}).request
        assert request is not None
        assert request.body == body
        assert request.headers == {}


any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
keys = ["request", "url", "method", "headers", "intercepted", "stop_reason", "schema", "intercepted_at", "timestamp"]
keys += ["task_id", "run_flags", "harness", "body"]


@given(st.dictionaries(st.sampled_from(keys), any_json | st.dictionaries(st.sampled_from(keys), any_json)))
def test_no_document_breaks_the_parsers(raw: dict[str, Any]) -> None:
    found = parse_interception(raw)
    assert found.request is None or isinstance(found.request.url, str)
    assert isinstance(parse_meta(raw).task_id, str | None)
    assert json.dumps(found.schema) is not None
