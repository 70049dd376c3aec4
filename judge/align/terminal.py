"""Which request commits the task, in the reference and in the agent's run.

A task's eval schema says so, and the request log is matched against it. Where the schema is a deliberate
never-matching pattern, the terminal request is found by comparison: in the reference the request that carries the most
of what the task binds, and the last request that changes state; in the agent's run the requests to the same operations.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

from clawjudge.judge.align.payloads import MAX_FIELDS, request_tree
from clawjudge.judge.align.sources import TaskSources
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.pointers import flatten
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.task import Task
from clawjudge.traces.urls import endpoint, host, same_site

_PRESS_MS = 1500
_CLOCKS_MS = 100


@dataclass(frozen=True, slots=True)
class Terminal:
    """The terminal request of the reference."""

    request: RequestEvent
    by_schema: bool
    """False where it was found by comparison, because the task declares a never-matching pattern."""
    last: RequestEvent
    """The reference's last state-changing request; differs from `request` only by comparison."""


def find_terminal(task: Task | None, reference: RunDigest, sources: TaskSources) -> Terminal | None:
    """The reference's terminal request, or None if the reference has none."""
    if task is not None and not task.eval_schema.never_matches:
        return Terminal(reference.commits[-1], True, reference.commits[-1]) if reference.commits else None
    reads = task is not None and task.eval_schema.methods == ("GET",)
    candidates = reference.queries if reads else reference.changes
    counts = [_bound_leaves(request, sources) for request in candidates]
    most = max(counts, default=0)
    if not most:
        return None
    ranked = [
        (_pressed(reference, request), -_times_made(request, candidates), position)
        for position, (request, count) in enumerate(zip(candidates, counts, strict=True))
        if count >= most - 1
    ]
    return Terminal(candidates[max(ranked)[2]], False, candidates[-1])


def _pressed(run: RunDigest, request: RequestEvent) -> bool:
    """Whether a press led to the request: drafts are saved by timers and while typing, commits are pressed for."""
    if request.t_ms is None:
        return False
    before = [
        s for s in run.steps if s.t_ms is not None and s.kind != "request" and s.t_ms <= request.t_ms + _CLOCKS_MS
    ]
    presses = [s for s in before[-2:] if s.kind in ("click", "submit")]
    return any(s.end_ms is not None and request.t_ms - s.end_ms <= _PRESS_MS for s in presses)


def _times_made(request: RequestEvent, among: list[RequestEvent]) -> int:
    return sum(same_operation(request, other) for other in among)


def mark_commits(run: RunDigest, terminal: Terminal) -> None:
    """For a terminal request found by comparison: set `commits` of `run`, and mark its steps as terminal."""
    if terminal.by_schema:
        return
    run.commits = [
        request
        for request in (run.queries if terminal.request.method == "GET" else run.changes)
        if same_operation(terminal.request, request)
    ]
    lines = {request.line for request in run.commits}
    for step in run.steps:
        step.terminal = step.kind == "request" and step.line.line in lines


def same_operation(reference: RequestEvent, agent: RequestEvent) -> bool:
    """Whether two requests call one operation: method and endpoint, where one path segment before the last may name
    another thing (another product), and the GraphQL operation if there is one."""
    if reference.method != agent.method or not same_site(host(reference.url), host(agent.url)):
        return False
    left, right = endpoint(reference.url).split("/"), endpoint(agent.url).split("/")
    if len(left) != len(right) or left[-1] != right[-1]:
        return False
    if sum(a != b for a, b in zip(left, right, strict=True)) > 1:
        return False
    return operations(reference) == operations(agent)


def query_texts(request: RequestEvent) -> tuple[str, ...]:
    """The text of a GraphQL request's operations, white space apart."""
    queries = [item.get("query") for item in _graphql_items(request)]
    return tuple(" ".join(query.split()) for query in queries if isinstance(query, str))


def operations(request: RequestEvent) -> tuple[str, ...]:
    """What a GraphQL request calls, by name; without a name by its text, or by the stored query that it refers to.

    Of an operation with a name the stored query is one version of its text, which changes as the site does.
    """
    keys = ("operationName", "query", "extensions")
    return tuple(str(next((item[k] for k in keys if item.get(k)), None)) for item in _graphql_items(request))


def operation_text(request: RequestEvent) -> str:
    """Method, endpoint and GraphQL operation in one text: what a request does, whatever it carries."""
    return " ".join([request.method, endpoint(request.url), *operations(request)])


def collection(request: RequestEvent) -> str:
    """Host and path up to the last segment (`shop.example/api/cart`): where the thing stands that is changed."""
    return endpoint(request.url).rpartition("/")[0]


def _graphql_items(request: RequestEvent) -> list[dict[str, Any]]:
    """The operations of a GraphQL request, one or a batch; none for any other request."""
    payload = request.payload()
    if payload.kind != "graphql":
        return []
    items: list[Any] = payload.value if isinstance(payload.value, list) else [payload.value]
    return [item for item in items if isinstance(item, dict)]


def _bound_leaves(request: RequestEvent, sources: TaskSources) -> int:
    leaves = itertools.islice(flatten(request_tree(request)), MAX_FIELDS)
    return sum(1 for _, value in leaves if any(b.strength >= 2 for b in sources.bind(value)))
