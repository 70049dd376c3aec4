"""Steps of two runs side by side: the best path, the anchor, other orders, detours, size."""

from __future__ import annotations

import random
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

from clawjudge.judge.align.alignment import (
    ANCHOR_BONUS,
    GAP_COST,
    REORDER_THRESHOLD,
    THRESHOLD,
    Alignment,
    align,
    similarity_matrix,
    vary,
)
from clawjudge.traces.steps import Step


def step(kind: Any, target: str, url: str = "https://shop.test/", value: str | None = None, **more: Any) -> Step:
    return Step(kind, 0, url, target, label=more.pop("label", target), value=value, **more)


def same(reference: str, agent: str) -> bool:
    return reference == agent


def statuses(alignment: Alignment) -> list[str]:
    return [p.status for p in alignment.pairs]


def needleman_wunsch(scores: np.ndarray, agent: list[Step], reference: list[Step]) -> float:
    """The textbook algorithm, cell by cell."""
    rows, columns = scores.shape
    best = [[-GAP_COST * (i + j) if 0 in (i, j) else 0.0 for j in range(columns + 1)] for i in range(rows + 1)]
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            likeness = float(scores[i - 1, j - 1])
            gain = likeness - THRESHOLD + 0.2 if likeness >= THRESHOLD else -1e9
            if agent[i - 1].terminal and reference[j - 1].terminal:
                gain = max(gain, 0.0) + ANCHOR_BONUS
            best[i][j] = max(best[i - 1][j] - GAP_COST, best[i][j - 1] - GAP_COST, best[i - 1][j - 1] + gain)
    return best[rows][columns]


def score_of(alignment: Alignment, scores: np.ndarray, agent: list[Step], reference: list[Step]) -> float:
    total = 0.0
    for pair in alignment.pairs:
        if pair.agent is None or pair.reference is None:
            total -= GAP_COST
        elif pair.reordered:
            # Joined after the path was found: a gap on either side.
            total -= 2 * GAP_COST
        else:
            likeness = float(scores[pair.agent, pair.reference])
            gain = likeness - THRESHOLD + 0.2 if likeness >= THRESHOLD else 0.0
            total += gain + ANCHOR_BONUS * (agent[pair.agent].terminal and reference[pair.reference].terminal)
    return total


WORDS = ["Add to cart", "Add to bag", "Cart", "Search", "Searching", "Name", "E-mail", "Place order", "Save"]


def random_run(rng: random.Random, length: int, terminal: float = 0.05) -> list[Step]:
    steps = []
    for index in range(length):
        kind = rng.choice(["click", "fill", "navigate", "request", "select", "submit"])
        word = rng.choice(WORDS)
        url = f"https://shop.test/{rng.choice(['', 'cart', 'checkout', 'product/1'])}"
        value = rng.choice(["1", "2"]) if kind in ("fill", "select") else None
        steps.append(step(kind, word, url, value, index=index, method="POST", terminal=rng.random() < terminal))
    return steps


@pytest.mark.parametrize("seed", range(60))
def test_the_score_is_that_of_the_textbook(seed: int) -> None:
    rng = random.Random(seed)
    reference = random_run(rng, rng.randint(1, 40))
    agent = random_run(rng, rng.randint(1, 40))
    if seed % 2:
        # Most real runs are edits of the reference.
        agent = [s for s in reference if rng.random() > 0.2] + random_run(rng, 3)
    scores = similarity_matrix(agent, reference)
    found = align(agent, reference, same)
    expected = needleman_wunsch(scores, agent, reference)
    assert score_of(found, scores, agent, reference) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_many_anchors_do_not_drown_the_small_costs(seed: int) -> None:
    rng = random.Random(seed)
    reference = random_run(rng, 300, terminal=0.7)
    agent = [s for s in reference if rng.random() > 0.2] + random_run(rng, 40, terminal=0.7)
    scores = similarity_matrix(agent, reference)
    found = align(agent, reference, same)
    expected = needleman_wunsch(scores, agent, reference)
    assert score_of(found, scores, agent, reference) == pytest.approx(expected, rel=0, abs=1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_every_step_stands_once_and_the_agents_order_is_kept(seed: int) -> None:
    rng = random.Random(seed)
    agent, reference = random_run(rng, rng.randint(0, 30)), random_run(rng, rng.randint(0, 30))
    pairs = align(agent, reference, same).pairs
    assert [p.agent for p in pairs if p.agent is not None] == list(range(len(agent)))
    assert sorted(p.reference for p in pairs if p.reference is not None) == list(range(len(reference)))


def test_equal_runs_match_throughout() -> None:
    run = [step("navigate", "shop.test/"), step("fill", "Name", value="Alex"), step("request", "POST shop.test/api")]
    found = align(run, run, same)
    assert statuses(found) == ["match"] * 3
    assert found.counts == {"match": 3, "variant": 0, "missing": 0, "extra": 0}


def test_another_value_is_a_variant() -> None:
    found = align([step("fill", "Quantity", value="3")], [step("fill", "Quantity", value="2")], same)
    assert statuses(found) == ["variant"]
    assert "other value" in found.pairs[0].reason


def test_empty_sides_are_all_gaps() -> None:
    run = [step("click", "A"), step("click", "B")]
    assert align([], [], same).pairs == ()
    assert statuses(align(run, [], same)) == ["extra", "extra"]
    assert statuses(align([], run, same)) == ["missing", "missing"]


def test_terminal_requests_answer_to_each_other_wherever_they_stand() -> None:
    order = step("request", "POST shop.test/api/orders", method="POST", terminal=True)
    other = step("request", "PUT shop.test/v2/completely-different", method="PUT", terminal=True)
    walk = [step("click", f"Button {n}") for n in range(10)]
    found = align([other, *walk], [*walk, order], same)
    pair = found.partner_of_reference(10)
    assert pair is not None
    assert pair.agent == 0
    assert "terminal request" in pair.reason


def test_the_anchor_beats_a_likelier_partner() -> None:
    draft = step("request", "POST shop.test/api/orders", method="POST")
    order = step("request", "POST shop.test/api/orders", method="POST", terminal=True)
    pair = align([draft, order], [order], same).partner_of_reference(0)
    assert pair is not None
    assert pair.agent == 1


def test_a_step_done_at_another_time_is_reordered() -> None:
    name, mail = step("fill", "Name", value="Alex"), step("fill", "E-mail", value="a@x.test")
    send = step("click", "Send")
    found = align([mail, send, name], [name, mail, send], same)
    assert statuses(found) == ["match"] * 3
    assert [p.reordered for p in found.pairs] == [False, False, True]
    assert "another order" in found.pairs[2].reason
    assert REORDER_THRESHOLD > THRESHOLD


def test_unlike_steps_are_not_joined_as_reordered() -> None:
    found = align(
        [step("click", "Send"), step("click", "Completely new")],
        [step("click", "Old thing"), step("click", "Send")],
        same,
    )
    assert sorted(statuses(found)) == ["extra", "match", "missing"]


def test_a_way_out_and_back_is_a_detour() -> None:
    home, shop = "https://shop.test/", "https://shop.test/item"
    start = step("navigate", "shop.test/", home)
    wander = [
        step("navigate", "shop.test/help", "https://shop.test/help"),
        step("click", "FAQ", "https://shop.test/help"),
    ]
    back = step("click", "Item", home)
    end = step("click", "Buy", shop)
    found = align([start, *wander, back, end], [start, back, end], same)
    assert [p.detour for p in found.pairs] == [False, True, True, False, False]


def test_extra_steps_that_never_come_back_are_no_detour() -> None:
    start = step("navigate", "shop.test/", "https://shop.test/")
    away = [step("click", f"Tab {n}", "https://shop.test/away") for n in "AB"]
    end = step("click", "Buy now", "https://shop.test/elsewhere")
    found = align([start, *away, end], [start, end], same)
    assert not any(p.detour for p in found.pairs)


def test_a_closer_look_makes_variants_of_matches() -> None:
    run = [step("fill", "Name", value="Alex"), step("request", "POST shop.test/api"), step("click", "Bye")]
    found = vary(align(run, run[:2], same), {1: "differs in /body/n", 2: "no match anyhow"})
    assert statuses(found) == ["match", "variant", "extra"]
    assert found.pairs[1].reason == "differs in /body/n"
    assert found.counts == {"match": 1, "variant": 1, "missing": 0, "extra": 1}


def test_a_url_that_cannot_be_split_does_no_harm() -> None:
    odd = step("navigate", "x", "http://[bad/?a=1")
    assert statuses(align([odd], [odd], same)) == ["match"]


@pytest.mark.slow
def test_five_thousand_steps_on_both_sides_fit() -> None:
    rng = random.Random(1)
    reference = [step("click", f"Button {rng.randint(0, 300)}", index=n) for n in range(5000)]
    agent = [s for s in reference if rng.random() > 0.05]
    agent[-1] = reference[-1] = step("request", "POST shop.test/api", method="POST", terminal=True)
    tracemalloc.start()
    begin = time.process_time()
    found = align(agent, reference, same)
    took = time.process_time() - begin
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.counts["match"] >= 4700
    assert took < 30
    assert peak < 450 * 1024 * 1024
