"""Pictures as evidence: cited where the runs part, checked before they count, and named where they are missing."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from clawjudge.judge.case import build_case
from clawjudge.judge.citation import CitationCheck
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.judge.verdict import Citation, Verdict
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).parents[2] / "examples" / "food-order"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run whose first divergence is a step of the agent: it typed another street."""
    folder = tmp_path / "run"
    shutil.copytree(EXAMPLES / "right-order", folder)
    lines = []
    for line in (folder / "data" / "actions.jsonl").read_text("utf-8").splitlines():
        action = json.loads(line)
        if "street" in json.dumps(action.get("target") or {}).lower() and action.get("value"):
            action["value"] = "1 Elsewhere Road"
        lines.append(json.dumps(action) + "\n")
    (folder / "data" / "actions.jsonl").write_text("".join(lines))
    return folder


def verdict(run: Path) -> Verdict:
    return OfflineJudge().judge(build_case(Trace(run), Trace(EXAMPLES / "reference")))


def pictures(found: Verdict) -> list[Citation]:
    assert found.first_divergence is not None
    assert found.first_divergence.kind == "variant"
    return [c for c in found.first_divergence.citations if c.layer in ("screenshots", "video")]


def test_the_screen_after_the_diverging_step_is_cited(run: Path) -> None:
    (cited,) = pictures(verdict(run))
    assert cited.layer == "screenshots"
    assert cited.run == "agent"
    assert cited.verified
    assert (run / cited.file).is_file()
    assert cited.t_ms == int(Path(cited.file).stem)


def test_without_screenshots_a_place_in_the_video_is_cited(run: Path) -> None:
    shutil.rmtree(run / "data" / "screenshots")
    (cited,) = pictures(verdict(run))
    assert (cited.layer, cited.file, cited.verified) == ("video", "data/recording.mp4", True)
    assert cited.frame is not None
    assert cited.frame > 0


def test_without_any_picture_none_is_cited_and_the_gaps_say_why(run: Path) -> None:
    shutil.rmtree(run / "data" / "screenshots")
    (run / "data" / "recording.mp4").write_bytes(b"\0\0\0\x18ftypisom\0\0\0\0isomiso2")
    found = verdict(run)
    assert pictures(found) == []
    gaps = {(gap.code, gap.run, gap.layer) for gap in found.gaps}
    assert {("recording_no_moov", "agent", "video"), ("layer_missing", "agent", "screenshots")} <= gaps


def test_pictures_that_may_not_be_opened_are_a_gap(run: Path) -> None:
    (run / "data" / "screenshots" / "1796023400000.png").symlink_to("/etc/hostname")
    found = verdict(run)
    assert [(gap.code, gap.count) for gap in found.gaps if gap.layer == "screenshots"] == [("unsafe_path", 1)]
    assert found.outcome == verdict(EXAMPLES / "right-order").outcome


def holds(folder: Path, layer: str, file: str, frame: int | None = None) -> bool:
    citation = Citation(layer=layer, file=file, frame=frame)  # type: ignore[arg-type]
    return CitationCheck({"agent": folder}).verify(citation).verified


def test_a_picture_counts_only_if_it_is_one(run: Path) -> None:
    shots = run / "data" / "screenshots"
    good = min(path.name for path in shots.iterdir())
    (shots / "1.png").write_bytes(b"")
    (shots / "2.png").write_bytes(b"<html>no picture</html>")
    (shots / "3.png").symlink_to("/etc/hostname")
    os.mkfifo(shots / "4.png")
    assert holds(run, "screenshots", f"data/screenshots/{good}")
    for name in ("1.png", "2.png", "3.png", "4.png", "5.png", "", "../../../secret.png"):
        assert not holds(run, "screenshots", f"data/screenshots/{name}")


def test_a_frame_counts_only_if_the_film_lasts_until_then(run: Path) -> None:
    film = "data/recording.mp4"
    assert holds(run, "video", film, 0)
    assert holds(run, "video", film)
    assert not holds(run, "video", film, -1)
    assert not holds(run, "video", film, 10**9)
    assert not holds(run, "video", "data/actions.jsonl", 0)
    assert not holds(run, "video", "data", 0)
