"""The steps of a whole run: requests among actions, order of time, bounds, and what a person would count."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest

from clawjudge.traces import steps as steps_module
from clawjudge.traces.digest import digest
from clawjudge.traces.pointers import flatten
from clawjudge.traces.records import ActionEvent, RequestEvent, Source, Target
from clawjudge.traces.steps import build_steps, is_state_changing
from clawjudge.traces.trace import Trace

SHARED = Path(os.environ.get("CLAWJUDGE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
CORPUS = SHARED / "corpus" / "dev"
PAGE = "http://shop.test/form"


def action(kind: str, t_ms: int | None, tag: str = "", name: str = "", value: str | None = None) -> ActionEvent:
    target = Target(tag=tag, id=name, xpath=f"/{tag}[{name}]") if tag else None
    return ActionEvent(line=1, type=kind, t_ms=t_ms, url=PAGE, target=target, value=value)


def press(name: str, t_ms: int | None) -> ActionEvent:
    return action("click", t_ms, "BUTTON", name)


def request(method: str = "POST", url: str = "http://shop.test/api", t_ms: int | None = 5, **more: Any) -> RequestEvent:
    return RequestEvent(line=more.pop("line", 1), method=method, url=url, t_ms=t_ms, **more)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (request("POST"), True),
        (request("PUT"), True),
        (request("PATCH"), True),
        (request("DELETE"), True),
        (request("POST", url="http://api.shop.test/x"), True),
        (request("GET"), False),
        (request("OPTIONS"), False),
        (request("HEAD"), False),
        (request("POST", resource_type="Ping"), False),
        (request("POST", resource_type="CSPViolationReport"), False),
        (request("POST", url="http://telemetry.test/collect"), False),
        (request("POST", url="http://shop.test.evil.test/"), False),
        (request("POST", url="data:x"), False),
    ],
)
def test_state_changing_requests(made: RequestEvent, expected: bool) -> None:
    assert is_state_changing(made, frozenset({"www.shop.test"})) is expected


def test_without_pages_every_site_may_be_the_runs_own() -> None:
    assert is_state_changing(request("POST", url="http://anything.test/"), frozenset())


def test_request_steps() -> None:
    steps = build_steps(
        [],
        [
            (request("POST", "http://shop.test/carts/s_ed36ccfc7cf069ec?x=1", line=7), False),
            (request("GET", "http://shop.test/rsvp/submit?a=b", resource_type="Document", line=8), True),
            (request("GET", "http://shop.test/page", resource_type="Document", line=9), False),
        ],
    )
    assert [(s.kind, s.target, s.label, s.method, s.terminal) for s in steps] == [
        ("request", "POST shop.test/carts/{id}", "POST /carts/s_ed36ccfc7cf069ec", "POST", False),
        ("request", "GET shop.test/rsvp/submit", "GET /rsvp/submit", "GET", True),
        ("navigate", "shop.test/page", "/page", "", False),
    ]
    assert [step.line for step in steps] == [Source("http", 7), Source("http", 8), Source("http", 9)]
    assert [step.index for step in steps] == [0, 1, 2]


def test_unordered_lines_are_put_in_order_of_time() -> None:
    actions = [press("c", 300), press("a", 100), press("b", 200)]
    steps = build_steps(actions, [(request(t_ms=150), False)])
    assert [step.target for step in steps] == ["button a", "POST shop.test/api", "button b", "button c"]
    assert [step.index for step in steps] == [0, 1, 2, 3]


def test_step_without_a_time_stays_behind_the_one_before_it() -> None:
    actions = [press("a", None), press("b", 100), press("c", None), press("d", 50)]
    assert [step.target[-1] for step in build_steps(actions, [])] == ["a", "d", "b", "c"]


def test_recording_without_any_time_keeps_the_order_of_its_lines() -> None:
    actions = [
        action("input", None, "INPUT", "q", "a"),
        action("input", None, "INPUT", "q", "ab"),
        press("go", None),
        action("submit", None, "FORM", "f"),
        action("pageLoad", None),
    ]
    steps = build_steps(actions, [(request(t_ms=None), True)])
    assert [step.kind for step in steps] == ["fill", "submit", "navigate", "request"]


def test_skew_moves_actions_and_not_requests() -> None:
    actions = [
        press("go", 10_000),
        action("submit", 10_010, "FORM", "f"),
        action("input", 10_500, "INPUT", "q", "x"),
        action("input", 10_900, "INPUT", "q", "xy"),
    ]
    steps = build_steps(actions, [(request(t_ms=8100), False)], skew_ms=2000)
    assert [(s.kind, s.t_ms, s.end_ms) for s in steps] == [
        ("submit", 8000, 8000),
        ("request", 8100, 8100),
        ("fill", 8500, 8900),
    ]


# Length


def test_run_of_endless_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps_module, "MAX_STEPS", 10)
    let_go: list[int] = []
    actions = [press(f"b{n}", n) for n in range(100)]
    steps = build_steps(actions, [(request(t_ms=50), True)], on_let_go=let_go.append)
    assert [s.target for s in steps if s.kind == "click"] == [f"button b{n}" for n in (*range(5), *range(95, 100))]
    assert [s.terminal for s in steps].count(True) == 1, "what commits the task is kept wherever it is"
    assert let_go == [90]
    assert [step.index for step in steps] == list(range(11))


@pytest.mark.parametrize(("count", "let_go"), [(9, []), (10, []), (11, [1]), (20, [10]), (21, [11])])
def test_limit_of_steps(monkeypatch: pytest.MonkeyPatch, count: int, let_go: list[int]) -> None:
    monkeypatch.setattr(steps_module, "MAX_STEPS", 10)
    told: list[int] = []
    steps = build_steps([press(f"b{n}", n) for n in range(count)], [], on_let_go=told.append)
    assert (len(steps), told) == (min(count, 10), let_go)
    assert (steps[0].target, steps[-1].target) == ("button b0", f"button b{count - 1}")


# The corpus

if not (CORPUS / "labels.csv").is_file():
    RUNS: list[str] = []
else:
    with (CORPUS / "labels.csv").open() as labels:
        RUNS = [row["run"] for row in csv.DictReader(labels) if row["label"] == "pass"]
REFERENCES = sorted(str(p.parent.relative_to(CORPUS)) for p in CORPUS.glob("*/reference/task.json"))
needs_corpus = pytest.mark.skipif(not RUNS, reason=f"no corpus at {CORPUS}; set CLAWJUDGE_SHARED")


@needs_corpus
@pytest.mark.parametrize("run", REFERENCES or ["none"])
def test_reference_has_as_many_steps_as_a_person_would_count(run: str) -> None:
    trace = Trace(CORPUS / run)
    assert trace.task is not None
    steps = digest(trace, trace.task.eval_schema).steps
    assert 8 <= len(steps) <= 40
    assert sum(step.terminal for step in steps) == 1
    assert len(steps) * 2 < sum(1 for _ in trace.actions())
    assert [s.t_ms for s in steps] == sorted(s.t_ms for s in steps if s.t_ms is not None)


@needs_corpus
@pytest.mark.parametrize("run", [*RUNS, *REFERENCES] or ["none"])
def test_every_typed_value_of_the_payload_is_a_step(run: str) -> None:
    trace = Trace(CORPUS / run)
    assert trace.task is not None
    found = digest(trace, trace.task.eval_schema)
    folder = trace.files.found["actions"]
    events = [json.loads(line) for line in folder.read_text("utf-8").splitlines()]
    typed = {e["value"].removeprefix("C:\\fakepath\\") for e in events if e["type"] == "change" and e.get("value")}
    entered = {s.value for s in found.steps if s.kind in ("fill", "select", "upload")}
    assert typed
    for commit in found.commits:
        sent = {value for _, value in flatten(commit.payload().value) if isinstance(value, str)}
        assert sent & typed <= entered
        assert len(sent & typed) >= (1 if "product-review" in run else 2) or commit.method == "GET"
