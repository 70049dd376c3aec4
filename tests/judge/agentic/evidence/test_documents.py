"""The small files of the evidence: what they say of whole, unfinished and damaged cases, and how long they may be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from clawjudge.judge.agentic.evidence import documents
from clawjudge.judge.agentic.evidence.manifest import Manifest
from clawjudge.judge.agentic.evidence.stage import stage
from clawjudge.judge.agentic.tools.queries import Evidence
from clawjudge.judge.agentic.tools.server import call
from clawjudge.judge.agentic.tools.staged import records
from clawjudge.judge.case import build_case
from clawjudge.judge.citation import CitationCheck
from clawjudge.judge.fence import Fence
from clawjudge.rubrics.load import load_rubric
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "food-order"
TEXTS = ("http", "actions", "messages")


def staged(run: Path, folder: Path, reference: Path | None = EXAMPLES / "reference") -> Manifest:
    return stage(build_case(Trace(run), Trace(reference) if reference else None), folder, TEXTS)


def document(manifest: Manifest, name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((manifest.folder / name).read_text("utf-8"))
    return value


def test_the_rubric_is_there_with_the_hash_of_the_verdict(tmp_path: Path) -> None:
    text = (staged(EXAMPLES / "right-order", tmp_path / "out").folder / "rubric.txt").read_text("utf-8")
    rubric = load_rubric("v1-agentic")
    assert text.splitlines()[0] == f"Rubric v1-agentic, version {rubric.version}, sha256 {rubric.sha256}"
    assert all(f"{rule.id} {rule.name}: " in text and rule.text in text for rule in rubric.rules)


def test_a_run_without_a_final_request_says_where_each_field_stands(tmp_path: Path) -> None:
    manifest = staged(EXAMPLES / "phone-wall", tmp_path / "out")
    facts = document(manifest, "facts.json")
    assert facts["stage1"]["status"] == "not_intercepted"
    assert facts["final_requests"] == {"reference": "reference http:14", "agent": []}
    fields = list(records(manifest, "bindings"))
    assert fields
    assert all(field["never_sent"] for field in fields)


def test_without_a_reference_the_steps_are_listed_and_nothing_is_compared(tmp_path: Path) -> None:
    manifest = staged(EXAMPLES / "wrong-quantity", tmp_path / "out", None)
    assert {pair["why"] for pair in records(manifest, "alignment")} == {"there is no reference"}
    assert list(records(manifest, "bindings")) == []
    assert "first_divergence" not in document(manifest, "facts.json")
    assert document(manifest, "facts.json")["final_requests"]["agent"] == [{"at": "agent http:14"}]


def test_a_final_request_that_only_the_recorder_kept_is_cited_there(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(EXAMPLES / "wrong-quantity", run)
    (run / "requests.jsonl").unlink()
    manifest = staged(run, tmp_path / "out")
    assert document(manifest, "facts.json")["final_requests"]["agent"][0]["at"] == "agent interception"
    differing = next(field for field in records(manifest, "bindings") if field["status"] == "mismatch")
    assert differing["agent_at"] == "agent interception /request/body/cart/items/0/quantity"
    shown = (manifest.folder / "agent" / "interception.txt").read_text("utf-8").splitlines()
    assert 'agent interception "/request/body/cart/items/0/quantity": 1' in shown
    citation = manifest.to_citation(differing["agent_at"], "1")
    assert CitationCheck({"agent": run}).verify(citation).verified


def test_every_address_in_the_documents_can_be_asked_for(tmp_path: Path) -> None:
    for name in ("wrong-quantity", "phone-wall"):
        manifest = staged(EXAMPLES / name, tmp_path / name)
        evidence = Evidence(manifest, Fence())
        pairs = sum(1 for _ in records(manifest, "alignment"))
        assert pairs > 15
        assert not any(call(evidence, "step_pair", {"pair": pair}).error for pair in range(pairs))


def test_gaps_are_named(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(EXAMPLES / "wrong-quantity", run)
    (run / "actions.jsonl").write_text("not json\n" * 40)
    facts = document(staged(run, tmp_path / "out"), "facts.json")
    assert {"run": "agent", "layer": "actions", "code": "bad_json", "count": 40}.items() <= next(
        gap.items() for gap in facts["gaps"] if gap["code"] == "bad_json"
    )


def test_long_documents_are_brief_where_the_runs_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = staged(EXAMPLES / "wrong-quantity", tmp_path / "whole")
    monkeypatch.setattr(documents, "_PAIR_BYTES", {True: 2000, False: 1_000_000})
    monkeypatch.setattr(documents, "_BINDING_BYTES", {True: 1000, False: 1_000_000})
    short = staged(EXAMPLES / "wrong-quantity", tmp_path / "short")
    pairs = list(records(short, "alignment"))
    assert [p["pair"] for p in pairs] == [p["pair"] for p in records(whole, "alignment")]
    assert [p["pair"] for p in pairs if "brief" not in p and p["status"] != "match"] == [7, 22]
    brief = next(p for p in pairs if "brief" in p)
    assert brief["agent"]["at"]
    fields = list(records(short, "bindings"))
    assert [f["field"] for f in fields if f.get("status") == "mismatch"] == ["/body/cart/items/0/quantity"]
    total = sum(1 for _ in records(whole, "bindings"))
    assert fields[-1] == {"left_out": {"fields_that_match": total - len(fields) + 1, "fields_that_do_not": 0}}
    answer = call(Evidence(short, Fence()), "payload_diff", {"everything": True})
    assert "fields_that_match" in answer.text


def test_a_large_task_is_cut_and_says_so(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(EXAMPLES / "wrong-quantity", run)
    task = json.loads((run / "task.json").read_text())
    task["instruction"] += " " + "x" * 60_000
    (run / "task.json").write_text(json.dumps(task))
    (run / "my-info").mkdir()
    (run / "my-info" / "alex_green_personal_info.json").write_text(json.dumps({str(n): "y" * 50 for n in range(3000)}))
    said = document(staged(run, tmp_path / "out"), "task.json")
    assert len(said["instruction"]) == 50_000
    assert said["instruction_left_out"].endswith(" characters more")
    assert any("left_out" in details["content"] for details in said["details_given"])
    assert (tmp_path / "out" / "task.json").stat().st_size < 200_000
