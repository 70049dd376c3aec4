"""What only the agent's request holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from clawjudge.judge.align.bindings import bind_fields
from clawjudge.judge.align.context import BindingContext
from clawjudge.judge.align.sources import Document, TaskSources
from clawjudge.traces.records import RequestEvent

PERSONA = {"contact": {"phone": "416 555 0134", "street": "180 John St"}, "name": "Dana Ruiz"}
CONTEXT = BindingContext(
    TaskSources(
        "Order a lamp for Dana, but do not invite jon@fenwick.test",
        [Document("persona", "p.json", PERSONA)],
        own_emails=frozenset({"dana.2@box.test"}),
    ),
    agent_entered=frozenset({"dana"}),
)


def request(query: str, body: Any) -> RequestEvent:
    url = f"https://shop.test/api/order{query}"
    return RequestEvent(1, "POST", url, 1_796_000_000_123, {"Content-Type": "application/json"}, body=body)


def extra(key: str, value: Any, query: str = "", **known: Any) -> str:
    body = {"who": "Dana", "lamp": "desk"}
    mine = request(query, body if query else body | {key: value})
    fields = bind_fields(request("", body), mine, replace(CONTEXT, **known))
    return {field.pointer.rsplit("/", 1)[-1]: field.status for field in fields}[key]


@pytest.mark.parametrize(
    ("key", "value", "status"),
    [
        ("phone", "416 555 0134", "match"),
        ("callback", "416 555 0134", "uncertain"),
        ("street", "180 John St", "match"),
        ("billingStreet", "180 John St", "uncertain"),
        ("cc", "jon@fenwick.test", "uncertain"),
        ("email", "dana.2@box.test", "match"),
        ("unsubscribe", "dana.2@box.test", "uncertain"),
        ("emailReceipt", False, "match"),
        ("inviteAll", False, "uncertain"),
        ("gift", "", "match"),
        ("gift", None, "match"),
    ],
)
def test_a_value_of_the_task_under_another_name_is_a_doubt(key: str, value: Any, status: str) -> None:
    assert extra(key, value) == status


@pytest.mark.parametrize(
    ("query", "met", "status"),
    [
        ("?utm_source=x9", "", "match"),
        ("?ref=nl-49", "", "match"),
        ("?source=savings", "", "uncertain"),
        ("?source=mail7", "source=mail7", "match"),
        ("?partner=1", "", "uncertain"),
        ("?campaign=party", "", "uncertain"),
    ],
)
def test_a_name_that_could_mean_a_choice_is_tracking_only_if_a_page_had_it(query: str, met: str, status: str) -> None:
    key = query[1:].split("=")[0]
    assert extra(key, None, query, was_met=met.__eq__ if met else lambda text: False) == status
