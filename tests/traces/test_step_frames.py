"""The screens around a run's steps: as pictures, and as places that can be cited."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from clawjudge.traces.digest import RunDigest, digest
from clawjudge.traces.step_frames import Screen, probe_pictures, screen_after, step_frames
from clawjudge.traces.trace import Trace

EXAMPLE = Path(__file__).parents[2] / "examples" / "food-order" / "wrong-quantity"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A flat run with video and screenshots, to be damaged."""
    shutil.copytree(EXAMPLE, tmp_path / "run")
    for path in [tmp_path / "run", *(tmp_path / "run").rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)
    return tmp_path / "run"


def digested(folder: Path) -> RunDigest:
    trace = Trace(folder)
    assert trace.task is not None
    return digest(trace, trace.task.eval_schema)


def codes(run: RunDigest) -> dict[str, int]:
    return {code: count for (_, _, code), count in run.trace.problems.counts.items()}


def last_click(run: RunDigest) -> int:
    return max(position for position, step in enumerate(run.steps) if step.kind in ("click", "submit"))


def test_every_step_has_a_screen_before_and_after_it_from_the_video() -> None:
    run = digested(EXAMPLE)
    frames = step_frames(run)
    assert {frame.source for frame in frames} == {"video"}
    timed = [step.index for step in run.steps if step.t_ms is not None]
    assert [(frame.step, frame.moment) for frame in frames] == [(n, m) for n in timed for m in ("before", "after")]
    assert codes(run) == {}


def test_the_screenshots_place_the_video_more_sharply_if_asked() -> None:
    run = digested(EXAMPLE)
    rough, sharp = step_frames(run), step_frames(run, refine=True)
    assert {frame.source for frame in sharp} == {"video"}
    assert max(frame.uncertainty_ms for frame in sharp) < min(frame.uncertainty_ms for frame in rough) / 2


def test_the_screens_of_some_steps_are_those_that_all_steps_give() -> None:
    run = digested(EXAMPLE)
    some = run.steps[5:7]
    wanted = {step.index for step in some}
    whole = {(f.step, f.moment): f.t_ms for f in step_frames(run) if f.step in wanted}
    assert {(f.step, f.moment): f.t_ms for f in step_frames(run, some)} == whole
    assert len(whole) == 4


def test_without_a_playable_video_the_screenshots_serve_and_the_reason_is_named(run: Path) -> None:
    (run / "recording.mp4").write_bytes((run / "recording.mp4").read_bytes()[:40])
    found = digested(run)
    frames = step_frames(found)
    assert frames
    assert {frame.source for frame in frames} == {"screenshots"}
    assert codes(found)["recording_no_moov"] == 1


def test_without_any_picture_there_is_nothing_but_the_reason(run: Path) -> None:
    (run / "recording.mp4").write_bytes(b"")
    shutil.rmtree(run / "screenshots")
    found = digested(run)
    assert step_frames(found) == []
    assert step_frames(found) == []
    assert codes(found) == {"recording_empty": 1, "no_pictures": 1}
    assert screen_after(found, found.steps[0]) is None


def test_probing_again_counts_nothing_twice_and_forgets_nothing_else(run: Path) -> None:
    shots = run / "screenshots"
    (shots / "notes.txt").write_text("no picture")
    (shots / "1796023440000.png").symlink_to("/etc/hostname")
    (run / "data").mkdir()
    (run / "data" / "screenshots").symlink_to("/etc")  # refused when the run is opened; the flat folder serves
    trace = Trace(run)
    for _ in range(3):
        info, listed = probe_pictures(trace)
    assert info is not None
    assert len(listed) == 12
    assert trace.problems.counts == {
        ("screenshots", "data/screenshots", "unsafe_path"): 1,
        ("screenshots", "screenshots/1796023440000.png", "unsafe_path"): 1,
        ("screenshots", "screenshots", "not_a_screenshot"): 1,
    }


def test_a_step_is_cited_by_the_first_screenshot_after_it() -> None:
    run = digested(EXAMPLE)
    step = run.steps[last_click(run)]
    assert step.end_ms is not None
    seen = screen_after(run, step)
    names = sorted(int(path.stem) for path in (EXAMPLE / "screenshots").iterdir())
    expected = next(name for name in names if name >= step.end_ms)
    assert expected - step.end_ms <= 2000
    assert seen == Screen("screenshots", f"screenshots/{expected}.png", expected)


def test_screenshots_are_compared_on_the_clock_of_the_steps(run: Path) -> None:
    """The page's clock is an hour ahead: screenshots and actions say so, requests do not."""
    ahead = 3_600_000
    lines = [json.loads(line) for line in (run / "actions.jsonl").read_text("utf-8").splitlines()]
    for line in lines:
        line["timestamp"] += ahead
    (run / "actions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for path in list((run / "screenshots").iterdir()):
        path.rename(path.with_name(f"{int(path.stem) + ahead}.png"))
    straight, skewed = digested(EXAMPLE), digested(run)
    assert abs(skewed.skew.offset_ms - ahead) < 1500
    mine, theirs = (screen_after(found, found.steps[last_click(found)]) for found in (straight, skewed))
    assert mine is not None
    assert theirs is not None
    assert int(Path(theirs.file).stem) - int(Path(mine.file).stem) == ahead
    assert abs(theirs.t_ms - mine.t_ms) < 1500


def test_without_a_near_screenshot_the_place_in_the_video_is_given(run: Path) -> None:
    for path in (run / "screenshots").iterdir():
        path.write_bytes(b"")
    found = digested(run)
    step = found.steps[last_click(found)]
    seen = screen_after(found, step)
    assert seen is not None
    info, _ = probe_pictures(found.trace)
    assert info is not None
    assert (seen.source, seen.file) == ("video", "recording.mp4")
    assert seen.video_ms is not None
    assert 0 < seen.video_ms <= info.duration_ms
    frame = next(f for f in step_frames(found, [step]) if f.moment == "after")
    assert frame.video_ms is not None
    assert 0 <= seen.video_ms - frame.video_ms < 500  # the frame that stands at that place


def test_a_step_without_a_time_cannot_be_shown() -> None:
    run = digested(EXAMPLE)
    run.steps[3].t_ms = run.steps[3].end_ms = None
    assert screen_after(run, run.steps[3]) is None
    assert step_frames(run, [run.steps[3]]) == []
