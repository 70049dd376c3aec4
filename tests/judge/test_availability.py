from __future__ import annotations

import sys

import pytest

from clawjudge.judge.agentic.credentials import NoCredentials
from clawjudge.judge.availability import JUDGES, UnavailableJudge, decide


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not a real key")


@pytest.fixture
def no_key(monkeypatch):
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def no_sdk(monkeypatch):
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", None)


def test_auto_needs_a_key_and_the_sdk_for_the_agentic_judge(key):
    assert decide("auto").name == "agentic"


def test_auto_without_the_sdk_takes_the_offline_judge_and_says_what_to_install(key, no_sdk):
    decision = decide("auto")
    assert decision.name == "offline"
    assert "pip install 'clawjudge[agentic]'" in decision.why


def test_auto_without_a_key_takes_the_offline_judge(no_key, no_sdk):
    decision = decide("auto")
    assert decision.name == "offline"
    assert "ANTHROPIC_API_KEY" in decision.why


def test_the_agentic_judge_by_name_says_what_it_lacks(key, no_sdk):
    with pytest.raises(UnavailableJudge, match="pip install"):
        decide("agentic", asking=False)


def test_the_agentic_judge_needs_a_key_only_to_ask(no_key):
    with pytest.raises(NoCredentials):
        decide("agentic")
    assert decide("agentic", asking=False).name == "agentic"


def test_every_other_judge_is_the_one_that_was_asked_for(no_key, no_sdk):
    others = [name for name in JUDGES if name not in ("auto", "agentic")]
    assert [decide(name).name for name in others] == others
    with pytest.raises(UnavailableJudge, match="not available yet"):
        decide("moody")
