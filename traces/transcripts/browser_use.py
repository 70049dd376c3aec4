"""browser-use: items of an `AgentHistoryList`, one step each, as lines or inside one `{"history": [...]}` document.

A step holds the page before it (`state`), what the model wanted (`model_output`) and what came of it (`result`). It
becomes one message with the calls and, as tool results, the page and the outcome of every action.
"""

from __future__ import annotations

from typing import Any

from clawjudge.traces.records import Message, ToolCall, ToolResult
from clawjudge.traces.transcripts.blocks import (
    Content,
    Notes,
    first,
    joined,
    kind,
    read_arguments,
    read_time,
    render,
    string,
)

_BRAIN = ("thinking", "evaluation_previous_goal", "memory", "next_goal", "reasoning_task_status")


def recognises(value: dict[str, Any]) -> bool:
    return "model_output" in value and ("result" in value or "state" in value)


def parse(value: dict[str, Any], line: int, notes: Notes) -> Message:
    content = Content()
    metadata = value.get("metadata")
    step, t_ms = line, None
    if isinstance(metadata, dict):
        t_ms = read_time(first(metadata, ("step_end_time", "step_start_time")), "s", notes)
        number = metadata.get("step_number")
        step = number if isinstance(number, int) and not isinstance(number, bool) else line
    elif metadata is not None:
        notes.append(f"metadata is {kind(metadata)}")
    _add_page(content, value.get("state"), notes)
    output = value.get("model_output")
    if isinstance(output, dict):
        _add_thoughts(content, output, notes)
        _add_calls(content, output.get("action"), step, notes)
    elif output is not None:
        notes.append(f"model_output is {kind(output)}")
        content.texts.append(render(output))
    _add_results(content, value.get("result"), step, notes)
    return content.message(line, "assistant", t_ms)


def _add_page(content: Content, state: object, notes: Notes) -> None:
    if not isinstance(state, dict):
        if state is not None:
            notes.append(f"state is {kind(state)}")
        return
    parts = []
    for key, name in (("url", "Page URL"), ("title", "Page Title")):
        value = string(state.get(key), f"{key} of the page", notes)
        if value:
            # A title with line breaks must not be able to add lines of its own to the page.
            parts.append(f"- {name}: {' '.join(value.split())}")
    if parts:
        content.results.append(ToolResult(call_id="", text="\n".join(parts)))


def _add_thoughts(content: Content, output: dict[str, Any], notes: Notes) -> None:
    nested = output.get("current_state")
    for source in (output, nested if isinstance(nested, dict) else {}):
        for key in _BRAIN:
            thought = string(source.get(key), key, notes)
            if thought:
                content.thoughts.append(thought)


def _add_calls(content: Content, actions: object, step: int, notes: Notes) -> None:
    if not isinstance(actions, list):
        if actions is not None:
            notes.append(f"action is {kind(actions)}")
            content.texts.append(render(actions))
        return
    for index, action in enumerate(actions):
        name, arguments = "", {}
        if isinstance(action, dict):
            name = next((key for key in action if key != "interacted_element"), "")
            arguments = read_arguments(action.get(name), notes)
        else:
            notes.append(f"action holds {kind(action)}")
            arguments = {"input": action}
        content.calls.append(ToolCall(f"{step}.{index}", name, arguments))


def _add_results(content: Content, results: object, step: int, notes: Notes) -> None:
    if not isinstance(results, list):
        if results is not None:
            notes.append(f"result is {kind(results)}")
            content.texts.append(render(results))
        return
    for index, result in enumerate(results):
        if not isinstance(result, dict):
            notes.append(f"result holds {kind(result)}")
            content.texts.append(render(result))
            continue
        error = string(result.get("error"), "error", notes)
        shown = string(first(result, ("extracted_content", "long_term_memory")), "extracted_content", notes)
        if result.get("is_done") is True:
            # The text of `done` is the agent's own closing word, not something a page showed.
            content.texts.append(shown)
            shown = ""
        if shown or error:
            content.results.append(ToolResult(f"{step}.{index}", joined([shown, error]), bool(error)))
