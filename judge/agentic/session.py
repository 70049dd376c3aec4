"""One conversation with the sub-agent: a prompt in, its structured answers out, and whatever went wrong as a reason."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ClaudeSDKError,
    Message,
    ResultMessage,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from clawjudge.judge.agentic.confinement import gateway
from clawjudge.judge.agentic.confinement.guard import ANSWER_TOOL

_INTERRUPT_SECONDS = 3.0
_MAX_SHOWN = 400
_STOPPED = {
    "error_max_turns": ("budget", "the judge used up its turns ({})"),
    "error_max_budget_usd": ("budget", "the judge used up its money ({})"),
    "error_max_structured_output_retries": ("unparseable", "the answer never fitted the schema ({})"),
}


class JudgeFailure(Exception):
    """The sub-agent gave no answer. `reason` is the reason code of the verdict that follows."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call as the log keeps it."""

    tool: str
    arguments: str
    """JSON, shortened."""
    error: bool
    characters: int
    """Length of what the tool answered."""


@dataclass
class Account:
    """What a conversation took."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    turns: int = 0
    tools: list[ToolCall] = field(default_factory=list)


class Conversation:
    """A running sub-agent, to be asked once and perhaps again. An async context manager; at its end nothing runs on."""

    def __init__(self, options: ClaudeAgentOptions, session: gateway.Session) -> None:
        self._client = ClaudeSDKClient(options)
        self._session = session
        self.account = Account()
        self.transcript: list[dict[str, Any]] = []
        """Every message in order, pictures replaced by their hash."""
        self._calls: dict[str, ToolUseBlock] = {}
        self._accepted: list[Any] = []
        self._cost_before = 0.0

    async def __aenter__(self) -> Self:
        try:
            await self._client.connect()
        except ClaudeSDKError as error:
            raise JudgeFailure("judge_error", f"the judge's program did not start: {_short(str(error))}") from error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Whatever the program says while it ends is of no use to anybody.
        with contextlib.suppress(ClaudeSDKError):
            await self._client.disconnect()

    async def ask(self, prompt: str, timeout: float) -> list[Any]:
        """The structured answers that the program accepted for this prompt, in order; two may contradict each other.

        Raises `JudgeFailure`.
        """
        self._accepted = []
        self.transcript.append({"role": "user", "content": prompt, "at": time.time()})
        try:
            async with asyncio.timeout(timeout):
                await self._client.query(prompt)
                result = await self._listen()
        except TimeoutError:
            await self._interrupt()
            self._raise_if_unreachable()
            raise JudgeFailure("timeout", f"no answer within {timeout:g} s") from None
        except ClaudeSDKError as error:
            raise JudgeFailure("judge_error", f"the judge's program failed: {_short(str(error))}") from error
        self._raise_for(result)
        return self._accepted

    async def _listen(self) -> ResultMessage:
        async with contextlib.aclosing(self._messages()) as messages:
            async for message in messages:
                self._note(message)
                if isinstance(message, ResultMessage):
                    return message
        raise JudgeFailure("judge_error", "the judge's program ended without a result")

    def _messages(self) -> Any:
        stream: AsyncIterator[Message] = self._client.receive_response()
        return stream

    async def _interrupt(self) -> None:
        """Stop the model, to learn what was spent so far; within a few seconds or not at all."""
        with contextlib.suppress(ClaudeSDKError, TimeoutError, JudgeFailure):
            async with asyncio.timeout(_INTERRUPT_SECONDS):
                await self._client.interrupt()
                await self._listen()

    def _raise_for(self, result: ResultMessage) -> None:
        if self._session.refused:
            raise JudgeFailure("judge_error", self._session.refused)
        if result.subtype in _STOPPED:
            reason, message = _STOPPED[result.subtype]
            raise JudgeFailure(reason, message.format(_short("; ".join(result.errors or []))))
        if result.stop_reason == "refusal":
            raise JudgeFailure("refused", "the model declined to judge")
        if self._session.final_error is not None:
            status = self._session.final_error[0]
            raise JudgeFailure("provider_error", f"the service answered {status}: {self._service_said()}")
        if result.is_error:
            self._raise_if_unreachable()
            if self._ended_by_length():
                raise JudgeFailure(
                    "unparseable", "the answer was cut off at the longest length that the model may write"
                )
            raise JudgeFailure(
                "provider_error", f"the model could not be asked: {_short(result.result or result.subtype)}"
            )
        if not self._accepted:
            raise JudgeFailure("unparseable", f"the model gave no structured answer: {_short(result.result or '')}")

    def _raise_if_unreachable(self) -> None:
        # The program knows the gateway alone, and would name that.
        if self._session.unreachable:
            remedy = "check the network and the address (ANTHROPIC_BASE_URL), then run again"
            raise JudgeFailure("provider_error", f"{self._session.unreachable}; {remedy}")

    def _ended_by_length(self) -> bool:
        return any(entry.get("error") == "max_output_tokens" for entry in self.transcript[-3:])

    def _note(self, message: Message) -> None:
        if isinstance(message, AssistantMessage):
            self._note_assistant(message)
        elif isinstance(message, UserMessage):
            self._note_results(message)
        elif isinstance(message, ResultMessage):
            self._note_result(message)
        elif isinstance(message, SystemMessage) and message.subtype == "api_retry":
            status = message.data.get("error_status")
            self.transcript.append({"role": "system", "retry": message.data.get("attempt"), "status": status})
            if status in gateway.NEVER_REPEATED:
                raise JudgeFailure("provider_error", f"the service answered {status}: {self._service_said()}")

    def _note_assistant(self, message: AssistantMessage) -> None:
        entry = {"role": "assistant", "content": [_block(b) for b in message.content], "at": time.time()}
        self.transcript.append(entry if message.error is None else entry | {"error": message.error})
        self._calls |= {block.id: block for block in message.content if isinstance(block, ToolUseBlock)}

    def _note_results(self, message: UserMessage) -> None:
        if isinstance(message.content, str):
            return
        self.transcript.append({"role": "user", "content": [_block(b) for b in message.content], "at": time.time()})
        for block in message.content:
            call = self._calls.pop(block.tool_use_id, None) if isinstance(block, ToolResultBlock) else None
            if call is None or not isinstance(block, ToolResultBlock):
                continue
            if call.name == ANSWER_TOOL and not block.is_error:
                self._accepted.append(call.input)
            shown = json.dumps(call.input, ensure_ascii=False)
            self.account.tools.append(
                ToolCall(call.name, _short(shown), bool(block.is_error), len(json.dumps(_content(block.content))))
            )

    def _note_result(self, result: ResultMessage) -> None:
        usage = result.usage or {}
        cached = usage.get("cache_read_input_tokens") or 0
        fresh = (usage.get("input_tokens") or 0) + (usage.get("cache_creation_input_tokens") or 0)
        self.account.input_tokens += fresh + cached
        self.account.cached_tokens += cached
        self.account.output_tokens += usage.get("output_tokens") or 0
        # The program counts money over the whole conversation, the rest for each prompt.
        self.account.cost_usd = max(self.account.cost_usd, result.total_cost_usd or 0.0)
        self.account.turns += result.num_turns
        self.transcript.append(
            {"role": "result", "subtype": result.subtype, "stop_reason": result.stop_reason, "error": result.is_error}
        )

    def _service_said(self) -> str:
        """The message of the service's last final error."""
        try:
            error = json.loads((self._session.final_error or (0, b""))[1])["error"]
            return _short(f"{error['type']}: {error['message']}")
        except (ValueError, KeyError, TypeError):
            return "no message"


def _block(block: Any) -> dict[str, Any]:
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    if isinstance(block, ThinkingBlock):
        return {"type": "thinking", "thinking": block.thinking}
    if isinstance(block, ToolUseBlock):
        return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input}
    if isinstance(block, ToolResultBlock):
        said = _content(block.content)
        return {"type": "tool_result", "id": block.tool_use_id, "content": said, "is_error": bool(block.is_error)}
    return {"type": type(block).__name__}


def _content(content: Any) -> Any:
    """What a tool answered, with every picture replaced by its hash."""
    if not isinstance(content, list):
        return content
    return [_without_picture(part) if isinstance(part, dict) else str(part) for part in content]


def _without_picture(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("type") != "image":
        return part
    source = part.get("source")
    data = (source.get("data") if isinstance(source, dict) else None) or part.get("data") or ""
    return {"type": "image", "sha256": hashlib.sha256(str(data).encode()).hexdigest(), "characters": len(str(data))}


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"
