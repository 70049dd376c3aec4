"""Low-level events coalesced into what a person would call steps."""

from __future__ import annotations

from typing import Any

import pytest

from clawjudge.traces import steps as steps_module
from clawjudge.traces.records import ActionEvent, Source, Target
from clawjudge.traces.steps import Step, build_steps

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

    def steps(self) -> list[Step]:
        return build_steps(self.events, [])


@pytest.fixture
def rec() -> Recorder:
    return Recorder()


def brief(steps: list[Step]) -> list[tuple[str, str, str | None]]:
    return [(step.kind, step.target, step.value) for step in steps]


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
