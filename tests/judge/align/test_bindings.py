"""Each field of the terminal request: bound or free, right or wrong or unknown."""

from __future__ import annotations

import copy
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.judge.align.bindings import (
    Field,
    bind_fields,
    compare_values,
    is_number,
    leaf_name,
    mention_of_order,
)
from clawjudge.judge.align.context import BindingContext
from clawjudge.judge.align.payloads import MAX_FIELDS
from clawjudge.judge.align.sources import Document, TaskSources
from clawjudge.traces.pointers import flatten
from clawjudge.traces.records import RequestEvent

URL = "https://shop.test/api/orders"
START = 1_796_000_000_123
INSTRUCTION = 'Order three "Desk Lamp" in black to my home address on December 14, 2026 with note "Happy move!".'
PERSONA = {
    "name": {"first": "Dana", "last": "Ruiz"},
    "address": {
        "home": {"street": "12 Elm Road", "city": "Leeds", "postcode": "LS1 4AB"},
        "office": {"street": "9 Mill Lane", "city": "York", "postcode": "YO1 7HH"},
    },
    "secret": {"password": "Winter2026!"},
}
BODY: dict[str, Any] = {
    "lines": [{"name": "Desk Lamp", "colour": "black", "count": 3}],
    "ship_to": {"name": "Dana Ruiz", "street": "12 Elm Road", "city": "Leeds", "zip": "LS1 4AB"},
    "day": "2026-12-14",
    "note": "Happy move!",
    "contact": "dana.71fe@mail.test",
    "session": "s_98671ebcc1e7dcf3",
    "speed": "standard",
    "news": False,
}


def request(body: Any, url: str = URL) -> RequestEvent:
    return RequestEvent(1, "POST", url, START, {"Content-Type": "application/json"}, body=body)


def context(instruction: str = INSTRUCTION, persona: Any = PERSONA, **more: Any) -> BindingContext:
    sources = TaskSources(
        instruction, [Document("persona", "p.json", persona)], own_emails=frozenset({"dana.0c21@mail.test"})
    )
    known: dict[str, Any] = {
        "reference_emails": frozenset({"dana.71fe@mail.test"}),
        "reference_times": (START, START + 300_000),
        "agent_times": (START, START + 300_000),
        "agent_entered": frozenset({"happy move!", "dana"}),
    }
    return BindingContext(sources, **{**known, **more})


def agents(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(BODY), "contact": "dana.0c21@mail.test", "session": "s_17ab99c01de2f340", **changes}


def compared(mine: Any, theirs: Any = BODY, known: BindingContext | None = None) -> dict[str, Field]:
    return {f.pointer: f for f in bind_fields(request(theirs), request(mine), known or context())}


def one(reference: Any, agent: Any, key: str = "field", **more: Any) -> tuple[str, str]:
    found = bind_fields(request({key: reference}), request({key: agent}), context(**more))
    return found[0].kind, found[0].status


def test_a_right_request_is_right_in_every_field() -> None:
    found = compared(agents())
    assert {f.status for f in found.values()} == {"match"}
    assert found["/body/contact"].normalisations == ("own_email",)
    assert found["/body/session"].kind == "volatile"
    assert found["/body/lines/0/count"].bound_by[0].quote == "three"
    assert found["/body/speed"].kind == "free"
    assert (found["/body/ship_to/name"].kind, found["/body/ship_to/name"].name) == ("bound", "name")


@pytest.mark.parametrize(
    ("reference", "agent", "kind", "status"),
    [
        # bound
        ("Desk Lamp", "desk lamp", "bound", "match"),
        ("Desk Lamp", "Floor Lamp", "bound", "mismatch"),
        ("12 Elm Road", "12 Elm Rd", "bound", "mismatch"),
        ("2026-12-14", "14 December 2026", "bound", "match"),
        ("2026-12-14", "2026-12-15", "bound", "mismatch"),
        ("Dana Ruiz", "Ruiz, Dana", "bound", "uncertain"),
        ("Desk Lamp", "", "bound", "missing"),
        (3, 4, "bound", "mismatch"),
        ("three", 3, "bound", "match"),
        # free
        ("standard", "express", "free", "uncertain"),
        ("standard", "STANDARD", "free", "match"),
        ("standard", None, "free", "uncertain"),
        (17, 18, "free", "uncertain"),
        (True, False, "free", "uncertain"),
        (False, None, "free", "uncertain"),
        # volatile
        ("s_98671ebcc1e7dcf3", "s_17ab99c01de2f340", "free", "uncertain"),
        (START + 5000, START + 9000, "volatile", "match"),
        ("2026-11-29T12:14:23.417Z", "2026-11-29T12:15:01.001Z", "volatile", "match"),
        # the shape alone does not make noise
        ("2026-11-29T14:00:00Z", "2026-11-29T15:00:00Z", "free", "uncertain"),
        ("2026-12-20T14:00:00", "2026-12-20T15:00:00", "free", "uncertain"),
        ("s_98671ebcc1e7dcf3", "guest", "free", "uncertain"),
        ("4111111111111111", "5500005555555559", "free", "uncertain"),
        ("+14165550134", "+14165550199", "free", "uncertain"),
        ("19.99", "24.99", "free", "uncertain"),
        ("https://shop.test/p/a8f3k29dk1x7", "https://shop.test/p/b9f3k29dk1x8", "free", "uncertain"),
    ],
)
def test_one_field(reference: Any, agent: Any, kind: str, status: str) -> None:
    assert one(reference, agent) == (kind, status)


def test_a_date_of_the_task_is_no_timestamp_even_on_the_day_of_the_run() -> None:
    today = "2026-11-29T12:14:23Z"
    assert one(today, "2026-11-29T12:14:24Z", instruction="Book it for November 29, 2026") == ("bound", "mismatch")


def test_the_other_record_of_the_persona_is_wrong_if_the_instruction_chose() -> None:
    found = compared(agents(ship_to={"name": "Dana Ruiz", "street": "9 Mill Lane", "city": "York", "zip": "YO1 7HH"}))
    assert [found[f"/body/ship_to/{k}"].status for k in ("name", "street", "city", "zip")] == [
        "match", "mismatch", "mismatch", "mismatch",
    ]  # fmt: skip


def test_the_other_record_is_uncertain_if_the_instruction_did_not_choose() -> None:
    assert one("12 Elm Road", "9 Mill Lane", instruction="Send it to my address") == ("bound", "uncertain")
    assert one("12 Elm Road", "3 Oak Street", instruction="Send it to my address") == ("bound", "mismatch")


EXACT = 'Publish a review with exactly this text: "Great coffee, flimsy cap."'


@pytest.mark.parametrize(
    ("agent", "status"),
    [
        ("Great coffee, flimsy cap.", "match"),
        (" Great coffee, flimsy cap.\n", "match"),
        ("great coffee, flimsy cap.", "uncertain"),
        ("Great coffee, flimsy cap", "uncertain"),
        ("Great  coffee, flimsy cap.", "uncertain"),
        ("<p>Great coffee, flimsy cap.</p>", "match"),
        ("Great coffee.", "mismatch"),
    ],
)
def test_a_text_wanted_to_the_letter_is_compared_to_the_letter(agent: str, status: str) -> None:
    assert one("Great coffee, flimsy cap.", agent, instruction=EXACT) == ("bound", status)


def test_without_that_word_case_means_nothing() -> None:
    loose = EXACT.replace("exactly ", "")
    assert one("Great coffee, flimsy cap.", "great coffee, flimsy cap.", instruction=loose) == ("bound", "match")
    assert compare_values("a", "A", context(EXACT)).equal is True


@pytest.mark.parametrize(
    ("extra", "kind", "status"),
    [
        (None, "free", "match"),
        (False, "free", "match"),
        ("", "free", "match"),
        ("s_17ab99c01de2f340", "volatile", "match"),
        ("web", "free", "uncertain"),
        (True, "free", "uncertain"),
        (5, "free", "uncertain"),
        ("5", "free", "uncertain"),
        ("express", "free", "uncertain"),
        ("black", "free", "uncertain"),
        (3, "free", "uncertain"),
    ],
)
def test_what_only_the_agent_sent(extra: Any, kind: str, status: str) -> None:
    known = context(agent_entered=frozenset({"express delivery (+ 5.00)"}))
    found = compared({"a": "x", "more": extra}, {"a": "x"}, known)["/body/more"]
    assert (found.kind, found.status) == (kind, status)


def test_without_recorded_acts_an_extra_text_may_be_the_agents() -> None:
    known = context(agent_entered=frozenset())
    assert compared({"a": "x", "more": "web"}, {"a": "x"}, known)["/body/more"].status == "uncertain"


def test_one_more_of_what_the_task_spells_out_is_wrong() -> None:
    lamp = BODY["lines"][0]
    found = compared(agents(lines=[lamp, {"name": "Rug", "colour": "red", "count": 1}]))
    assert found["/body/lines/1/name"].status == "extra"
    assert found["/body/lines/1/name"].kind == "bound"


def test_a_missing_element_is_missing() -> None:
    found = compared(agents(lines=[]))
    assert (found["/body/lines/0/name"].status, found["/body/lines/0/name"].kind) == ("missing", "bound")


def test_a_missing_token_is_no_fault() -> None:
    mine = agents()
    del mine["session"]
    assert compared(mine)["/body/session"].status == "match"


def test_a_number_that_another_field_carries_does_not_bind_a_counter() -> None:
    theirs = {"count": 3, "steps": 3}
    found = compared({"count": 3, "steps": 5}, theirs)
    assert (found["/body/steps"].kind, found["/body/steps"].status) == ("free", "uncertain")
    assert compared({"count": 4, "steps": 3}, theirs)["/body/count"].status == "uncertain"
    assert compared({"count": 4}, {"count": 3})["/body/count"].status == "mismatch"


def test_a_chance_equality_with_a_short_persona_value_binds_nothing() -> None:
    persona = {"address": {"unit": "5"}}
    assert one("5", "6", key="page", persona=persona) == ("free", "uncertain")
    assert one("5", "6", key="unit", persona=persona) == ("bound", "mismatch")


def test_a_reordered_list_is_the_same_list_unless_order_may_count() -> None:
    theirs = {"guests": ["Ann Lee", "Bob Ray"]}
    mine = {"guests": ["Bob Ray", "Ann Lee"]}
    loose = compared(mine, theirs, context("Invite Ann Lee and Bob Ray with my first name"))
    assert {f.status for f in loose.values()} == {"match"}
    assert "list_order" in loose["/body/guests/0"].normalisations
    for asked in (
        "Invite Ann Lee first and then Bob Ray",
        "Go from Ann Lee to Bob Ray",
        "The route is Ann Lee, Bob Ray",
    ):
        doubtful = compared(mine, theirs, context(asked))
        assert {f.status for f in doubtful.values()} == {"uncertain"}, asked
    strict = compared(mine, theirs, context("Invite in this order: Ann Lee, Bob Ray"))
    assert {f.status for f in strict.values()} == {"mismatch"}


@pytest.mark.parametrize(
    ("instruction", "ordered"),
    [("rank them", True), ("in this order: a, b", True), ("order two lamps", False), ("put them in that order", True)],
)
def test_words_of_order(instruction: str, ordered: bool) -> None:
    assert mention_of_order(instruction) is ordered


def test_an_instant_in_another_zone_is_the_same_if_all_of_them_are() -> None:
    theirs = {"event": {"start": "2026-12-14T14:00", "end": "2026-12-14T15:00", "zone": "America/Toronto"}}
    mine = {"event": {"start": "2026-12-14T20:00", "end": "2026-12-14T21:00", "zone": "Europe/Paris"}}
    assert {f.status for f in compared(mine, theirs).values()} == {"match"}
    mine["event"]["end"] = "2026-12-14T21:30"
    assert compared(mine, theirs)["/body/event/end"].status != "match"
    mine = {"event": {**theirs["event"], "zone": "Europe/Paris"}}
    assert compared(mine, theirs)["/body/event/zone"].status != "match"
    mine["event"] = {**theirs["event"], "start": "2026-12-14T14:00-05:00", "end": "2026-12-14T15:00-05:00", "zone": "x"}
    assert compared(mine, theirs)["/body/event/zone"].status != "match"


def test_uploads_are_compared_by_name_and_bytes() -> None:
    def upload(name: str, size: int = 9, digest: str = "aa") -> dict[str, Any]:
        return {"resume": {"filename": name, "content_type": "application/pdf", "size": size, "sha256": digest}}

    known, theirs, large = context("Upload my resume", {"x": "yy"}), upload("resume.pdf"), upload("resume.pdf", 9000)
    assert compared(upload("Resume.pdf", 8, "bb"), theirs, known)["/body/resume"].status == "match"
    for size, status in ((0, "uncertain"), (8, "uncertain"), (4000, "match")):
        assert compared(upload("resume.pdf", size, "cc"), large, known)["/body/resume"].status == status
    assert compared(upload("holiday.pdf", 8, "bb"), theirs, known)["/body/resume"].status == "mismatch"
    assert compared({"resume": "resume.pdf"}, theirs, known)["/body/resume"].status == "mismatch"
    assert compared({}, theirs, known)["/body/resume"].status == "missing"


def test_another_product_in_the_path_is_seen() -> None:
    theirs = request(None, "https://shop.test/api/products/desk-lamp/order")
    mine = request(None, "https://shop.test/api/products/floor-lamp/order")
    (found,) = bind_fields(theirs, mine, context())
    assert (found.pointer, found.status) == ("/url/3", "mismatch")
    assert bind_fields(theirs, theirs, context()) == []


def test_a_long_list_in_doubt_is_never_called_wrong() -> None:
    known = context("Order 3 of each of my hundred lamps, Desk Lamp too")
    theirs = {"l": [{"name": f"Lamp {n}", "count": 3} for n in range(100)]}
    mine = {"l": [{"name": f"Lamp {n}", "count": 4} for n in reversed(range(100))]}
    assert {f.status for f in compared(mine, theirs, known).values()} == {"uncertain"}


def test_what_was_not_compared_is_said() -> None:
    theirs = {f"k{n}": n for n in range(MAX_FIELDS + 10)}
    mine = {**theirs, f"k{MAX_FIELDS + 5}": -1}
    doubts = [f for f in compared(mine, theirs).values() if f.status != "match"]
    assert [f.pointer for f in doubts] == ["/url"]
    assert str(MAX_FIELDS) in doubts[0].note
    assert all(f.status == "match" for f in compared(theirs, theirs).values())


def test_very_many_fields_are_compared_to_the_letter() -> None:
    theirs = {f"k{n}": f"value {n}" for n in range(MAX_FIELDS - 100)}
    mine = {name: value.replace(" ", "  ") if int(name[1:]) % 2 else value for name, value in theirs.items()}
    started = time.process_time()
    fields = compared(theirs, mine)
    assert time.process_time() - started < 15
    assert {fields[f"/body/k{n}"].status for n in range(0, len(theirs), 2)} == {"match"}
    alike = [fields[f"/body/k{n}"] for n in range(1, len(theirs), 2)]
    assert {f.status for f in alike[:400]} == {"match"}
    assert {f.status for f in alike[400:]} == {"uncertain"}
    assert "to the letter" in alike[400].note


def test_among_very_many_fields_a_persona_value_still_binds_to_the_letter() -> None:
    field = compared(*[{**{f"k{n}": f"value {n}" for n in range(600)}, "city": "Leeds"}] * 2)["/body/city"]
    assert (field.kind, field.status, field.bound_by[0].quote) == ("bound", "match", "/address/home/city")


@pytest.mark.parametrize(
    ("pointer", "name"),
    [("/body/lines/0/name", "name"), ("/body/tags/3", "tags"), ("/body/a~1b~0c", "a/b~c"), ("", "")],
)
def test_a_field_is_called_by_its_last_key(pointer: str, name: str) -> None:
    assert leaf_name(pointer) == name


def test_numbers_are_known_as_numbers() -> None:
    assert [is_number(v) for v in (1, 1.5, "12", True, "1.5", "²", None)] == [
        True, True, True, False, False, False, False,
    ]  # fmt: skip


def shuffled(value: Any, draw: Any) -> Any:
    if isinstance(value, dict):
        keys = draw(st.permutations(list(value)))
        return {key: shuffled(value[key], draw) for key in keys}
    return [shuffled(item, draw) for item in value] if isinstance(value, list) else value


@given(st.data())
def test_key_order_and_white_space_change_nothing(data: Any) -> None:
    before = {p: (f.kind, f.status) for p, f in compared(agents()).items()}
    mine = shuffled(agents(), data.draw)
    blank = data.draw(st.sampled_from(["", " ", "\n"]))
    mine["note"] = blank + mine["note"] + blank
    spaced = json.dumps(mine, indent=data.draw(st.sampled_from([None, 2])))
    assert {p: (f.kind, f.status) for p, f in compared(spaced).items()} == before


BOUND = [
    "/lines/0/name",
    "/lines/0/colour",
    "/lines/0/count",
    "/ship_to/street",
    "/ship_to/city",
    "/day",
    "/note",
    "/contact",
]


@given(st.sampled_from(BOUND), st.text(min_size=1, max_size=20).filter(str.strip) | st.integers(4, 10**6))
def test_another_value_in_a_bound_field_is_never_right(pointer: str, value: Any) -> None:
    mine = agents()
    right = dict(flatten(mine))[pointer]
    node = mine
    *parents, last = [int(p) if p.isdigit() else p for p in pointer.split("/")[1:]]
    for part in parents:
        node = node[part]  # type: ignore[index]
    if str(value).strip().casefold() == str(right).casefold():
        return
    node[last] = value  # type: ignore[index]
    found = compared(mine)
    wrong = {p for p, f in found.items() if f.status in ("mismatch", "uncertain", "missing")}
    assert any(p.startswith("/body" + pointer.rsplit("/", 1)[0]) for p in wrong)


@given(st.dictionaries(st.sampled_from(["sid", "csrf", "nonce", "trace"]), st.uuids().map(str), max_size=4))
def test_more_noise_does_no_harm(noise: dict[str, str]) -> None:
    assert {f.status for f in compared({**agents(), **noise}).values()} == {"match"}


@pytest.mark.parametrize(
    ("instruction", "theirs", "mine", "status"),
    [
        ("Search for cars up to 12,000 km", 12000, "12,000 km", "match"),
        ("Book May 3, 2027 for us", "03.05.2027", "2027-05-03", "match"),
        ("Learn C++ with a tutor", "C++", "C", "uncertain"),
        ("Book December 14, 2026 at 2 pm", "2026-12-14T14:00", "2026-12-14", "uncertain"),
        ("Book December 14, 2026 at 2 pm", "2026-12-14T19:00Z", "2026-12-14T13:00", "uncertain"),
        ("Write exactly 'Good Day' there", "Good Day", "good day", "uncertain"),
    ],
)
def test_the_instructions_own_words_settle_numbers_and_days_alone(
    instruction: str, theirs: Any, mine: Any, status: str
) -> None:
    assert one(theirs, mine, instruction=instruction) == ("bound", status)
