"""Small recorded runs of one made-up shop, written to disk as the recorder writes them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

INSTRUCTION = 'Order two Pad Thai with the note "no peanuts" on Noodle Shop.'
START = 1_796_000_000
URL = "http://noodles.test/api/orders"

MakeRun = Callable[..., Path]


def _task(task_id: int | None, instruction: str) -> dict[str, Any]:
    metadata = {"sites_involved": ["noodles.test"]} | ({} if task_id is None else {"task_id": task_id})
    schema = {"url_pattern": r"noodles\.test/api/orders$", "method": "POST"}
    return {"metadata": metadata, "instruction": instruction, "eval_schema": schema, "time_limit": 5}


def _write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reaches a real model, whatever the environment holds: `auto` would take the agentic judge."""
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def make_run() -> MakeRun:
    """Writes a run: `make_run(folder, order={...}, task_id=..., instruction=..., human=...)`.

    `order` updates the body of the final request; None leaves that request out, and the run is then unjudged.
    `task=False` writes no task.json; `meta_task=False` keeps task id and instruction out of run-meta.json too.
    """

    def make(
        folder: Path,
        order: Mapping[str, Any] | None = MappingProxyType({}),
        *,
        task_id: int | None = 7,
        instruction: str = INSTRUCTION,
        task: bool = True,
        meta_task: bool = True,
        human: bool = False,
    ) -> Path:
        data = folder / "data"
        data.mkdir(parents=True)
        meta: dict[str, Any] = {"model": "scripted", "harness": "human" if human else "openclaw"}
        if meta_task:
            meta |= {"instruction": instruction} | ({} if task_id is None else {"task_id": task_id})
        (folder / "run-meta.json").write_text(json.dumps(meta))
        if task:
            (folder / "task.json").write_text(json.dumps(_task(task_id, instruction)))
        page = "http://noodles.test/menu"
        requests = [{"timestamp": START, "method": "GET", "url": page, "resource_type": "Document", "headers": {}}]
        actions = [{"type": "pageLoad", "timestamp": START * 1000 + 200, "url": page, "title": "Menu"}]
        interception: dict[str, Any] = {"intercepted": False, "stop_reason": "agent_exited"}
        if order is not None:
            body = {
                "dish": "Pad Thai",
                "quantity": 2,
                "note": "no peanuts",
                "session": "s_" + hashlib.sha256(str(folder).encode()).hexdigest()[:32],
            } | dict(order)
            final = {"timestamp": START + 9, "method": "POST", "url": URL, "resource_type": "Fetch"}
            final |= {"headers": {"Content-Type": "application/json"}, "body": json.dumps(body)}
            requests.append(final)
            interception = {"intercepted": True, "intercepted_at": START + 9, "request": final}
            note = {"tagName": "INPUT", "id": "note", "xpath": "//*[@id='note']"}
            typed = {"timestamp": START * 1000 + 4000, "url": page, "target": note, "value": str(body["note"])}
            actions.append({"type": "change", **typed})
        _write_lines(data / "requests.jsonl", requests)
        _write_lines(data / "actions.jsonl", actions)
        (data / "interception.json").write_text(json.dumps(interception))
        return folder

    return make


@pytest.fixture
def dev_corpus() -> Path:
    """The recorded corpus beside the repository, where there is one."""
    shared = Path(os.environ.get("CLAWJUDGE_SHARED", Path(__file__).parents[3] / "shared"))
    corpus = shared / "corpus" / "dev"
    if not (corpus / "labels.csv").is_file():
        pytest.skip(f"no recorded corpus at {corpus}; set CLAWJUDGE_SHARED to the folder that holds corpus/dev")
    return corpus
