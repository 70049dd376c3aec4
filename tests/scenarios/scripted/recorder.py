"""A stand-in for the recorder: keeps the clock, the request log, the DOM actions and what the agent did and saw."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus, urlencode

from scripted.bodies import Fields, encode, flat, meets
from scripted.page import Item, Page, Site, item_line, text, xpath
from scripted.persona import PERSONA

AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"


@dataclass(frozen=True)
class Step:
    """A piece of the transcript: a tool call, what a tool returned, or closing words."""

    kind: str
    """act, result or say."""
    words: str
    when: float
    tool: str = ""
    arguments: dict[str, Any] | None = None


class Recorder:
    """The logs of one session, in memory. `human` sessions have no transcript."""

    def __init__(self, site: Site, schema: dict[str, Any], seed: str, human: bool, start: float):
        self.site, self.schema, self.human = site, schema, human
        self.rng = random.Random(seed)
        self.now = start
        self.email = f"alex.green.{self.token(4)}@mailhaven.test"
        self.session, self.csrf = self.token(20), self.token(32)
        self.requests: list[dict[str, Any]] = []
        self.actions: list[dict[str, Any]] = []
        self.steps: list[Step] = []
        self.blocked: dict[str, Any] | None = None
        """The first request that met the schema."""
        self.page: Page | None = None
        self.values: dict[str, str] = {}
        """What the fields hold, by element id or radio group."""
        self.notes: list[Item] = []
        """What the page shows after an answer of the server."""
        self.consent_open = False
        self.waiting = False
        """A tool result is still to come."""
        self.actions.append({"type": "pageLoad", "timestamp": self.ms(), "url": "about:blank", "title": ""})
        self.act("First I'll read the user's personal info.", "read", path="./my-info/alex_green_personal_info.json")
        self.result(json.dumps({**PERSONA, "contact": {"email": self.email}}, indent=2))

    # -- clock and tokens
    def token(self, length: int) -> str:
        return "".join(self.rng.choice("0123456789abcdef") for _ in range(length))

    def digits(self, length: int) -> str:
        return "".join(self.rng.choice("0123456789") for _ in range(length))

    def uuid(self) -> str:
        t = self.token(32)
        return f"{t[:8]}-{t[8:12]}-4{t[13:16]}-a{t[17:20]}-{t[20:]}"

    def tick(self, low: float = 0.05, high: float = 0.4) -> None:
        self.now += self.rng.uniform(low, high)

    def ms(self) -> int:
        return int(self.now * 1000)

    # -- transcript
    def act(self, thought: str, tool: str, **arguments: Any) -> None:
        """A tool call."""
        self.flush()
        self.tick(0.3, 0.9)
        self.steps.append(Step("act", thought, self.now, tool, arguments))

    def result(self, content: str) -> None:
        self.tick(0.02, 0.1)
        self.steps.append(Step("result", content, self.now))

    def flush(self) -> None:
        """Give the last tool call its result: the page as it is now."""
        if self.waiting:
            self.waiting = False
            self.result(self.snapshot())

    def say(self, words: str) -> None:
        """A look at the page with a remark."""
        self.act(words, "snapshot")
        self.waiting = True

    def snapshot(self) -> str:
        page, site = self.page, self.site
        lines = [f"- Page URL: {self.url(page.path, page.host)}", f"- Page Title: {page.title} | {site.name}"]
        lines.append("- Page Snapshot:")
        lines += [f'- link "{name}"' for name in site.nav]
        lines += [item_line(item, self.values) for item in [*page.items, *self.notes]]
        if self.consent_open:
            lines.append(f'- button "{site.banner}"')
        return "\n".join(lines)

    def show(self, *items: Item | str) -> None:
        """The page shows an answer of the server, in place of the one before."""
        self.notes = [text(i) if isinstance(i, str) else i for i in items]

    # -- actions
    def event(self, kind: str, item: Item, tag: str = "", **more: Any) -> None:
        """A DOM event on `item`."""
        self.tick(0.01, 0.05)
        tag = tag or item.tag.upper()
        words = "".join(item.options) if item.options else item.label if tag in ("BUTTON", "A") else ""
        target = {
            "tagName": tag,
            "id": item.id,
            "className": "btn" if tag == "A" and not self.page.host else "",
            "textContent": words,
            "xpath": xpath(self.site, self.page, self.notes, item),
        }
        where = self.url(self.page.path, self.page.host)
        self.actions.append({"type": kind, "timestamp": self.ms(), "url": where, "target": target, **more})

    # -- requests
    def url(self, path: str, host: str = "") -> str:
        return path if "://" in path else f"{self.site.scheme}://{host or self.site.host}{path}"

    def log(self, method: str, url: str, body: Any, kind: str, content_type: str = "") -> bool:
        """Record a request; True if the interceptor blocks it."""
        self.tick(0.01, 0.12)
        headers = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8" if kind == "Document" else "*/*"}
        if content_type:
            headers["Content-Type"] = content_type
        headers |= {"Cookie": f"sid={self.session}", "User-Agent": AGENT}
        if kind == "XHR" and method != "GET":
            headers |= {"Origin": self.url(""), "X-CSRF-Token": self.csrf}
        if self.page:
            headers["Referer"] = self.url(self.page.path, self.page.host)
        record = {
            "timestamp": self.now,
            "url": url,
            "method": method,
            "headers": headers,
            "body": body,
            "query_params": flat(url.partition("?")[2]),
            "resource_type": kind,
        }
        self.requests.append(record)
        hit = meets(self.schema, record)
        if hit and self.blocked is None:
            self.blocked = {"url": url, "method": method, "params": record["query_params"], "body": body}
        return hit

    def xhr(self, method: str, path: str, body: Any = None, kind: str = "json", host: str = "") -> bool:
        """A script's request; True if the interceptor blocks it."""
        url = self.url(path, host)
        if method == "GET" or body is None:
            return self.log(method, url, None, "XHR")
        stored, content_type = encode(body, kind, self.rng)
        return self.log(method, url, stored, "XHR", content_type)

    def form(self, method: str, path: str, fields: Fields, kind: str) -> bool:
        """A form's request; True if the interceptor blocks it."""
        if method == "GET":
            return self.log("GET", self.url(path) + "?" + urlencode(fields), None, "Document")
        stored, content_type = encode(fields, kind, self.rng)
        return self.log(method, self.url(path), stored, "Document", content_type)

    def noise(self, path: str, host: str = "") -> None:
        """What a page load sends besides: analytics, configuration, pictures."""
        site = self.site
        view = {"type": "pageview", "path": path, "sid": self.session, "t": self.ms(), "vw": 1919}
        self.log("POST", self.url(site.ping, host), view, "Ping", "text/plain;charset=UTF-8")
        if host:
            return
        if self.rng.random() < 0.6:
            seen = f"ev=pv&cid={self.token(12)}&dl={quote_plus(self.url(path))}&z={self.digits(9)}"
            self.log("GET", f"{site.third}?{seen}", None, "Image")
        if self.rng.random() < 0.4:
            self.log("GET", self.url(f"/api/config?v={self.digits(3)}&locale={site.lang}"), None, "XHR")
        if self.rng.random() < 0.4:
            self.log("GET", self.url(f"/static/img/{self.token(8)}.webp"), None, "Image")
