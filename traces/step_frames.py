"""What the screen showed around the steps of a digested run: as pictures, or, without decoding any, as a place.

Steps are on the recorder's clock and screenshots on the page's (`clawjudge.traces.clock`); a video's start is estimated
from the first and the last step. Here all of them come on one clock, that of the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clawjudge.traces.digest import RunDigest
from clawjudge.traces.keyframes import Keyframe, Source, StepMark, keyframes, slots
from clawjudge.traces.screenshots import Screenshot, probe_screenshot, timed
from clawjudge.traces.steps import Step
from clawjudge.traces.trace import Trace
from clawjudge.traces.video import VideoInfo
from clawjudge.traces.video_clock import VideoSource, estimate_video_start, refine_video_start

NEAR_MS = 2000
"""A screenshot shows the effect of a step if it was taken within this time after it."""


@dataclass(frozen=True, slots=True)
class Screen:
    """Where the screen right after a step can be seen."""

    source: Source
    file: str
    """Path below the run."""
    t_ms: int
    """Epoch ms on the clock of the steps."""
    video_ms: int | None = None
    """Place in the video; an estimate."""


def probe_pictures(trace: Trace) -> tuple[VideoInfo | None, list[Screenshot]]:
    """What pictures a run has; none is decoded. What is wrong with them is in `trace.problems`, counted once however
    often this is called; screenshots that cannot be whole pictures are named there and left out."""
    if trace.has("screenshots"):
        folder = trace.files.relative("screenshots")
        for file in {problem.file for problem in trace.problems.of("screenshots")}:
            if file == folder or file.startswith(f"{folder}/"):
                trace.problems.forget("screenshots", file)
    shots = trace.screenshots()
    return trace.video(), [shot for shot in shots if probe_screenshot(shot, trace.root, trace.problems)]


def step_frames(run: RunDigest, steps: Sequence[Step] | None = None, *, refine: bool = False) -> list[Keyframe]:
    """The screen before and after each of `steps`, which are steps of `run` (all of them by default), in their order.

    Taken from the video where it can be played, else from the screenshots; a step without a time has none. `refine`
    places the video on the clock by the screenshots too, which takes up to a second. Whatever is missing or damaged is
    named in `run.trace.problems`; without any picture the answer is empty.
    """
    marks = _marks(run)
    info, listed = probe_pictures(run.trace)
    shots = _on_step_clock(listed, run)
    video = _placed(run, info, marks)
    if video is not None and refine:
        start = refine_video_start(video.start, video.path, video.info, run.trace.root, shots)
        video = replace(video, start=start)
    if video is None and not timed(shots):
        _nothing_to_show(run.trace, marks)
    only = None if steps is None else frozenset(step.index for step in steps)
    return keyframes(marks, run.trace.root, run.trace.problems, video=video, screenshots=shots, only=only)


def screen_after(run: RunDigest, step: Step) -> Screen | None:
    """Where the effect of `step` can be seen: the first screenshot within 2 s after it, else its place in the video.

    Nothing is decoded, so a screenshot may still prove unreadable.
    """
    edge = step.t_ms if step.end_ms is None else step.end_ms
    if edge is None:
        return None
    info, listed = probe_pictures(run.trace)
    for time, shot in timed(_on_step_clock(listed, run)):
        if edge <= time <= edge + NEAR_MS and shot.size:
            return Screen("screenshots", shot.file, time)
    marks = _marks(run)
    video = _placed(run, info, marks)
    if video is None:
        return None
    slack = video.start.uncertainty_ms
    slot = next((s for s in slots(marks, slack) if s.step == step.index and s.moment == "after"), None)
    if slot is None or not video.info.first_pts_ms - slack <= edge - video.start.t_ms <= video.info.duration_ms + slack:
        return None
    place = min(max(slot.t_ms - video.start.t_ms, video.info.first_pts_ms), video.info.duration_ms)
    return Screen("video", video.file, video.start.t_ms + place, place)


def _nothing_to_show(trace: Trace, marks: Sequence[StepMark]) -> None:
    file = trace.files.relative("video") if trace.has("video") else "recording.mp4"
    why = "there is no playable recording and no screenshot with a time" if marks else "no step has a time"
    if ("video", file, "no_pictures") not in trace.problems.counts:
        trace.problems.add("no_pictures", "video", file, f"no step can be shown: {why}")


def _marks(run: RunDigest) -> list[StepMark]:
    return [
        StepMark(step.index, step.t_ms, step.t_ms if step.end_ms is None else step.end_ms)
        for step in run.steps
        if step.t_ms is not None
    ]


def _on_step_clock(shots: Sequence[Screenshot], run: RunDigest) -> list[Screenshot]:
    ahead = run.skew.offset_ms
    return [shot if shot.t_ms is None else replace(shot, t_ms=shot.t_ms - ahead) for shot in shots]


def _placed(run: RunDigest, info: VideoInfo | None, marks: Sequence[StepMark]) -> VideoSource | None:
    """The video with its place on the clock; None if it cannot be played, or no step has a time."""
    if info is None or not marks:
        return None
    first, last = min(mark.start_ms for mark in marks), max(mark.end_ms for mark in marks)
    start = estimate_video_start(info, first_event_ms=first, last_event_ms=last)
    if start is None:
        return None
    files = run.trace.files
    return VideoSource(files.found["video"], files.relative("video"), info, start)
