"""What the tools answer about a staged case, and what they refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import cv2
import numpy
import pytest

from clawjudge.judge.agentic.evidence.stage import stage
from clawjudge.judge.agentic.tools import queries
from clawjudge.judge.agentic.tools.queries import Answer, Evidence
from clawjudge.judge.agentic.tools.server import MODELS, call
from clawjudge.judge.case import build_case
from clawjudge.judge.fence import Fence
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "food-order"
TOKEN = "x0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    case = build_case(Trace(EXAMPLES / "wrong-quantity"), Trace(EXAMPLES / "reference"))
    return Evidence(stage(case, tmp_path_factory.mktemp("evidence")), Fence(TOKEN))


@pytest.fixture(scope="module")
def without_http(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    case = build_case(Trace(EXAMPLES / "wrong-quantity"), Trace(EXAMPLES / "reference"))
    return Evidence(stage(case, tmp_path_factory.mktemp("evidence"), ["actions", "messages"]), Fence(TOKEN))


def inside(answer: Answer) -> list[str]:
    """The lines that stand inside the fence."""
    found = re.search(rf"<quoted-{TOKEN} of=[^\n]*>\n(.*)\n</quoted-{TOKEN}>$", answer.text, re.DOTALL)
    assert found, answer.text
    return found[1].split("\n")


def test_divergences_are_the_pairs_that_do_not_match(evidence: Evidence) -> None:
    answer = call(evidence, "list_divergences", {})
    pairs = [json.loads(line) for line in inside(answer)]
    assert answer.text.startswith("pairs of steps that differ 0 to 1 of 2\n")
    assert [(p["pair"], p["status"]) for p in pairs] == [(7, "missing"), (22, "variant")]
    assert pairs[0]["reference"]["what"] == "+"


def test_a_pair_comes_with_the_lines_it_was_made_from(evidence: Evidence) -> None:
    pair, *lines = inside(call(evidence, "step_pair", {"pair": 7}))
    assert json.loads(pair)["status"] == "missing"
    assert lines
    assert all(line.startswith("reference actions:") for line in lines)
    refused = call(evidence, "step_pair", {"pair": 999})
    assert (refused.error, refused.text) == (True, "there is no pair 999; pairs go from 0 to 22")


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        ({"method": "put"}, [8]),
        ({"method": "POST", "path": "ORDERS"}, [13, 14]),
        ({"host": "noodlerun.test", "first_line": 13}, [13, 14]),
        ({"host": "run.test"}, []),
        ({"path": "noodlerun.test"}, []),
        ({"first_line": 2, "last_line": 4}, [2, 3, 4]),
        ({"status": 200}, []),
        ({"blocked": True}, []),
    ],
)
def test_requests_are_filtered(evidence: Evidence, asked: dict[str, Any], lines: list[int]) -> None:
    answer = call(evidence, "requests", {"run": "agent", **asked})
    shown = [] if answer.text.startswith("no staged request fits") else inside(answer)
    assert [int(re.match(r"agent http:(\d+) ", line)[1]) for line in shown] == lines  # type: ignore[index]


def test_requests_show_their_values_when_asked(evidence: Evidence) -> None:
    asked = {"run": "agent", "path": "v3/orders", "first_line": 14, "values": True}
    assert 'agent http:14 "/body/cart/items/0/quantity": 1' in inside(call(evidence, "requests", asked))


def test_the_payload_diff_shows_what_differs_or_everything(evidence: Evidence) -> None:
    differing = [json.loads(line) for line in inside(call(evidence, "payload_diff", {}))]
    assert [(b["field"], b["reference"], b["agent"]) for b in differing] == [("/body/cart/items/0/quantity", 2, 1)]
    assert len(inside(call(evidence, "payload_diff", {"everything": True}))) > 10
    assert call(evidence, "payload_diff", {"final_request": 3}).error


def test_a_frame_is_a_picture_within_the_size_for_a_model(evidence: Evidence) -> None:
    answer = call(evidence, "frame_at", {"run": "agent", "seconds": 9.0})
    assert answer.jpeg is not None
    picture = cv2.imdecode(numpy.frombuffer(answer.jpeg, numpy.uint8), cv2.IMREAD_COLOR)
    assert 1000 < max(picture.shape[:2]) <= 1568
    other = call(evidence, "frame_at", {"run": "agent", "seconds": 0.5})
    assert other.jpeg not in (None, answer.jpeg)
    assert call(evidence, "frame_at", {"run": "agent", "seconds": 5000.0}).error


def test_without_a_film_the_nearest_screenshot_is_shown(tmp_path: Path) -> None:
    case = build_case(Trace(EXAMPLES / "wrong-quantity"), Trace(EXAMPLES / "reference"))
    evidence = Evidence(stage(case, tmp_path / "out", ["screenshots", "actions"]), Fence(TOKEN))
    answer = call(evidence, "frame_at", {"run": "agent", "seconds": 9.0})
    assert answer.jpeg
    name = answer.text.split()[-1]
    assert answer.jpeg == (evidence.manifest.folder / name).read_bytes()
    assert evidence.manifest.to_citation("agent screen @9.0s") == evidence.manifest.to_citation(name)


def test_a_citation_holds_or_does_not(evidence: Evidence) -> None:
    place = {"address": "agent http:14 /body/cart/items/0/quantity"}
    answer = call(evidence, "cite", {**place, "quote": "1"})
    assert not answer.error
    assert json.loads(inside(answer)[0]) == {"quote": "1", "pointer": "/body/cart/items/0/quantity"}
    assert call(evidence, "cite", {**place, "quote": "2"}).error
    assert not call(evidence, "cite", {"address": "agent screen @9.0s"}).error
    # A part of a word is no quotation.
    assert call(evidence, "cite", {"address": "agent http:14 /body/cart/restaurant_name", "quote": "Baan Sia"}).error


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "sent",
    [
        None,
        [],
        "agent",
        {"unknown": 1},
        {"offset": -1},
        {"offset": "0"},
        {"offset": 10**30},
        {"pair": True},
        {"run": "../agent", "seconds": 1.0},
        {"run": "agent", "seconds": float("nan")},
        {"run": "agent", "path": "x" * 10_000},
        {"run": "agent", "first_line": 9, "last_line": 3},
        {"final_request": -1},
        {"address": "x" * 10_000},
    ],
)
def test_wrong_arguments_are_refused_with_what_is_taken(evidence: Evidence, name: str, sent: Any) -> None:
    answer = call(evidence, name, sent)
    assert answer.error
    assert "This tool takes: " in answer.text
    assert len(answer.text) < 1200


@pytest.mark.parametrize("address", ["/etc/passwd", "../agent http:1", "agent/http-0001.txt", "pictures/../task.json"])
def test_paths_are_no_addresses(evidence: Evidence, address: str) -> None:
    answer = call(evidence, "cite", {"address": address, "quote": "root"})
    assert answer.error
    assert "is no address" in answer.text


def test_answers_are_bounded_and_say_where_the_rest_begins(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "ANSWER_CHARACTERS", 1500)
    everything: list[str] = []
    offset = 0
    for _ in range(50):
        answer = call(evidence, "requests", {"run": "reference", "offset": offset, "values": True})
        everything += inside(answer)
        assert len(answer.text) < 4000
        more = re.search(r"of (\d+); ask again with offset (\d+) for more\n", answer.text)
        if more is None:
            break
        offset = int(more[2])
    file = evidence.manifest.folder / "reference" / "http-0001.txt"
    assert everything == file.read_text("utf-8").splitlines()
    assert call(evidence, "requests", {"run": "reference", "offset": 99}).error


def test_a_layer_that_is_not_given_cannot_be_asked_for(without_http: Evidence) -> None:
    for name, sent in (("requests", {"run": "agent"}), ("payload_diff", {"everything": True})):
        assert call(without_http, name, sent).error
    for address in ("agent http:14", "agent interception /intercepted"):
        assert call(without_http, "cite", {"address": address, "quote": "true"}).error
    assert call(without_http, "frame_at", {"run": "agent", "seconds": 1.0}).error
    assert call(without_http, "list_divergences", {}).error is False
