"""The tools as an in-process MCP server for the agent program."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from clawjudge.judge.agentic.evidence.manifest import Manifest
from clawjudge.judge.agentic.tools import arguments as taken
from clawjudge.judge.agentic.tools.arguments import BadArguments, checked
from clawjudge.judge.agentic.tools.queries import Answer, Evidence
from clawjudge.judge.fence import Fence

if TYPE_CHECKING:
    from claude_agent_sdk import McpSdkServerConfig

SERVER = "evidence"
MODELS: dict[str, type[BaseModel]] = {
    "list_divergences": taken.ListDivergences,
    "step_pair": taken.StepPair,
    "frame_at": taken.FrameAt,
    "requests": taken.Requests,
    "payload_diff": taken.PayloadDiff,
    "cite": taken.Cite,
}
TOOL_NAMES = tuple(f"mcp__{SERVER}__{name}" for name in MODELS)
"""The names that the program gives them, for the list of tools that it may use."""


def evidence_server(manifest: Manifest, fence: Fence) -> McpSdkServerConfig:
    """The server for one conversation: `fence` is the one that its prompt announced. Needs `clawjudge[agentic]`."""
    from claude_agent_sdk import create_sdk_mcp_server, tool

    evidence = Evidence(manifest, fence)
    tools = [
        tool(name, (model.__doc__ or "").strip(), model.model_json_schema())(_handler(evidence, name))
        for name, model in MODELS.items()
    ]
    return create_sdk_mcp_server(SERVER, tools=tools)


def _handler(evidence: Evidence, name: str) -> Callable[[Any], Any]:
    async def handle(sent: Any) -> dict[str, Any]:
        return as_content(call(evidence, name, sent))

    return handle


def call(evidence: Evidence, name: str, sent: Any) -> Answer:
    """One tool call: arguments checked, answer bounded."""
    try:
        asked = checked(MODELS[name], sent)  # type: ignore[type-var]
    except BadArguments as error:
        return Answer(str(error), error=True)
    answer: Answer = getattr(evidence, name)(asked)
    return answer


def as_content(answer: Answer) -> dict[str, Any]:
    """An answer as the protocol has it."""
    content: list[dict[str, Any]] = [{"type": "text", "text": answer.text}]
    if answer.jpeg is not None:
        data = base64.b64encode(answer.jpeg).decode()
        content.append({"type": "image", "data": data, "mimeType": "image/jpeg"})
    return {"content": content, "is_error": answer.error}
