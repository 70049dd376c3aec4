"""Runs as ClawBench records them, and what a rescore says of them; for the tests beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from servers.messages_script import Text

YES = Text('{"reason": "It is what was asked for.", "match": true}', usage={"input_tokens": 900, "output_tokens": 60})
NO = Text('{"reason": "The quantity is 9, and 2 was asked for.", "match": false}')


def write_run(folder: Path, number: int, *, intercepted: bool = True, **meta: Any) -> Path:
    """One run as ClawBench records it: number `number` of a made-up shop."""
    (folder / "data").mkdir(parents=True)
    about = {
        "task_id": number,
        "test_case": f"v2-{number:03d}-shop",
        "instruction": f"Order {number + 1} teapots on shop.test.",
        "model": "agent-x",
        "harness": "hermes",
        "intercepted": intercepted,
        "timestamp": "20261130-101112",
        "duration_seconds": 60,
    }
    (folder / "run-meta.json").write_text(json.dumps({**about, **meta}))
    body = {"item": "teapot", "quantity": number + 1, "session": f"s{number:08d}"}
    headers = {"content-type": "application/json"}
    request = {"url": "https://shop.test/api/orders", "method": "POST", "headers": headers, "body": body}
    schema = {"url_pattern": r"shop\.test/api/orders", "method": "POST"}
    block: dict[str, Any] = {"intercepted": False, "stop_reason": "agent_exited"}
    if intercepted:
        block = {"intercepted": True, "intercepted_at": 1_796_000_000, "request": request, "schema": schema}
    (folder / "data" / "interception.json").write_text(json.dumps(block))
    return folder


@dataclass
class Said:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def line(self) -> dict[str, str]:
        """The closing line."""
        [line] = [text for text in (self.out + self.err).splitlines() if text.startswith("rescore-result ")]
        return dict(part.split("=", 1) for part in line.split()[1:])
