"""Scripts for the model: whole answers on the bundled example, and ways in which they are wrong."""

from __future__ import annotations

import asyncio
import copy
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from servers.messages import ScriptedModel, Step, ToolUse

from clawjudge.judge.agentic.confinement import sandbox
from clawjudge.judge.agentic.confinement.gateway import Gateway
from clawjudge.judge.agentic.credentials import Endpoint
from clawjudge.judge.agentic.evidence.manifest import Manifest
from clawjudge.judge.agentic.evidence.stage import stage
from clawjudge.judge.agentic.examine import Examined, Examiner
from clawjudge.judge.agentic.judge import AgenticJudge
from clawjudge.judge.agentic.settings import Settings
from clawjudge.judge.case import Case, build_case
from clawjudge.traces.pointers import flatten
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).parents[3] / "examples" / "food-order"
KEY = "sk-scripted-0123456789abcdef"
RULES = ("R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9")

needs_sandbox = pytest.mark.skipif(bool(sandbox.unavailable()), reason=f"no sandbox here: {sandbox.unavailable()}")


def case_of(name: str = "right-order") -> Case:
    return build_case(Trace(EXAMPLES / name), Trace(EXAMPLES / "reference"))


def final_request(name: str = "right-order") -> tuple[int, str, Any]:
    """Line of the terminal request, a pointer in its body, and the value there."""
    case = case_of(name)
    commit = case.agent.commits[-1]
    pointer, value = next((p, leaf) for p, leaf in flatten(commit.payload().value) if isinstance(leaf, str) and leaf)
    return commit.line, f"/body{pointer}", value


def answer(outcome: str = "pass", name: str = "right-order", **changes: Any) -> dict[str, Any]:
    """A whole answer whose citations hold; R1 decides."""
    line, pointer, value = final_request(name)
    cited = [{"address": f"agent http:{line} {pointer}", "quote": str(value)}]
    status = {"pass": "met", "fail": "violated", "unjudged": "cannot_tell"}[outcome]
    findings = [{"rule": "R1", "reason": f"The final request says {value}.", "citations": cited, "status": status}]
    findings += [{"rule": r, "reason": "Not asked.", "citations": [], "status": "not_applicable"} for r in RULES[1:]]
    whole = {
        "findings": findings,
        "fields": [],
        "justification": "The final request was looked at.",
        "outcome": outcome,
        "confidence": 0.9,
    }
    return copy.deepcopy({**whole, **changes})


def hands_in(whole: dict[str, Any], **more: Any) -> Step:
    """The model hands in an answer."""
    return ToolUse("StructuredOutput", whole, **more)


def judge(model: ScriptedModel, *, sandbox: Any = "tools", **settings: Any) -> AgenticJudge:
    """A judge that asks the scripted model. Without the sandbox it starts a little faster."""
    return AgenticJudge(Settings(sandbox=sandbox, **settings), Endpoint(model.url, ("x-api-key", KEY)))


def scripted(*steps: Step, endless: Step | None = None) -> ScriptedModel:
    return ScriptedModel(steps, endless=endless, api_key=KEY)


def text_of(values: Iterable[Any]) -> str:
    return "\n".join(json.dumps(value, ensure_ascii=False, default=str) for value in values)


def staged(folder: Path, name: str = "right-order") -> Manifest:
    """The evidence of an example, as the judge gets it."""
    return stage(case_of(name), folder / "evidence")


def examined(
    manifest: Manifest, server: ScriptedModel, *, kind: Any = "tools", max_cost: float | None = None, **settings: Any
) -> Examined:
    """One examination of staged evidence."""

    async def ask() -> Examined:
        endpoint = Endpoint(server.url, ("x-api-key", KEY))
        with tempfile.TemporaryDirectory() as folder, Gateway(endpoint, Path(folder), tcp=kind == "tools") as gateway:
            return await Examiner(manifest, Settings(**settings), gateway, kind).examine(max_cost)

    return asyncio.run(ask())
