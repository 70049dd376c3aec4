"""The only way from the sub-agent to the model: a relay in our process that adds the key and lets nothing else through.

The program never gets the key. It gets a token that is drawn for one session, means something to this gateway alone and
ends with the session. The gateway passes on calls of the Messages API whose tools are ours, unchanged and as a stream,
and writes down what the service answered: what went wrong is then known from the service and not from a text about it.
It never repeats a call; repeating is the program's own business (`program.RETRIES`).
"""

from __future__ import annotations

import contextlib
import http.client
import json
import secrets
import socketserver
import ssl
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from clawjudge.judge.agentic.credentials import Endpoint

PATHS = ("/v1/messages", "/v1/messages/count_tokens")
NEVER_REPEATED = (401, 402, 403)
"""No later call can fare better; the first of these is the answer to all calls of a session that follow."""
MAX_BODY_BYTES = 64 * 1024 * 1024
_UPSTREAM_SECONDS = 600.0
_OWN_HEADERS = frozenset(
    {"host", "connection", "keep-alive", "transfer-encoding", "content-length", "accept-encoding", "te", "trailer"}
    | {"upgrade", "x-api-key", "authorization", "proxy-connection", "proxy-authorization"}
)
_ANSWERED_HEADERS = frozenset(("content-type", "retry-after", "retry-after-ms", "request-id", "x-should-retry"))


@dataclass
class Session:
    """One conversation through the gateway, and what was seen of it."""

    allowed_tools: frozenset[str]
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    calls: int = 0
    """Calls passed on to the service."""
    model_seconds: float = 0.0
    """Time until the answers were complete: the model's own and the network's."""
    tools_sent: tuple[str, ...] = ()
    """Names of the tools that the model was offered last."""
    statuses: list[int] = field(default_factory=list)
    """HTTP statuses of the service, in order; 0 for a connection that failed or broke."""
    unreachable: str = ""
    """Why the last call did not reach the service, with the service's address; empty if it did."""
    refused: str = ""
    """Why the gateway itself refused a call, if it did: the program asked for something it must not have."""
    final_error: tuple[int, bytes] | None = field(default=None, repr=False)
    open_connections: set[http.client.HTTPConnection] = field(default_factory=set, repr=False)


class Gateway:
    """Relays sessions to one endpoint. A context manager; `socket` and `url` are its two doors.

    `folder` is a private folder for the socket. The door `url` (on the loopback) is opened only with `tcp`, for
    programs that share our network.
    """

    def __init__(self, endpoint: Endpoint, folder: Path, *, tcp: bool = False) -> None:
        self.endpoint = endpoint
        self.socket = folder / "model.sock"
        self._tcp = tcp
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()
        self._servers: list[_UnixServer | _TcpServer] = []

    def __enter__(self) -> Gateway:
        servers: list[_UnixServer | _TcpServer] = [_UnixServer(str(self.socket), _Handler)]
        if self._tcp:
            servers.append(_TcpServer(("127.0.0.1", 0), _Handler))
        for server in servers:
            server.gateway = self
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True, name="gateway").start()
        self._servers = servers
        return self

    def __exit__(self, *_: object) -> None:
        for session in list(self._sessions.values()):
            self._end(session)
        for server in self._servers:
            server.shutdown()
            server.server_close()
        self.socket.unlink(missing_ok=True)

    @property
    def url(self) -> str:
        """Of the door on the loopback."""
        address: Any = self._servers[1].server_address
        return f"http://127.0.0.1:{address[1]}"

    @contextlib.contextmanager
    def session(self, allowed_tools: frozenset[str]) -> Iterator[Session]:
        """A new session, whose calls in flight are broken off at its end: nobody would read the answers."""
        session = Session(allowed_tools)
        with self._lock:
            self._sessions[session.token] = session
        try:
            yield session
        finally:
            self._end(session)

    def find(self, token: str) -> Session | None:
        with self._lock:
            return self._sessions.get(token)

    def _end(self, session: Session) -> None:
        with self._lock:
            self._sessions.pop(session.token, None)
            connections = list(session.open_connections)
        for connection in connections:
            if connection.sock is not None:
                with contextlib.suppress(OSError):
                    connection.sock.shutdown(2)

    def connect(self) -> http.client.HTTPConnection:
        """A connection to the endpoint, through the proxy that the environment names, if any."""
        parts = urlsplit(self.endpoint.url)
        host, port = parts.hostname or "", parts.port
        proxy = None if urllib.request.proxy_bypass(host) else urllib.request.getproxies().get(parts.scheme)
        if parts.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=_UPSTREAM_SECONDS)
        context = ssl.create_default_context()
        if not proxy:
            return http.client.HTTPSConnection(host, port, timeout=_UPSTREAM_SECONDS, context=context)
        through = urlsplit(proxy)
        connection = http.client.HTTPSConnection(
            through.hostname or "", through.port, timeout=_UPSTREAM_SECONDS, context=context
        )
        connection.set_tunnel(host, port)
        return connection

    @property
    def base_path(self) -> str:
        return urlsplit(self.endpoint.url).path.rstrip("/")


class _Server(socketserver.ThreadingMixIn):
    daemon_threads = True
    block_on_close = False
    gateway: Gateway

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A program that was ended leaves broken connections; they are no error of ours."""


class _UnixServer(_Server, socketserver.UnixStreamServer):
    request_queue_size = 64


class _TcpServer(_Server, socketserver.TCPServer):
    request_queue_size = 64


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Any
    timeout = _UPSTREAM_SECONDS

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what is worth keeping stands in the session."""

    def do_HEAD(self) -> None:
        self._refuse(404, "only calls of the Messages API are passed on")

    do_GET = do_PUT = do_DELETE = do_PATCH = do_CONNECT = do_HEAD

    def do_POST(self) -> None:
        gateway: Gateway = self.server.gateway
        session = gateway.find(self.headers.get("x-api-key", ""))
        length = self.headers.get("content-length", "")
        if session is None:
            self._refuse(403, "unknown session")
        elif not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            self._refuse(413, "no length, or too long")
        else:
            body = self.rfile.read(int(length))
            why = _objection(self.path, body, session)
            if why:
                session.refused = why
                self._refuse(403, why)
            elif session.final_error is not None:
                self._answer(*session.final_error)
            else:
                self._pass_on(gateway, session, body)

    def _pass_on(self, gateway: Gateway, session: Session, body: bytes) -> None:
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _OWN_HEADERS}
        headers |= dict([gateway.endpoint.header]) | {"Accept-Encoding": "identity"}
        connection = gateway.connect()
        session.open_connections.add(connection)
        began = time.monotonic()
        session.calls += 1
        try:
            try:
                connection.request("POST", gateway.base_path + self.path, body, headers)
                answer = connection.getresponse()
            except (OSError, http.client.HTTPException) as error:
                session.statuses.append(0)
                why = f"{gateway.endpoint.public_url} cannot be reached ({type(error).__name__})"
                session.unreachable = why
                self._refuse(502, why)
                return
            session.unreachable = ""
            session.statuses.append(answer.status)
            if answer.status in NEVER_REPEATED:
                session.final_error = (answer.status, answer.read(MAX_BODY_BYTES))
                self._answer(*session.final_error)
                return
            self._relay(answer, session)
        finally:
            session.model_seconds += time.monotonic() - began
            session.open_connections.discard(connection)
            connection.close()

    def _relay(self, answer: http.client.HTTPResponse, session: Session) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() in _ANSWERED_HEADERS or name.lower().startswith("anthropic-ratelimit"):
                self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            while piece := answer.read1(65536):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
            if answer.length:
                raise http.client.IncompleteRead(b"", answer.length)
            self.wfile.write(b"0\r\n\r\n")
        except (OSError, http.client.HTTPException):
            # Half an answer is passed on as half an answer: without the closing chunk.
            session.statuses[-1] = 0
            self.close_connection = True

    def _refuse(self, status: int, why: str) -> None:
        error = {"type": "error", "error": {"type": "permission_error", "message": f"clawjudge gateway: {why}"}}
        self._answer(status, json.dumps(error).encode())

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _objection(path: str, body: bytes, session: Session) -> str:
    """Why a call may not be passed on; empty if it may."""
    if path.partition("?")[0] not in PATHS:
        return "only calls of the Messages API are passed on"
    try:
        asked = json.loads(body)
        tools = asked.get("tools") or []
        names = tuple(str(tool["name"]) for tool in tools)
        kinds = {tool.get("type", "custom") for tool in tools}
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
        return "the call cannot be read"
    session.tools_sent = names
    foreign = sorted(set(names) - session.allowed_tools)
    if foreign or kinds - {"custom"} or asked.get("mcp_servers") or asked.get("container"):
        return f"the model would have been offered tools that are not ours: {', '.join(foreign)[:300] or sorted(kinds)}"
    return ""
