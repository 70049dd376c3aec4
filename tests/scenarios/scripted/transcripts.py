"""The transcript of a session in the shapes of three agent programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from scripted.recorder import Recorder, Step

Record = dict[str, Any]


def openclaw(run: Recorder, prompt: str, model: str) -> list[Record]:
    """Typed lines with parents and times."""
    start = run.requests[0]["timestamp"] - 1
    moment = {"parentId": None, "timestamp": iso(start)}
    out: list[Record] = [
        {"type": "session", "version": 3, "id": "clawbench", "timestamp": iso(start), "cwd": "workspace"},
        {"type": "model_change", "id": run.token(8), **moment, "provider": "api", "modelId": model},
        {"type": "thinking_level_change", "id": run.token(8), **moment, "thinkingLevel": "medium"},
    ]
    usage = {"input": 5200, "output": 120, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 5320}
    base = {"role": "assistant", "api": "openai-completions", "provider": "api", "model": model, "usage": usage}
    parent, call, name = None, "", ""

    def add(when: float, message: Record) -> None:
        nonlocal parent
        ident = run.token(8)
        line = {"type": "message", "id": ident, "parentId": parent, "timestamp": iso(when)}
        out.append({**line, "message": {**message, "timestamp": int(when * 1000)}})
        parent = ident

    add(start, {"role": "user", "content": _text(prompt)})
    for step in run.steps:
        if step.kind == "act":
            call = f"call_{run.token(20)}"
            name, arguments = _openclaw_call(step)
            thinking = {"type": "thinking", "thinking": step.words, "thinkingSignature": "reasoning_content"}
            tool = {"type": "toolCall", "id": call, "name": name, "arguments": arguments}
            add(step.when, {**base, "content": [thinking, tool], "stopReason": "toolUse"})
        elif step.kind == "result":
            answer = {"role": "toolResult", "toolCallId": call, "toolName": name, "isError": False}
            add(step.when, {**answer, "content": _text(step.words)})
        else:
            add(step.when, {**base, "stopReason": "stop", "content": _text(step.words)})
    return out


def _openclaw_call(step: Step) -> tuple[str, Record]:
    arguments = step.arguments or {}
    if step.tool == "read":
        return "read", arguments
    if step.tool in ("navigate", "open"):
        return "browser", {"action": step.tool, "targetUrl": arguments["url"]}
    if step.tool == "snapshot":
        return "browser", {"action": "snapshot"}
    return "browser", {"action": "act", "request": {"kind": step.tool, **arguments}}


def claude(run: Recorder, prompt: str, model: str) -> list[Record]:
    """Stream of messages without times; the prompt is not in it."""
    session = run.uuid()
    names = ["Read", "mcp__playwright__browser_click", "mcp__playwright__browser_type"]
    first = {"type": "system", "subtype": "init", "cwd": "workspace", "session_id": session, "tools": names}
    servers = [{"name": "playwright", "status": "connected"}]
    out: list[Record] = [{**first, "mcp_servers": servers, "model": model, "permissionMode": "bypassPermissions"}]
    call = ""

    def say(block: Record) -> None:
        usage = {"input_tokens": 10, "cache_read_input_tokens": 20000, "output_tokens": 90}
        message = {"id": f"msg_{run.token(24)}", "type": "message", "role": "assistant", "model": model}
        message |= {"content": [block], "stop_reason": None, "usage": usage}
        out.append({"type": "assistant", "message": message, "parent_tool_use_id": None, "session_id": session})

    for step in run.steps:
        if step.kind == "act":
            call = f"toolu_{run.token(24)}"
            thinks = run.rng.random() < 0.4
            thinking = {"type": "thinking", "thinking": step.words, "signature": run.token(32)}
            say(thinking if thinks else {"type": "text", "text": step.words})
            name, arguments = _playwright_call(step, "Read", "mcp__playwright__browser_", "tabs", "file_path")
            say({"type": "tool_use", "id": call, "name": name, "input": arguments})
        elif step.kind == "result":
            content = step.words if '"legal_name"' in step.words else _text("### Page state\n" + step.words)
            block = {"tool_use_id": call, "type": "tool_result", "content": content}
            message = {"role": "user", "content": [block]}
            out.append({"type": "user", "message": message, "parent_tool_use_id": None, "session_id": session})
        else:
            say({"type": "text", "text": step.words})
            end = {"type": "result", "subtype": "success", "is_error": False, "duration_ms": 31134, "num_turns": 15}
            usage = {"input_tokens": 310, "output_tokens": 2100}
            out.append({**end, "result": step.words, "session_id": session, "total_cost_usd": 0, "usage": usage})
    return out


def chat(run: Recorder, prompt: str, model: str) -> list[Record]:
    """Plain chat messages with tool calls as JSON text, without times."""
    system = "You are a careful browser assistant. Use the tools to act in the browser."
    out: list[Record] = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
    call = ""
    for step in run.steps:
        if step.kind == "act":
            call = f"call_{run.token(24)}"
            name, arguments = _playwright_call(step, "read_file", "browser_", "tab_new", "path")
            function = {"name": name, "arguments": json.dumps(arguments)}
            called = [{"id": call, "type": "function", "function": function}]
            message = {"role": "assistant", "content": step.words, "tool_calls": called}
            if run.rng.random() < 0.25:
                message |= {"content": None, "reasoning_content": step.words}
            out.append(message)
        elif step.kind == "result":
            out.append({"role": "tool", "tool_call_id": call, "content": step.words})
        else:
            out.append({"role": "assistant", "content": step.words})
    return out


def _playwright_call(step: Step, read: str, prefix: str, new_tab: str, path_key: str) -> tuple[str, Record]:
    arguments = step.arguments or {}
    if step.tool == "read":
        return read, {path_key: arguments["path"]}
    return prefix + (new_tab if step.tool == "open" else step.tool), arguments


def _text(words: str) -> list[Record]:
    return [{"type": "text", "text": words}]


def iso(when: float) -> str:
    return datetime.fromtimestamp(when, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


SHAPES: dict[str, Callable[[Recorder, str, str], list[Record]]] = {
    "openclaw": openclaw,
    "claude-code": claude,
    "hermes": chat,
}
"""By the harness name that run-meta.json gives."""
