"""Writes a played session as a run folder, in the layout of the recorded corpus."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scripted.persona import BRIEFING
from scripted.session import Run
from scripted.transcripts import SHAPES


def write(folder: Path, run: Run, task: dict[str, Any], harness: str, beside: bool) -> None:
    """Write one run; `beside` puts the layers next to run-meta.json instead of in data/."""
    run.close()
    data = folder if beside else folder / "data"
    data.mkdir(parents=True)
    model = "human" if run.human else "scripted-" + run.rng.choice(["alpha", "beta", "gamma"])
    messages = [] if run.human else SHAPES[harness](run, task["instruction"] + BRIEFING, model)
    _document(folder / "task.json", task)
    _document(folder / "eval-schema.json", task["eval_schema"])
    _document(data / "interception.json", _interception(run, task["eval_schema"]))
    _lines(data / "requests.jsonl", run.requests)
    _lines(data / "actions.jsonl", sorted(run.actions, key=lambda action: action["timestamp"]))
    if messages:
        _lines(data / "agent-messages.jsonl", messages)
    digest = hashlib.sha256((folder / "task.json").read_bytes()).hexdigest()
    meta = _meta(run, task, model, "human" if run.human else harness)
    _document(folder / "run-meta.json", {**meta, "task_json_sha256": digest, "run_metrics": _metrics(run, messages)})


def _interception(run: Run, schema: dict[str, Any]) -> dict[str, Any]:
    if run.blocked is not None:
        return {"intercepted": True, "request": run.blocked, "schema": schema}
    return {
        "intercepted": False,
        "stop_reason": "agent_exited",
        "stop_description": "Session stopped: agent process exited before triggering the interceptor.",
        "request": None,
        "schema": schema,
    }


def _meta(run: Run, task: dict[str, Any], model: str, harness: str) -> dict[str, Any]:
    described, start = task["metadata"], run.requests[0]["timestamp"]
    stopped = run.blocked is None
    outcome = "model_not_intercepted" if stopped else "intercepted"
    return {
        "test_case": "-".join(str(described[k]) for k in ("task_id", "metaclass", "class", "platform")),
        **described,
        "instruction": task["instruction"],
        "model": model,
        "harness": harness,
        "thinking_level": None if run.human else "medium",
        "temperature": None,
        "max_tokens": None,
        "email_used": run.email,
        "timestamp": datetime.fromtimestamp(start, UTC).strftime("%Y%m%d-%H%M%S"),
        "time_limit_minutes": task["time_limit"],
        "duration_seconds": int(run.now - start),
        "intercepted": not stopped,
        "result_category": outcome,
        "failure_category": outcome if stopped else None,
        "infra_failure": False,
        "adjusted_eligible": True,
        "infra_flags": [],
        "usage": None,
        "browser_runtime": {"provider": "local", "recording_mode": "x11"},
        "run_flags": {"human": run.human, "no_judge": True, "harness": harness, "browser_runtime": "local"},
    }


def _metrics(run: Run, messages: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "actions": len(run.actions),
        "requests": len(run.requests),
        "messages": len(messages),
        "screenshots": 0,
        "recording_bytes": 0,
        "api_calls": sum(step.kind == "act" for step in run.steps),
        "stop_reason": "agent_exited" if run.blocked is None else None,
        "missing_files": ["recording.mp4"],
    }


def _document(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _lines(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
