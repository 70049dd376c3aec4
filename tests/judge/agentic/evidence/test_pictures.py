"""Staged pictures: of a size for a model, each once, what differs first, with the way back to the recording."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import pytest

from clawjudge.judge.agentic.evidence import pictures
from clawjudge.judge.agentic.evidence.manifest import Manifest
from clawjudge.judge.agentic.evidence.stage import stage
from clawjudge.judge.agentic.tools.staged import records
from clawjudge.judge.case import Case, build_case
from clawjudge.judge.citation import CitationCheck
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "food-order"


@pytest.fixture(scope="module")
def case() -> Case:
    return build_case(Trace(EXAMPLES / "wrong-quantity"), Trace(EXAMPLES / "reference"))


@pytest.fixture(scope="module")
def staged(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    return stage(case, tmp_path_factory.mktemp("evidence"))


def test_pictures_have_a_size_for_a_model(staged: Manifest) -> None:
    files = [file.name for file in staged.files if file.name.endswith(".jpg")]
    assert len([name for name in files if name.startswith("pictures/")]) > 20
    assert len([name for name in files if name.startswith("sheets/")]) == 2
    for name in files:
        height, width = cv2.imread(str(staged.folder / name)).shape[:2]
        assert 300 < max(height, width) <= 1568


def test_every_pair_names_the_screens_that_show_it(staged: Manifest) -> None:
    named = set()
    for pair in records(staged, "alignment"):
        for side in ("agent", "reference"):
            step = pair[side]
            if step is not None:
                assert step["screens"].keys() == {"before", "after"}
                named |= set(step["screens"].values())
    assert named == set(staged.pictures)
    assert named == {file.name for file in staged.files if file.name.startswith("pictures/")}


def test_the_same_screen_is_staged_once(staged: Manifest) -> None:
    raw = [(staged.folder / name).read_bytes() for name in staged.pictures]
    assert len(set(raw)) == len(raw)


def test_a_picture_leads_back_to_the_recording(case: Case, staged: Manifest) -> None:
    check = CitationCheck(case.folders)
    for name in staged.pictures:
        citation = staged.to_citation(name)
        assert check.verify(citation).verified
        assert citation.layer == "video"
        assert citation.frame is not None
    moment = staged.to_citation("agent screen @9.0s")
    assert check.verify(moment).verified
    assert moment.t_ms == staged.start_ms["agent"] + 9000


def test_where_there_is_not_room_for_all_what_differs_comes_first(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "BUDGET", 150_000)
    monkeypatch.setattr(pictures, "SHEET_BUDGET", 10)
    manifest = stage(case, tmp_path / "out", ["screenshots", "actions"])
    assert 0 < sum(file.size for file in manifest.files if file.name.startswith("pictures/")) <= 150_000
    # The step that the agent left out is the only one in which the runs differ.
    (missing,) = [pair for pair in records(manifest, "alignment") if pair["status"] == "missing"]
    assert "after" in missing["reference"]["screens"]
    left_out = {(o["run"], o["what"]): o["count"] for o in manifest.document()["left_out"]}
    assert left_out["agent", "keyframes, bytes"] > 5
    assert left_out["", "sheets, bytes"] == 2


def test_of_many_steps_the_last_and_the_differing_ones_are_shown(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "STEPS", 8)
    manifest = stage(case, tmp_path / "out", ["screenshots", "actions"])
    shown = [
        pair["pair"] for pair in records(manifest, "alignment") if pair["reference"] and "screens" in pair["reference"]
    ]
    assert len(shown) == 8
    assert {0, 6, 17, 18} <= set(shown)
    left_out = {(o["run"], o["what"]): o["count"] for o in manifest.document()["left_out"]}
    assert left_out["reference", "steps without pictures"] == 11


def test_without_a_reference_the_agent_s_screens_are_staged(tmp_path: Path) -> None:
    case = build_case(Trace(EXAMPLES / "wrong-quantity"), None)
    manifest = stage(case, tmp_path / "out", ["screenshots", "actions"])
    assert {picture.run for picture in manifest.pictures.values()} == {"agent"}
    assert len(manifest.pictures) > 5


def test_without_steps_the_screens_are_staged_all_the_same(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(EXAMPLES / "wrong-quantity", run)
    manifest = stage(build_case(Trace(run), Trace(EXAMPLES / "reference")), tmp_path / "out", ["screenshots"])
    assert {picture.run for picture in manifest.pictures.values()} == {"agent", "reference"}
    assert manifest.to_citation("pictures/view-01-agent.jpg").layer == "screenshots"


def test_a_film_alone_is_shown_by_frames_spread_over_it(case: Case, tmp_path: Path) -> None:
    manifest = stage(case, tmp_path / "out", ["video"])
    cited = [manifest.to_citation(name) for name in manifest.pictures if "-agent" in name]
    frames = [citation.frame for citation in cited]
    assert len(frames) == 16
    assert frames == sorted(frames)  # type: ignore[type-var]
    check = CitationCheck(case.folders)
    assert all(check.verify(citation).verified for citation in cited)


def test_the_hash_does_not_hang_on_the_encoder(
    staged: Manifest, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clawjudge.traces.screenshots.JPEG_QUALITY", 60)
    other = stage(case, tmp_path / "out")
    assert json.dumps(other.document()["files"]) != json.dumps(staged.document()["files"])
    assert other.evidence_sha256 == staged.evidence_sha256
