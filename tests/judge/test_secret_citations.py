"""What a verdict says of a run holds no secret, whatever the recording calls the field that held it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clawjudge.judge.case import build_case
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).parents[2] / "examples" / "food-order"
CARD = "4111 1111 1111 1111"


def rewritten(source: Path, folder: Path, change: Callable[[dict[str, Any]], None], file: str) -> Path:
    shutil.copytree(source, folder)
    place = folder / "data" / file
    lines = [json.loads(line) for line in place.read_text("utf-8").splitlines()]
    for line in lines:
        change(line)
    place.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def told(run: Path, reference: Path) -> str:
    verdict = OfflineJudge().judge(build_case(Trace(run), Trace(reference)))
    return verdict.model_dump_json()


@pytest.mark.parametrize(
    ("says", "typed"),
    [
        ({"type": "password"}, "Elsewhere-7"),
        ({"attributes": {"autocomplete": "current-password"}}, "Elsewhere-7"),
        ({"autocomplete": "cc-number"}, CARD),
        ({"autocomplete": "one-time-code"}, "481516"),
        ({}, "Elsewhere-7"),
    ],
)
def test_what_a_recorder_says_of_an_element_hides_its_value(tmp_path: Path, says: dict[str, Any], typed: str) -> None:
    def change(action: dict[str, Any]) -> None:
        target = action.get("target") or {}
        if "street" in json.dumps(target).lower():
            action["target"] = {**target, **says} if action["type"] != "click" else target
            action["value"] = typed if action.get("value") else action.get("value")

    said = told(rewritten(EXAMPLES / "right-order", tmp_path / "run", change, "actions.jsonl"), EXAMPLES / "reference")
    assert (typed in said) is not bool(says)


def test_a_card_number_as_a_key_is_hidden_in_pointers(tmp_path: Path) -> None:
    def keyed(worth: str) -> Callable[[dict[str, Any]], None]:
        def change(request: dict[str, Any]) -> None:
            if request["method"] == "POST" and isinstance(request.get("body"), str | dict):
                body = request["body"]
                tree = json.loads(body) if isinstance(body, str) and body.startswith("{") else body
                if isinstance(tree, dict):
                    tree = {**tree, "limits": {CARD: {"worth": worth}}}
                    request["body"] = json.dumps(tree) if isinstance(body, str) else tree

        return change

    run = rewritten(EXAMPLES / "right-order", tmp_path / "run", keyed("forty pounds"), "requests.jsonl")
    reference = rewritten(EXAMPLES / "reference", tmp_path / "reference", keyed("nine pounds"), "requests.jsonl")
    for folder in (run, reference):
        (folder / "data" / "interception.json").unlink()
    said = told(run, reference)
    assert "/limits/" in said
    assert CARD not in said
    assert CARD.replace(" ", "") not in said
