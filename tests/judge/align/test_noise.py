"""Why a difference means nothing, reason by reason; each with the one change that makes it mean something."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from clawjudge.judge.align.context import BindingContext
from clawjudge.judge.align.noise import why_noise
from clawjudge.judge.align.payloads import FieldPair
from clawjudge.judge.align.sources import Bound, TaskSources

ONE, OTHER = "3f2b8c1e9d4a4e6f8a7b0c1d2e3f4a5b", "7a2b8c1e9d4a4e6f8a7b0c1d2e3f4a5c"
START = 1_796_000_000_000
TIMES = (START, START + 300_000)
CONTEXT = BindingContext(TaskSources("Order a lamp"), reference_times=TIMES, agent_times=TIMES)
FIRM, LOOSE = (Bound("instruction", "x", 2),), (Bound("instruction", "x", 1),)


def why(
    name: str, theirs: Any, mine: Any, bound: tuple[Bound, ...] = (), in_list: bool = False, **more: Any
) -> str | None:
    pair = FieldPair(f"/body/{name}", f"/body/{name}", theirs, mine, in_list)
    return why_noise(pair, bound, replace(CONTEXT, **more))


def test_a_token_of_a_session() -> None:
    assert why("session_id", ONE, OTHER) == "token"
    assert why("session_id", ONE, OTHER, LOOSE) == "token"
    assert why("session_id", ONE, OTHER, FIRM) is None
    assert why("session_id", ONE, "lamp") is None
    assert why("session_id", ONE, OTHER, in_list=True) is None
    assert why("session_id", ONE, OTHER, agent_entered=frozenset({OTHER})) is None
    assert why("product", ONE, OTHER) is None
    assert why("product", ONE, OTHER, same_acts=True) is None
    assert why("product", ONE, OTHER, same_acts=True, was_met=OTHER.__eq__) == "token"
    assert why("product", ONE, OTHER, same_acts=True, was_met=ONE.__eq__) is None
    assert why("product", ONE, OTHER, same_acts=True, was_shown=OTHER.__eq__) == "token"
    assert why("session_id", ONE, OTHER, in_agent=ONE.__eq__) is None
    assert why("session_id", ONE, OTHER, in_reference=OTHER.__eq__) is None
    assert why("product", ONE, OTHER, headers=frozenset({OTHER})) == "token"
    assert why("product", ONE, OTHER, headers=frozenset({ONE})) is None


def test_a_token_of_a_page_goes_by_the_page_title() -> None:
    lamps = ({ONE: frozenset({"Lamp"})}, {OTHER: frozenset({"Lamp"})})
    assert why("product", ONE, OTHER, titles=lamps) == "token"
    assert why("session_id", ONE, OTHER, titles=lamps) == "token"
    assert why("session_id", ONE, OTHER, titles=(lamps[0], {OTHER: frozenset({"Chair"})})) is None
    assert why("session_id", ONE, OTHER, titles=(lamps[0], {})) is None


def test_a_timestamp() -> None:
    assert why("at", START + 1234, START + 5678) == "timestamp"
    assert why("at", START + 1234, START + 5678, LOOSE) is None
    assert why("at", START + 1234, START + 5678, agent_times=None) is None
    assert why("at", START + 1234, 5) is None


@pytest.mark.parametrize(
    ("theirs", "mine", "noise"),
    [
        (60, 100, True),
        (1800, 1800, True),
        (86_400, 3_600, False),
        (1800, 1300, False),
        (86_400, 86_000, True),
        (-9, 90, True),
    ],
)
def test_a_moment_ahead_is_noise_only_at_a_like_distance(theirs: int, mine: int, noise: bool) -> None:
    """Seconds after the end of the run: a session's end is the same for all, a chosen deadline need not be."""
    moments = [TIMES[1] + 1000 * seconds + 1_007 for seconds in (theirs, mine)]
    assert why("ends_at", *moments) == ("timestamp" if noise else None)


def test_a_press_elsewhere_may_have_chosen_another_thing() -> None:
    assert why("offer_token", ONE, OTHER) == "token"
    assert why("offer_token", ONE, OTHER, pressed_elsewhere=True) is None
    assert why("offer_token", ONE, OTHER, pressed_elsewhere=True, headers=frozenset({OTHER})) == "token"


@pytest.mark.parametrize(
    ("name", "theirs", "mine", "shown", "more", "noise"),
    [
        ("code", "271828", "553119", {"553119"}, {"mail_read": True}, True),
        ("verification_code", "271828", "553119", {"553119"}, {}, True),
        ("code", "271828", "553119", {"553119"}, {}, False),
        ("code", "271828", "553119", set(), {}, False),
        ("code", "271828", "553119", {"553119", "271828"}, {}, False),
        ("code", "271828", "553119", {"553119"}, {"agent_entered": frozenset({"x"})}, False),
        ("code", "271", "553", {"553"}, {}, False),
        ("code", "27182818281", "55311955311", {"55311955311"}, {}, False),
        ("code", "abcdef", "ghijkl", {"ghijkl"}, {}, False),
        ("code", "27-828", "55-119", {"55-119"}, {}, False),
        ("promo_code", "271828", "553119", {"553119"}, {}, False),
        ("zip", "27182", "55311", {"55311"}, {"mail_read": True}, False),
        ("answer", "271828", "553119", {"553119"}, {}, False),
        ("answer", "271828", "553119", {"553119"}, {"mail_read": True}, True),
        ("answer", "27182", "55311", {"55311"}, {"mail_read": True}, False),
        ("answer", "271828", "5531190", {"5531190"}, {"mail_read": True}, False),
    ],
)
def test_a_one_time_code(name: str, theirs: str, mine: str, shown: set[str], more: dict[str, Any], noise: bool) -> None:
    known = {"agent_entered": frozenset({mine}), "was_shown": shown.__contains__} | more
    assert why(name, theirs, mine, **known) == ("one_time_code" if noise else None)


@pytest.mark.parametrize(
    ("theirs", "mine", "more", "noise"),
    [
        ("BK-20411", "BK-20977", {}, True),
        ("BK-20411", "BK-20977", {"same_acts": False}, False),
        ("BK-20411", "BK-20977", {"was_shown": "BK-20411".__eq__}, False),
        ("BK-20411", "BK-20977", {"in_agent": "BK-20411".__eq__}, False),
        ("BK-20411", "BK-20977", {"in_reference": "BK-20977".__eq__}, False),
        ("BK-20411", "BK-20977", {"bound": LOOSE}, False),
        ("BK-20411", "BK-20977", {"in_list": True}, False),
        ("BK-20411", "BK-20977", {"agent_entered": frozenset({"bk 20977"})}, False),
        ("BK-20411", "BK-2097712", {}, False),
        ("BK-20411", "BK-209771", {}, True),
        ("QZXWVK", "PLMOKN", {}, True),
        ("standard", "express!", {}, False),
        ("12.50 EUR", "13.50 EUR", {}, False),
        ("2027-05-03", "2027-05-04", {}, False),
        ("BK-20", "BK-21", {}, False),
        (True, False, {}, False),
    ],
)
def test_what_the_site_gave_out(theirs: Any, mine: Any, more: dict[str, Any], noise: bool) -> None:
    known = {"same_acts": True, "was_shown": mine.__eq__} | more
    assert why("booking", theirs, mine, **known) == ("server_assigned" if noise else None)
