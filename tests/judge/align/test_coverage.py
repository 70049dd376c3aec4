"""What the instruction spells out must be seen somewhere, and what was sent before must agree."""

from __future__ import annotations

from typing import Any

import pytest

from clawjudge.judge.align.bindings import Field, bind_fields
from clawjudge.judge.align.context import BindingContext
from clawjudge.judge.align.coverage import earlier_fields, sent_before, uncovered
from clawjudge.judge.align.sources import TaskSources
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.steps import Step

HOST = "https://shop.test"


def request(body: Any, path: str = "/api/orders", method: str = "POST", line: int = 1) -> RequestEvent:
    return RequestEvent(line, method, HOST + path, 0, {"Content-Type": "application/json"}, body=body)


def context(instruction: str, **more: Any) -> BindingContext:
    return BindingContext(TaskSources(instruction), **more)


def step(kind: Any, label: str = "", value: str | None = None, url: str = HOST) -> Step:
    return Step(kind, 0, url, label, label=label, value=value)


def unseen(instruction: str, body: Any, steps: Any = (), before: Any = ()) -> list[str]:
    known = context(instruction)
    fields: list[Field] = bind_fields(request(body), request(body), known)
    return [u.what for u in uncovered(fields, known, list(steps), list(before))]


@pytest.mark.parametrize(
    ("instruction", "body"),
    [
        ('Order 3 "Desk Lamp"', {"count": 3, "name": "Desk Lamp"}),
        ('Order 3 "Desk Lamp"', {"count": "3", "slug": "desk-lamp"}),
        ("Order two hundred lamps for the hall", {"count": 200}),
        ("Pay $15.50 now", {"cents": 1550}),
        ("on December 14, 2026", {"day": "2026-12-14"}),
        ("at 2 pm", {"time": "14:00"}),
        ("on December 14, 2026 at 2 pm", {"start": "2026-12-14T19:00:00Z", "day": "2026-12-14"}),
        ('exactly "Good day."', {"text": "Good day."}),
        ('exactly "Good day."', {"text": "Good day"}),
        ("Order one lamp", {}),
    ],
)
def test_what_is_carried_is_covered(instruction: str, body: Any) -> None:
    assert unseen(instruction, body) == []


@pytest.mark.parametrize(
    ("instruction", "body", "what"),
    [
        ('Order 3 "Desk Lamp"', {"count": 3}, ["Desk Lamp"]),
        ('Order 3 "Desk Lamp"', {"name": "Desk Lamp"}, ["3"]),
        ("Order two hundred lamps for the hall", {"count": 2}, ["two hundred"]),
        ("on December 14, 2026", {"day": "2026-12-15"}, ["December 14, 2026"]),
        ("see them at 2 pm", {"cart": "c"}, ["2 pm"]),
        ('exactly "Good day."', {"text": "good day."}, ["Good day."]),
    ],
)
def test_what_nothing_carries_is_named(instruction: str, body: Any, what: list[str]) -> None:
    assert unseen(instruction, body) == what


def test_an_act_or_an_earlier_request_may_show_it() -> None:
    ask = 'Order "Desk Lamp" at 2 pm'
    assert unseen(ask, {}) == ["Desk Lamp", "2 pm"]
    assert unseen(ask, {}, [step("click", "Desk Lamp"), step("click", "2:00 PM")]) == []
    assert unseen(ask, {}, [], [request({"name": "desk lamp", "slot": "14:00"})]) == []
    assert unseen(ask, {}, [step("navigate", url=HOST + "/desk-lamp"), step("fill", value="14:00")]) == []


def test_a_text_wanted_to_the_letter_must_be_seen_to_the_letter() -> None:
    ask = 'Write exactly "Good day, Sir."'
    assert unseen(ask, {}, [step("fill", value="good day, sir.")]) == ["Good day, Sir."]
    assert unseen(ask, {}, [step("fill", value="Good day, Sir.")]) == []
    assert unseen(ask, {}, [], [request({"t": "Good day; Sir."})]) == ["Good day, Sir."]


def test_a_number_inside_a_quotation_or_a_date_is_not_asked_for_twice() -> None:
    assert unseen('Open "Room 17" on December 14, 2026', {"r": "Room 17", "d": "2026-12-14"}) == []


def test_a_field_that_differs_covers_nothing() -> None:
    known = context('Order "Desk Lamp"')
    fields = bind_fields(request({"name": "Desk Lamp"}), request({"name": "Rug"}), known)
    assert [u.what for u in uncovered(fields, known, [], [])] == ["Desk Lamp"]


ASK = 'Order 3 "Desk Lamp" in black'


def earlier(reference: list[RequestEvent], agent: list[RequestEvent], **more: Any) -> list[tuple[Any, Any, str]]:
    found = earlier_fields(reference, agent, [], context(ASK, **more))
    return [(f.reference, f.agent, f.status) for f in found]


def test_what_was_sent_before_is_compared_at_its_place() -> None:
    cart = request({"name": "Desk Lamp", "n": 3}, "/api/cart")
    assert earlier([cart], [request({"name": "desk lamp", "n": 3}, "/api/cart")]) == [
        ("Desk Lamp", "desk lamp", "match"),
        (3, 3, "match"),
    ]
    assert earlier([cart], [request({"name": "Desk Lamp", "n": 4}, "/api/cart")])[1] == (3, 4, "uncertain")


def test_the_last_value_counts() -> None:
    first, last = request({"n": 4}, "/api/cart"), request({"n": 3}, "/api/cart")
    assert earlier([last], [first, last]) == [(3, 3, "match")]
    assert earlier([last], [last, first]) == [(3, 4, "uncertain")]


def test_another_way_needs_the_value_anywhere() -> None:
    cart = request({"n": 3}, "/api/cart")
    assert earlier([cart], [request({"quantity": 3}, "/api/basket")]) == [(3, 3, "match")]
    assert earlier([cart], [request({"quantity": 4}, "/api/basket")]) == [(3, None, "uncertain")]
    assert earlier([cart], [], agent_entered=frozenset({"3"})) == [(3, 3, "match")]


def test_what_the_terminal_request_repeats_is_not_asked_again() -> None:
    known = context(ASK)
    terminal = bind_fields(request({"n": 3}), request({"n": 3}), known)
    sent = {"n": "3", "colour": "black", "x": "free", "ok": True, "id": "5f1e2d3c4b5a69788796a5b4c3d2e1f0"}
    found = sent_before([request(sent, "/api/cart")], terminal, known)
    assert [(f.pointer, f.kind, f.reference) for f in found] == [
        ("/body/colour", "bound", "black"),
        ("/body/x", "free", "free"),
    ]


def test_a_free_value_counts_beside_a_bound_one_where_both_sent_it() -> None:
    cart = request({"n": 3, "size": "std"}, "/api/cart")
    assert earlier([cart], [request({"n": 3, "size": "van"}, "/api/cart")])[1] == ("std", "van", "uncertain")
    assert earlier([cart], [request({"n": 3, "size": "STD"}, "/api/cart")]) == [(3, 3, "match")]
    assert earlier([cart], [request({"n": 3}, "/api/basket")]) == [(3, 3, "match")]
    search = request({"text": "lam", "size": "std"}, "/api/search")
    assert earlier([search], [request({"text": "lamp", "size": "van"}, "/api/search")]) == []
    again = request({"n": 3}, "/api/order")
    assert earlier([cart, again], [cart, again]) == [(3, 3, "match")]
