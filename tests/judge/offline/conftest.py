"""Run folders made for one test: a small shop order in the recorder's format, and ways to change it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clawjudge.judge.case import Case, build_case
from clawjudge.judge.offline.facts import Facts
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.judge.verdict import Verdict
from clawjudge.traces.trace import Trace

INSTRUCTION = (
    'On Lumen Store, order three "Desk Lamp" in black to my home address with gift note "Happy move!". Place the order.'
)
SITE = "http://lumen.example"
START = 1_796_000_000_000
PERSONA = {
    "identity": {"first": "Dana", "last": "Ruiz"},
    "address": {
        "home": {"street": "12 Elm Road", "city": "Leeds", "postcode": "LS1 4AB"},
        "office": {"street": "9 Mill Lane", "city": "York", "postcode": "YO1 7HH"},
    },
}


class Run:
    """One run in memory; `write` puts it on disk in the nested form."""

    def __init__(self, email: str, session: str, offset: int = 0) -> None:
        self.email = email
        self.session = session
        self.t = START + offset
        self.actions: list[dict[str, Any]] = []
        self.requests: list[dict[str, Any]] = []
        self.messages: list[dict[str, Any]] = []
        self.task: dict[str, Any] = {
            "metadata": {"task_id": 77, "sites_involved": ["lumen.example"]},
            "instruction": INSTRUCTION,
            "eval_schema": {"url_pattern": r"lumen\.example/api/orders$", "method": "POST"},
            "time_limit": 30,
            "extra_info": [],
        }
        self.body: dict[str, Any] = {
            "lines": [{"sku": "DL-3", "name": "Desk Lamp", "colour": "black", "count": 3}],
            "ship_to": {"name": "Dana Ruiz", "street": "12 Elm Road", "city": "Leeds", "zip": "LS1 4AB"},
            "gift": {"note": "Happy move!"},
            "contact": email,
            "meta": {"sid": session, "at": self.t + 9000},
        }

    def tick(self, ms: int = 700) -> int:
        self.t += ms
        return self.t

    def page(self, path: str, title: str, site: str = SITE) -> Run:
        url = site + path
        self.requests.append(self._request("GET", url, None, "Document"))
        self.actions.append({"type": "pageLoad", "timestamp": self.tick(80), "url": url, "title": title})
        return self

    def fill(self, element: str, value: str, path: str = "/checkout") -> Run:
        target = {
            "tagName": "INPUT",
            "id": element,
            "className": "",
            "textContent": "",
            "xpath": f"//*[@id='{element}']",
        }
        base = {"url": SITE + path, "target": target}
        self.actions.append({"type": "click", "timestamp": self.tick(), **base, "value": ""})
        self.actions.append({"type": "keydown", "timestamp": self.tick(20), **base, "key": value[:1], "value": ""})
        self.actions.append({"type": "input", "timestamp": self.tick(20), **base, "value": value[:1]})
        self.actions.append({"type": "change", "timestamp": self.tick(200), **base, "value": value})
        return self

    def press(self, element: str, label: str, path: str = "/checkout") -> Run:
        target = {
            "tagName": "BUTTON",
            "id": element,
            "className": "",
            "textContent": label,
            "xpath": f"//*[@id='{element}']",
        }
        self.actions.append(
            {"type": "click", "timestamp": self.tick(), "url": SITE + path, "target": target, "value": ""}
        )
        return self

    def send(self, method: str, path: str, body: Any, kind: str = "XHR", site: str = SITE) -> Run:
        self.requests.append(self._request(method, site + path, body, kind))
        return self

    def _request(self, method: str, url: str, body: Any, kind: str) -> dict[str, Any]:
        headers = {"Cookie": f"sid={self.session}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        return {
            "timestamp": self.tick(20) / 1000,
            "url": url,
            "method": method,
            "headers": headers,
            "body": copy.deepcopy(body),
            "query_params": {},
            "resource_type": kind,
        }

    def shop(self) -> Run:
        """Everything up to the checkout form."""
        self.page("/", "Lumen Store")
        self.page("/p/desk-lamp", "Desk Lamp | Lumen Store")
        self.press("add", "Add to basket", "/p/desk-lamp")
        self.page("/checkout", "Checkout | Lumen Store")
        ship = self.body["ship_to"]
        for element in ("name", "street", "city", "zip"):
            self.fill(element, ship[element])
        self.fill("gift", self.body["gift"]["note"])
        return self

    def put_in_cart(self, **changes: Any) -> Run:
        """Keep the lamp in the site's cart, as many sites do long before the order."""
        return self.send("PUT", "/api/cart", {"lines": [self.body["lines"][0] | changes]})

    def commit(self, body: Any = None) -> Run:
        self.press("place", "Place order")
        self.send("POST", "/api/orders", self.body if body is None else body)
        return self

    def tell(self, text: str) -> Run:
        self.messages.append({"role": "assistant", "content": text})
        return self

    def read_persona(self) -> Run:
        call = {
            "id": "c1",
            "type": "function",
            "function": {"name": "read_file", "arguments": '{"path": "./my-info/p.json"}'},
        }
        self.messages.append({"role": "user", "content": INSTRUCTION})
        self.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        self.messages.append({"role": "tool", "tool_call_id": "c1", "content": json.dumps(PERSONA)})
        return self

    def show(self, snapshot: str, path: str = "/checkout") -> Run:
        call = {
            "id": f"s{len(self.messages)}",
            "type": "function",
            "function": {"name": "browser_snapshot", "arguments": "{}"},
        }
        text = f"- Page URL: {SITE}{path}\n- Page Title: Checkout | Lumen Store\n- Page Snapshot:\n{snapshot}"
        self.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
        return self

    @property
    def commits(self) -> list[dict[str, Any]]:
        return [r for r in self.requests if r["url"].endswith("/api/orders") and r["method"] == "POST"]

    def write(self, folder: Path, human: bool = False) -> Path:
        data = folder / "data"
        data.mkdir(parents=True, exist_ok=True)
        commits = self.commits
        interception: dict[str, Any] = {"intercepted": bool(commits), "schema": self.task["eval_schema"]}
        if commits:
            first = commits[0]
            interception["request"] = {k: first[k] for k in ("url", "method", "body")} | {"params": {}}
        else:
            interception["stop_reason"] = "agent_exited"
        meta = {
            "task_id": 77,
            "harness": "human" if human else "x",
            "email_used": self.email,
            "instruction": self.task["instruction"],
        }
        (folder / "task.json").write_text(json.dumps(self.task))
        (folder / "run-meta.json").write_text(json.dumps(meta))
        (data / "interception.json").write_text(json.dumps(interception))
        for name, rows in (("actions", self.actions), ("requests", self.requests), ("agent-messages", self.messages)):
            if name != "agent-messages" or not human:
                (data / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return folder


class Pair:
    """A human's and an agent's run in memory, both with nothing done yet; asked for facts or a verdict once ready."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.human = Run("dana.1@box.example", "s_1f00aa22bb33cc44")
        self.agent = Run("dana.2@box.example", "s_99887766aabbccdd", offset=3_600_000).read_persona()

    @property
    def both(self) -> tuple[Run, Run]:
        return self.human, self.agent

    def ask(self, instruction: str) -> None:
        """Another task than the order of the lamps."""
        for run in self.both:
            run.task["instruction"] = instruction

    def write(self) -> None:
        self.human.write(self._folder / "human", human=True)
        self.agent.write(self._folder / "agent")

    def case(self) -> Case:
        """The case as it stands on disk, written first if it is not there."""
        if not (self._folder / "agent").exists():
            self.write()
        return build_case(Trace(self.agent_folder), Trace(self._folder / "human"))

    @property
    def agent_folder(self) -> Path:
        return self._folder / "agent"

    def facts(self) -> Facts:
        facts = Facts.of(self.case())
        assert facts is not None
        return facts

    def verdict(self) -> Verdict:
        return OfflineJudge().judge(self.case())


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    """The human's run, on disk."""
    return Run("dana.1@box.example", "s_1f00aa22bb33cc44").shop().commit().write(tmp_path / "human", human=True)


@pytest.fixture
def agent() -> Run:
    """An agent's run up to the checkout form, in memory."""
    return Run("dana.2@box.example", "s_99887766aabbccdd", offset=3_600_000).read_persona().shop()


@pytest.fixture
def judge(tmp_path: Path, reference: Path) -> Callable[[Run | Path], Verdict]:
    """Write an agent's run (or take one from disk) and judge it against the human's."""

    def run(agent: Run | Path) -> Verdict:
        folder = agent if isinstance(agent, Path) else agent.write(tmp_path / "agent")
        return OfflineJudge().judge(build_case(Trace(folder), Trace(reference)))

    return run
