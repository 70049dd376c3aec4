"""Which request commits the task, where the task itself cannot say so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clawjudge.judge.align.sources import TaskSources
from clawjudge.judge.align.terminal import Terminal, find_terminal, mark_commits, same_operation
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.steps import Source, Step
from clawjudge.traces.task import EvalSchema, Task
from clawjudge.traces.trace import Trace

START = 1_796_000_000_000
HOST = "https://shop.test"
ORDER = {"name": "Desk Lamp", "count": 3, "note": "Happy move!"}
SOURCES = TaskSources('Order 3 "Desk Lamp" with note "Happy move!".')


def request(line: int, path: str, body: Any = None, method: str = "POST", at: int | None = None) -> RequestEvent:
    when = START + line * 1000 if at is None else at
    return RequestEvent(line, method, HOST + path, when, {"Content-Type": "application/json"}, body=body)


def step(event: RequestEvent) -> Step:
    return Step("request", event.t_ms, event.url, event.url, sources=[Source("http", event.line)], end_ms=event.t_ms)


def press(at: int) -> Step:
    return Step("click", at, HOST, "Button", sources=[Source("actions", 1)], end_ms=at)


@pytest.fixture
def run(tmp_path: Path) -> RunDigest:
    (tmp_path / "run-meta.json").write_text("{}")
    return RunDigest(Trace(tmp_path))


def found(run: RunDigest, *changes: RequestEvent, pressed: int | None = None) -> Terminal:
    run.changes = list(changes)
    run.steps = [step(event) for event in changes]
    if pressed is not None:
        run.steps.append(press(START + pressed * 1000 - 50))
        run.steps.sort(key=lambda s: s.t_ms or 0)
    terminal = find_terminal(None, run, SOURCES)
    assert terminal is not None
    return terminal


def test_drafts_saved_while_typing_are_no_commit(run: RunDigest) -> None:
    drafts = [request(n, "/api/draft", ORDER) for n in (1, 2, 3)]
    commit = request(4, "/api/orders", ORDER)
    terminal = found(run, *drafts, commit, pressed=4)
    assert (terminal.request, terminal.by_schema, terminal.last) == (commit, False, commit)


def test_a_draft_after_the_press_does_not_take_its_place(run: RunDigest) -> None:
    commit = request(2, "/api/orders", ORDER)
    later = request(9, "/api/draft", ORDER)
    assert found(run, request(1, "/api/draft", ORDER), commit, later, pressed=2).request is commit


def test_a_cart_put_after_the_order_is_no_commit(run: RunDigest) -> None:
    commit, after = request(2, "/api/orders", ORDER), request(3, "/api/cart", {"items": []}, method="PUT")
    terminal = found(run, commit, after, pressed=2)
    assert terminal.request is commit
    assert terminal.last is after


def test_without_presses_the_operation_made_once_wins(run: RunDigest) -> None:
    commit = request(3, "/api/orders", ORDER)
    assert found(run, request(1, "/api/draft", ORDER), request(2, "/api/draft", ORDER), commit).request is commit


def test_a_run_that_sent_nothing_of_the_task_has_none(run: RunDigest) -> None:
    run.changes = [request(1, "/api/track", {"event": "view"})]
    assert find_terminal(None, run, SOURCES) is None
    run.changes = []
    assert find_terminal(None, run, SOURCES) is None


def test_a_task_that_says_it_is_believed(run: RunDigest) -> None:
    task = Task(instruction=SOURCES.instruction, eval_schema=EvalSchema(url_pattern="orders$", method="POST"))
    run.changes = [request(1, "/api/draft", ORDER)]
    assert find_terminal(task, run, SOURCES) is None
    run.commits = [request(2, "/api/orders"), request(3, "/api/orders")]
    assert find_terminal(task, run, SOURCES) == Terminal(run.commits[-1], True, run.commits[-1])


def test_commits_are_marked_by_their_operation(run: RunDigest) -> None:
    terminal = Terminal(request(9, "/api/orders", ORDER), False, request(9, "/api/orders", ORDER))
    run.changes = [request(1, "/api/draft", ORDER), request(2, "/api/orders", ORDER)]
    run.steps = [step(event) for event in run.changes]
    mark_commits(run, terminal)
    assert [r.line for r in run.commits] == [2]
    assert [s.terminal for s in run.steps] == [False, True]


def test_commits_that_the_schema_found_are_left_alone(run: RunDigest) -> None:
    run.commits = [request(1, "/api/orders")]
    run.changes = [request(1, "/api/orders"), request(2, "/api/orders")]
    mark_commits(run, Terminal(run.commits[0], True, run.commits[0]))
    assert [r.line for r in run.commits] == [1]


def graphql(name: str, line: int = 1, batch: bool = False) -> RequestEvent:
    item = {"operationName": name, "query": f"mutation {name} {{ x }}", "variables": {"n": 3}}
    return request(line, "/graphql", [item] if batch else item)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (request(1, "/api/orders"), request(2, "/api/orders?x=1"), True),
        (request(1, "/api/orders/1234"), request(2, "/api/orders/5678"), True),
        (request(1, "/api/p/desk-lamp/order"), request(2, "/api/p/floor-lamp/order"), True),
        (request(1, "/api/p/desk-lamp/order"), request(2, "/api/q/floor-lamp/order"), False),
        (request(1, "/api/orders"), request(2, "/api/orders", method="PUT"), False),
        (request(1, "/api/orders"), request(2, "/api/drafts"), False),
        (request(1, "/api/orders"), request(2, "/api/orders/confirm"), False),
        (graphql("PlaceOrder"), graphql("PlaceOrder"), True),
        (graphql("PlaceOrder"), graphql("SaveDraft"), False),
        (graphql("PlaceOrder"), graphql("SaveDraft", batch=True), False),
        (graphql("PlaceOrder", batch=True), graphql("PlaceOrder", batch=True), True),
    ],
)
def test_operations_are_compared(first: RequestEvent, second: RequestEvent, same: bool) -> None:
    assert same_operation(first, second) is same
    assert same_operation(second, first) is same


def test_another_site_is_another_operation() -> None:
    other = RequestEvent(2, "POST", "https://evil.test/api/orders", 0)
    assert not same_operation(request(1, "/api/orders"), other)
