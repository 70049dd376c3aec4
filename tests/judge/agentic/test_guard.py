"""The hook: what passes, what does not, and that its own failure lets nothing pass."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from clawjudge.judge.agentic.confinement.guard import Guard


@pytest.fixture
def guard(tmp_path: Path) -> Guard:
    evidence = tmp_path / "evidence"
    (evidence / "agent").mkdir(parents=True)
    (tmp_path / "evidence-of-others").mkdir()
    (evidence / "task.json").write_text("{}")
    (evidence / "out").symlink_to(tmp_path)
    (evidence / "in").symlink_to(evidence / "agent")
    return Guard("/evidence", evidence, frozenset({"mcp__evidence__cite"}))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Read", {"file_path": "task.json"}),
        ("Read", {"file_path": "/evidence/agent/../task.json", "offset": 3, "limit": 9}),
        ("Read", {"file_path": "in/x.txt"}),
        ("Grep", {"pattern": "/etc/passwd|\\.\\./", "-n": True, "output_mode": "content"}),
        ("Grep", {"pattern": "x", "path": "/evidence", "glob": "agent/*.txt"}),
        ("Glob", {"pattern": "**/*.txt"}),
        ("Glob", {"pattern": "/evidence/agent/*", "path": "/evidence/agent"}),
        ("mcp__evidence__cite", {"address": "/etc/passwd"}),
        ("StructuredOutput", {"outcome": "pass"}),
    ],
)
def test_inside(guard: Guard, tool: str, arguments: dict[str, Any]) -> None:
    assert guard.objection(tool, arguments) == ""


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Read", {"file_path": "/etc/passwd"}),
        ("Read", {"file_path": "../x"}),
        ("Read", {"file_path": "/evidence/../etc/passwd"}),
        ("Read", {"file_path": "/evidence-of-others/x"}),
        ("Read", {"file_path": "out/evidence-of-others"}),
        ("Read", {"file_path": "~/.ssh/id"}),
        ("Read", {"file_path": "task.json\x00/etc/passwd"}),
        ("Read", {"file_path": ["task.json"]}),
        ("Read", {"file_path": ""}),
        ("Read", {"file_path": "task.json", "follow": True}),
        ("Grep", {"pattern": "x", "path": "/"}),
        ("Grep", {"pattern": "x", "path": "out"}),
        ("Grep", {"pattern": "x", "glob": "../*"}),
        ("Grep", {"pattern": "x", "glob": "{a,/etc/*}"}),
        ("Grep", {"pattern": "x", "glob": "!../x"}),
        ("Glob", {"pattern": "/etc/*"}),
        ("Glob", {"pattern": "a/../../*"}),
        ("Glob", {"pattern": "/evidence/../*"}),
        ("Glob", {"pattern": "~/*"}),
        ("Glob", {"pattern": "*", "path": "/tmp"}),
        ("Bash", {"command": "true"}),
        ("mcp__evidence__run", {}),
        ("mcp__other__cite", {}),
        ("", {}),
    ],
)
def test_outside(guard: Guard, tool: str, arguments: dict[str, Any]) -> None:
    assert guard.objection(tool, arguments)


@pytest.mark.parametrize("call", [{}, {"tool_name": "Read"}, {"tool_name": "Read", "tool_input": None}, None])
def test_what_cannot_be_understood_is_forbidden(guard: Guard, call: Any) -> None:
    said = asyncio.run(guard.before_tool(call, "id", None))
    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert guard.refused


def test_a_permitted_call_is_left_to_the_program(guard: Guard) -> None:
    call = {"tool_name": "Read", "tool_input": {"file_path": "task.json"}}
    assert asyncio.run(guard.before_tool(call, "id", None)) == {}
    assert not guard.refused
