"""The hook that every tool call of the sub-agent passes before it is carried out: its tools, inside the evidence.

What it does not know it forbids, and so it does whatever goes wrong in itself.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_log = logging.getLogger(__name__)

FILE_TOOLS = frozenset({"Read", "Grep", "Glob"})
ANSWER_TOOL = "StructuredOutput"
"""How the program takes a structured answer."""
_PATHS = {"Read": ("file_path",), "Grep": ("path",), "Glob": ("path",)}
_PATTERNS = {"Read": (), "Grep": ("glob",), "Glob": ("pattern",)}
_OTHERS = {
    "Read": frozenset({"offset", "limit", "pages"}),
    "Grep": frozenset(
        {"pattern", "output_mode", "-A", "-B", "-C", "context", "-n", "-i", "-o", "type", "head_limit", "offset"}
        | {"multiline"}
    ),
    "Glob": frozenset[str](),
}
_OUTWARD = re.compile(r"(^|[/\\{,!])(\.\.|~|/)|^[A-Za-z]:|\x00")
"""A pattern that may leave its folder: absolute, upwards, a home folder, also behind a brace or a comma."""


@dataclass
class Guard:
    """Decides about tool calls. `root` is the evidence as the program sees it, `evidence` as we do."""

    root: str
    evidence: Path
    own_tools: frozenset[str]
    """Full names of our in-process tools."""
    refused: list[str] = field(default_factory=list)
    """What was forbidden, and why; for the receipt."""

    def objection(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Why a call is forbidden; empty if it is not."""
        if tool in self.own_tools or tool == ANSWER_TOOL:
            return ""
        if tool not in FILE_TOOLS:
            return f"there is no tool {tool[:80]!r} here"
        unknown = set(arguments) - {*_PATHS[tool], *_PATTERNS[tool], *_OTHERS[tool]}
        if unknown:
            return f"{tool} does not take {', '.join(sorted(unknown))[:200]} here"
        for name in _PATHS[tool]:
            if arguments.get(name) is not None and not self.inside(arguments[name]):
                return f"{name} is outside of the evidence folder; give a path below {self.root}"
        for name in _PATTERNS[tool]:
            pattern = arguments.get(name)
            if pattern is not None and not self._stays(pattern):
                return f"{name} leads out of the evidence folder; give a pattern relative to it"
        return ""

    def inside(self, path: object) -> bool:
        """Whether a path that the program names is the evidence folder or below it, links followed."""
        if not isinstance(path, str) or not path or "\x00" in path or path.startswith("~"):
            return False
        lexical = os.path.normpath(os.path.join(self.root, path))  # noqa: PTH118 (of the program's file system)
        if lexical != self.root and not lexical.startswith(f"{self.root}/"):
            return False
        real = self.evidence.resolve()
        return (real / lexical[len(self.root) :].lstrip("/")).resolve().is_relative_to(real)

    def _stays(self, pattern: object) -> bool:
        if not isinstance(pattern, str):
            return False
        return not _OUTWARD.search(pattern.removeprefix(f"{self.root}/"))

    async def before_tool(self, call: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        """The hook, as the SDK calls it."""
        try:
            tool = call["tool_name"]
            why = self.objection(tool, call["tool_input"])
        except Exception:  # noqa: BLE001 (a hook that fails would let the call through)
            _log.debug("the guard failed on a tool call", exc_info=True)
            tool, why = "?", "the call cannot be understood"
        if not why:
            return {}
        self.refused.append(f"{str(tool)[:80]}: {why}")
        decision = {"permissionDecision": "deny", "permissionDecisionReason": why}
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}
