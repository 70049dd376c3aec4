"""What a recording holds: its layers, times, clocks and defects, for programs and for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from clawjudge.judge.offline.report import gaps, skipped_lines
from clawjudge.judge.show.layout import Line, cell, count, heading, line, table
from clawjudge.judge.show.terminal import plain
from clawjudge.traces.clock import LAYER_UNCERTAINTY_MS, estimate_skew, plausible
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.files import PRIOR_VERDICT_FILES
from clawjudge.traces.step_frames import probe_pictures
from clawjudge.traces.trace import Trace
from clawjudge.traces.urls import is_web

if TYPE_CHECKING:
    from rich.table import Table

_MAX_LOADS = 5000
"""Page loads that are compared for the clock; a recording may hold far more."""
_ABSENCES = ("layer_missing", "layer_empty")


class _Span:
    """Counts events and keeps the first and the last time."""

    def __init__(self) -> None:
        self.events = 0
        self.untimed = 0
        self.times: tuple[int, int] | None = None

    def add(self, t_ms: int | None) -> None:
        self.events += 1
        if t_ms is None or not plausible(t_ms):
            self.untimed += 1
        else:
            first, last = self.times or (t_ms, t_ms)
            self.times = min(first, t_ms), max(last, t_ms)

    def document(self, layer: str) -> dict[str, Any]:
        first, last = self.times or (None, None)
        return {
            "events": self.events,
            "without_time": self.untimed,
            "first_ms": first,
            "last_ms": last,
            "uncertainty_ms": LAYER_UNCERTAINTY_MS[layer],
        }


def recording_document(trace: Trace, run: str) -> dict[str, Any]:
    """All there is to say about one recording. Each layer is read once, as a stream."""
    spans = {layer: _Span() for layer in ("http", "actions", "messages", "screenshots")}
    loads, documents, roles = _read_layers(trace, spans)
    video = trace.video()
    layers: dict[str, Any] = {}
    for layer, span in spans.items():
        present = trace.has(layer)
        layers[layer] = {"file": trace.files.relative(layer), **span.document(layer)} if present else None
    if layers["messages"]:
        layers["messages"]["roles"] = dict(sorted(roles.items()))
    layers["video"] = (
        {"file": trace.files.relative("video"), "playable": video is not None} if trace.has("video") else None
    )
    if layers["video"] and video is not None:
        keyframes = len(video.keyframes_ms)
        layers["video"] |= {**asdict(video), "keyframes_ms": None, "keyframes": keyframes}
        del layers["video"]["keyframes_ms"]
    known = [span.times for span in spans.values() if span.times]
    digest = RunDigest(trace, counts={layer: span.events for layer, span in spans.items()})
    meta, claim, task = trace.meta, trace.interception, trace.task
    return {
        "run": run,
        "layout": trace.files.layout,
        "task_id": (task.task_id if task else None) or meta.task_id,
        "task_usable": task is not None,
        "model": meta.model,
        "harness": meta.harness,
        "human": meta.human,
        "layers": layers,
        "time_span": {"first_ms": min(t[0] for t in known), "last_ms": max(t[1] for t in known)} if known else None,
        "clock_skew": asdict(estimate_skew(loads, documents)),
        "interception": None if claim is None else {"intercepted": claim.intercepted, "stop_reason": claim.stop_reason},
        "gaps": [g.model_dump(include={"code", "layer", "message"}) for g in gaps(digest, None) if g.code in _ABSENCES],
        "problems": [asdict(problem) for problem in trace.problems],
        "n_problems": len(trace.problems),
        "skipped_lines": skipped_lines(digest),
        "prior_verdicts": [trace.files.relative(name) for name in PRIOR_VERDICT_FILES if name in trace.files.found],
    }


def _read_layers(
    trace: Trace, spans: dict[str, _Span]
) -> tuple[list[tuple[str, int]], list[tuple[str, int]], Counter[str]]:
    """Fills the spans; returns page loads and document requests for the clock, and the roles of messages."""
    loads: list[tuple[str, int]] = []
    for action in trace.actions():
        spans["actions"].add(action.t_ms)
        if action.type == "pageLoad" and is_web(action.url) and action.t_ms is not None and len(loads) < _MAX_LOADS:
            loads.append((action.url, action.t_ms))
    documents: list[tuple[str, int]] = []
    for request in trace.requests():
        spans["http"].add(request.t_ms)
        if request.resource_type == "Document" and request.t_ms is not None and len(documents) < _MAX_LOADS:
            documents.append((request.url, request.t_ms))
    roles: Counter[str] = Counter()
    for message in trace.messages():
        spans["messages"].add(message.t_ms)
        roles[message.role] += 1
    for shot in probe_pictures(trace)[1]:
        spans["screenshots"].add(shot.t_ms)
    return loads, documents, roles


def recording_parts(info: dict[str, Any], title: str) -> Iterator[Line | Table]:
    """The screen for one recording."""
    who = (
        "human"
        if info["human"]
        else " in ".join(plain(w) for w in (info["model"], info["harness"]) if w) or "unknown agent"
    )
    yield line((plain(title), "bold"))
    task = f"task {plain(info['task_id'])}" if info["task_id"] else "unknown task"
    unusable = "" if info["task_usable"] else " (its definition is missing or not usable)"
    yield line(f"{info['layout']} layout · {task}{unusable} · {who} · {_ending(info['interception'])}", indent=2)
    yield line("")
    yield _layer_table(info["layers"])
    span = info["time_span"]
    if span:
        seconds = (span["last_ms"] - span["first_ms"]) / 1000
        yield line(f"{seconds:.1f} s in all, from {_moment(span['first_ms'], date=True)} UTC", indent=2)
    yield line(_clock(info["clock_skew"]), indent=2)
    prior = ", ".join(map(plain, info["prior_verdicts"]))
    yield line(f"verdicts of other judges: {prior or 'none'}", indent=2)
    if info["gaps"]:
        yield line(("missing: ", "yellow"), "; ".join(plain(g["message"]) for g in info["gaps"]), indent=2)
    yield from _defects(info)


def _ending(interception: dict[str, Any] | None) -> str:
    if interception is None:
        return "no interception.json"
    if interception["intercepted"]:
        return "final request intercepted"
    return f"nothing intercepted ({plain(interception['stop_reason']) or 'no reason given'})"


def _layer_table(layers: dict[str, Any]) -> Table:
    made = table(columns=6)
    made.add_row("", *(cell(title, "dim") for title in ("layer", "file", "events", "UTC", "±")))
    for layer, facts in layers.items():
        if facts is None:
            made.add_row(cell("  –", "yellow"), cell(layer), cell("none", "yellow"), "", "", "")
        elif layer == "video":
            sign = cell("  ✓", "green") if facts["playable"] else cell("  ✗", "red")
            frames = str(facts["frames"]) if facts["playable"] else ""
            made.add_row(sign, cell(layer), cell(plain(facts["file"])), cell(frames), cell(_video(facts)), "")
        else:
            untimed = f" ({facts['without_time']} without time)" if facts["without_time"] else ""
            times = "" if facts["first_ms"] is None else f"{_moment(facts['first_ms'])} – {_moment(facts['last_ms'])}"
            made.add_row(
                cell("  ✓" if facts["events"] else "  ?", "green" if facts["events"] else "yellow"),
                cell(layer),
                cell(plain(facts["file"])),
                cell(f"{facts['events']}{untimed}"),
                cell(times),
                cell(f"{facts['uncertainty_ms']} ms", "dim"),
            )
    return made


def _video(facts: dict[str, Any]) -> str:
    if not facts["playable"]:
        return "not playable"
    whole = "whole" if facts["complete"] else "cut"
    size = f"{facts['width']}x{facts['height']} {plain(facts['codec'])}"
    return f"{facts['duration_ms'] / 1000:.1f} s, {size}, {whole}"


def _clock(skew: dict[str, int]) -> str:
    if not skew["pairs"]:
        return "clocks: page and recorder have no page load in common, so their skew is unknown"
    seen = count(skew["pairs"], "page load")
    if not skew["offset_ms"]:
        return f"clocks: page and recorder agree within {skew['uncertainty_ms']} ms ({seen})"
    return f"clocks: the page's runs {skew['offset_ms'] / 1000:+.1f} s off, ± {skew['uncertainty_ms']} ms ({seen})"


def _defects(info: dict[str, Any]) -> Iterator[Line]:
    if not info["problems"]:
        return
    yield heading(count(info["n_problems"], "problem"))
    for problem in info["problems"]:
        place = f"{plain(problem['file'])}:{problem['line']}" if problem["line"] else plain(problem["file"])
        yield line((place, "cyan"), f"  {problem['code']}: {plain(problem['message'])}", indent=2)
    hidden = info["n_problems"] - len(info["problems"])
    if hidden:
        yield line((f"… and {hidden} more of the same kinds", "dim"), indent=2)
    yield from _skipped(info["skipped_lines"].items())


def _skipped(skipped: Iterable[tuple[str, int]]) -> Iterator[Line]:
    lines = ", ".join(f"{n} in {plain(file)}" for file, n in sorted(skipped))
    if lines:
        yield line(f"lines skipped: {lines}", indent=2)


def _moment(t_ms: int, date: bool = False) -> str:
    when = datetime.fromtimestamp(t_ms / 1000, UTC)
    return f"{when:%Y-%m-%d %H:%M:%S}" if date else f"{when:%H:%M:%S}"
