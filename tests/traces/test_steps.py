"""Low-level events coalesced into what a person would call steps."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from clawjudge.traces import steps as steps_module
from clawjudge.traces.digest import digest
from clawjudge.traces.payload import flatten
from clawjudge.traces.records import ActionEvent, RequestEvent, Source, Target
from clawjudge.traces.steps import Step, build_steps, is_state_changing, walls_shown
from clawjudge.traces.trace import Trace
from clawjudge.traces.transcripts.pages import Control, PageState

SHARED = Path(os.environ.get("CLAWJUDGE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
CORPUS = SHARED / "corpus" / "dev"
PAGE = "http://shop.test/form"


class Recorder:
    """Makes events as a recorder would: one line each, 100 ms apart."""

    def __init__(self) -> None:
        self.events: list[ActionEvent] = []
        self.t_ms: int | None = 1_000_000

    def add(self, kind: str, tag: str = "", name: str = "", value: str | None = None, **more: Any) -> None:
        if self.t_ms is not None and "t_ms" not in more:
            self.t_ms += more.pop("after", 100)
        more.pop("after", None)
        target = None
        if tag:
            target = Target(tag=tag, id=name, xpath=more.pop("xpath", f"/{tag}[{name}]"), text=more.pop("text", ""))
        more = {"url": PAGE, "t_ms": self.t_ms, **more}
        self.events.append(ActionEvent(line=len(self.events) + 1, type=kind, target=target, value=value, **more))

    def type(self, name: str, text: str, before: str = "", tag: str = "INPUT", every: int = 1) -> None:
        """Keys as they come; of the input events only every n-th is sampled."""
        held = before
        for n, key in enumerate(text):
            self.add("keydown", tag, name, held, key=key)
            held += key
            if n % every == 0:
                self.add("input", tag, name, held)
            self.add("keyup", tag, name, held, key=key)

    def steps(self, requests: Iterable[tuple[RequestEvent, bool]] = (), **more: Any) -> list[Step]:
        return build_steps(self.events, requests, **more)


@pytest.fixture
def rec() -> Recorder:
    return Recorder()


def brief(steps: list[Step]) -> list[tuple[str, str, str | None]]:
    return [(step.kind, step.target, step.value) for step in steps]


def request(method: str = "POST", url: str = "http://shop.test/api", t_ms: int | None = 5, **more: Any) -> RequestEvent:
    return RequestEvent(line=more.pop("line", 1), method=method, url=url, t_ms=t_ms, **more)


# Typing


@pytest.mark.parametrize("every", [1, 3, 100])
@pytest.mark.parametrize("clicked", [True, False])
def test_typing_is_one_fill_with_the_final_value(rec: Recorder, every: int, clicked: bool) -> None:
    if clicked:
        rec.add("click", "INPUT", "q", "")
    rec.type("q", "blue mug", every=every)
    rec.add("change", "INPUT", "q", "blue mug")
    (step,) = rec.steps()
    assert (step.kind, step.target, step.value) == ("fill", "input q", "blue mug")
    assert (step.t_ms, step.end_ms) == (rec.events[0].t_ms, rec.events[-1].t_ms)
    assert step.sources == [Source("actions", 1), Source("actions", len(rec.events))]


def test_last_line_of_a_fill_holds_its_value(rec: Recorder) -> None:
    rec.type("q", "ab")
    rec.add("keydown", "INPUT", "q", "ab", key="c")
    rec.add("input", "INPUT", "q", "abc")
    rec.add("keydown", "INPUT", "q", "ab", key="x")  # late by throttling: what it says is no longer so
    (step,) = rec.steps()
    cited = rec.events[step.line.line - 1]
    assert (step.value, cited.value) == ("abc", "abc")


def test_correction_within_a_field_is_the_same_fill(rec: Recorder) -> None:
    rec.type("q", "mgu")
    for held in ("mg", "m", ""):
        rec.add("keydown", "INPUT", "q", held + "x", key="Backspace")
        rec.add("input", "INPUT", "q", held)
    rec.type("q", "mug")
    assert brief(rec.steps()) == [("fill", "input q", "mug")]


def test_emptied_field_is_a_fill_with_nothing(rec: Recorder) -> None:
    rec.add("click", "INPUT", "q", "old")
    rec.add("input", "INPUT", "q", "")
    rec.add("change", "INPUT", "q", "")
    assert brief(rec.steps()) == [("fill", "input q", "")]


def test_interleaved_fields_are_two_fills(rec: Recorder) -> None:
    rec.type("first", "A")
    rec.type("last", "B")
    rec.type("first", "lex", before="A")
    rec.type("last", "ob", before="B")
    assert brief(rec.steps()) == [("fill", "input first", "Alex"), ("fill", "input last", "Bob")]


def test_correction_after_a_press_is_a_second_fill(rec: Recorder) -> None:
    rec.type("qty", "9")
    rec.add("click", "BUTTON", "next")
    rec.add("click", "INPUT", "qty", "9")
    rec.add("input", "INPUT", "qty", "2")
    assert brief(rec.steps()) == [
        ("fill", "input qty", "9"),
        ("click", "button next", None),
        ("fill", "input qty", "2"),
    ]


def test_event_that_only_repeats_a_settled_value_is_no_entry(rec: Recorder) -> None:
    # Input events are sampled every 500 ms: the last may come after the press.
    rec.type("qty", "2")
    rec.add("click", "BUTTON", "next")
    rec.add("input", "INPUT", "qty", "2")
    rec.add("change", "INPUT", "qty", "2")
    assert [step.kind for step in rec.steps()] == ["fill", "click"]


def test_same_value_on_a_fresh_page_is_an_entry(rec: Recorder) -> None:
    rec.type("qty", "2")
    rec.add("click", "BUTTON", "next")
    rec.add("pageLoad")
    rec.add("input", "INPUT", "qty", "2")
    assert [step.kind for step in rec.steps()] == ["fill", "click", "navigate", "fill"]


@pytest.mark.parametrize("tag", ["INPUT", "TEXTAREA"])
def test_value_set_without_keys_is_a_fill(rec: Recorder, tag: str) -> None:
    # Paste, autofill and the `fill` of automation tools: no key goes down.
    rec.add("input", tag, "card", "4111111111111111")
    rec.add("change", tag, "card", "4111111111111111")
    rec.add("click", tag, "note", "")
    rec.add("input", tag, "note", "pasted")
    rec.add("change", tag, "note", "pasted")
    assert [(step.kind, step.value) for step in rec.steps()] == [("fill", "4111111111111111"), ("fill", "pasted")]


def test_textarea_keeps_its_line_breaks(rec: Recorder) -> None:
    rec.type("note", "a", tag="TEXTAREA")
    rec.add("keydown", "TEXTAREA", "note", "a", key="Enter")
    rec.add("keyup", "TEXTAREA", "note", "a\n", key="Enter")
    rec.type("note", "b", before="a\n", tag="TEXTAREA")
    assert brief(rec.steps()) == [("fill", "textarea note", "a\nb")]


@pytest.mark.parametrize("tag", ["BODY", "HTML", "BUTTON", "A"])
def test_shortcuts_enter_nothing(rec: Recorder, tag: str) -> None:
    rec.add("keydown", tag, "x", key="j")
    rec.add("keyup", tag, "x", key="j")
    rec.add("keydown", "INPUT", "q", "", key="Tab")
    rec.add("keyup", "INPUT", "q", "", key="Tab")
    assert rec.steps() == []


def test_content_editable_text_is_made_of_its_keys(rec: Recorder) -> None:
    rec.add("click", "DIV", "body", text="Write here")
    for key in ["H", "i", "x", "Backspace", "Enter", "y", "o"]:
        rec.add("keydown", "DIV", "body", key=key, text="Write here")
        rec.add("input", "DIV", "body", text="whatever")
        rec.add("keyup", "DIV", "body", key=key)
    assert [(step.kind, step.value) for step in rec.steps()] == [("click", None), ("fill", "Hi\nyo")]


def test_text_pasted_into_content_editable_is_what_stands_there(rec: Recorder) -> None:
    rec.add("input", "DIV", "body", text="Dear")
    rec.add("input", "DIV", "body", text="Dear Sir")
    assert [(step.kind, step.value) for step in rec.steps()] == [("fill", "Dear Sir")]


def test_endless_typing_takes_bounded_memory(rec: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps_module, "_TYPED_CHARACTERS", 10)
    for _ in range(50):
        rec.add("keydown", "DIV", "body", key="x")
    (step,) = rec.steps()
    assert step.value == "x" * 10
    assert len(step.sources) == 2


def test_endless_fields_take_bounded_memory(rec: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps_module, "_OPEN_FIELDS", 5)
    for n in range(40):
        rec.add("input", "INPUT", f"f{n}", str(n))
    assert [step.value for step in rec.steps()] == [str(n) for n in range(40)]


def test_fields_that_differ_in_nothing_but_their_name_are_kept_apart(rec: Recorder) -> None:
    for name in ("first", "last"):
        target = Target(tag="INPUT", name=name)
        rec.events.append(ActionEvent(len(rec.events) + 1, "input", 1, PAGE, target=target, value=name))
    assert [step.value for step in rec.steps()] == ["first", "last"]


@pytest.mark.parametrize("other", ["http://other.test/form", "http://shop.test/second"])
def test_same_place_in_another_frame_or_page_is_another_field(rec: Recorder, other: str) -> None:
    rec.add("input", "INPUT", "q", "here", xpath="/html/body/input")
    rec.add("input", "INPUT", "q", "there", xpath="/html/body/input", url=other)
    rec.add("input", "INPUT", "q", "here too", xpath="/html/body/input")
    assert [step.value for step in rec.steps()] == ["here too", "there"]


# Choosing


@pytest.mark.parametrize("value", ["standard", "on"])
def test_radio_button_or_box_is_a_select(rec: Recorder, value: str) -> None:
    for kind in ("click", "input", "change"):
        rec.add(kind, "INPUT", "ship", value)
    assert brief(rec.steps()) == [("select", "input ship", value)]


def test_box_switched_by_the_space_bar_is_a_select(rec: Recorder) -> None:
    rec.add("keydown", "INPUT", "terms", "on", key=" ")
    rec.add("keyup", "INPUT", "terms", "on", key=" ")
    for kind in ("click", "input", "change"):
        rec.add(kind, "INPUT", "terms", "on")
    assert brief(rec.steps()) == [("select", "input terms", "on")]


def test_click_on_a_label_and_its_box_is_one_select(rec: Recorder) -> None:
    rec.add("click", "LABEL", "", text="Standard shipping")
    rec.add("click", "INPUT", "ship", "standard", after=2)
    rec.add("input", "INPUT", "ship", "standard", after=1)
    rec.add("change", "INPUT", "ship", "standard", after=1)
    (step,) = rec.steps()
    assert (step.kind, step.target, step.value) == ("select", "input ship", "standard")
    assert step.label == "Standard shipping"


def test_click_on_a_label_and_a_later_one_on_a_field_are_two(rec: Recorder) -> None:
    rec.add("click", "LABEL", "l", text="Shipping")
    rec.add("click", "INPUT", "q", "", after=3000)
    rec.add("input", "INPUT", "q", "x")
    assert [step.kind for step in rec.steps()] == ["click", "fill"]


def test_select_element(rec: Recorder) -> None:
    rec.add("click", "SELECT", "size", "s", text="SmallLarge")
    rec.add("input", "SELECT", "size", "l", text="SmallLarge")
    rec.add("change", "SELECT", "size", "l", text="SmallLarge")
    assert brief(rec.steps()) == [("select", "select size", "l")]


def test_date_chosen_by_mouse_is_a_fill(rec: Recorder) -> None:
    rec.add("click", "INPUT", "when", "2026-12-01")
    rec.add("input", "INPUT", "when", "2026-12-14")
    rec.add("change", "INPUT", "when", "2026-12-14")
    assert brief(rec.steps()) == [("fill", "input when", "2026-12-14")]


@pytest.mark.parametrize("clicked", [True, False])
def test_upload_is_named_by_its_file(rec: Recorder, clicked: bool) -> None:
    if clicked:
        rec.add("click", "INPUT", "cv", "")
    rec.add("input", "INPUT", "cv", "C:\\fakepath\\résumé.pdf")
    rec.add("change", "INPUT", "cv", "C:\\fakepath\\résumé.pdf")
    assert brief(rec.steps()) == [("upload", "input cv", "résumé.pdf")]


def test_click_on_a_chosen_file_shows_no_fake_path(rec: Recorder) -> None:
    rec.add("click", "INPUT", "cv", "C:\\fakepath\\cv.pdf")
    assert brief(rec.steps()) == [("upload", "input cv", "cv.pdf")]


# Pressing


def test_submission_is_one_step_with_its_press(rec: Recorder) -> None:
    rec.add("click", "BUTTON", "send", "", text="Send")
    rec.add("submit", "FORM", "f", after=3)
    (step,) = rec.steps()
    assert (step.kind, step.label) == ("submit", "Send")
    assert [source.line for source in step.sources] == [1, 2]


def test_second_submission_is_a_step_of_its_own(rec: Recorder) -> None:
    rec.add("click", "BUTTON", "send", text="Send")
    rec.add("submit", "FORM", "f", after=3)
    rec.add("submit", "FORM", "f", after=3)
    assert [step.kind for step in rec.steps()] == ["submit", "submit"]


@pytest.mark.parametrize("after", [900, -900])
def test_submission_far_from_a_press_is_a_step_of_its_own(rec: Recorder, after: int) -> None:
    rec.add("click", "BUTTON", "send", text="Send")
    rec.add("submit", "FORM", "f", after=after)
    assert sorted(step.kind for step in rec.steps()) == ["click", "submit"]


def test_input_that_is_a_button(rec: Recorder) -> None:
    rec.type("q", "mug")
    rec.add("click", "INPUT", "go", "Place order")
    rec.add("submit", "FORM", "f", after=3)
    assert [(s.kind, s.label, s.value) for s in rec.steps()] == [
        ("fill", "q", "mug"),
        ("submit", "Place order", None),
    ]


def test_enter_in_a_field_submits(rec: Recorder) -> None:
    rec.add("click", "INPUT", "q", "")
    rec.type("q", "mug")
    rec.add("keydown", "INPUT", "q", "mug", key="Enter")
    rec.add("change", "INPUT", "q", "mug")
    rec.add("submit", "FORM", "f", after=3)
    rec.add("keyup", "INPUT", "q", "mug", key="Enter")
    assert brief(rec.steps()) == [("fill", "input q", "mug"), ("submit", "form f", None)]


def test_enter_that_presses_the_button_is_one_submission(rec: Recorder) -> None:
    rec.type("q", "mug")
    rec.add("keydown", "INPUT", "q", "mug", key="Enter")
    rec.add("click", "BUTTON", "go", text="Search", x=0, y=0)
    rec.add("submit", "FORM", "f", after=1)
    assert [(step.kind, step.label) for step in rec.steps()] == [("fill", "q"), ("submit", "Search")]


def test_form_text_is_no_name(rec: Recorder) -> None:
    rec.add("submit", "FORM", "f", text="everything the form says")
    assert rec.steps()[0].target == "form f"


@pytest.mark.parametrize("kind", ["scroll", "mousemove", "focus", "", "pageHide"])
def test_other_events_are_no_steps(rec: Recorder, kind: str) -> None:
    rec.add(kind, "DIV", "x")
    rec.add("click")  # a click on nothing that is known
    assert rec.steps() == []


# Pages


def test_navigation_is_said_once(rec: Recorder) -> None:
    rec.add("pageLoad", url="about:blank")
    rec.add("pageLoad", url="http://shop.test/", title="Shop")
    rec.add("pageLoad", url="http://shop.test/", title="Shop")
    rec.add("pageLoad", url="chrome-error://chromewebdata/")
    rec.add("pageLoad", url="http://shop.test/", title="Shop")
    rec.add("pageLoad", url="http://shop.test/orders/17")
    rec.add("click", "A", "home", url="http://shop.test/orders/17")
    rec.add("pageLoad", url="http://shop.test/orders/17")
    assert [(step.kind, step.target, step.label) for step in rec.steps()] == [
        ("navigate", "shop.test", "Shop"),
        ("navigate", "shop.test/orders/{id}", "/orders/17"),
        ("click", "a home", "home"),
        ("navigate", "shop.test/orders/{id}", "/orders/17"),
    ]


def test_other_tabs_and_frames_have_their_own_steps(rec: Recorder) -> None:
    rec.add("pageLoad", url="http://shop.test/")
    rec.add("pageLoad", url="http://mail.test/inbox")
    rec.add("click", "A", "m", url="http://mail.test/inbox")
    rec.add("click", "BUTTON", "b", url="http://shop.test/")
    assert [step.url for step in rec.steps()] == [event.url for event in rec.events]


# Requests and order


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


def test_request_steps(rec: Recorder) -> None:
    steps = rec.steps(
        [
            (request("POST", "http://shop.test/carts/s_ed36ccfc7cf069ec?x=1", line=7), False),
            (request("GET", "http://shop.test/rsvp/submit?a=b", resource_type="Document", line=8), True),
            (request("GET", "http://shop.test/page", resource_type="Document", line=9), False),
        ]
    )
    assert [(s.kind, s.target, s.label, s.method, s.terminal) for s in steps] == [
        ("request", "POST shop.test/carts/{id}", "POST /carts/s_ed36ccfc7cf069ec", "POST", False),
        ("request", "GET shop.test/rsvp/submit", "GET /rsvp/submit", "GET", True),
        ("navigate", "shop.test/page", "/page", "", False),
    ]
    assert [step.line for step in steps] == [Source("http", 7), Source("http", 8), Source("http", 9)]
    assert [step.index for step in steps] == [0, 1, 2]


def test_unordered_lines_are_put_in_order_of_time(rec: Recorder) -> None:
    for name, t_ms in (("c", 300), ("a", 100), ("b", 200)):
        rec.add("click", "BUTTON", name, t_ms=t_ms)
    steps = rec.steps([(request(t_ms=150), False)])
    assert [step.target for step in steps] == ["button a", "POST shop.test/api", "button b", "button c"]
    assert [step.index for step in steps] == [0, 1, 2, 3]


def test_step_without_a_time_stays_behind_the_one_before_it(rec: Recorder) -> None:
    for name, t_ms in (("a", None), ("b", 100), ("c", None), ("d", 50)):
        rec.add("click", "BUTTON", name, t_ms=t_ms)
    assert [step.target[-1] for step in rec.steps()] == ["a", "d", "b", "c"]


def test_recording_without_any_time_keeps_the_order_of_its_lines(rec: Recorder) -> None:
    rec.t_ms = None
    rec.type("q", "ab")
    rec.add("click", "BUTTON", "go", text="Go")
    rec.add("submit", "FORM", "f")
    rec.add("pageLoad")
    steps = rec.steps([(request(t_ms=None), True)])
    assert [step.kind for step in steps] == ["fill", "submit", "navigate", "request"]


def test_skew_moves_actions_and_not_requests(rec: Recorder) -> None:
    rec.add("click", "BUTTON", "go", t_ms=10_000)
    rec.add("submit", "FORM", "f", t_ms=10_010)
    rec.add("input", "INPUT", "q", "x", t_ms=10_500)
    rec.add("input", "INPUT", "q", "xy", t_ms=10_900)
    steps = rec.steps([(request(t_ms=8100), False)], skew_ms=2000)
    assert [(s.kind, s.t_ms, s.end_ms) for s in steps] == [
        ("submit", 8000, 8000),
        ("request", 8100, 8100),
        ("fill", 8500, 8900),
    ]


# Length


def test_run_of_endless_length(rec: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps_module, "MAX_STEPS", 10)
    for n in range(100):
        rec.add("click", "BUTTON", f"b{n}")
    let_go: list[int] = []
    middle = rec.events[50].t_ms
    steps = rec.steps([(request(t_ms=middle), True)], on_let_go=let_go.append)
    assert [s.target for s in steps if s.kind == "click"] == [f"button b{n}" for n in (*range(5), *range(95, 100))]
    assert [s.terminal for s in steps].count(True) == 1, "what commits the task is kept wherever it is"
    assert let_go == [90]
    assert [step.index for step in steps] == list(range(11))


@pytest.mark.parametrize(("count", "let_go"), [(9, []), (10, []), (11, [1]), (20, [10]), (21, [11])])
def test_limit_of_steps(rec: Recorder, monkeypatch: pytest.MonkeyPatch, count: int, let_go: list[int]) -> None:
    monkeypatch.setattr(steps_module, "MAX_STEPS", 10)
    for n in range(count):
        rec.add("click", "BUTTON", f"b{n}")
    told: list[int] = []
    steps = rec.steps(on_let_go=told.append)
    assert (len(steps), told) == (min(count, 10), let_go)
    assert (steps[0].target, steps[-1].target) == ("button b0", f"button b{count - 1}")


# Walls


def shown(*controls: tuple[str, str] | tuple[str, str, str], texts: tuple[str, ...] = ()) -> PageState:
    made = tuple(Control(c[0], c[1], c[2] if len(c) > 2 else None) for c in controls)
    return PageState(line=9, call=None, url=PAGE, title="", controls=made, texts=texts)


@pytest.mark.parametrize(
    ("page", "kinds"),
    [
        (shown(("textbox", "Mobile phone number *")), ["phone"]),
        (shown(("textbox", "Mobile")), ["phone"]),
        (shown(("textbox", "電話番号")), ["phone"]),
        (shown(("textbox", "Phone", "+1 416 555 0123")), []),
        (shown(("button", "Phone"), ("textbox", "Phone", "1")), []),
        (shown(("link", "Phone us")), []),
        (shown(("textbox", "Hotel name")), []),
        (shown(("spinbutton", "Portable charger quantity")), []),
        (shown(("combobox", "Branch in Tel Aviv")), []),
        (shown(texts=("Call our phone line to verify",)), []),
        (shown(("textbox", "Characters shown")), ["captcha"]),
        (shown(("checkbox", "I'm not a robot"), texts=("reCAPTCHA",)), ["captcha"]),
        (shown(texts=("Please complete the reCAPTCHA to continue",)), ["captcha"]),
        (shown(texts=("Verify you are human by completing the action below.",)), ["captcha"]),
        (shown(texts=("CAPTCHA",)), ["captcha"]),
        (shown(texts=("请完成人机验证",)), ["captcha"]),
        # Badges and small print stand on pages that challenge nobody.
        (shown(texts=("This site is protected by reCAPTCHA and the Google Privacy Policy apply.",)), []),
        (shown(texts=("reCAPTCHA",)), []),
        (shown(texts=("Diese Website ist durch reCAPTCHA geschützt.", "hCaptcha")), []),
        (shown(texts=("このサイトはreCAPTCHAによって保護されており",)), []),
        (shown(texts=("Airport security check takes 30 minutes", "Turnstile gates open at 9")), []),
        (shown(texts=("機器人玩具", "Because you are human")), []),
        (shown(("textbox", "Password"), ("button", "Sign in")), ["login"]),
        (shown(("textbox", "Password"), ("button", "Create account")), []),
        (shown(("link", "Log in")), []),
        (shown(("textbox", "Card number")), ["payment"]),
        (shown(("textbox", "Gift card message"), ("textbox", "Kort beskrivelse"), ("textbox", "Pay rate")), []),
    ],
)
def test_walls_shown(page: PageState, kinds: list[str]) -> None:
    assert list(walls_shown(page)) == kinds


def test_wall_is_a_step_where_it_was_first_met(rec: Recorder) -> None:
    rec.add("click", "BUTTON", "go", text="Go")
    rec.add("input", "INPUT", "captcha", "AB12")
    rec.add("click", "BUTTON", "captcha-verify", text="Verify")
    steps = rec.steps(pages=[shown(("textbox", "Phone *"), ("textbox", "CAPTCHA")), shown(("textbox", "Phone *"))])
    assert [(s.kind, s.value) for s in steps if s.kind == "wall"] == [("wall", "captcha"), ("wall", "phone")]
    assert [step.kind for step in steps] == ["click", "wall", "fill", "click", "wall"]
    assert steps[1].sources == [Source("actions", 2)]
    assert steps[-1].sources == [Source("messages", 9)]
    assert [step.index for step in steps] == list(range(5))


def test_request_to_a_captcha_is_a_wall(rec: Recorder) -> None:
    steps = rec.steps([(request(url="http://shop.test/captcha/check"), False)])
    assert [step.kind for step in steps] == ["wall", "request"]
    assert [s.kind for s in rec.steps([(request(url="http://shop.test/x?next=captcha"), False)])] == ["request"]


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
