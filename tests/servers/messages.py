"""A local server that speaks the Anthropic Messages API and plays a script in place of a model.

    with ScriptedModel([ToolUse("Read", {"file_path": "task.json"}), Text("done")]) as model:
        client = anthropic.Anthropic(base_url=model.url, api_key="any")
        ...
    assert model.requests[1].tool_results[0].text == "..."

Each call of `/v1/messages` takes the next step of the script, in a stream or whole, as the caller asked. A step is a
`Reply` (text, tool calls, a refusal, …), a `Failure` (an HTTP error) or a function of the recorded request that gives
one. `endless` is played when the script is over; without it a further call is an error that `unexpected` counts.
What was sent is checked as the real service checks it, and kept in `requests`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from servers.messages_rules import complaint
from servers.messages_script import Failure, Recorded, Refusal, Reply, Step, Text, ToolResult, ToolUse, call
from servers.messages_wire import error, events, message, tokens

__all__ = ["Failure", "Recorded", "Refusal", "Reply", "ScriptedModel", "Step", "Text", "ToolResult", "ToolUse", "call"]


@dataclass
class ScriptedModel:
    """The server. Use it as a context manager, or `start` and `stop` it."""

    script: Iterable[Step]
    endless: Step | None = None
    api_key: str | None = None
    """If given, any other key is answered with 401."""
    port: int = 0
    requests: list[Recorded] = field(default_factory=list)
    """Calls of `/v1/messages`, in the order of their arrival."""
    others: list[Recorded] = field(default_factory=list)
    """Everything else that was asked for."""
    unexpected: int = 0
    busy_seconds: float = 0.0
    """Time spent in calls of `/v1/messages`: what the model itself took."""
    most_at_once: int = 0

    def __post_init__(self) -> None:
        self._steps = iter(self.script)
        self._lock = threading.Lock()
        self._at_once = 0
        self.stopping = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> ScriptedModel:
        self._server = _Server(("127.0.0.1", self.port), _Handler)
        self._server.model = self
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def stop(self) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> ScriptedModel:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def arrive(self, request: Recorded) -> Reply | Failure:
        """Record a call and take the next step."""
        with self._lock:
            self.requests.append(request)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            key = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
            if not key or (self.api_key is not None and key != self.api_key):
                return Failure(401, "invalid x-api-key")
            wrong = complaint(request.headers, request.body)
            if wrong:
                return Failure(400, wrong)
            step = next(self._steps, self.endless)
            if step is None:
                self.unexpected += 1
                return Failure(400, "the script is over: nobody expected this call")
        # Outside of the lock: such a function may wait for another call.
        return step if isinstance(step, Reply | Failure) else step(request)

    def leave(self, began: float) -> None:
        with self._lock:
            self._at_once -= 1
            self.busy_seconds += time.monotonic() - began


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    model: ScriptedModel

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Callers that go away are part of many tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._note({})
        self._send(200, b"")

    def do_GET(self) -> None:
        self._note({})
        self._send_error(Failure(404, f"{self.path} is not served here"))

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            body = json.loads(raw)
        except ValueError:
            self._send_error(Failure(400, "the body is not JSON"))
            return
        path = self.path.partition("?")[0]
        if path == "/v1/messages/count_tokens":
            self._note(body)
            self._send_json(200, {"input_tokens": tokens(body)})
        elif path == "/v1/messages":
            self._message(self._recorded(body))
        else:
            self._note(body)
            self._send_error(Failure(404, f"{self.path} is not served here"))

    def _recorded(self, body: dict[str, Any]) -> Recorded:
        return Recorded(self.path, {k.lower(): v for k, v in self.headers.items()}, body, time.monotonic())

    def _note(self, body: dict[str, Any]) -> None:
        self.server.model.others.append(self._recorded(body))

    def _message(self, request: Recorded) -> None:
        model = self.server.model
        try:
            step = model.arrive(request)
            if step.delay and model.stopping.wait(step.delay):
                self.close_connection = True
                return
            if isinstance(step, Failure):
                self._fail(step, bool(request.body.get("stream")), request)
            elif request.body.get("stream"):
                self._stream(events(step, request), step)
            else:
                self._whole(message(step, request), step)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            model.leave(request.at)

    def _fail(self, failure: Failure, streamed: bool, request: Recorded) -> None:
        if streamed and failure.in_stream:
            opening = next(events(Text(""), request))
            self._stream(iter([opening, ("error", error(failure))]), Text(""))
        else:
            self._send_error(failure)

    def _whole(self, answer: dict[str, Any], step: Reply) -> None:
        raw = json.dumps(answer).encode()
        if step.cut_after is None:
            self._send(200, raw, step.headers)
            return
        self._head(200, [("Content-Type", "application/json"), ("Content-Length", str(len(raw))), *step.headers])
        self.wfile.write(raw[: len(raw) // 2])
        self._break_off()

    def _stream(self, sent: Iterator[tuple[str, dict[str, Any]]], step: Reply) -> None:
        self._head(200, [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked"), *step.headers])
        for number, (name, data) in enumerate(sent):
            if number == step.cut_after:
                self._break_off()
                return
            event = f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            self.wfile.flush()
            if step.pace and self.server.model.stopping.wait(step.pace):
                self._break_off()
                return
        self.wfile.write(b"0\r\n\r\n")

    def _break_off(self) -> None:
        self.wfile.flush()
        self.close_connection = True

    def _send_error(self, failure: Failure) -> None:
        headers = list(failure.headers)
        if failure.retry_after is not None:
            headers.append(("retry-after", f"{failure.retry_after:g}"))
        self._send(failure.status, failure.body or json.dumps(error(failure)).encode(), headers)

    def _send_json(self, status: int, value: Any) -> None:
        self._send(status, json.dumps(value).encode())

    def _send(self, status: int, raw: bytes, headers: Iterable[tuple[str, str]] = ()) -> None:
        self._head(status, [("Content-Type", "application/json"), ("Content-Length", str(len(raw))), *headers])
        self.wfile.write(raw)

    def _head(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        self.send_response(status)
        self.send_header("request-id", f"req_{id(self):x}{time.monotonic_ns():x}")
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
