"""Walls: what a page shows of them, and where a run met one first. Ordinary pages show none."""

from __future__ import annotations

import pytest

from clawjudge.traces.records import ActionEvent, RequestEvent, Source, Step, Target
from clawjudge.traces.steps import build_steps
from clawjudge.traces.transcripts.pages import Control, PageState
from clawjudge.traces.walls import walls_shown

PAGE = "http://shop.test/form"


def action(line: int, kind: str, tag: str, name: str, value: str | None = None) -> ActionEvent:
    target = Target(tag=tag, id=name, xpath=f"/{tag}[{name}]")
    return ActionEvent(line=line, type=kind, t_ms=line * 1000, url=PAGE, target=target, value=value)


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


def test_wall_is_a_step_where_it_was_first_met() -> None:
    actions = [
        action(1, "click", "BUTTON", "go"),
        action(2, "input", "INPUT", "captcha", "AB12"),
        action(3, "click", "BUTTON", "captcha-verify"),
    ]
    steps = build_steps(
        actions, [], [shown(("textbox", "Phone *"), ("textbox", "CAPTCHA")), shown(("textbox", "Phone *"))]
    )
    assert [(s.kind, s.value) for s in steps if s.kind == "wall"] == [("wall", "captcha"), ("wall", "phone")]
    assert [step.kind for step in steps] == ["click", "wall", "fill", "click", "wall"]
    assert steps[1].sources == [Source("actions", 2)]
    assert steps[-1].sources == [Source("messages", 9)]
    assert [step.index for step in steps] == list(range(5))


def test_request_to_a_captcha_is_a_wall() -> None:
    def steps(url: str) -> list[Step]:
        return build_steps([], [(RequestEvent(1, "POST", url, 5), False)])

    assert [step.kind for step in steps("http://shop.test/captcha/check")] == ["wall", "request"]
    assert [step.kind for step in steps("http://shop.test/x?next=captcha")] == ["request"]
