"""The prompt: our words outside of the fence, everything of the case inside of it."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from clawjudge.judge.agentic.evidence.manifest import Manifest
from clawjudge.judge.agentic.evidence.stage import stage
from clawjudge.judge.agentic.prompt import build_prompt
from clawjudge.judge.case import build_case
from clawjudge.judge.fence import Fence
from clawjudge.rubrics.load import load_rubric
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "food-order"
RUBRIC = load_rubric("v1-agentic")
ONE, OTHER = Fence("x" + "1" * 32), Fence("x" + "2" * 32)


def outside(text: str, fence: Fence) -> str:
    """The text without what stands inside the fence."""
    return re.sub(rf"<quoted-{fence.token} of=[^\n]*>\n.*?\n</quoted-{fence.token}>", "", text, flags=re.DOTALL)


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    case = build_case(Trace(EXAMPLES / "wrong-quantity"), Trace(EXAMPLES / "reference"))
    return stage(case, tmp_path_factory.mktemp("evidence"), ["http", "actions", "messages"])


def test_what_the_case_says_stands_only_inside_the_fence(staged: Manifest) -> None:
    prompt = build_prompt(staged, RUBRIC, ONE)
    for words in ("Pad Thai", "NoodleRun", "/body/cart/items/0/quantity", "intercepted"):
        assert words in prompt.case
        assert words not in outside(prompt.case, ONE)
        assert words not in prompt.system
    assert ONE.rule in prompt.system
    assert "You are not given these layers, and no gap in them says anything: video, screenshots." in prompt.case
    assert all(rule.text in outside(prompt.case, ONE) for rule in RUBRIC.rules)
    assert "$" not in outside(prompt.case, ONE) + prompt.system


def test_another_fence_changes_the_marks_alone(staged: Manifest) -> None:
    one, other = build_prompt(staged, RUBRIC, ONE), build_prompt(staged, RUBRIC, OTHER)
    assert one.case.replace(ONE.token, OTHER.token) == other.case
    assert one.sha256 == other.sha256


def test_evidence_of_another_rubric_is_refused(staged: Manifest) -> None:
    with pytest.raises(ValueError, match="another rubric"):
        build_prompt(staged, dataclasses.replace(RUBRIC, sha256="0" * 64), ONE)


def test_the_prompt_asks_for_what_the_verdict_needs(staged: Manifest) -> None:
    prompt = build_prompt(staged, RUBRIC, ONE)
    assert prompt.case.rstrip().endswith("and the outcome last.")
    assert ", ".join(rule.id for rule in RUBRIC.rules) in prompt.case
    for status in ("met", "violated", "not_applicable", "cannot_tell"):
        assert status in prompt.system
