"""The lines of the http, actions and messages layers as evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from clawjudge.judge.agentic.evidence.address import Run, seconds
from clawjudge.judge.agentic.evidence.leaves import Limits, leaf_lines, shortened, text_lines
from clawjudge.judge.agentic.evidence.pages import Block, LayerPages, Omission, Omissions, StagedFile
from clawjudge.judge.agentic.evidence.redact import EvidenceRedactor
from clawjudge.judge.fence import quoted
from clawjudge.traces.clock import parse_time
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.jsonl import read_lines
from clawjudge.traces.pointers import flatten, unpacked
from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.records import Message, RequestEvent
from clawjudge.traces.steps import is_state_changing

BUDGETS = {"http": 2_000_000, "actions": 1_000_000, "messages": 2_000_000}
"""Bytes of evidence per run and layer; with the other budgets of this package, 25 MB in all."""
_COMMIT = Limits(characters=20_000, leaves=3000, total=300_000)
_CHANGE = Limits(characters=6000, leaves=400, total=40_000)
_OTHER = Limits(characters=1000, leaves=40, total=8000)
_MESSAGE = Limits(characters=16_000, leaves=200, total=32_000)
_HELD_BYTES = 64 * 1024
"""A longer line of a layer is written out at once: held back, many of them would fill the memory."""
_HEADER = Limits(characters=1000, leaves=1, total=1000)
_ACTION = Limits(characters=300, leaves=200, total=6000)
_URL = 500
_WORD = 100
_HEADERS = frozenset({"content-type", "referer", "origin"})
"""Headers that say something of what was done; the others are counted."""
_SMALL_LOG = 2_000_000
"""Bytes of a request log in which also what is no state change and no page of the run's own is staged."""


@dataclass(frozen=True)
class LayerStaging:
    """Stages the layers of one run."""

    run: RunDigest
    whose: Run
    start_ms: int | None
    """Epoch ms that the evidence counts seconds from."""
    redactor: EvidenceRedactor
    folder: Path
    omitted: Omissions

    def stage(self, layer: str) -> list[StagedFile]:
        """The files of one layer; none if the run does not have it."""
        if not self.run.trace.has(layer):
            return []
        pages = LayerPages(self.folder, self.whose, layer, BUDGETS[layer], self.omitted)
        blocks = {"http": self._requests, "actions": self._actions, "messages": self._messages}[layer]
        for block in blocks():
            pages.add(block)
        return pages.close()

    def _head(self, layer: str, line: int, t_ms: int | None) -> tuple[str, str]:
        """The address, and the address with the moment."""
        address = f"{self.whose} {layer}:{line}"
        if t_ms is None or self.start_ms is None:
            return address, address
        return address, f"{address} @{seconds(t_ms - self.start_ms)}"

    # Requests

    def _requests(self) -> Iterator[Block]:
        everything = self.run.trace.files.found["http"].stat().st_size <= _SMALL_LOG
        commits = {event.line for event in self.run.commits}
        passing = self.omitted.of(self.whose, "http", "requests of third parties and for parts of pages, bytes")
        for event in self.run.trace.requests():
            commit = event.line in commits
            change = commit or is_state_changing(event, self.run.sites)
            if not (everything or change or event.resource_type in ("Document", "XHR", "Fetch")):
                passing.add(event.size, event.line)
                continue
            limits = _COMMIT if commit else _CHANGE if change else _OTHER
            if commit or event.size > _HELD_BYTES:
                yield Block.rendered(event.line, tuple(self._request(event, limits)), keep=commit)
            else:
                yield Block(event.line, event.size, partial(self._request_lines, event, limits))

    def _request_lines(self, event: RequestEvent, limits: Limits) -> tuple[str, ...]:
        return tuple(self._request(event, limits))

    def _request(self, event: RequestEvent, limits: Limits) -> Iterator[str]:
        address, head = self._head("http", event.line, event.t_ms)
        facts: dict[str, Any] = {"method": event.method[:_WORD], "url": self._short(event.url)}
        facts |= {"resource_type": event.resource_type[:_WORD]} if event.resource_type else {}
        facts |= {"status": event.status} if event.status is not None else {}
        facts |= {"blocked": event.blocked} if event.blocked is not None else {}
        yield f"{head} {quoted(facts)}"
        cut = self.omitted.of(self.whose, "http", "characters of long values")
        if len(event.url) > _URL:
            yield from text_lines(address, '"/url"', event.url, limits, cut, self.redactor, "url")
        headers = {name: value for name, value in event.headers.items() if name.casefold() in _HEADERS}
        for name, value in headers.items():
            yield from text_lines(address, quoted(f"/headers/{name}"), value, _HEADER, cut, self.redactor, name)
        others = len(event.headers) - len(headers)
        self.omitted.of(self.whose, "http", "request headers, characters").add(
            sum(len(n) + len(v) for n, v in event.headers.items() if n not in headers), count=others
        )
        payload = event.payload()
        if payload.kind == "none":
            return
        yield from leaf_lines(address, unpacked(payload.value), "/body", limits, cut, self.redactor)
        for problem in payload.problems:
            yield f"{address} note on the body: {quoted(problem)}"

    def _short(self, url: str) -> str:
        """The beginning of an address; a long one stands whole behind it."""
        # Looked at a little further than shown, so that no secret is left in halves.
        shown = self.redactor.redact(url[: 4 * _URL], "url")
        return str(shown)[:_URL]

    # Actions

    def _actions(self) -> Iterator[Block]:
        file = self.run.trace.files.relative("actions")
        skew = self.run.skew.offset_ms
        for line in read_lines(self.run.trace.files.found["actions"], "actions", file, ProblemLog()):
            t_ms = parse_time(line.value.get("timestamp"), "ms") if isinstance(line.value, dict) else None
            address, head = self._head("actions", line.number, None if t_ms is None else t_ms - skew)
            render = partial(self._action, line.value, address, head)
            if line.size > _HELD_BYTES:
                yield Block.rendered(line.number, render())
            else:
                yield Block(line.number, line.size, render)

    def _action(self, value: Any, address: str, head: str) -> tuple[str, ...]:
        cut = self.omitted.of(self.whose, "actions", "characters of long values")
        shown, gone = shortened(value, _ACTION, self.redactor)
        lines = [f"{head} {quoted(shown)}"]
        for pointer, length in gone.lengths.items():
            left_out = length - _ACTION.characters
            cut.add(left_out)
            where = f"{quoted(pointer[:_URL])} [{_ACTION.characters}:{length}]"
            lines.append(f"{address} {where} left out here: {left_out} of {length} characters")
        if gone.leaves:
            cut.add(gone.characters, count=gone.leaves)
            lines.append(f"{address} left out here: {gone.leaves} more values with {gone.characters} characters")
        return tuple(lines)

    # Messages

    def _messages(self) -> Iterator[Block]:
        bookkeeping = self.omitted.of(self.whose, "messages", "lines of the harness about itself, characters")
        for message in self.run.trace.messages():
            if message.role == "system" and message.text.startswith("{"):
                # Which model drove the run stands here; a judge is not to know.
                bookkeeping.add(len(message.text), message.line)
                continue
            size = _length(message)
            render = partial(self._message_lines, message)
            yield Block.rendered(message.line, render()) if size > _HELD_BYTES else Block(message.line, size, render)

    def _message_lines(self, message: Message) -> tuple[str, ...]:
        return tuple(self._message(message, self.omitted.of(self.whose, "messages", "characters of long values")))

    def _message(self, message: Message, cut: Omission) -> Iterator[str]:
        address, head = self._head("messages", message.line, message.t_ms)
        yield f"{head} from {_ROLES.get(message.role, 'unknown')}"
        if message.text:
            yield from text_lines(address, "said", message.text, _MESSAGE, cut, self.redactor)
        if message.thinking:
            yield from text_lines(address, "thought", message.thinking, _MESSAGE, cut, self.redactor)
        for call in message.tool_calls:
            yield f"{address} called: {quoted(call.name[:_WORD])}"
            yield from leaf_lines(address, call.arguments, "", _MESSAGE, cut, self.redactor)
        for result in message.tool_results:
            kind = "was answered with an error" if result.is_error else "was answered"
            yield from text_lines(address, kind, result.text, _MESSAGE, cut, self.redactor)


def _length(message: Message) -> int:
    """About how many characters a message holds."""
    texts = (message.text, message.thinking, *(result.text for result in message.tool_results))
    leaves = (leaf for call in message.tool_calls for _, leaf in flatten(call.arguments))
    return sum(map(len, texts)) + sum(len(leaf) if isinstance(leaf, str) else 8 for leaf in leaves)


_ROLES = {
    "system": "the system",
    "user": "the user",
    "assistant": "the agent",
    "tool": "a tool",
    "result": "the harness",
}
