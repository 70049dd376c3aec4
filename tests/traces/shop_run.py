"""A recorded run of a small shop, written line by line for the test that needs it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clawjudge.traces.digest import RunDigest, digest
from clawjudge.traces.task import EvalSchema, parse_task
from clawjudge.traces.trace import Trace

NOW = 1_796_040_000
SHOP = "http://shop.test"
ORDER = f"{SHOP}/api/orders"


def schema(pattern: str = r"shop\.test/api/orders$", method: str = "POST", **more: Any) -> EvalSchema:
    document = {"instruction": "Buy", "eval_schema": {"url_pattern": pattern, "method": method, **more}}
    return parse_task({**document, "metadata": {"sites_involved": ["shop.test"]}}, "test").eval_schema


def load(url: str = f"{SHOP}/", t: float = 0, **more: Any) -> dict[str, Any]:
    return {"type": "pageLoad", "timestamp": round((NOW + t) * 1000), "url": url, **more}


def press(name: str = "go", t: float = 0) -> dict[str, Any]:
    target = {"tagName": "BUTTON", "id": name, "textContent": name, "xpath": f"/{name}"}
    return {"type": "click", "timestamp": round((NOW + t) * 1000), "url": f"{SHOP}/", "target": target}


def sent(url: str = ORDER, method: str = "POST", t: float = 1, body: Any = None, **more: Any) -> dict[str, Any]:
    kind = {"resource_type": "XHR", "headers": {"content-type": "application/json"}}
    return {"timestamp": NOW + t, "url": url, "method": method, "body": body, **kind, **more}


def page(url: str, t: float = 0) -> dict[str, Any]:
    return sent(url, "GET", t, resource_type="Document")


def make(root: Path, **layers: Any) -> Trace:
    names = {"actions": "actions.jsonl", "http": "requests.jsonl", "messages": "agent-messages.jsonl"}
    (root / "data").mkdir(exist_ok=True)
    (root / "run-meta.json").write_text("{}")
    for key, content in layers.items():
        if key in names:
            text = "".join(json.dumps(line) + "\n" for line in content)
            (root / "data" / names[key]).write_text(text)
        else:
            (root / "data" / f"{key}.json").write_text(json.dumps(content))
    return Trace(root)


def read(root: Path, wanted: EvalSchema | None = None, **layers: Any) -> RunDigest:
    layers.setdefault("actions", [load()])
    return digest(make(root, **layers), wanted or schema())


def codes(found: RunDigest) -> list[str]:
    return [problem.code for problem in found.trace.problems]


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """Tests may run as root, whom no permission stops."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
