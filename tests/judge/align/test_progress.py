"""How far a run without a terminal request came."""

from __future__ import annotations

from typing import Any

import pytest

from clawjudge.judge.align.alignment import align
from clawjudge.judge.align.context import BindingContext
from clawjudge.judge.align.progress import Seen, expected_fields, observe, same_as_reference
from clawjudge.judge.align.sources import TaskSources
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.steps import Step
from clawjudge.traces.transcripts.controls import Control
from clawjudge.traces.transcripts.pages import PageState

START = 1_796_000_000_000
ASK = 'Order 3 "Desk Lamp" in black for Dana with exactly the note "Happy move!"'
ORDER = {"lines": [{"name": "Desk Lamp", "count": 3}], "customer": {"name": "Dana"}, "note": "Happy move!"}


def request(body: Any, path: str = "/api/draft", second: int = 5) -> RequestEvent:
    headers = {"Content-Type": "application/json"}
    return RequestEvent(second, "POST", "https://shop.test" + path, START + second * 1000, headers, body=body)


def step(kind: Any, label: str, value: str | None = None, second: int = 1, index: int = 0) -> Step:
    return Step(kind, START + second * 1000, "https://shop.test/", label, label=label, value=value, index=index)


def context() -> BindingContext:
    return BindingContext(
        TaskSources(ASK, own_emails=frozenset({"dana.2@mail.test"})),
        reference_emails=frozenset({"dana.1@mail.test"}),
        reference_times=(START, START + 60_000),
        agent_times=(START, START + 60_000),
    )


def progress(
    changes: list[RequestEvent],
    steps: list[Step] | None = None,
    theirs: list[Step] | None = None,
    pages: list[PageState] | None = None,
    order: Any = ORDER,
) -> dict[str, Seen]:
    known, mine, human = context(), steps or [], theirs or []
    wanted = expected_fields(request(order, "/api/orders"), known)
    alignment = align(mine, human, lambda a, b: a == b)
    return {s.field.pointer: s for s in observe(wanted, changes, mine, human, alignment, known, pages or [])}


def statuses(seen: dict[str, Seen]) -> dict[str, str]:
    return {pointer.rsplit("/", 1)[-1]: s.field.status for pointer, s in seen.items()}


NOTE, COUNT, NAME, CUSTOMER = "/body/note", "/body/lines/0/count", "/body/lines/0/name", "/body/customer/name"


def test_a_draft_under_a_wrapper_shows_the_fields() -> None:
    seen = progress([request({"draft": ORDER})])
    assert {p: s.field.status for p, s in seen.items()} == dict.fromkeys([NAME, COUNT, CUSTOMER, NOTE], "match")
    assert seen[COUNT].field.agent_pointer == "/body/draft/lines/0/count"
    assert seen[COUNT].request is not None


def test_a_wrong_value_in_a_draft_is_wrong() -> None:
    seen = progress([request({"customer": {"name": "Carl"}})])
    assert (seen[CUSTOMER].field.status, seen[CUSTOMER].field.agent) == ("mismatch", "Carl")


def test_the_latest_request_counts() -> None:
    wrong, right = request({"customer": {"name": "Carl"}}, second=3), request({"customer": {"name": "Dana"}}, second=6)
    assert progress([wrong, right])[CUSTOMER].field.status == "match"
    assert progress([right, wrong])[CUSTOMER].field.status == "mismatch"


def test_a_name_under_another_parent_is_another_name() -> None:
    seen = progress([request({"coupon": {"name": "Carl"}})])
    assert seen[CUSTOMER].field.status == "uncertain"
    assert seen[CUSTOMER].field.agent is None


def test_a_bare_name_is_not_taken_where_a_better_place_has_one() -> None:
    seen = progress([request({"name": "Carl", "customer": {"name": "Dana"}})])
    assert seen[CUSTOMER].field.status == "match"


def test_a_later_entry_puts_an_earlier_request_right() -> None:
    sent = request({"customer": {"name": "Carl"}}, second=3)
    human = [step("fill", "Your name", "Dana", second=2)]
    seen = progress([sent], [step("fill", "Your name", "Dana", second=6)], human)
    assert seen[CUSTOMER].field.status == "match"
    assert seen[CUSTOMER].step is not None


def test_a_later_entry_in_another_field_puts_nothing_right() -> None:
    sent = request({"customer": {"name": "Carl"}}, second=3)
    human = [step("fill", "Your name", "Dana", second=2)]
    seen = progress([sent], [step("fill", "Search the whole shop", "Dana", second=6)], human)
    assert seen[CUSTOMER].field.status == "uncertain"


def test_an_earlier_entry_does_not() -> None:
    sent = request({"customer": {"name": "Carl"}}, second=3)
    assert progress([sent], [step("fill", "Your name", "Dana", second=2)])[CUSTOMER].field.status == "mismatch"


def test_what_was_entered_and_never_sent_is_seen() -> None:
    seen = progress([], [step("fill", "Note", "Happy move!")])
    assert (seen[NOTE].field.status, seen[NOTE].request) == ("match", None)
    assert seen[NOTE].step is not None


def test_a_text_wanted_to_the_letter_is_not_seen_in_another_case() -> None:
    assert progress([], [step("fill", "Note", "happy move!")])[NOTE].field.status == "uncertain"
    assert progress([request({"note": "happy move!"})])[NOTE].field.status == "uncertain"
    assert progress([request({"note": "Happy move!"})])[NOTE].field.status == "match"


def test_what_the_human_entered_and_the_agent_passed_by_is_missing() -> None:
    note, button = step("fill", "Note", "Happy move!", index=0), step("click", "Go on", second=2, index=1)
    seen = progress([], [step("click", "Go on", second=2)], [note, button])
    assert seen[NOTE].field.status == "missing"
    assert seen[NOTE].reached


def test_what_was_to_come_later_was_not_reached() -> None:
    button, note = step("click", "Go on", index=0), step("fill", "Note", "Happy move!", second=2, index=1)
    seen = progress([], [step("click", "Go on")], [button, note])
    assert seen[NOTE].field.status == "uncertain"
    assert not seen[NOTE].reached


def test_the_last_page_may_show_it() -> None:
    controls = (
        Control("textbox", "Your name", "Dana"),
        Control("radio", "Black", "true"),
        Control("radio", "Red", "false"),
    )
    page = PageState(1, None, "https://shop.test/", "Checkout", controls)
    seen = progress([], pages=[page], order={"customer": "Dana", "colour": "black", "other": "Red"})
    assert seen["/body/customer"].field.status == "match"
    assert seen["/body/colour"].field.status == "match"


def test_a_box_that_is_off_shows_nothing() -> None:
    page = PageState(1, None, "https://shop.test/", "Checkout", (Control("radio", "Black", "false"),))
    assert progress([], pages=[page], order={"colour": "black"})["/body/colour"].field.status == "uncertain"


def test_things_sent_one_by_one_count_for_the_list() -> None:
    order = {"lines": [{"name": "Desk Lamp"}, {"name": "Dana"}]}
    sent = [request({"name": "Desk Lamp"}, second=1), request({"name": "Dana"}, second=2)]
    assert set(statuses(progress(sent, order=order)).values()) == {"match"}


def test_free_values_matter_only_where_they_differ() -> None:
    order = {"customer": "Dana", "speed": "standard", "sid": "s_98671ebcc1e7dcf3", "at": START + 5123, "code": "482913"}
    seen = progress([request({**order, "speed": "express", "sid": "s_17ab99c01de2f340"})], order=order)
    assert statuses(seen) == {"customer": "match", "speed": "uncertain"}
    assert "/body/speed" not in progress([request(order)], order=order)
    assert "/body/speed" not in progress([], order=order)


def test_the_one_time_code_of_an_unfinished_run_is_no_doubt() -> None:
    order = {"customer": "Dana", "code": "482913"}
    sent = [request({"customer": "Dana", "code": "117305"})]
    known = context()
    wanted = expected_fields(request(order, "/api/orders"), known)

    def doubts() -> list[str]:
        seen = observe(wanted, sent, [], [], align([], [], lambda a, b: a == b), known, [])
        return [s.field.name for s in seen if s.field.status == "uncertain"]

    assert doubts() == ["code"]
    known.agent_entered, known.was_shown = frozenset({"117305"}), lambda text: text == "117305"
    assert doubts() == ["code"]
    known.mail_read = True
    assert doubts() == []


@pytest.mark.parametrize(
    ("reference", "agent", "same"),
    [
        ("dana.1@mail.test", "Dana.2@mail.test", True),
        ("dana.1@mail.test", "dana.1@mail.test", False),
        ("Dana", "DANA", True),
        ("Happy move!", "happy move!", None),
        ("Happy move!", "Sad move!", False),
        (3, "3", True),
    ],
)
def test_values_are_the_same_as_the_reference(reference: Any, agent: Any, same: bool | None) -> None:
    assert same_as_reference(reference, agent, context()) is same
