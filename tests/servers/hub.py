"""A local server that serves datasets the way the Hugging Face Hub does, for the real `huggingface_hub` client.

It knows commits and branches, lists trees page by page, sends small files itself and redirects large ones to a second
server (as the Hub redirects to its store), answers range requests, and can be told to misbehave.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

LFS_BYTES = 2000
"""Files of this size and more are redirected."""


class Request(NamedTuple):
    """One request as the server saw it."""

    server: str
    """`hub`, or `store` for large files."""
    method: str
    path: str
    range: str
    authorization: str


@dataclass
class Dataset:
    """A dataset: commits with their files, and branches."""

    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    token: str | None = None
    """Whoever wants to read must send this."""
    extra_entries: list[dict[str, Any]] = field(default_factory=list)
    """Put into every listing as they are, whatever they say."""

    def commit(self, files: dict[str, bytes], branch: str = "main") -> str:
        told = json.dumps([len(self.commits), sorted((path, len(content)) for path, content in files.items())])
        sha = hashlib.sha1(told.encode(), usedforsecurity=False).hexdigest()
        self.commits[sha] = dict(files)
        self.branches[branch] = sha
        return sha

    def resolve(self, revision: str) -> str | None:
        if revision in self.branches:
            return self.branches[revision]
        return next((sha for sha in self.commits if len(revision) >= 7 and sha.startswith(revision)), None)


@dataclass
class HubServer:
    """The two servers and what is told of them. Use `serve_hub`."""

    datasets: dict[str, Dataset] = field(default_factory=dict)
    page_size: int = 1000
    latency: float = 0.0
    requests_per_second: int = 0
    """Over it: 429 with `Retry-After`. 0 for no limit."""
    cut_after: dict[str, int] = field(default_factory=dict)
    """Path to bytes: the first answer with this file ends early, without a word."""
    corrupt: set[str] = field(default_factory=set)
    """Files that are sent with one byte changed."""
    broken: set[str] = field(default_factory=set)
    """Files for which the server answers 500."""
    seen: list[Request] = field(default_factory=list)
    url: str = ""
    store_url: str = ""
    down: bool = False
    """Connections that are still open are closed without an answer."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _windows: Counter[int] = field(default_factory=Counter)

    def fetched(self) -> list[str]:
        """The files whose content was asked for, in order."""
        with self._lock:
            return [
                request.path
                for request in self.seen
                if request.method == "GET" and (request.server == "store" or "/resolve/" in request.path)
            ]

    def note(self, request: Request) -> bool:
        """Remember a request; False if it is one too many for this second."""
        time.sleep(self.latency)
        with self._lock:
            self.seen.append(request)
            if not self.requests_per_second:
                return True
            second = int(time.monotonic())
            self._windows[second] += 1
            return self._windows[second] <= self.requests_per_second

    def take_cut(self, path: str) -> int | None:
        with self._lock:
            return self.cut_after.pop(path, None)


@contextlib.contextmanager
def serve_hub(hub: HubServer | None = None) -> Iterator[HubServer]:
    hub = hub or HubServer()
    servers = []
    for name in ("hub", "store"):
        handler = type("Handler", (_Handler,), {"hub": hub, "name": name})
        server = _Server(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
    hub.url, hub.store_url = (f"http://127.0.0.1:{server.server_port}" for server in servers)
    try:
        yield hub
    finally:
        hub.down = True
        for server in servers:
            server.shutdown()
            server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is what some tests are about; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: HubServer
    name: str

    def log_message(self, *_: Any) -> None:
        """Silence."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        if self.hub.down:
            self.close_connection = True
            return
        authorization = self.headers.get("authorization", "")
        request = Request(self.name, self.command, unquote(self.path), self.headers.get("range", ""), authorization)
        if not self.hub.note(request):
            self._send(429, b"slow down", {"Retry-After": "1"})
            return
        parts = urlsplit(self.path)
        if self.name == "store":
            self._send_stored(parts.path)
            return
        routes = (
            (r"/api/datasets/([^/]+/[^/]+)/revision/(.+)", self._info),
            (r"/api/datasets/([^/]+/[^/]+)/tree/([^/]+)(?:/(.*))?", self._tree),
            (r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", self._resolve),
            (r"/api/datasets/([^/]+/[^/]+)", self._info),
        )
        for pattern, route in routes:
            if match := re.fullmatch(pattern, parts.path):
                name, *rest = [unquote(part) if part else "" for part in match.groups()]
                dataset = self.hub.datasets.get(name)
                if dataset is None or (dataset.token and authorization != f"Bearer {dataset.token}"):
                    # Like the Hub, which does not tell strangers what there is.
                    self._error(401, "RepoNotFound", "Invalid username or password.")
                    return
                route(dataset, *rest)
                return
        self._error(404, "", "no such page")

    def _info(self, dataset: Dataset, revision: str = "main") -> None:
        sha = dataset.resolve(revision)
        if sha is None:
            self._error(404, "RevisionNotFound", f"Invalid rev id: {revision}")
            return
        self._json({"_id": "1", "id": "x/y", "sha": sha})

    def _tree(self, dataset: Dataset, revision: str, path: str = "") -> None:
        sha = dataset.resolve(revision)
        if sha is None:
            self._error(404, "RevisionNotFound", f"Invalid rev id: {revision}")
            return
        entries = _entries(dataset.commits[sha], path)
        if not entries and path:
            self._error(404, "EntryNotFound", f"{path} does not exist")
            return
        entries += dataset.extra_entries
        query = parse_qs(urlsplit(self.path).query)
        start = int(query.get("cursor", ["0"])[0])
        page = entries[start : start + self.hub.page_size]
        headers = {}
        if start + self.hub.page_size < len(entries):
            base = urlsplit(self.path)
            following = f"{self.hub.url}{base.path}?recursive=true&cursor={start + self.hub.page_size}"
            headers["Link"] = f'<{following}>; rel="next"'
        self._json(page, headers)

    def _resolve(self, dataset: Dataset, revision: str, path: str) -> None:
        sha = dataset.resolve(revision)
        files = dataset.commits.get(sha or "", {})
        if path not in files:
            self._error(404, "EntryNotFound", f"{path} does not exist")
            return
        if path in self.hub.broken:
            self._error(500, "", "internal error")
            return
        content = files[path]
        headers = {"X-Repo-Commit": sha or "", "ETag": f'"{_blob(content)}"', "Accept-Ranges": "bytes"}
        if len(content) < LFS_BYTES:
            self._send_content(path, content, headers)
            return
        digest = hashlib.sha256(content).hexdigest()
        headers |= {
            "X-Linked-Size": str(len(content)),
            "X-Linked-ETag": f'"{digest}"',
            "Location": f"{self.hub.store_url}/{sha}/{quote(path)}?signature=secret",
        }
        self._send(302, b"", headers)

    def _send_stored(self, path: str) -> None:
        _, sha, name = path.split("/", 2)
        for dataset in self.hub.datasets.values():
            if sha in dataset.commits:
                self._send_content(unquote(name), dataset.commits[sha][unquote(name)], {"Accept-Ranges": "bytes"})
                return
        self._error(404, "", "no such object")

    def _send_content(self, path: str, content: bytes, headers: dict[str, str]) -> None:
        if path in self.hub.corrupt:
            content = bytes([content[0] ^ 1]) + content[1:]
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("range", ""))
        status, part = 200, content
        if wanted:
            first, last = int(wanted[1]), int(wanted[2] or len(content) - 1)
            status, part = 206, content[first : last + 1]
            headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
        cut = self.hub.take_cut(path) if self.command == "GET" else None
        self._send(status, part, headers, cut)

    def _json(self, value: Any, headers: dict[str, str] | None = None) -> None:
        self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json", **(headers or {})})

    def _error(self, status: int, code: str, message: str) -> None:
        self._send(status, json.dumps({"error": message}).encode(), {"X-Error-Code": code, "X-Error-Message": message})

    def _send(self, status: int, body: bytes, headers: dict[str, str], cut: int | None = None) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        # The other side may have been killed, which is what some tests do.
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body if cut is None else body[:cut])
            self.wfile.flush()
        if cut is not None:
            self.close_connection = True


def _entries(files: dict[str, bytes], path: str) -> list[dict[str, Any]]:
    inner = f"{path}/" if path else ""
    folders: set[str] = set()
    entries = []
    for name, content in sorted(files.items()):
        if not name.startswith(inner):
            continue
        parents = name[len(inner) :].split("/")[:-1]
        for depth in range(1, len(parents) + 1):
            folder = inner + "/".join(parents[:depth])
            if folder not in folders:
                folders.add(folder)
                entries.append({"type": "directory", "oid": "0" * 40, "size": 0, "path": folder})
        entry: dict[str, Any] = {"type": "file", "oid": _blob(content), "size": len(content), "path": name}
        if len(content) >= LFS_BYTES:
            digest = hashlib.sha256(content).hexdigest()
            entry["lfs"] = {"oid": digest, "size": len(content), "pointerSize": 134}
        entries.append(entry)
    return entries


def _blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
