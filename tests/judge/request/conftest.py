"""Runs with any request, for the request judges."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # tests are no package; `servers` is one of its folders

MakeRequest = Callable[..., Path]


@pytest.fixture
def make_request(tmp_path: Path) -> MakeRequest:
    """`make_request(body, url=..., instruction=..., headers=..., task=..., meta=...)` writes a run and returns it."""

    def make(
        body: Any,
        *,
        url: str = "https://shop.test/api/orders",
        method: str = "POST",
        instruction: str = "Order two teapots.",
        headers: dict[str, str] | None = None,
        task: dict[str, Any] | None = None,
        name: str = "run",
        **request: Any,
    ) -> Path:
        folder = tmp_path / name
        (folder / "data").mkdir(parents=True)
        sent = {"url": url, "method": method, "headers": headers or {"content-type": "application/json"}, "body": body}
        block = {"intercepted": True, "request": {**sent, **request}}
        (folder / "data/interception.json").write_text(json.dumps(block))
        meta = {"task_id": 1, "instruction": instruction, "intercepted": True}
        (folder / "run-meta.json").write_text(json.dumps(meta))
        if task is not None:
            (folder / "task.json").write_text(json.dumps(task))
        return folder

    return make
