"""The screens of aligned steps, written side by side."""

from __future__ import annotations

import re
import shutil
from itertools import combinations
from pathlib import Path

import cv2
import pytest

from clawjudge.judge.align.alignment import Alignment
from clawjudge.judge.align.comparison import RunComparison
from clawjudge.judge.align.frames import write_frames
from clawjudge.judge.case import build_case
from clawjudge.judge.cli.main import main
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.errors import InvalidInput
from clawjudge.traces.screenshots import image_size, thumbnail
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).parents[3] / "examples" / "food-order"
NAME = re.compile(r"(\d{3})-(match|variant|missing|extra)-(agent|reference)-(before|after)\.jpg")


def aligned(agent: Path = EXAMPLES / "wrong-quantity") -> tuple[Alignment, RunDigest, RunDigest]:
    compared = RunComparison.of(build_case(Trace(agent), Trace(EXAMPLES / "reference")))
    assert compared is not None
    return compared.alignment, compared.agent, compared.reference


@pytest.fixture(scope="module")
def pair() -> tuple[Alignment, RunDigest, RunDigest]:
    return aligned()


def test_every_file_is_a_picture_named_by_its_pair(
    tmp_path: Path, pair: tuple[Alignment, RunDigest, RunDigest]
) -> None:
    alignment, agent, reference = pair
    folder = tmp_path / "new" / "frames"
    count = write_frames(alignment, agent, reference, folder)
    files = sorted(folder.iterdir())
    assert count == len(files) > 10
    for file in files:
        found = NAME.fullmatch(file.name)
        assert found is not None, file.name
        step_pair = alignment.pairs[int(found[1])]
        assert step_pair.status == found[2]
        assert (step_pair.agent if found[3] == "agent" else step_pair.reference) is not None
        size = image_size(file.read_bytes())
        assert size is not None
        assert max(size) <= 1568
    assert {NAME.fullmatch(file.name)[3] for file in files} == {"agent", "reference"}  # type: ignore[index]


def test_no_picture_is_written_twice_for_a_run(tmp_path: Path, pair: tuple[Alignment, RunDigest, RunDigest]) -> None:
    write_frames(*pair, tmp_path)
    for whose in ("agent", "reference"):
        files = sorted(tmp_path.glob(f"*-{whose}-*"))
        thumbs = [thumbnail(cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)) for file in files]
        assert len(thumbs) > 5
        # Compression moves the distances a little, so only those far below the limit of `same_picture` are certain.
        alike = [float(cv2.norm(one, other, cv2.NORM_INF)) <= 6 for one, other in combinations(thumbs, 2)]
        assert not any(alike)


def test_a_folder_with_something_in_it_is_refused_and_left_alone(
    tmp_path: Path, pair: tuple[Alignment, RunDigest, RunDigest]
) -> None:
    (tmp_path / "mine.txt").write_text("kept")
    with pytest.raises(InvalidInput, match="is not empty; give a new folder"):
        write_frames(*pair, tmp_path)
    with pytest.raises(InvalidInput, match="is not a folder"):
        write_frames(*pair, tmp_path / "mine.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_run_is_never_written_to(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "wrong-quantity", tmp_path / "run")
    alignment, agent, reference = aligned(tmp_path / "run")
    with pytest.raises(InvalidInput, match="lies inside the run"):
        write_frames(alignment, agent, reference, tmp_path / "run" / "frames")
    assert not (tmp_path / "run" / "frames").exists()


def test_a_run_without_pictures_leaves_the_other_s(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(EXAMPLES / "wrong-quantity", run)
    shutil.rmtree(run / "screenshots")
    (run / "recording.mp4").unlink()
    alignment, agent, reference = aligned(run)
    count = write_frames(alignment, agent, reference, tmp_path / "frames")
    assert count > 5
    assert all("-reference-" in file.name for file in (tmp_path / "frames").iterdir())


def test_the_command_line_writes_them_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    runs = [str(EXAMPLES / "wrong-quantity"), str(EXAMPLES / "reference")]
    assert main(["align", *runs, "--frames", str(tmp_path / "screens")]) == 0
    printed = capfd.readouterr()
    count = len(list((tmp_path / "screens").iterdir()))
    assert count > 10
    assert f"wrote {count} screens to {tmp_path / 'screens'}" in printed.err
    assert main(["align", *runs]) == 0
    assert capfd.readouterr().out == printed.out

    assert main(["align", *runs, "--frames", str(tmp_path / "screens")]) == 4
    refused = capfd.readouterr()
    assert refused.out == ""
    assert "is not empty; give a new folder" in refused.err


def test_the_command_line_says_which_run_has_no_screens(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    shutil.copytree(EXAMPLES / "wrong-quantity", run)
    shutil.rmtree(run / "screenshots")
    (run / "recording.mp4").write_bytes(b"")
    assert main(["align", str(run), str(EXAMPLES / "reference"), "--frames", str(tmp_path / "screens")]) == 0
    assert (
        "note: the run has no screens: no step can be shown: there is no playable recording" in capfd.readouterr().err
    )


def test_the_help_shows_how(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["align", "--help"]) == 0
    shown = capfd.readouterr().out
    assert "--frames DIR" in shown
    assert "clawjudge align runs/42 humans/42 --frames screens" in shown
