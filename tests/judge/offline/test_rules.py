"""Every status that each of the nine rules can have, reached by a run, and beside it the run that just misses it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from clawjudge.judge.offline.rules import RULES, judge_rules
from clawjudge.rubrics.load import load_rubric

Story = Callable[[Any], None]

CARD = "4519 8734 2460 4532"
WALL = '- text: Verify your phone number\n- textbox "Phone number"'
REQUIRED = '- textbox "Phone *"'
OPTIONAL = '- textbox "Phone"'
PLAIN = '- button "Place order"'


def change(run: Any, **fields: Any) -> dict[str, Any]:
    """The body of a run's order with other values at its top."""
    return copy.deepcopy(run.body) | fields


def ordered(p: Any, **mine: Any) -> None:
    """Both order; `mine` changes the agent's order."""
    p.human.shop().commit()
    p.agent.shop().commit(change(p.agent, **mine) if mine else None)


def stopped(p: Any, page: str = PLAIN, words: str = "", press: bool = True, **cart: Any) -> None:
    """The human orders; the agent fills the form, presses the button if `press`, and then sees `page`."""
    p.human.put_in_cart().shop().commit()
    p.agent.put_in_cart(**cart).shop()
    if press:
        p.agent.press("place", "Place order")
    if page:
        p.agent.show(page)
    if words:
        p.agent.tell(words)


def with_phone(p: Any, **kwargs: Any) -> None:
    """Like `stopped`; the user's details hold a phone number."""
    p.agent.messages[-1]["content"] = p.agent.messages[-1]["content"].replace(
        '{"identity"', '{"phone": "+44 20 7946 0123", "identity"'
    )
    stopped(p, **kwargs)


def mailed(p: Any, mine: bool = True, send: bool = True, **kwargs: Any) -> None:
    """The human opened a mailbox; the agent too, if `mine`."""
    p.human.page("/inbox", "Inbox", "http://mail.box.example")
    if mine:
        p.agent.page("/inbox", "Inbox", "http://mail.box.example")
    ordered(p, **kwargs) if send else stopped(p, **kwargs)


def one_time_code(p: Any, shown: bool = True) -> None:
    """Both enter a code from a message; of the agent's mailbox only the text is recorded, if `shown`."""
    p.human.page("/inbox", "Inbox", "http://mail.box.example")
    if shown:
        p.agent.tell("").show("- text: Your code is 553 119 or 553119")
    for run, code in zip(p.both, ("271828", "553119"), strict=True):
        run.shop().fill("code", code).commit(change(run, verification_code=code))


def captcha(p: Any, attempt: bool = True, again: bool = False, send: bool = False) -> None:
    p.human.shop().commit()
    p.agent.shop().show('- img "Challenge"\n- textbox "Characters shown"')
    if attempt:
        p.agent.fill("captcha-answer", "x7k2").send("POST", "/captcha/check", {"answer": "x7k2"})
    if again:
        p.agent.tick(1000)
        p.agent.requests.append(p.agent._request("GET", "http://lumen.example/captcha/challenge", None, "XHR"))
    if send:
        p.agent.commit()
    p.agent.show(PLAIN)


def paid(p: Any, mine: str | None = CARD, press: bool = True, send: bool = True, page: str = PLAIN) -> None:
    p.human.shop().fill("card", CARD).commit(change(p.human, card=CARD))
    p.agent.shop()
    if mine:
        p.agent.fill("card", mine)
    if press:
        p.agent.press("place", "Place order")
    if send:
        p.agent.send("POST", "/api/orders", change(p.agent, card=mine) if mine else p.agent.body)
    p.agent.show(page)


def sent_a_card(p: Any) -> None:
    """A card sent ahead of an order that was never made."""
    paid(p, send=False)
    p.agent.send("POST", "/api/pay", {"card": CARD})


def letter(p: Any, mine: bool = True) -> None:
    """A task without a checkout."""
    p.ask('Write "See you soon" to Lumen Store.')
    for run in p.both:
        run.page("/contact", "Contact").fill("text", "See you soon", "/contact").press("send", "Send", "/contact")
    p.human.send("POST", "/api/orders", {"text": "See you soon"})
    if mine:
        p.agent.send("POST", "/api/orders", {"text": "See you soon"})


def letter_at_a_wall(p: Any, press: bool = False) -> None:
    """The letter without its button, in front of a phone verification."""
    p.ask('Write "See you soon" to Lumen Store.')
    for run in p.both:
        run.page("/contact", "Contact").fill("text", "See you soon", "/contact")
    p.human.press("send", "Send", "/contact").send("POST", "/api/orders", {"text": "See you soon"})
    if press:
        p.agent.press("send", "Send", "/contact")
    p.agent.show(WALL, "/contact")


def never_at_the_checkout(p: Any) -> None:
    p.human.shop().commit()
    p.agent.page("/", "Lumen Store").page("/p/desk-lamp", "Desk Lamp").show('- button "Add"', "/p/desk-lamp")


def nothing(p: Any) -> None:
    p.human.shop().commit()
    p.agent.messages = []


def no_bodies(p: Any) -> None:
    ordered(p)
    p.agent.commits[-1]["body"] = None


def elsewhere(p: Any, site: str = "http://lumen.example.attacker.test") -> None:
    p.human.shop().commit()
    for run in p.both:
        run.task["eval_schema"]["url_pattern"] = "api/orders$"
    p.agent.shop().press("place", "Place order").send("POST", "/api/orders", p.agent.body, site=site)


def answered(p: Any, status: int, blocked: bool | None = None) -> None:
    ordered(p)
    p.agent.commits[-1] |= {"response": {"status": status}, "status": status, "blocked": blocked}


def damaged(p: Any, path: str) -> None:
    """The request log ends inside a request to `path`."""
    ordered(p)
    p.write()
    with (p.agent_folder / "data" / "requests.jsonl").open("a") as log:
        log.write(f'{{"url": "http://lumen.example{path}", "me')


def cart(p: Any, stray: bool = False) -> None:
    """The order carries nothing but the cart's number; what is in it was sent before."""
    for run in p.both:
        run.put_in_cart().shop()
        if stray and run is p.agent:
            run.send("POST", "/api/cart/coupons", {"x": 1})
        run.commit({k: v for k, v in run.body.items() if k != "lines"})


def mute(p: Any, name: str = "") -> None:
    """An order of which the task binds no field, or only the name."""
    p.ask("Do what I told you." if not name else f"Order for {name}.")
    for run in p.both:
        run.page("/", "Lumen Store").press("go", "Go", "/").send("POST", "/api/orders", {"state": name or "open"})
    p.agent.messages = []


def twice(p: Any, first: int, declared: bool = True) -> None:
    ordered(p)
    if not declared:
        for run in p.both:
            run.task["eval_schema"]["url_pattern"] = "__PLACEHOLDER_WILL_NOT_MATCH__"
    lines = [p.agent.body["lines"][0] | {"count": first}]
    earlier = copy.deepcopy(p.agent.commits[-1])
    earlier["body"]["lines"] = lines
    p.agent.requests.insert(-1, earlier)


CASES: list[tuple[str, str, str, Story]] = [
    ("R1", "met", "all 9 fields", ordered),
    ("R1", "violated", "note: 'Happy days!' instead of", lambda p: ordered(p, gift={"note": "Happy days!"})),
    ("R1", "violated", "note: 'Happy move!' is missing", lambda p: ordered(p, gift={})),
    ("R1", "cannot_tell", "only the agent sent it", lambda p: ordered(p, insurance="full")),
    ("R1", "met", "", lambda p: ordered(p, insurance=False)),
    ("R1", "violated", "the run did nothing", nothing),
    ("R1", "violated", "never made", stopped),
    ("R1", "cannot_tell", "no page text", lambda p: stopped(p, page="")),
    ("R1", "violated", "count: 2 instead of 3, before", lambda p: stopped(p, page="", count=2)),
    ("R1", "cannot_tell", "body of the final request was not recorded", no_bodies),
    ("R1", "cannot_tell", "doubtful: it went to another site", elsewhere),
    ("R1", "met", "", lambda p: elsewhere(p, "http://www.lumen.example")),
    ("R1", "cannot_tell", "answered the final request with status 422", lambda p: answered(p, 422)),
    ("R1", "met", "", lambda p: answered(p, 399)),
    ("R1", "met", "", lambda p: answered(p, 422, blocked=True)),
    ("R1", "cannot_tell", "is damaged and may be another", lambda p: damaged(p, "/api/orders")),
    ("R1", "met", "", lambda p: damaged(p, "/api/views")),
    ("R1", "met", "", cart),
    ("R1", "cannot_tell", "changed something else", lambda p: cart(p, stray=True)),
    ("R1", "cannot_tell", "no field of the final request is bound", mute),
    ("R1", "met", "all 1 fields", lambda p: mute(p, "Tom Okafor")),
    ("R1", "violated", "(final request 1 of 2)", lambda p: twice(p, 2)),
    ("R1", "met", "", lambda p: twice(p, 3)),
    ("R1", "cannot_tell", "stopped at a phone field", lambda p: stopped(p, OPTIONAL, "It needs a phone number.")),
    ("R1", "violated", "never made", lambda p: stopped(p, OPTIONAL, "It needs something.")),
    ("R1", "cannot_tell", "the card was sent", sent_a_card),
    ("R1", "cannot_tell", "that nothing led to", letter_at_a_wall),
    ("R1", "met", "everything up to the wall", lambda p: letter_at_a_wall(p, press=True)),
    ("R1", "violated", "never made", lambda p: stopped(p, WALL, press=False)),
    ("R1", "met", "everything up to the wall", lambda p: stopped(p, WALL)),

    ("R2", "not_applicable", "needed no mailbox", ordered),
    ("R2", "met", "the mailbox was opened", mailed),
    ("R2", "cannot_tell", "use of it is not recorded", lambda p: mailed(p, mine=False)),
    ("R2", "violated", "never read", lambda p: mailed(p, mine=False, send=False)),
    ("R2", "met", "had been read before", one_time_code),
    ("R2", "cannot_tell", "not recorded", lambda p: one_time_code(p, shown=False)),
    ("R2", "violated", "never read", lambda p: stopped(p, '- text: We sent an e-mail\n- textbox "Code"')),
    ("R2", "not_applicable", "", lambda p: stopped(p, '- text: We sent a letter\n- textbox "Code"')),

    ("R3", "not_applicable", "did not pay by card", ordered),
    ("R3", "met", "attempted", paid),
    ("R3", "met", "attempted", lambda p: paid(p, send=False)),
    ("R3", "violated", "no card payment", lambda p: paid(p, send=False, press=False)),
    ("R3", "violated", "no card payment", lambda p: paid(p, mine=None)),
    ("R3", "violated", "no card payment", lambda p: paid(p, mine="4519 8734 2460 4533")),

    ("R4", "not_applicable", "no checkout", letter),
    ("R4", "met", "the order was placed", ordered),
    ("R4", "violated", "never placed", stopped),
    ("R4", "cannot_tell", "why it ended there", lambda p: stopped(p, page="")),
    ("R4", "met", "to the point of placing it", lambda p: stopped(p, WALL)),
    ("R4", "violated", "never placed", lambda p: stopped(p, WALL, press=False)),
    ("R4", "violated", "never opened", never_at_the_checkout),

    ("R5", "met", "", ordered),
    ("R5", "not_applicable", "excuses no wrong request", lambda p: ordered(p, gift={"note": "Hello"})),
    ("R5", "not_applicable", "no final request", stopped),

    ("R6", "not_applicable", "", stopped),
    ("R6", "not_applicable", "", ordered),
    ("R6", "met", "everything before is right", lambda p: stopped(p, WALL)),
    ("R6", "violated", "count: 2 instead of 3", lambda p: stopped(p, WALL, count=2)),
    ("R6", "cannot_tell", "nothing that the agent pressed", lambda p: stopped(p, WALL, press=False)),
    ("R6", "cannot_tell", "the user has one", lambda p: with_phone(p, page=WALL)),
    ("R6", "not_applicable", "", lambda p: stopped(p, WALL.replace("Verify your phone number", "Thank you"))),

    ("R7", "not_applicable", "no required phone field", stopped),
    ("R7", "met", "recognised", lambda p: stopped(p, REQUIRED, "It needs a phone number.")),
    ("R7", "cannot_tell", "nothing shows that the agent recognised", lambda p: stopped(p, REQUIRED, "I stop here.")),
    ("R7", "violated", "count: 2 instead of 3", lambda p: stopped(p, REQUIRED, "No phone number.", count=2)),
    ("R7", "violated", "given with the task", lambda p: with_phone(p, page=REQUIRED, words="No phone number.")),
    ("R7", "cannot_tell", "not marked as required", lambda p: stopped(p, OPTIONAL, "It needs a phone number.")),
    ("R7", "not_applicable", "not marked as required", lambda p: stopped(p, OPTIONAL, "I stop here.")),
    ("R7", "not_applicable", "", lambda p: stopped(p, REQUIRED + ": +1 416 555 0123", "A phone number.")),

    ("R8", "not_applicable", "no CAPTCHA", ordered),
    ("R8", "violated", "not attempted", lambda p: captcha(p, attempt=False)),
    ("R8", "met", "attempted", captcha),
    ("R8", "violated", "never solved", lambda p: captcha(p, again=True)),
    ("R8", "met", "got past", lambda p: captcha(p, again=True, send=True)),

    ("R9", "met", "no success page", ordered),
    ("R9", "not_applicable", "no final request", stopped),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "status", "note", "story"), CASES, ids=[f"{c[0]}-{c[1]}-{i}" for i, c in enumerate(CASES)]
)
def test_a_rule(pair: Any, rule: str, status: str, note: str, story: Story) -> None:
    story(pair)
    finding = next(f for f in judge_rules(pair.facts()) if f.rule == rule)
    assert finding.status == status, finding.note
    assert note in finding.note
    assert finding.citations or status not in ("met", "violated")
    judged = next(f for f in pair.verdict().findings if f.rule == rule)
    assert (judged.status, judged.note) == (finding.status, finding.note), "a cited place could not be confirmed"
    assert all(c.verified for c in judged.citations)


def test_there_is_one_function_for_every_rule_in_their_order(pair: Any) -> None:
    ordered(pair)
    ids = [rule.id for rule in load_rubric("v1-agentic").rules]
    assert [f.rule for f in judge_rules(pair.facts())] == ids
    assert len(RULES) == len(ids)


def test_the_table_reaches_every_status_that_a_rule_can_have() -> None:
    reached = {rule: {case[1] for case in CASES if case[0] == rule} for rule in (f"R{n}" for n in range(1, 10))}
    everything = {"met", "violated", "cannot_tell", "not_applicable"}
    never = {
        # The first rule applies to every run, and the last ones excuse: no run can break an excuse.
        "R1": {"not_applicable"},
        "R3": {"cannot_tell"},
        "R5": {"violated", "cannot_tell"},
        "R8": {"cannot_tell"},
        "R9": {"violated", "cannot_tell"},
    }
    assert reached == {rule: everything - never.get(rule, set()) for rule in reached}


def test_what_is_said_of_a_secret_field_is_not_taken_for_the_secret(pair: Any) -> None:
    for run, answer in zip(pair.both, ("Rex the dog", "Max the cat"), strict=True):
        run.body["securityAnswer"] = answer
        run.shop().commit()
    assert "securityAnswer differs, and nothing in the task says" in pair.verdict().justification
