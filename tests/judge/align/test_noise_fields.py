"""Differences that mean nothing: tokens, one-time codes, own passwords and addresses. And those that only look so."""

from __future__ import annotations

from typing import Any

import pytest

from clawjudge.judge.align.bindings import Field, bind_fields
from clawjudge.judge.align.context import BindingContext
from clawjudge.judge.align.sources import Document, TaskSources
from clawjudge.traces.records import RequestEvent

START = 1_796_000_000_123
PERSONA = {"name": {"first": "Dana", "last": "Ruiz"}, "secret": {"password": "Winter2026!"}}


def request(body: Any) -> RequestEvent:
    return RequestEvent(1, "POST", "https://shop.test/api", START, {"Content-Type": "application/json"}, body=body)


def compared(mine: Any, theirs: Any, **more: Any) -> dict[str, Field]:
    own = frozenset({"dana.0c21@mail.test"})
    sources = TaskSources("Fill the form for Dana", [Document("persona", "p.json", PERSONA)], own_emails=own)
    known: dict[str, Any] = {
        "reference_emails": frozenset({"dana.71fe@mail.test"}),
        "reference_times": (START, START + 300_000),
        "agent_times": (START, START + 300_000),
        "agent_entered": frozenset({"dana"}),
    }
    context = BindingContext(sources, **{**known, **more})
    return {f.pointer: f for f in bind_fields(request(theirs), request(mine), context)}


def one(reference: Any, agent: Any, key: str = "field", **more: Any) -> tuple[str, str]:
    (found,) = compared({key: agent}, {key: reference}, **more).values()
    return found.kind, found.status


def test_a_product_token_is_no_noise() -> None:
    token, other = "3f2b8c1e-9d4a-4e6f-8a7b-0c1d2e3f4a5b", "7a2b8c1e-9d4a-4e6f-8a7b-0c1d2e3f4a5c"
    assert one(token, other, key="product_id") == ("free", "uncertain")
    assert one(token, other, key="slot") == ("free", "uncertain")
    in_list = compared({"items": [{"ref": other}]}, {"items": [{"ref": token}]})
    assert in_list["/body/items/0/ref"].status == "uncertain"
    titles = ({token: frozenset({"Desk Lamp"})}, {other: frozenset({"Floor Lamp"})})
    assert one(token, other, key="xyz", titles=titles) == ("free", "uncertain")
    assert one(token, other, key="xyz", agent_entered=frozenset({other})) == ("free", "uncertain")
    assert one(token, other, key="recipient") == ("free", "uncertain")
    assert one(token, other, key="recipient", headers=frozenset({other})) == ("volatile", "match")
    # The same acts prove nothing alone: a list of recipients may have been sorted otherwise.
    assert one(token, other, key="recipient", same_acts=True) == ("free", "uncertain")
    met = {"same_acts": True, "was_met": lambda text: text == other}
    assert one(token, other, key="recipient", **met) == ("volatile", "match")
    assert one(token, other, key="recipient", **met, in_agent=lambda text: text == token) == ("free", "uncertain")
    assert one(token, other, key="recipient", **met, in_reference=lambda text: text == other) == ("free", "uncertain")
    assert one(token, other, key="session", in_agent=lambda text: text == token) == ("free", "uncertain")
    assert one(token, other, key="csrf_token") == ("volatile", "match")


@pytest.mark.parametrize(
    ("key", "theirs", "mine", "shown", "status"),
    [
        ("smsCode", "482913", "117305", {"117305"}, "match"),
        ("code", "482913", "117305", {"117305"}, "uncertain"),
        ("otp", "4829", "1173", {"1173"}, "match"),
        ("zorp", "482913", "117305", {"117305"}, "uncertain"),
        ("code", "482913", "117305", set(), "uncertain"),
        ("code", "482913", "117305", {"117305", "482913"}, "uncertain"),
        ("zorp", "2025", "2027", {"2027"}, "uncertain"),
        ("postal_code", "94107", "94110", {"94110"}, "uncertain"),
        ("promo_code", "SAVE10", "SAVE20", {"SAVE20"}, "uncertain"),
        ("code", "482913", "guess", {"guess"}, "uncertain"),
    ],
)
def test_a_one_time_code_was_read_before_it_was_typed(
    key: str, theirs: str, mine: str, shown: set[str], status: str
) -> None:
    entered = frozenset({mine.casefold()})
    assert one(theirs, mine, key=key, agent_entered=entered, was_shown=lambda t: t in shown)[1] == status


def test_an_unnamed_code_counts_only_where_both_runs_read_their_mail() -> None:
    known = {"agent_entered": frozenset({"117305"}), "was_shown": lambda text: text == "117305"}
    assert one("482913", "117305", key="zorp", mail_read=True, **known) == ("volatile", "match")
    assert one("482913", "117305", key="zorp", **known) == ("free", "uncertain")


def test_what_follows_visitors_is_no_fault_unless_it_was_entered() -> None:
    def extra(address: str, entered: str) -> list[str]:
        def call(query: str) -> RequestEvent:
            return RequestEvent(1, "POST", "https://shop.test/api" + query, START)

        known = BindingContext(TaskSources("Fill the form"), agent_entered=frozenset({entered}))
        return [f.status for f in bind_fields(call(""), call(address), known)]

    assert extra("?utm_source=mail", "dana") == ["match"]
    assert extra("?utm_source=mail", "mail") == ["uncertain"]
    assert extra("?speed=mail", "dana") == ["uncertain"]


def test_a_code_that_was_not_typed_is_no_one_time_code() -> None:
    assert one("482913", "117305", key="code", was_shown=lambda t: t == "117305") == ("free", "uncertain")


def test_passwords_differ_freely_but_a_given_one_must_be_right() -> None:
    assert one("Aa1!secretX", "Bb2!secretY", key="password") == ("free", "match")
    assert one("Winter2026!", "winter2026!", key="password") == ("bound", "mismatch")
    assert one("Winter2026!", "Summer2026!", key="password") == ("bound", "mismatch")


@pytest.mark.parametrize(
    ("theirs", "mine", "status"),
    [
        ("dana.71fe@mail.test", "Dana.0C21@mail.test", "match"),
        ("mailto:dana.71fe@mail.test", "mailto:dana.0c21@mail.test", "match"),
        ("dana.71fe", "dana.0c21", "match"),
        ("dana.71fe@mail.test", "someone@mail.test", "mismatch"),
        ("dana.71fe@mail.test", "dana.71fe@mail.test", "mismatch"),
    ],
)
def test_each_run_has_its_own_address(theirs: str, mine: str, status: str) -> None:
    assert one(theirs, mine)[1] == status


def test_a_short_or_known_local_part_is_no_address() -> None:
    more = {"reference_emails": frozenset({"dana@mail.test"})}
    # "Dana" is the persona's name: another name is not made from the address.
    assert one("Dana", "dana.0c21", **more) == ("bound", "mismatch")
    assert one("an abc", "an dana.0c21", reference_emails=frozenset({"abc@mail.test"}))[1] == "uncertain"
    assert one("myaddr.99x", "mydana.0c21x", reference_emails=frozenset({"addr.99@mail.test"}))[1] == "uncertain"
