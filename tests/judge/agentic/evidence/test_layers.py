"""Layers as evidence: long ones, damaged ones, and transcripts that are one document."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from clawjudge.judge.agentic.evidence import layers
from clawjudge.judge.agentic.evidence.manifest import Manifest
from clawjudge.judge.agentic.evidence.stage import stage
from clawjudge.judge.agentic.tools.staged import layer_blocks, layer_lines
from clawjudge.judge.case import build_case
from clawjudge.judge.citation import CitationCheck
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "food-order"
TEXTS = ("http", "actions", "messages")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    copy = tmp_path / "run"
    shutil.copytree(EXAMPLES / "wrong-quantity", copy)
    return copy


def staged(run: Path) -> Manifest:
    return stage(build_case(Trace(run), Trace(EXAMPLES / "reference")), run.parent / "out", TEXTS)


def left_out(manifest: Manifest) -> dict[tuple[str, str], int]:
    return {(o["layer"], o["what"]): o["count"] for o in manifest.document()["left_out"] if o["run"] == "agent"}


def request(number: int, url: str, method: str = "GET", kind: str = "XHR", body: Any = None) -> str:
    record = {
        "timestamp": 1796023440 + number / 100,
        "url": url,
        "method": method,
        "headers": {},
        "resource_type": kind,
    }
    return json.dumps(record | {"body": body})


def test_of_a_long_log_the_final_request_stays_wherever_it_stands(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "_SMALL_LOG", 10_000)
    monkeypatch.setitem(layers.BUDGETS, "http", 40_000)
    final = json.loads((run / "requests.jsonl").read_text().splitlines()[-1])
    page = "http://noodlerun.test/r?page="
    lines = [request(n, f"{page}{n}&{'x' * 200}") for n in range(500)]
    lines[250] = json.dumps(final)
    lines[100:100] = [request(100, f"http://cdn.test/{n}.js", kind="Script") for n in range(300)]
    (run / "requests.jsonl").write_text("\n".join(lines) + "\n")
    manifest = staged(run)
    shown = [block.line for block in layer_blocks(manifest, "agent", "http")]
    assert shown == sorted(shown)
    assert {1, 551, 800} <= set(shown)
    gone = left_out(manifest)
    assert gone["http", "requests of third parties and for parts of pages, bytes"] == 300
    assert gone["http", "lines in the middle, about so many bytes"] == 500 - len(shown)
    assert manifest.to_citation("agent http:551 /body/cart/items/0/quantity", "1").line == 551


def test_a_field_behind_thousands_of_characters_is_still_shown(run: Path) -> None:
    lines = (run / "requests.jsonl").read_text().splitlines()
    final = json.loads(lines[-1])
    final["body"] = {"tracking": "t" * 70_000, "blob": ["b" * 900] * 40, "cart": final["body"]["cart"]}
    (run / "requests.jsonl").write_text("\n".join([*lines[:-1], json.dumps(final)]) + "\n")
    text = [line.text for line in layer_lines(staged(run), "agent", "http")]
    assert 'agent http:14 "/body/cart/items/0/quantity": 1' in text
    assert any(line.endswith("left out here: 50000 of 70000 characters") for line in text)


@pytest.mark.parametrize(
    "line",
    [
        "[1, 2]",
        "3",
        '"text"',
        "null",
        "{}",
        '{"type": "click", "timestamp": "soon", "target": [1], "value": {"a": [1]}}',
        '{"type": "click", "timestamp": 1e308, "url": 5}',
        '{"type": "input", "value": "' + "v" * 300_000 + '"}',
        '{"type": "input", "value": ' + "[" * 900 + "1" + "]" * 900 + "}",
        '{"type": "click", "value": "\\ud83d", "target": {"\\u0000": NaN}}',
        '{"url": "http://x.test", "method": "PUT", "body": "\\u0000\\ud800", "headers": {"a": null}, "timestamp": -1}',
        '{"url": "http://[::1", "method": "P\\n", "body": {"a": 1e400}, "headers": []}',
        '{"type": "message", "message": {"role": "assistant", "content": [{"type": "toolCall", "arguments": "no"}]}}',
        '{"role": "assistant", "content": ' + "[" * 500 + "]" * 500 + "}",
    ],
    ids=range(14),
)
def test_whatever_a_line_holds_it_is_staged_or_left_out_and_never_a_crash(run: Path, line: str) -> None:
    for name in ("requests.jsonl", "actions.jsonl", "agent-messages.jsonl"):
        (run / name).write_text((run / name).read_text() + line + "\n" + '{"cut')
    manifest = staged(run)
    assert manifest.size < 1_000_000
    for layer in TEXTS:
        assert all(len(staged_line.text) < 20_000 for staged_line in layer_lines(manifest, "agent", layer))


def test_a_transcript_that_is_one_document_is_cited_as_a_whole(run: Path) -> None:
    said = [
        {"role": "user", "content": "Order two Pad Thai."},
        {"role": "assistant", "content": "I will open\nthe menu."},
    ]
    (run / "agent-messages.jsonl").write_text(json.dumps({"messages": said}, indent=2))
    manifest = staged(run)
    (line,) = [line.text for line in layer_lines(manifest, "agent", "messages") if "open" in line.text]
    address, _, words = line.partition(" said: ")
    citation = manifest.to_citation(address, json.loads(words))
    case = build_case(Trace(run), Trace(EXAMPLES / "reference"))
    assert CitationCheck(case.folders).verify(citation).verified, citation
    assert (citation.line, citation.pointer) == (None, "/messages/1/content")


def test_which_model_drove_the_run_is_not_shown(run: Path) -> None:
    text = "\n".join(line.text for line in layer_lines(staged(run), "agent", "messages"))
    assert "scripted-alpha" in (run / "agent-messages.jsonl").read_text()
    assert "scripted-alpha" not in text
