"""The evidence folder of a case: what is in it, and that a judge's citation leads back to the recording."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from clawjudge.judge.agentic.evidence.manifest import Manifest, UnknownPlace
from clawjudge.judge.agentic.evidence.stage import stage
from clawjudge.judge.case import Case, build_case
from clawjudge.judge.citation import CitationCheck
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "food-order"


@pytest.fixture(scope="module")
def case() -> Case:
    return build_case(Trace(EXAMPLES / "wrong-quantity"), Trace(EXAMPLES / "reference"))


@pytest.fixture(scope="module")
def staged(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    return stage(case, tmp_path_factory.mktemp("evidence"), ["http", "actions", "messages", "screenshots"])


def test_the_manifest_lists_every_file_and_nothing_else(staged: Manifest) -> None:
    document = json.loads((staged.folder / "manifest.json").read_text())
    listed = {file["name"]: file for file in document["files"]}
    there = {str(path.relative_to(staged.folder)) for path in staged.folder.rglob("*") if path.is_file()}
    assert there == {*listed, "manifest.json"}
    for name, file in listed.items():
        raw = (staged.folder / name).read_bytes()
        assert hashlib.sha256(raw).hexdigest() == file["sha256"]
        assert len(raw) == file["bytes"]
        if "lines" in file:
            assert raw.count(b"\n") == file["lines"]


@pytest.mark.parametrize(
    ("address", "quotation"),
    [
        ("agent http:14 /body/cart/items/0/quantity", "1"),
        ('agent http:14 "/body/cart/items/0/quantity":', "1"),
        ("reference http:14 /body/cart/items/0/quantity", "2"),
        ("agent http:14", "http://noodlerun.test/api/v3/orders"),
        ("agent interception /intercepted", "true"),
        ("agent actions:140", "Place order"),
        ("agent messages:5", "First I'll read the user's personal info."),
        ("agent messages:6", '"nationality": "Canadian"'),
        ("agent messages:6", '\\"nationality\\": \\"Canadian\\"'),
        ("task /instruction", "two Pad Thai"),
    ],
)
def test_what_is_cited_as_the_evidence_names_it_holds_in_the_recording(
    case: Case, staged: Manifest, address: str, quotation: str
) -> None:
    citation = staged.to_citation(address, quotation)
    assert CitationCheck(case.folders).verify(citation).verified, citation


@pytest.mark.parametrize(
    ("address", "quotation"),
    [
        ("agent http:14 /body/cart/items/0/quantity", "2"),
        ("agent http:14 /body/cart/nothing", "2"),
        ("agent http:15 /url", "x"),
        ("agent http:14", ""),
        ("agent video:3", "x"),
        ("http:14", "x"),
        ("agent http:14 body", "x"),
        ("../../etc/passwd", "root"),
        ("pictures/999-agent-after.jpg", ""),
        ("task /instruction", "three Pad Thai"),
        ("x" * 10_000, ""),
    ],
)
def test_what_does_not_stand_there_is_refused_with_a_reason(staged: Manifest, address: str, quotation: str) -> None:
    with pytest.raises(UnknownPlace) as refused:
        staged.to_citation(address, quotation)
    assert len(str(refused.value)) < 1000
