"""What in a task binds a value."""

from __future__ import annotations

from typing import Any

import pytest

from clawjudge.judge.align.sources import Bound, Document, TaskSources

PERSONA = {
    "identity": {"first_name": "Dana", "last_name": "Ruiz", "phone": "+1 416 555 0134", "birthday": "1990-03-05"},
    "address": {
        "home": {"street": "12 Elm Road", "unit": "5", "city": "Leeds", "postcode": "LS1 4AB"},
        "office": {"street": "9 Mill Lane", "unit": "7", "city": "York", "postcode": "YO1 7HH"},
    },
    "cards": [
        {"issuer": "TD", "number": "4111111111111111", "expiry": "09/28"},
        {"issuer": "CIBC", "number": "5500005555555559", "expiry": "01/29"},
    ],
    "answers": {"smoker": "no", "licence": "yes"},
}


def sources(instruction: str, persona: Any = None, **more: Any) -> TaskSources:
    documents = [Document("persona", "persona.json", persona)] if persona else []
    return TaskSources(instruction, documents, **more)


@pytest.mark.parametrize(
    ("instruction", "value", "strength"),
    [
        ("Order 2 lamps", 2, 2),
        ("Order 2 lamps", "2.0", 2),
        ("Order two lamps", 2, 2),
        ("Order two hundred lamps for the hall", "200", 2),
        ("Bestelle zwei Lampen mit der Karte", 2, 2),
        ("Commande vingt et un stylos pour le bureau", 21, 2),
        ("Pay 1,250.50 dollars", "1250.5", 2),
        ("Tip $15.50 in cash", 1550, 1),
        ('The note is "no peanuts"', "no peanuts", 3),
        ('The note is "no peanuts"', "No Peanuts", 2),
        ("Order from Baan Siam Kitchen", "baan-siam-kitchen", 1),
        ("Order from Baan Siam Kitchen", "Baan Siam Kitchen", 3),
        ("on December 14, 2026", "2026-12-14", 2),
        ("on December 14", "14/12/2027", 2),
        ("am 14. Dezember 2026", "2026-12-14", 2),
        ("12月14日に", "2026-12-14", 2),
        ("on December 14, 2026 at 2 pm", "2026-12-14T14:00", 2),
        ("at 2 pm", "14:00", 2),
        ("um 14 Uhr", "14:00", 2),
        ("in Toronto time", "America/Toronto", 1),
        ("in New York time", "America/New_York", 1),
        ("answer Yes to the question", "yes", 2),
        ("answer No to the question about it", "no", 3),
        ('press "on" there', "on", 3),
        ("寿司を注文", "寿司", 2),
        ("size S in black", "S", 3),
        ("the province is ON, city Toronto", "ON", 3),
    ],
)
def test_the_instruction_binds_what_it_says(instruction: str, value: Any, strength: int) -> None:
    found = sources(instruction).bind(value)
    assert [(b.source, b.strength) for b in found] == [("instruction", strength)]


@pytest.mark.parametrize(
    ("instruction", "value"),
    [
        ("Order 2 lamps", 3),
        ("Order 2 lamps", 20),
        ("Order 2 lamps", "02"),
        ("at 12:30 in 2026-10-05", 30),
        ("Once done, wait a second", 11),
        ("Once done, wait a second", 2),
        ("on December 14, 2026", "2027-12-14"),
        ("on December 14, 2026", "2026-12-15"),
        ("at 2 pm", "02:00"),
        ("in Toronto time", "America/New_York"),
        ("order it on Monday for the team and say no peanuts", "on"),
        ("order it on Monday for the team and say no peanuts", "no"),
        ("order it on Monday for the team and say no peanuts", "For"),
        ("order lampshades", "lamp"),
        ("order lamps", ""),
        ("order lamps", None),
        ("order true lamps", True),
        ("ab", "ab" * 1500),
    ],
)
def test_it_does_not_bind_what_it_does_not_say(instruction: str, value: Any) -> None:
    assert sources(instruction).bind(value) == []


def test_an_exact_time_is_quoted_with_its_day() -> None:
    (bound,) = sources("on December 14, 2026 at 2 pm").bind("2026-12-14T14:00")
    assert bound.quote == "December 14, 2026 … 2 pm"


@pytest.mark.parametrize(
    ("value", "place", "strength"),
    [
        ("Dana", "/identity/first_name", 3),
        ("dana", "/identity/first_name", 2),
        ("4165550134", "/identity/phone", 2),
        ("4111 1111 1111 1111", "/cards/0/number", 2),
        ("2028-09", "/cards/0/expiry", 2),
        ("5 March 1990", "/identity/birthday", 2),
        ("ls14ab", "/address/home/postcode", 2),
        ("Dana Ruiz", "/identity", 2),
        ("12 Elm Road, Leeds", "/address/home", 2),
    ],
)
def test_the_persona_binds_its_values(value: str, place: str, strength: int) -> None:
    task = sources("Fill the form", PERSONA)
    task.documents[0].value["identity"]["country"] = "Canada"
    found = task.bind(value)
    assert [(b.source, b.quote, b.strength) for b in found] == [("persona", place, strength)]


@pytest.mark.parametrize("value", ["Dan", "4165550135", "Leeds Mill", "Ruiz York", "2027-09", "12 Mill Lane"])
def test_what_no_record_holds_is_not_bound(value: str) -> None:
    assert sources("Fill the form", PERSONA).bind(value) == []


def test_a_short_value_is_bound_only_where_the_names_agree() -> None:
    task = sources("Fill the form", PERSONA)
    assert task.bind("5", "/body/lines/0/quantity") == []
    assert task.bind(5, "/body/page") == []
    assert [b.quote for b in task.bind("5", "/body/ship_to/unit")] == ["/address/home/unit"]
    assert task.bind("no", "/body/gift_wrap") == []
    assert [b.quote for b in task.bind("no", "/body/isSmoker")] == ["/answers/smoker"]


@pytest.mark.parametrize(
    ("instruction", "value", "preferred"),
    [
        ("pay with my TD card", "4111111111111111", True),
        ("pay with my TD card", "5500005555555559", False),
        ("pay with my CIBC card", "5500005555555559", True),
        ("pay by card", "4111111111111111", False),
        ("send it to my home address", "12 Elm Road", True),
        ("send it to my home address", "9 Mill Lane", False),
        ("send it to my office", "9 Mill Lane", True),
        ("send it", "Dana", True),
    ],
)
def test_the_instruction_chooses_among_records(instruction: str, value: str, preferred: bool) -> None:
    (bound,) = sources(instruction, PERSONA).bind(value)
    assert bound.preferred is preferred


def test_the_only_record_needs_no_choice() -> None:
    only = {"cards": [PERSONA["cards"][0]]}  # type: ignore[index]
    (bound,) = sources("pay by card", only).bind("4111111111111111")
    assert bound.preferred


def test_extra_info_and_schema_bind_too() -> None:
    info = Document("extra_info", "event.json", {"title": "Team lunch"})
    task = TaskSources("Create the event", [info], {"/body/public": False, "/body/kind": "lunch"})
    assert task.bind("Team lunch") == [Bound("extra_info", "/title", 3)]
    assert task.bind(False, "/body/public") == [Bound("eval_schema", "/body/public", 3)]
    assert task.bind("LUNCH", "/body/kind") == [Bound("eval_schema", "/body/kind", 3)]
    assert task.bind("dinner", "/body/kind") == []
    assert task.bind(False, "/body/other") == []


def test_the_runs_own_address_binds_whatever_its_case() -> None:
    task = TaskSources("Sign up", own_emails=frozenset({"dana.1@mail.test"}))
    assert [b.source for b in task.bind("Dana.1@Mail.test")] == ["own_email"]
    assert task.bind("dana.2@mail.test") == []


def test_the_strongest_comes_first() -> None:
    task = sources("Order for Dana Ruiz", PERSONA)
    assert [(b.source, b.strength) for b in task.bind("Dana")] == [("instruction", 3), ("persona", 3)]
    assert [b.source for b in task.bind("dana")] == ["instruction", "persona"]


def test_long_values_are_not_mixed_up() -> None:
    long = "x" * 6000
    task = sources("Fill the form", {"text": long})
    assert task.bind(long) == [Bound("persona", "/text", 3)]
    assert task.bind(long + "y") == []
