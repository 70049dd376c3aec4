"""A recorded run, opened: the events of its layers, and that no file whatever can crash the reading."""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shop_run import as_nobody

from clawjudge.traces.digest import digest
from clawjudge.traces.files import LAYER_FILES, RUN_FILES
from clawjudge.traces.jsonl import decode_tolerant
from clawjudge.traces.records import Target
from clawjudge.traces.task import EvalSchema, parse_task
from clawjudge.traces.trace import Trace

NOW = 1_796_040_000_000
BLANK = b" \t\r\n\xef\xbb\xbf"
TASK = {"instruction": "Buy a mug", "eval_schema": {"url_pattern": "shop\\.test/orders", "method": "POST"}}
SCHEMA = parse_task({**TASK, "metadata": {"sites_involved": ["shop.test"]}}, "test").eval_schema


def write(root: Path, name: str, content: Any) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, list):
        path.write_text("".join(json.dumps(line) + "\n" for line in content))
    else:
        path.write_text(json.dumps(content))


def run(root: Path, **layers: Any) -> Trace:
    names = {**LAYER_FILES, **RUN_FILES}
    write(root, "run-meta.json", {})
    for key, content in layers.items():
        write(root, names[key] if key in RUN_FILES else f"data/{names[key]}", content)
    return Trace(root)


def test_action(tmp_path: Path) -> None:
    target = {"tagName": "input", "id": "q", "className": "c", "textContent": "t", "xpath": "/x", "ariaLabel": "n"}
    line = {"type": "input", "timestamp": NOW, "url": "http://a.test/", "title": "T", "target": target, "value": "v"}
    (event,) = run(tmp_path, actions=[{**line, "key": "k", "x": 1, "y": 2.5}]).actions()
    assert (event.line, event.type, event.t_ms, event.url, event.title) == (1, "input", NOW, "http://a.test/", "T")
    assert event.target == Target(tag="INPUT", id="q", classes="c", text="t", xpath="/x", name="n")
    assert (event.value, event.key, event.x, event.y) == ("v", "k", 1.0, 2.5)


@pytest.mark.parametrize(
    ("raw", "value"),
    [("v", "v"), ("", ""), (None, None), (True, "true"), (False, "false"), (7, "7"), ({"a": 1}, None), ([1], None)],
)
def test_value_of_an_action(tmp_path: Path, raw: Any, value: str | None) -> None:
    (event,) = run(tmp_path, actions=[{"type": "input", "value": raw}]).actions()
    assert event.value == value


@pytest.mark.parametrize(
    "line",
    [
        {"type": "click", "timestamp": {}, "url": 7, "title": [], "target": "x", "key": 1, "x": "1", "y": True},
        {"type": "click", "timestamp": "../pwned", "target": []},
        {"type": "click", "timestamp": True, "x": 1e300, "y": math.nan},
        {"type": "click", "timestamp": None, "x": 10**400, "y": None},
    ],
)
def test_fields_of_the_wrong_type_are_as_good_as_missing(tmp_path: Path, line: dict[str, Any]) -> None:
    trace = run(tmp_path, actions=[line])
    (event,) = trace.actions()
    assert (event.t_ms, event.url, event.title, event.target) == (None, "", "", None)
    assert (event.key, event.x, event.y) == (None, None, None)
    assert len(trace.problems) == 0


@pytest.mark.parametrize("line", [[], "x", 1, None, {}, {"type": 7}, {"type": None}, {"timestamp": NOW}])
def test_what_is_no_action_is_counted(tmp_path: Path, line: Any) -> None:
    trace = run(tmp_path, actions=[line, {"type": "click"}])
    assert [event.line for event in trace.actions()] == [2]
    assert [(p.code, p.file, p.line) for p in trace.problems] == [("wrong_type", "data/actions.jsonl", 1)]


def test_request(tmp_path: Path) -> None:
    line = {"timestamp": NOW / 1000, "url": "http://a.test/", "method": "post", "headers": {"A": 1}, "body": "x=1"}
    trace = run(tmp_path, http=[{**line, "resource_type": "XHR", "blocked": True, "status": 204}])
    (event,) = trace.requests()
    assert (event.line, event.method, event.url, event.t_ms) == (1, "POST", "http://a.test/", NOW)
    assert (event.headers, event.resource_type, event.body) == ({"A": "1"}, "XHR", "x=1")
    assert (event.blocked, event.status) == (True, 204)
    assert event.size == len((tmp_path / "data" / "requests.jsonl").read_bytes()) - 1


@pytest.mark.parametrize("field", ["headers", "blocked", "status", "resource_type", "timestamp"])
@pytest.mark.parametrize("value", [[], "x", {"a": []}, 1.5])
def test_request_with_a_field_of_the_wrong_type(tmp_path: Path, field: str, value: Any) -> None:
    (event,) = run(tmp_path, http=[{"url": "http://a.test/", "method": "GET", field: value}]).requests()
    assert (event.blocked, event.status) == (None, None)
    assert event.payload().kind == "none"


def test_status_is_a_number_and_no_flag(tmp_path: Path) -> None:
    (event,) = run(tmp_path, http=[{"url": "u", "method": "GET", "status": True, "blocked": 1}]).requests()
    assert (event.status, event.blocked) == (None, None)


@pytest.mark.parametrize("line", [[], None, {"url": "u"}, {"method": "GET"}, {"url": 7, "method": "GET"}])
def test_what_is_no_request_is_counted(tmp_path: Path, line: Any) -> None:
    trace = run(tmp_path, http=[line])
    assert list(trace.requests()) == []
    assert [(p.code, p.layer, p.line) for p in trace.problems] == [("wrong_type", "http", 1)]


def test_reading_twice_counts_problems_once(tmp_path: Path) -> None:
    trace = run(tmp_path, actions=b"{\nnull\n", http=b"{\n", messages=b"{\n", meta=b"[]")
    for _ in range(3):
        assert list(trace.actions()) == list(trace.requests()) == list(trace.messages()) == []
        assert trace.meta.raw == {}
    counted = Counter(dict.fromkeys(("bad_json", "wrong_type", "no_conversation"), 0))
    for (_, _, code), times in trace.problems.counts.items():
        counted[code] += times
    assert counted == {"bad_json": 3, "wrong_type": 2, "no_conversation": 1}


def test_run_without_layers_is_empty_and_not_an_error(tmp_path: Path) -> None:
    trace = run(tmp_path)
    assert list(trace.actions()) == list(trace.requests()) == list(trace.messages()) == trace.screenshots() == []
    assert (trace.interception, trace.task, trace.video()) == (None, None, None)
    assert trace.interception_document == {}
    assert not trace.has("http")
    assert len(trace.problems) == 0


@pytest.mark.parametrize(
    ("layers", "pattern"),
    [
        ({"task": TASK}, "shop\\.test/orders"),
        ({"task": {"instruction": "Buy"}, "schema": {"url_pattern": "x\\.test/a", "method": "PUT"}}, "x\\.test/a"),
        (
            {
                "task": {"instruction": "Buy", "eval_schema": None},
                "schema": {"url_pattern": "x\\.test", "method": "PUT"},
            },
            "x\\.test",
        ),
        (
            {
                "meta": {"instruction": "Buy", "task_id": 7, "sites_involved": ["x.test"]},
                "interception": {"intercepted": False, "schema": {"url_pattern": "x\\.test/b", "method": "POST"}},
            },
            "x\\.test/b",
        ),
    ],
)
def test_task_from_what_there_is(tmp_path: Path, layers: dict[str, Any], pattern: str) -> None:
    task = run(tmp_path, **layers).task
    assert task is not None
    assert task.eval_schema.url_pattern == pattern


@pytest.mark.parametrize(
    "document", [{"instruction": "Buy"}, {"eval_schema": TASK["eval_schema"]}, {"instruction": 7}, {"a": [[[]]]}]
)
def test_unusable_task_is_a_problem(tmp_path: Path, document: dict[str, Any]) -> None:
    trace = run(tmp_path, task=document)
    assert trace.task is None
    assert [(p.code, p.file) for p in trace.problems] == [("invalid_task", "task.json")]


READERS: dict[str, Callable[[Trace], Any]] = {
    "actions": lambda trace: list(trace.actions()),
    "http": lambda trace: list(trace.requests()),
    "messages": lambda trace: list(trace.messages()),
    "meta": lambda trace: trace.meta.raw,
    "interception": lambda trace: trace.interception_document,
    "task": lambda trace: trace.task,
}


@pytest.mark.parametrize("layer", READERS)
def test_file_that_may_not_be_read(layer: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        trace = run(root, **{layer: [{}]})
        READERS[layer](trace)  # whatever is imported late is imported while everything can be read
        trace = Trace(root)
        for folder in root.glob("data"):
            folder.chmod(0o755)
        trace.files.found[layer].chmod(0o000)
        with as_nobody():
            assert not READERS[layer](trace)
        assert [p.code for p in trace.problems] == ["invalid_task" if layer == "task" else "unreadable"]
        assert "Permission denied" in trace.problems.examples[0].message


def test_file_that_goes_away_while_it_is_judged(tmp_path: Path) -> None:
    trace = run(tmp_path, actions=[{"type": "click"}], http=[], messages=[{"role": "user", "content": "x"}])
    for key in ("actions", "http", "messages"):
        trace.files.found[key].unlink()
    digest(trace, SCHEMA)
    assert sorted(p.layer for p in trace.problems if p.code == "unreadable") == ["actions", "http", "messages"]


def test_memory_does_not_grow_with_the_length_of_a_layer(tmp_path: Path) -> None:
    import tracemalloc

    line = json.dumps({"url": "http://a.test/", "method": "GET", "body": "x" * 1000, "timestamp": 1}).encode() + b"\n"
    write(tmp_path, "data/requests.jsonl", line * 20_000)
    trace = Trace(tmp_path)
    tracemalloc.start()
    try:
        assert sum(1 for _ in trace.requests()) == 20_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000


LAYERS = ["actions", "http", "messages", "interception", "meta", "task", "schema"]
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
any_json = st.recursive(
    scalars, lambda s: st.lists(s, max_size=3) | st.dictionaries(st.text(max_size=6), s, max_size=3), max_leaves=8
)
element = st.fixed_dictionaries(
    {},
    optional={
        "tagName": st.sampled_from(["INPUT", "SELECT", "LABEL", "DIV", "BODY"]) | scalars,
        "id": scalars,
        "xpath": st.sampled_from(["/a", "/b"]) | scalars,
        "textContent": scalars,
    },
)
action = st.fixed_dictionaries(
    {"type": st.sampled_from(["click", "input", "change", "keydown", "keyup", "submit", "pageLoad", "scroll", "x"])},
    optional={
        "timestamp": st.integers(NOW, NOW + 3000) | scalars,
        "url": st.sampled_from(["http://shop.test/", "chrome-error://x", "http://[", ""]) | scalars,
        "target": element | any_json,
        "value": st.sampled_from(["", "on", "C:\\fakepath\\a.pdf"]) | any_json,
        "key": st.sampled_from(["a", " ", "Enter", "Backspace"]) | scalars,
        "title": scalars,
    },
)
request = st.fixed_dictionaries(
    {
        "url": st.sampled_from(["http://shop.test/orders", "http://shop.test/orders?a=b", "http://[::1/captcha"])
        | st.text(max_size=20),
        "method": st.sampled_from(["POST", "GET", "PUT"]) | st.text(max_size=5),
    },
    optional={
        "timestamp": st.floats(1.79e9, 1.8e9) | scalars,
        "headers": st.dictionaries(st.sampled_from(["Content-Type", "cookie"]), scalars) | any_json,
        "body": st.sampled_from(["a=1", '{"a": 1}', "--b\r\n"]) | any_json,
        "resource_type": st.sampled_from(["Document", "XHR", "Ping"]) | scalars,
        "blocked": scalars,
        "status": scalars,
    },
)
message = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["assistant", "user", "tool", "toolResult"]) | scalars,
        "type": st.sampled_from(["assistant", "message", "result", "user"]) | scalars,
        "content": st.text(max_size=40) | any_json,
        "message": st.fixed_dictionaries({}, optional={"role": scalars, "content": any_json}) | any_json,
        "tool_calls": any_json,
    },
)
document = st.dictionaries(
    st.sampled_from(["request", "url", "method", "eval_schema", "instruction", "schema", "intercepted", "metadata"]),
    any_json | request,
)
deep = st.integers(900, 3000).map(lambda n: b'{"role": "assistant", "url": "u", "a": ' + b"[" * n + b"]" * n + b"}")


def encoded(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "replace")


lines = st.lists((action | request | message | any_json).map(encoded) | st.binary(max_size=20) | deep, max_size=10)
content = (
    st.binary(max_size=200) | lines.map(b"\n".join) | lines.map(lambda x: b"\n".join(x) + b"\n") | document.map(encoded)
)


def read_everything(root: Path, schema: EvalSchema | None) -> Trace:
    trace = Trace(root)
    found = digest(trace, schema)
    assert found.counts.get("http", 0) == sum(1 for _ in trace.requests())
    assert found.counts.get("actions", 0) == sum(1 for _ in trace.actions())
    assert isinstance(trace.meta.raw, dict)
    assert trace.task is None or trace.task.instruction
    trace.screenshots()
    return trace


@given(st.dictionaries(st.sampled_from(LAYERS), content, min_size=1), st.booleans())
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
def test_no_bytes_in_any_file_crash_the_reading(files: dict[str, bytes], known: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        read_everything_of(Path(name), files, SCHEMA if known else None)


def read_everything_of(root: Path, files: dict[str, bytes], schema: EvalSchema | None) -> None:
    write(root, "run-meta.json", {})
    names = {**LAYER_FILES, **RUN_FILES}
    for key, raw in files.items():
        write(root, names[key] if key == "meta" else f"data/{names[key]}", raw)
    trace = read_everything(root, schema)
    for key, raw in files.items():
        if key in ("actions", "http"):
            assert_counted(trace, key, raw)
        elif key == "messages":
            assert list(trace.messages()) or trace.problems.of(key) or not raw.strip(BLANK), "messages lost in silence"
        elif not is_object(raw):
            assert trace.problems.counts, f"{key} is no document, and nobody says so"


def is_object(raw: bytes) -> bool:
    try:
        return isinstance(decode_tolerant(raw.strip(BLANK))[0], dict)
    except ValueError:
        return False


def assert_counted(trace: Trace, layer: str, raw: bytes) -> None:
    """Events, skipped lines and blank lines are all the lines there are."""
    there = raw.split(b"\n")
    if there[-1] == b"":
        there.pop()
    blank = sum(not line.strip(b" \t\r").removeprefix(b"\xef\xbb\xbf").strip(b" \t\r") for line in there)
    events = sum(1 for _ in (trace.actions() if layer == "actions" else trace.requests()))
    bad = ("bad_json", "truncated_line", "line_too_long", "wrong_type")
    skipped = sum(n for key, n in trace.problems.counts.items() if key[0] == layer and key[2] in bad)
    assert events + skipped + blank == len(there)


@pytest.mark.parametrize("depth", [500, 900, 960, 980, 990, 998, 1000, 1100])
@pytest.mark.parametrize("layer", LAYERS)
def test_depth_that_the_parser_takes_is_taken_by_all(tmp_path: Path, layer: str, depth: int) -> None:
    nested = b'{"a":' * depth + b"1" + b"}" * depth
    wrapped = {
        "actions": b'{"type": "input", "target": {"tagName": "INPUT", "id": "x"}, "value": ' + nested + b"}",
        "http": b'{"url": "http://shop.test/orders", "method": "POST", "body": ' + nested + b"}",
        "messages": b'{"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": {"name": "read",'
        b'"arguments": ' + nested + b"}}]}",
        "interception": b'{"intercepted": true, "request": {"url": "http://shop.test/orders", "method": "POST",'
        b'"body": ' + nested + b"}}",
    }.get(layer, nested)
    read_everything_of(tmp_path, {layer: wrapped + b"\n"}, SCHEMA)
