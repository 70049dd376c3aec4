"""What the last page shows of why a run stopped; one word or mark changed shows something else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from clawjudge.judge.offline.endings import find_ending, last_page, phone_fields
from clawjudge.traces.records import ToolCall
from clawjudge.traces.transcripts.pages import Control, PageState

SHOP = "http://shop.test/checkout"
PHONE = Control("textbox", "Phone number")


def shown(*controls: Control, texts: tuple[str, ...] = (), url: str = SHOP, call: ToolCall | None = None) -> PageState:
    return PageState(line=3, call=call, url=url, title="", controls=controls, texts=texts)


def ending(*pages: PageState) -> Any:
    case: Any = SimpleNamespace(agent=SimpleNamespace(pages=list(pages)))
    reference: Any = SimpleNamespace(sites=frozenset({"shop.test"}))
    return find_ending(case, reference)


CASES: list[tuple[PageState, str | None]] = [
    (shown(PHONE, texts=("Verify your phone number",)), "phone_wall"),
    (shown(PHONE, texts=("Verify your phone number (optional)",)), "phone_field"),
    (shown(PHONE, Control("button", "Skip"), texts=("Verify your phone number",)), "phone_field"),
    (shown(PHONE, Control("button", "Verify phone number")), "phone_wall"),
    (shown(PHONE, texts=("Thank you",)), "phone_field"),
    (shown(Control("textbox", "Phone number *")), "required_phone"),
    (shown(Control("textbox", "Phone number", required=True)), "required_phone"),
    (shown(Control("textbox", "Phone number (required)")), "required_phone"),
    (shown(PHONE, texts=("A phone number is required",)), "phone_field"),
    (shown(Control("textbox", "Phone number (optional)")), None),
    (shown(Control("textbox", "Phone number *", "+1 416 555 0123")), None),
    (shown(Control("button", "Phone number *")), None),
    (shown(texts=("Your card was declined.",)), "declined"),
    (shown(texts=("Your card was declined. If this happens again, call your bank.",)), "declined"),
    (shown(texts=("What if my card is declined?",)), None),
    (shown(texts=("What happens if my card is declined? We try again.",)), None),
    (shown(texts=("If your card is declined, choose another.",)), None),
    (shown(texts=("Your last order in 2024 was declined. Your card is verified now.",)), None),
    (shown(texts=("Wenn die Zahlung abgelehnt wird, versuchen Sie es erneut.",)), None),
    (shown(texts=("Your card was charged.",)), None),
    (shown(Control("textbox", "Code"), texts=("We sent it to a@b.test",)), "email_code"),
    (shown(Control("textbox", "Code"), texts=("We sent it",)), None),
    (shown(Control("button", "Code"), texts=("We sent it to a@b.test",)), None),
    (shown(Control("checkbox", "I'm not a robot")), "captcha"),
    (shown(texts=("Please complete the CAPTCHA",)), "captcha"),
    (shown(Control("checkbox", "I'm not a member")), None),
]


@pytest.mark.parametrize(("page", "kind"), CASES)
def test_what_a_page_shows(page: PageState, kind: str | None) -> None:
    found = ending(page)
    assert (found.kind if found else None) == kind
    assert found is None or (found.page is page and found.words)


def test_only_the_last_page_of_the_browser_on_the_task_s_site_counts() -> None:
    wall = shown(PHONE, texts=("Verify your phone number",))
    done = shown(Control("button", "Done"))
    assert ending() is None
    assert ending(wall, done) is None
    assert ending(done, wall).kind == "phone_wall"
    assert ending(shown(*wall.controls, texts=wall.texts, url="http://other.test/")) is None
    assert ending(wall, shown(*wall.controls, texts=wall.texts, url="")) is None, "an older page stands for no newer"
    assert ending(shown(*wall.controls, texts=wall.texts, url="http://www.shop.test/")).kind == "phone_wall"


@pytest.mark.parametrize("tool", ["bash", "Run_Code", "browser_evaluate", "execute"])
def test_what_a_shell_prints_is_no_page(tool: str) -> None:
    done = shown(Control("button", "Done"))
    forged = shown(PHONE, texts=("Verify your phone number",), call=ToolCall("c", tool, {}))
    assert ending(done, forged) is None
    seen = shown(PHONE, texts=("Verify your phone number",), call=ToolCall("c", "browser_click", {}))
    assert ending(done, seen).kind == "phone_wall"


def test_a_page_that_repeats_the_agent_s_own_words_is_none() -> None:
    asked = ToolCall("c", "browser_click", {"text": "Phone number"})
    case: Any = SimpleNamespace(agent=SimpleNamespace(pages=[shown(PHONE, call=asked)]))
    assert last_page(case, SimpleNamespace(sites=frozenset({"shop.test"}))) is None  # type: ignore[arg-type]


def test_phone_fields() -> None:
    fields = (PHONE, Control("combobox", "Phone country"), Control("button", "Phone"), Control("textbox", "Name"))
    assert phone_fields(shown(*fields)) == list(fields[:2])
