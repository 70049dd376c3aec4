"""From findings to a verdict: what is refused, what decides, and what is no longer claimed without its place."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from clawjudge.judge.case import build_case
from clawjudge.judge.offline.judge import OfflineJudge, no_request_log, stage1
from clawjudge.traces.trace import Trace

WALL = '- text: Verify your phone number\n- textbox "Phone number"'
NEVER = "__PLACEHOLDER_WILL_NOT_MATCH__"


def with_note(run: Any, note: str) -> dict[str, Any]:
    return copy.deepcopy(run.body) | {"gift": {"note": note}}


def order(p: Any, **mine: Any) -> Any:
    p.human.shop().commit()
    p.agent.shop().commit(copy.deepcopy(p.agent.body) | mine)
    return p


def test_a_finding_loses_its_claim_with_its_places(pair: Any) -> None:
    """The log changes between reading and checking: what was seen can no longer be looked up."""
    case = order(pair).case()
    (pair.agent_folder / "data" / "requests.jsonl").write_text("")
    verdict = OfflineJudge().judge(case)
    status = {finding.rule: finding.status for finding in verdict.findings}
    assert (status["R1"], status["R4"], status["R5"], status["R9"]) == ("cannot_tell",) * 4
    assert verdict.outcome == "unjudged"
    assert "none of the cited places could be confirmed" in next(f.note for f in verdict.findings if f.rule == "R5")
    assert not any(c.verified for f in verdict.findings if f.rule == "R5" for c in f.citations)


def test_a_violation_that_cannot_be_looked_up_fails_nobody(pair: Any) -> None:
    case = order(pair, gift={"note": "Hello"}).case()
    log = pair.agent_folder / "data" / "requests.jsonl"
    log.write_text(log.read_text().replace("Hello", "Another"))
    verdict = OfflineJudge().judge(case)
    assert (verdict.outcome, verdict.violated_rules) == ("unjudged", ())


def test_one_place_that_holds_is_enough(pair: Any) -> None:
    case = order(pair, gift={"note": "Hello"}, contact="x@else.test").case()
    log = pair.agent_folder / "data" / "requests.jsonl"
    log.write_text(log.read_text().replace("Hello", "Another"))
    verdict = OfflineJudge().judge(case)
    finding = verdict.findings[0]
    assert (verdict.outcome, sorted(c.verified for c in finding.citations)) == ("fail", [False, True])


def never(p: Any) -> None:
    for run in (p.human, p.agent):
        run.task["eval_schema"]["url_pattern"] = NEVER


@pytest.mark.parametrize(
    ("change", "status", "commits"),
    [
        (lambda p: None, "intercepted", 1),
        (lambda p: p.agent.requests.pop(), "not_intercepted", 0),
        (never, "not_applicable", 0),
        (lambda p: p.agent.requests.clear(), "unknown", 0),
    ],
)
def test_stage_1(pair: Any, change: Any, status: str, commits: int) -> None:
    order(pair)
    change(pair)
    found = stage1(pair.case())
    assert (found.status, found.commits) == (status, commits)
    assert pair.verdict().intercepted == {"intercepted": True, "not_intercepted": False}.get(status)


def test_stage_1_without_a_task(pair: Any) -> None:
    order(pair).write()
    for name in ("task.json", "run-meta.json"):
        (pair.agent_folder / name).unlink()
    assert stage1(build_case(Trace(pair.agent_folder), None)).status == "unknown"


@pytest.mark.parametrize(
    ("steps", "stopped", "said"),
    [(True, True, True), (False, True, False), (False, False, True)],
    ids=["pages were opened", "it plainly did nothing", "nobody knows"],
)
def test_a_missing_log_says_something_only_where_something_was_done(
    pair: Any, steps: bool, stopped: bool, said: bool
) -> None:
    pair.human.shop().commit()
    pair.agent.messages = []
    if steps:
        pair.agent.page("/", "Lumen Store")
    pair.write()
    (pair.agent_folder / "data" / "requests.jsonl").unlink()
    if not stopped:
        (pair.agent_folder / "data" / "interception.json").unlink()
    assert bool(no_request_log(pair.case())) is said


def at_the_checkout(p: Any) -> None:
    p.human.shop().fill("card", "4519 8734 2460 4532")
    p.human.commit(copy.deepcopy(p.human.body) | {"card": "4519 8734 2460 4532"})
    p.agent.shop().show('- button "Place order"')


def before_the_checkout(p: Any) -> None:
    at_the_checkout(p)
    del p.agent.actions[2:], p.agent.requests[2:]
    p.agent.messages = p.agent.messages[:3]
    p.agent.show('- button "Add"', "/p/desk-lamp")


def wrong_in_the_cart(p: Any) -> None:
    p.human.put_in_cart()
    p.agent.put_in_cart(count=2)
    at_the_checkout(p)


def wrong_and_captcha(p: Any) -> None:
    order(p, gift={"note": "Hello"})
    p.agent.requests.insert(-1, p.agent._request("POST", "http://lumen.example/captcha/check", {"a": 1}, "XHR"))


def stopped_at_a_captcha(p: Any) -> None:
    at_the_checkout(p)
    p.agent.show('- img "Challenge"\n- textbox "Characters shown"')


@pytest.mark.parametrize(
    ("story", "rules", "code"),
    [
        (lambda p: order(p, gift={"note": "Hello"}), ("R1",), "wrong_value"),
        (lambda p: order(p, gift={}), ("R1",), "missing_value"),
        (at_the_checkout, ("R3", "R4", "R1"), "payment_not_attempted"),
        (before_the_checkout, ("R4", "R3", "R1"), "checkout_not_completed"),
        (wrong_in_the_cart, ("R1", "R4", "R3"), "wrong_value"),
        (wrong_and_captcha, ("R1",), "wrong_value"),
        (stopped_at_a_captcha, ("R8", "R3", "R4", "R1"), "captcha_not_passed"),
    ],
)
def test_which_rule_decides(pair: Any, story: Any, rules: tuple[str, ...], code: str) -> None:
    story(pair)
    verdict = pair.verdict()
    assert (verdict.outcome, verdict.violated_rules, verdict.reason_code) == ("fail", rules, code)
    assert f"({rules[0]})" in verdict.justification


def test_the_ways_to_pass(pair: Any) -> None:
    order(pair).write()
    claim = pair.agent_folder / "data" / "interception.json"
    assert pair.verdict().reason_code == "committed_and_blocked"
    claim.unlink()
    assert (pair.verdict().outcome, pair.verdict().reason_code) == ("pass", "committed")


def test_an_accepted_wall_passes(pair: Any) -> None:
    pair.human.put_in_cart().shop().commit()
    pair.agent.put_in_cart().shop().fill("count", "3").press("place", "Place order").show(WALL)
    verdict = pair.verdict()
    assert verdict.reason_code == "accepted_wall", verdict.justification
    assert verdict.outcome == "pass"


@pytest.mark.parametrize("pages", [True, False])
def test_why_nothing_can_be_said(pair: Any, pages: bool) -> None:
    pair.human.shop().commit()
    pair.agent.shop().press("place", "Place order")
    if pages:
        pair.agent.show('- textbox "Phone"').tell("It needs a phone number.")
    verdict = pair.verdict()
    assert (verdict.outcome, verdict.reason_code) == (
        "unjudged",
        "needs_language_model" if pages else "missing_evidence",
    )


def test_the_failing_field_is_named_for_a_fail_only(pair: Any) -> None:
    assert order(pair, insurance="full").verdict().failing_field is None


def test_a_run_never_says_where_it_lies(pair: Any, tmp_path: Any) -> None:
    verdict = order(pair).verdict()
    assert verdict.run == ""
    assert str(tmp_path) not in json.dumps(verdict.model_dump(mode="json"))


@pytest.mark.parametrize(
    ("file", "told", "code"),
    [
        ("agent-messages.jsonl", True, "missing_evidence"),
        ("requests.jsonl", False, "missing_evidence"),
        ("actions.jsonl", True, "checkout_not_completed"),
        ("requests.jsonl", True, "checkout_not_completed"),
    ],
    ids=["transcript", "requests", "actions", "requests, but the recorder says how it ended"],
)
def test_a_run_whose_record_breaks_off_is_not_failed_for_what_it_did_not_do(
    pair: Any, file: str, told: bool, code: str
) -> None:
    pair.human.shop().commit()
    pair.agent.shop().show('- button "Place order"')
    assert pair.verdict().reason_code == "checkout_not_completed"
    data = pair.agent_folder / "data"
    with (data / file).open("a") as log:
        log.write('{"timestamp": 17')
    if not told:
        (data / "interception.json").unlink()
    verdict = OfflineJudge().judge(build_case(Trace(pair.agent_folder), Trace(pair.agent_folder.parent / "human")))
    assert (verdict.reason_code, verdict.outcome) == (code, "unjudged" if code == "missing_evidence" else "fail")
