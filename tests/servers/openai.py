"""A local server that speaks Chat Completions and Responses (and plain Messages) and plays a model, many at once.

    with ScriptedChat(lambda request: Text('{"reason": "r", "match": true}'), latency=0.2) as server:
        client = openai.OpenAI(base_url=server.url + "/v1", api_key="any")

`answer` is a `Reply`, a `Failure`, a list of them (one per call, the last for ever), or a function of the request. With
`per_second` it takes so many requests in any second and answers 429 with Retry-After to the rest. A `Failure` of status
0 breaks the connection; one of status 200 with a body sends that body. Runs by itself too: python openai.py --help
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import contextlib
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # Run as a program, this file's own folder comes first, and with it this file in place of the SDK of its name.
    sys.path[0] = str(Path(__file__).parents[1])

from servers.messages_script import Failure, Recorded, Reply, Text
from servers.messages_wire import message

Step = Reply | Failure
Answer = Step | Sequence[Step] | Callable[[Recorded], Step]
_KINDS = {"/v1/chat/completions": "chat", "/v1/responses": "responses", "/v1/messages": "messages"}


@dataclass
class ScriptedChat:
    """The server, in a thread of its own. Use it as a context manager."""

    answer: Answer
    latency: float = 0.0
    """Seconds before every answer but a 429."""
    per_second: int | None = None
    retry_after: float = 1.0
    late_refusals: bool = False
    """Whether a 429 takes as long as an answer."""
    headers: tuple[tuple[str, str], ...] = ()
    api_key: str | None = None
    port: int = 0
    requests: list[Recorded] = field(default_factory=list)
    refused: int = 0
    most_at_once: int = 0
    last_answer_at: float = 0.0

    def __post_init__(self) -> None:
        self._at_once = 0
        self._taken: collections.deque[float] = collections.deque()
        self._calls = 0
        self._ready = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def prompts(self) -> list[str]:
        """The last text of the user in each request."""
        return [prompt_of(request) for request in self.requests]

    def __enter__(self) -> ScriptedChat:
        self._thread = threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(20)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._open: set[asyncio.Task[Any]] = set()
        server = await asyncio.start_server(self._connection, "127.0.0.1", self.port, backlog=1024, limit=2**26)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            await asyncio.sleep(0)  # The caller went away, or the server stops: both are part of tests.
        finally:
            self._open.discard(task)
            with contextlib.suppress(ConnectionError, RuntimeError):
                writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        path = head[0].split(" ")[1].partition("?")[0]
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        request = Recorded(path, headers, json.loads(raw or b"{}"), time.monotonic())
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return await self._reply(request, writer)
        finally:
            self._at_once -= 1
            self.last_answer_at = time.monotonic()

    async def _reply(self, request: Recorded, writer: asyncio.StreamWriter) -> bool:
        self.requests.append(request)
        step = self._step(request)
        if not (isinstance(step, Failure) and step.status == 429 and not self.late_refusals):
            await asyncio.sleep(step.delay or self.latency)
        if isinstance(step, Failure) and step.status == 0:
            return False
        status, body = self._written(step, request)
        extra = [*self.headers, *step.headers]
        if isinstance(step, Failure) and step.retry_after is not None:
            extra.append(("retry-after", f"{step.retry_after:g}"))
        lines = [f"HTTP/1.1 {status} X", "content-type: application/json", f"content-length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in extra]
        cut = isinstance(step, Reply) and step.cut_after is not None
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + (body[: len(body) // 2] if cut else body))
        await writer.drain()
        return not cut

    def _step(self, request: Recorded) -> Step:
        key = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if request.path not in _KINDS:
            return Failure(404, f"{request.path} is not served here")
        if self.api_key is not None and key != self.api_key:
            return Failure(401, f"Incorrect API key provided: {key}")
        if self.per_second is not None:
            while self._taken and request.at - self._taken[0] >= 1.0:
                self._taken.popleft()
            if len(self._taken) >= self.per_second:
                self.refused += 1
                return Failure(429, "too many requests", retry_after=self.retry_after)
            self._taken.append(request.at)
        if callable(self.answer):
            return self.answer(request)
        if isinstance(self.answer, Reply | Failure):
            return self.answer
        self._calls += 1
        return self.answer[min(self._calls, len(self.answer)) - 1]

    def _written(self, step: Step, request: Recorded) -> tuple[int, bytes]:
        if isinstance(step, Failure):
            said = {"error": {"message": step.message, "type": step.type or "error", "code": None}}
            return step.status, step.body if step.body is not None else json.dumps(said).encode()
        writers = {"chat": completion, "responses": response, "messages": message}
        return 200, json.dumps(writers[_KINDS[request.path]](step, request)).encode()


def prompt_of(request: Recorded) -> str:
    """The last thing that the user said in a request to any of the three."""
    turns = request.body.get("messages") or request.body.get("input") or []
    content = [turn["content"] for turn in turns if turn["role"] == "user"][-1]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def completion(reply: Reply, request: Recorded) -> dict[str, Any]:
    """A chat completion. Thoughts stand beside the content, as DeepSeek and vLLM write them."""
    text, thoughts, refusal = _parts(reply)
    said = {"role": "assistant", "content": text or None, "refusal": refusal}
    if thoughts:
        said["reasoning_content"] = thoughts
    stop = {"max_tokens": "length", "refusal": "stop"}.get(reply.stop_reason, "stop")
    usage = _usage(reply, request, text)
    return {
        "id": f"chatcmpl-{time.monotonic_ns():x}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.body["model"],
        "choices": [{"index": 0, "message": said, "finish_reason": stop}],
        "usage": {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": sum(usage[:2]),
            "prompt_tokens_details": {"cached_tokens": usage[2]},
        },
    }


def response(reply: Reply, request: Recorded) -> dict[str, Any]:
    """A response of the Responses API; thoughts come first, as an item of their own."""
    text, thoughts, refusal = _parts(reply)
    output: list[dict[str, Any]] = []
    if thoughts:
        output.append({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": thoughts}]})
    part = (
        {"type": "refusal", "refusal": refusal} if refusal else {"type": "output_text", "text": text, "annotations": []}
    )
    output.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]})
    cut = reply.stop_reason == "max_tokens"
    usage = _usage(reply, request, text)
    return {
        "id": f"resp_{time.monotonic_ns():x}",
        "object": "response",
        "created_at": int(time.time()),
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "model": request.body["model"],
        "output": output,
        "usage": {
            "input_tokens": usage[0],
            "input_tokens_details": {"cached_tokens": usage[2]},
            "output_tokens": usage[1],
            "total_tokens": sum(usage[:2]),
        },
    }


def _parts(reply: Reply) -> tuple[str, str, str | None]:
    text = "".join(block["text"] for block in reply.blocks if block["type"] == "text")
    thoughts = "".join(block["thinking"] for block in reply.blocks if block["type"] == "thinking")
    return ("", thoughts, text or "no") if reply.stop_reason == "refusal" else (text, thoughts, None)


def _usage(reply: Reply, request: Recorded, text: str) -> tuple[int, int, int]:
    if reply.usage is None:
        return len(json.dumps(request.body)) // 4, len(text) // 4 + 1, 0
    given = reply.usage
    return given.get("input_tokens", 0), given.get("output_tokens", 0), given.get("cache_read_input_tokens", 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--per-second", type=int)
    parser.add_argument("--reply", default='{"reason": "It is what was asked for.", "match": true}')
    arguments = parser.parse_args()
    with ScriptedChat(Text(arguments.reply), arguments.latency, arguments.per_second, port=arguments.port) as server:
        print(json.dumps({"url": server.url}), flush=True)
        # Any line asks for the counts so far; the end of the input ends the server.
        for _ in sys.stdin:
            first = server.requests[0].at if server.requests else 0.0
            counts = {"requests": len(server.requests), "refused": server.refused, "most_at_once": server.most_at_once}
            print(json.dumps({**counts, "seconds": server.last_answer_at - first}), flush=True)


if __name__ == "__main__":
    main()
