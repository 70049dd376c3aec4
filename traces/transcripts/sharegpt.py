"""ShareGPT turns (`from` and `value`), as Hermes exports its conversations.

Hermes writes calls and results into the text of a turn, each as JSON between tags: `<tool_call>`, `<tool_response>`;
thoughts stand between `<think>` tags. Only the agent's own turns hold calls and thoughts, and only tool turns results:
the same tags elsewhere are somebody's words.
"""

from __future__ import annotations

import re
from typing import Any

from clawjudge.traces.jsonl import decode
from clawjudge.traces.records import Message
from clawjudge.traces.transcripts.blocks import Content, Notes, read_call, read_result, render, string

_ROLES = {
    "system": "system",
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "observation": "tool",
}
_TAGS = {
    "assistant": re.compile(r"<(tool_call|think)>(.*?)</\1>", re.DOTALL),
    "tool": re.compile(r"<(tool_response)>(.*?)</\1>", re.DOTALL),
}


def recognises(value: dict[str, Any]) -> bool:
    return isinstance(value.get("from"), str) and "value" in value and "role" not in value


def parse(value: dict[str, Any], line: int, notes: Notes) -> Message:
    role = _ROLES.get(value["from"])
    if role is None:
        notes.append(f"unknown speaker {render(value['from'], limit=40)}")
        return Message(line=line, role="unknown", text=render(value))
    text = string(value["value"], "value", notes)
    if role not in _TAGS:
        return Message(line=line, role=role, text=text)
    content, position = Content(), 0
    for found in _TAGS[role].finditer(text):
        content.texts.append(text[position : found.start()].strip())
        position = found.end()
        _add(content, found.group(1), found.group(2).strip(), notes)
    content.texts.append(text[position:].strip())
    return content.message(line, role)


def _add(content: Content, tag: str, inside: str, notes: Notes) -> None:
    if tag == "think":
        content.thoughts.append(inside)
        return
    try:
        block = decode(inside.encode("utf-8", "surrogatepass"))
    except ValueError:
        block = None
    if isinstance(block, dict) and tag == "tool_call":
        content.calls.append(read_call(block, notes))
        return
    if tag == "tool_response":
        # Older exports hold what the tool said and nothing else.
        known = isinstance(block, dict) and "content" in block and ("tool_call_id" in block or "name" in block)
        content.results.append(read_result(block if known and isinstance(block, dict) else {"content": inside}, notes))
        return
    notes.append(f"a {tag} that is no JSON object")
    content.texts.append(inside)
