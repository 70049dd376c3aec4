"""The program that judges: Claude Code as the SDK ships it, with its tools, its environment and its versions."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import claude_agent_sdk
from claude_agent_sdk import ClaudeAgentOptions, HookMatcher
from claude_agent_sdk.types import McpSdkServerConfig

from clawjudge.judge.agentic.confinement.guard import ANSWER_TOOL, FILE_TOOLS, Guard
from clawjudge.judge.agentic.confinement.sandbox import Place

RETRIES = 4
"""How often the program itself repeats a call that the service could not answer (429, 5xx, a broken connection), with
growing pauses or as long as `retry-after` says. Nothing else repeats calls of this judge."""
ANSWER_ATTEMPTS = 2
"""How often the model may hand in an answer that does not fit the schema; the program tells it what is wrong."""
SERVER = "evidence"
"""Name of our tool server; its tools are called `mcp__evidence__…`."""
_MAX_LINE_BYTES = 64 * 1024 * 1024
_ENVIRONMENT = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    # Else some models are offered a placeholder in place of our tools.
    "ENABLE_TOOL_SEARCH": "false",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_MAX_RETRIES": str(RETRIES),
    "MAX_STRUCTURED_OUTPUT_RETRIES": str(ANSWER_ATTEMPTS),
    "CLAUDE_CODE_ENTRYPOINT": "sdk-py",
    "CLAUDE_CODE_SDK_READS_SESSION_STATE": "1",
    "CLAUDE_AGENT_SDK_VERSION": claude_agent_sdk.__version__,
}


def find_program() -> Path:
    """The program inside the SDK's package. Raises `FileNotFoundError`."""
    path = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"
    if not path.is_file():
        raise FileNotFoundError(
            "claude-agent-sdk is installed without its program; install a wheel for this platform (pip install"
            " --force-reinstall claude-agent-sdk)"
        )
    return path


@functools.cache
def program_version() -> str:
    """As the SDK says that it ships it; "unknown" if it does not say."""
    try:
        return (find_program().parent / "claude.version").read_text("utf-8").split()[0]
    except (OSError, IndexError):
        return "unknown"


def sdk_version() -> str:
    return str(claude_agent_sdk.__version__)


def environment(url: str, token: str) -> dict[str, str]:
    """The program's variables, beside those of its place. `token` is the session's, not the user's key."""
    return {**_ENVIRONMENT, "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": token}


def tool_names(own: frozenset[str]) -> frozenset[str]:
    """All tools that the model may be offered; `own` are the short names of ours."""
    return FILE_TOOLS | {ANSWER_TOOL} | {f"mcp__{SERVER}__{name}" for name in own}


def options(
    place: Place,
    guard: Guard,
    server: McpSdkServerConfig | None,
    *,
    model: str,
    system_prompt: str,
    schema: dict[str, Any],
    max_turns: int,
    max_cost: float | None,
) -> ClaudeAgentOptions:
    """How the SDK starts the program. Every default that would add a tool, a file or a setting is off."""
    return ClaudeAgentOptions(
        cli_path=place.launcher,
        cwd=place.evidence,
        model=model,
        system_prompt=system_prompt,
        tools=sorted(FILE_TOOLS),
        # Ours need no permission; files inside the working folder do not either; anything else is denied unasked.
        allowed_tools=sorted(guard.own_tools),
        permission_mode="dontAsk",
        mcp_servers={} if server is None else {SERVER: server},
        strict_mcp_config=True,
        setting_sources=[],
        # A prompt holds text of the trace: no `@file` in it is opened, no `/command` run.
        verbatim_prompts=True,
        hooks={"PreToolUse": [HookMatcher(hooks=[guard.before_tool])]},  # type: ignore[list-item]
        output_format={"type": "json_schema", "schema": schema},
        max_turns=max_turns,
        max_budget_usd=max_cost,
        max_buffer_size=_MAX_LINE_BYTES,
        stderr=lambda line: None,
    )
