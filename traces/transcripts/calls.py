"""Which call a tool result answers, in a stream of messages of any length."""

from __future__ import annotations

import re
from collections import OrderedDict, deque

from clawjudge.traces.records import Message, ToolCall, ToolResult

REMEMBERED = 10_000
"""Calls kept open at a time; results follow their calls closely, and a hostile transcript must not fill the memory."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


class OpenCalls:
    """The calls seen last. Give it every message in order, and ask for the call of each result."""

    def __init__(self) -> None:
        self._named: OrderedDict[str, ToolCall] = OrderedDict()
        self._unnamed: deque[ToolCall] = deque()

    def see(self, message: Message) -> None:
        """Remember the calls of `message`; an id that comes again means the later call."""
        unnamed = [call for call in message.tool_calls if not call.id]
        if unnamed:
            self._unnamed = deque(unnamed)
        for call in message.tool_calls:
            if not call.id:
                continue
            self._named[call.id] = call
            self._named.move_to_end(call.id)
            if len(self._named) > REMEMBERED:
                self._named.popitem(last=False)

    def of(self, result: ToolResult) -> ToolCall | None:
        """The call that `result` answers.

        Where the calls of a message have no ids, its results answer them in their order, each once; some exports leave
        out the ids of calls and keep those of results.
        """
        if result.call_id in self._named:
            return self._named[result.call_id]
        return self._unnamed.popleft() if self._unnamed else None


def name_words(name: str, *, whole: bool = False) -> list[str]:
    """Lower-case words of a tool's own name: `mcp__disk__read_file` is `read`, `file`; `whole` adds `mcp`, `disk`."""
    part = name if whole else name.rsplit("__", 1)[-1]
    return [word.lower() for word in _WORD.findall(part[:200])]
