"""The redactor of the evidence: numbered tokens, the same for the same secret, learnt from where names mark them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from clawjudge.judge.agentic.evidence.redact import EvidenceRedactor
from clawjudge.judge.case import Case, build_case
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "food-order"
PASSWORD = "Maple-Syrup-4417"


@pytest.fixture
def case(tmp_path: Path) -> Case:
    run = tmp_path / "run"
    shutil.copytree(EXAMPLES / "wrong-quantity", run)
    typed = {"type": "change", "timestamp": 1796023452100, "url": "http://noodlerun.test/login", "value": PASSWORD}
    typed |= {"target": {"tagName": "INPUT", "id": "user-password"}}
    (run / "actions.jsonl").write_text((run / "actions.jsonl").read_text() + json.dumps(typed) + "\n")
    return build_case(Trace(run), Trace(EXAMPLES / "reference"))


def test_a_password_is_known_in_a_sentence_before_it_was_met_in_its_field(case: Case) -> None:
    said = EvidenceRedactor(case).text(f"I typed {PASSWORD} and pressed Enter.")
    assert re.fullmatch(r"I typed \[password:[0-9a-f]{12}\] and pressed Enter\.", said)


def test_tokens_are_numbers_in_the_order_of_appearance(case: Case) -> None:
    one, other = EvidenceRedactor(case), EvidenceRedactor(case)
    cards = ["4519873424604532", "4539 1488 0343 6467", "4519 8734 2460 4532"]
    tokens = [one.redact(card, "card") for card in cards]
    assert tokens == [other.redact(card, "card") for card in cards]
    assert tokens[0] == tokens[2] != tokens[1]
    numbers = [int(re.fullmatch(r"\[card:([0-9a-f]{12})\]", token)[1], 16) for token in tokens]  # type: ignore[index]
    assert max(numbers) < 100
    assert one.redact(tokens) == tokens
