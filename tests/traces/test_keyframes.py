"""What the screen showed around each step, and where a recording lies on the clock."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from clawjudge.traces.errors import InvalidRun
from clawjudge.traces.keyframes import Keyframe, StepMark, keyframes
from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.screenshots import Screenshot, image_size, list_screenshots
from clawjudge.traces.video import VideoInfo, probe_video
from clawjudge.traces.video_clock import VideoSource, VideoStart, estimate_video_start, refine_video_start

T = 1_796_023_385_000
FPS, SECONDS = 15, 12
CHANGES = [0.0, 2.0, 4.0, 5.0, 7.0, 9.0]
"""When, in seconds of film, the page shows its next state."""
SHARED = Path(os.environ.get("CLAWJUDGE_SHARED") or Path(__file__).parents[2].parent / "shared")


def page(state: int) -> np.ndarray:
    picture = np.full((300, 640, 3), 235, np.uint8)
    cv2.rectangle(picture, (20, 20), (120 + 80 * state, 60), (140, 60, 20), -1)
    cv2.putText(picture, f"Step {state}", (40, 200), cv2.FONT_HERSHEY_SIMPLEX, 1.5, (0, 0, 0), 3)
    return picture


def state_at(seconds: float) -> int:
    return sum(seconds >= change for change in CHANGES) - 1


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The page in a browser window, with the browser's bars above it."""
    path = tmp_path_factory.mktemp("film") / "recording.mp4"
    with av.open(
        str(path), "w", format="mp4", options={"movflags": "frag_keyframe+empty_moov+default_base_moof"}
    ) as out:
        stream = out.add_stream("libx264", rate=FPS)
        stream.width, stream.height, stream.pix_fmt, stream.gop_size = 640, 360, "yuv420p", 45
        stream.options = {"preset": "ultrafast", "tune": "zerolatency", "profile": "baseline"}
        for number in range(FPS * SECONDS):
            picture = np.full((360, 640, 3), 90, np.uint8)
            picture[60:] = page(state_at(number / FPS))
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            for packet in stream.encode(frame):
                out.mux(packet)
        for packet in stream.encode():
            out.mux(packet)
    return path.read_bytes()


def run_with(folder: Path, film: bytes | None, shots: Sequence[tuple[int, int]] = ()) -> tuple[Path, VideoInfo | None]:
    """A run folder; `shots` are (ms after T, state of the page)."""
    data = folder / "data"
    (data / "screenshots").mkdir(parents=True)
    for at, state in shots:
        cv2.imwrite(str(data / "screenshots" / f"{T + at}.png"), page(state))
    if film is None:
        return folder, None
    (data / "recording.mp4").write_bytes(film)
    return folder, probe_video(data / "recording.mp4", "data/recording.mp4", ProblemLog())


def source(run: Path, info: VideoInfo | None, start: int, uncertainty: int = 100) -> VideoSource:
    assert info is not None
    return VideoSource(run / "data" / "recording.mp4", "data/recording.mp4", info, VideoStart(start, uncertainty))


def listed(run: Path) -> list[Screenshot]:
    return list_screenshots(run / "data" / "screenshots", run, ProblemLog())


def picture(frame: Keyframe) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(frame.jpeg(), np.uint8), cv2.IMREAD_COLOR)


def state_of(frame: Keyframe) -> int:
    """Which state of the page a keyframe shows."""
    seen = picture(frame)[-300:].astype(int)
    return min(range(len(CHANGES)), key=lambda state: float(np.abs(seen - page(state)).mean()))


STEPS = [StepMark(number, T + round(change * 1000) - 100, T + round(change * 1000)) for number, change in
         enumerate(CHANGES[1:])]  # fmt: skip


def test_video_shows_before_and_after_each_step(tmp_path: Path, film: bytes) -> None:
    run, info = run_with(tmp_path, film)
    problems = ProblemLog()
    frames = keyframes(STEPS, run, problems, video=source(run, info, T))
    assert [(frame.step, frame.moment) for frame in frames] == [(n, m) for n in range(5) for m in ("before", "after")]
    assert [state_of(frame) for frame in frames] == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]
    assert {(frame.source, frame.file, frame.uncertainty_ms) for frame in frames} == {
        ("video", "data/recording.mp4", 100)
    }
    for frame, mark in zip(frames, [mark for mark in STEPS for _ in range(2)], strict=True):
        assert frame.t_ms <= mark.start_ms if frame.moment == "before" else frame.t_ms >= mark.end_ms
        assert frame.video_ms == frame.t_ms - T
    assert not problems


def test_the_picture_between_two_steps_is_kept_once(tmp_path: Path, film: bytes) -> None:
    run, info = run_with(tmp_path, film)
    frames = keyframes(STEPS, run, ProblemLog(), video=source(run, info, T))
    repeats = {(frame.step, frame.moment): frame.duplicate_of for frame in frames if frame.duplicate_of}
    assert repeats == {(n, "before"): (n - 1, "after") for n in range(1, 5)}
    assert frames[2].jpeg() == frames[1].jpeg()


def test_screenshots_stand_in_for_a_missing_video(tmp_path: Path) -> None:
    run, _ = run_with(tmp_path, None, [(0, 0), (2000, 1), (4000, 2), (5000, 2), (7000, 4)])
    problems = ProblemLog()
    frames = keyframes(STEPS, run, problems, screenshots=listed(run))
    assert all(frame.source == "screenshots" and frame.video_ms is None for frame in frames)
    found = {(frame.step, frame.moment): (frame.t_ms - T, state_of(frame), frame.duplicate_of) for frame in frames}
    assert found[0, "before"] == (0, 0, None)
    assert found[0, "after"] == (2000, 1, None)
    assert found[1, "before"] == (2000, 1, (0, "after"))
    assert found[2, "after"] == (5000, 2, (1, "after"))
    assert found[4, "before"] == (7000, 4, (3, "after"))
    assert (4, "after") not in found
    assert problems.counts == {("screenshots", "screenshots", "keyframe_missing"): 1}


def test_the_screenshot_named_after_an_action_shows_its_effect(tmp_path: Path) -> None:
    run, _ = run_with(tmp_path, None, [(0, 0), (2000, 1)])
    frames = keyframes([StepMark(7, T + 2000, T + 2000)], run, ProblemLog(), screenshots=listed(run))
    assert [(frame.step, frame.moment, state_of(frame)) for frame in frames] == [(7, "before", 0), (7, "after", 1)]


def test_damaged_screenshots_are_passed_over(tmp_path: Path) -> None:
    run, _ = run_with(tmp_path, None, [(0, 0), (2000, 1), (2100, 1)])
    (run / "data" / "screenshots" / f"{T + 2000}.png").write_bytes(b"")
    problems = ProblemLog()
    frames = keyframes([StepMark(0, T + 1000, T + 1900)], run, problems, screenshots=listed(run))
    assert [frame.t_ms - T for frame in frames] == [0, 2100]
    assert {code for _, _, code in problems.counts} == {"screenshot_undecodable"}
    (run / frames[1].file).unlink()
    with pytest.raises(InvalidRun, match="can no longer be read"):
        frames[1].jpeg()


def test_after_the_end_of_a_video_the_screenshots_are_asked(tmp_path: Path, film: bytes) -> None:
    run, info = run_with(tmp_path, film, [(15_000, 3)])
    problems = ProblemLog()
    late = [StepMark(0, T + 14_000, T + 14_500), StepMark(1, T + 20_000, T + 20_100)]
    frames = keyframes(late, run, problems, video=source(run, info, T), screenshots=listed(run))
    assert [(frame.step, frame.moment, frame.source) for frame in frames] == [
        (0, "after", "screenshots"),
        (1, "before", "screenshots"),
    ]
    assert problems.counts == {("video", "data/recording.mp4", "keyframe_missing"): 2}


def test_a_hole_in_the_video_is_not_passed_off_as_what_was_seen(tmp_path: Path, film: bytes) -> None:
    fragments = film.split(b"moof")
    at = len(fragments[0]) - 4
    begin = at + sum(len(part) + 4 for part in fragments[1:2])
    end = begin + len(fragments[2]) + 4
    run, info = run_with(tmp_path, film[:begin] + film[end:], [(5800, 3)])
    assert info is not None
    assert not info.complete
    mark = StepMark(0, T + 5100, T + 5200)  # the film lacks 3 to 6 s
    frames = keyframes([mark], run, ProblemLog(), video=source(run, info, T), screenshots=listed(run))
    assert [(frame.moment, frame.source, frame.damaged) for frame in frames] == [
        ("before", "video", True),
        ("after", "screenshots", False),
    ]


def test_without_any_source_there_is_nothing(tmp_path: Path) -> None:
    problems = ProblemLog()
    assert keyframes(STEPS, tmp_path, problems) == []
    assert not problems
    assert keyframes([], tmp_path, problems) == []


def test_large_pictures_are_scaled_for_a_judge(tmp_path: Path) -> None:
    run, _ = run_with(tmp_path, None)
    cv2.imwrite(str(run / "data" / "screenshots" / f"{T}.png"), np.full((1080, 1920, 3), 200, np.uint8))
    frames = keyframes([StepMark(0, T, T)], run, ProblemLog(), screenshots=listed(run))
    assert image_size(frames[0].jpeg()) == (1568, 882)


def test_the_start_is_estimated_from_the_events(tmp_path: Path, film: bytes) -> None:
    _, info = run_with(tmp_path, film)
    assert info is not None
    start = estimate_video_start(info, first_event_ms=T + 300, last_event_ms=T + 9800)
    assert start is not None
    assert abs(start.t_ms - T) <= start.uncertainty_ms < 2000
    assert start.basis == "events"
    only_last = estimate_video_start(info, last_event_ms=T + 9800)
    assert only_last is not None
    assert abs(only_last.t_ms - T) <= only_last.uncertainty_ms
    # A cut film says nothing about when the session ended: only the first event is left to go by.
    cut = estimate_video_start(replace(info, complete=False), first_event_ms=T + 300, last_event_ms=T + 60_000)
    assert cut is not None
    assert abs(cut.t_ms - T) <= cut.uncertainty_ms
    # A film shorter than the session although it is whole: either end may be missing.
    short = estimate_video_start(info, first_event_ms=T, last_event_ms=T + 60_000)
    assert short is not None
    assert short.t_ms - short.uncertainty_ms <= T
    assert short.t_ms + short.uncertainty_ms >= T + 48_000
    assert estimate_video_start(info) is None


@pytest.mark.parametrize("offset", [-900, 0, 700])
def test_screenshots_place_the_film_more_sharply(tmp_path: Path, film: bytes, offset: int) -> None:
    # Each is taken 150 ms after its page state showed.
    shots = [(round(change * 1000) + 150, state) for state, change in enumerate(CHANGES)]
    run, info = run_with(tmp_path, film, shots)
    assert info is not None
    rough = VideoStart(T + offset, 1500)
    start = refine_video_start(rough, run / "data" / "recording.mp4", info, run, listed(run))
    assert start.basis == "screenshots"
    assert start.uncertainty_ms < 1000
    assert abs(start.t_ms - T) <= start.uncertainty_ms


def test_pictures_that_are_not_in_the_film_change_nothing(tmp_path: Path, film: bytes) -> None:
    run, info = run_with(tmp_path, film)
    assert info is not None
    rough = VideoStart(T, 1500)
    path = run / "data" / "recording.mp4"
    assert refine_video_start(rough, path, info, run, []) == rough
    random = np.random.default_rng(1)
    for at in (1000, 3000, 5000):
        noise = random.integers(0, 255, (300, 640, 3), np.uint8)
        cv2.imwrite(str(run / "data" / "screenshots" / f"{T + at}.png"), noise)
    assert refine_video_start(rough, path, info, run, listed(run)) == rough


def test_a_long_film_is_not_searched_at_length(tmp_path: Path, film: bytes) -> None:
    run, info = run_with(tmp_path, film, [(2000, 1), (4000, 2), (5000, 3)])
    assert info is not None
    endless = replace(info, duration_ms=10**7, last_pts_ms=10**7, keyframes_ms=(0,))
    shots = [replace(shot, t_ms=T + 9 * 10**6 + number) for number, shot in enumerate(listed(run))]
    rough = VideoStart(T, 1500)
    assert refine_video_start(rough, run / "data" / "recording.mp4", endless, run, shots) == rough


@pytest.mark.parametrize("name", ["food-order/pass-exact", "food-order/reference"])
def test_corpus_pair(name: str) -> None:
    run = SHARED / "corpus" / "dev" / name
    if not run.is_dir():
        pytest.skip(f"{run} is not here; set CLAWJUDGE_SHARED to the folder that holds corpus/")
    lines = (run / "data" / "actions.jsonl").read_text().splitlines()
    actions = [json.loads(line) for line in lines]
    times = [action["timestamp"] for action in actions if action["type"] in ("click", "pageLoad")]
    marks = [StepMark(number, at, at) for number, at in enumerate(times)]
    problems = ProblemLog()
    began = time.process_time()
    info = probe_video(run / "data" / "recording.mp4", "data/recording.mp4", problems)
    assert info is not None
    rough = estimate_video_start(info, first_event_ms=times[0], last_event_ms=actions[-1]["timestamp"])
    assert rough is not None
    shots = listed(run)
    start = refine_video_start(rough, run / "data" / "recording.mp4", info, run, shots)
    video = VideoSource(run / "data" / "recording.mp4", "data/recording.mp4", info, start)
    frames = keyframes(marks, run, problems, video=video, screenshots=shots)
    assert time.process_time() - began < 5  # 0.5 to 1.2 s measured; generous, because machines are busy
    assert start.basis == "screenshots"
    assert start.uncertainty_ms < rough.uncertainty_ms / 2
    assert len(frames) == 2 * len(marks)
    assert {frame.source for frame in frames} == {"video"}
    distinct = [frame for frame in frames if frame.duplicate_of is None]
    assert len(marks) // 2 < len(distinct) < 2 * len(marks)
    assert not problems
