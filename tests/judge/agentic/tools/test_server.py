"""The MCP server, spoken to as the agent program does."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest

from clawjudge.judge.agentic.evidence.stage import stage
from clawjudge.judge.agentic.tools.server import MODELS, TOOL_NAMES, evidence_server
from clawjudge.judge.case import build_case
from clawjudge.judge.fence import Fence
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "food-order"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("claude_agent_sdk")
    case = build_case(Trace(EXAMPLES / "wrong-quantity"), Trace(EXAMPLES / "reference"))
    manifest = stage(case, tmp_path_factory.mktemp("evidence"), ["http", "actions", "screenshots"])
    return evidence_server(manifest, Fence())["instance"]


def ask(server: Any, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What the server says to a client, as it goes over the wire; without a name, the list of tools."""
    from mcp.client.client import Client

    async def talk() -> Any:
        async with Client(server) as client:
            return (await client.list_tools()) if name == "" else await client.call_tool(name, arguments)

    said: dict[str, Any] = asyncio.run(talk()).model_dump(by_alias=True)
    return said


def test_the_server_offers_the_tools_with_their_arguments(server: Any) -> None:
    tools = {tool["name"]: tool for tool in ask(server, "", {})["tools"]}
    assert list(tools) == list(MODELS)
    assert TOOL_NAMES[0] == "mcp__evidence__list_divergences"
    assert all(tool["description"] and tool["inputSchema"]["additionalProperties"] is False for tool in tools.values())
    assert tools["requests"]["inputSchema"]["required"] == ["run"]


def test_text_and_pictures_come_back(server: Any) -> None:
    text = ask(server, "payload_diff", {})
    assert not text["isError"]
    assert "/body/cart/items/0/quantity" in text["content"][0]["text"]
    picture = ask(server, "frame_at", {"run": "agent", "seconds": 9.0})
    assert picture["content"][1]["mimeType"] == "image/jpeg"
    assert base64.b64decode(picture["content"][1]["data"]).startswith(b"\xff\xd8")


def test_wrong_arguments_are_an_error_that_the_model_reads(server: Any) -> None:
    for arguments in ({"run": "nobody"}, {"run": "agent", "offset": -1}, {"run": "agent", "path": "x" * 400}):
        assert ask(server, "requests", arguments)["isError"]
