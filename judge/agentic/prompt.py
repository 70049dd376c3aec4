"""What the agentic judge is told: our words, the rubric, and a first look at the evidence.

Text of a trace or a task stands in it only inside the fence of this conversation.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from clawjudge.judge.agentic.evidence.documents import rubric_lines
from clawjudge.judge.agentic.evidence.manifest import Manifest
from clawjudge.judge.agentic.tools.staged import records
from clawjudge.judge.fence import Fence, quoted
from clawjudge.rubrics.load import Rubric
from clawjudge.rubrics.prompts import load_prompt
from clawjudge.traces.records import LAYERS

PROMPT = "v1-agentic"
_MAX_DIFFERENCES = 40
_MAX_CHARACTERS = 12_000
_MAX_PAGES = 60


@dataclass(frozen=True, slots=True)
class JudgePrompt:
    """The two texts that a conversation begins with."""

    system: str
    case: str
    version: str
    sha256: str
    """Of our words, with the places for the case still open: what a verdict's fingerprint names."""


def build_prompt(manifest: Manifest, rubric: Rubric, fence: Fence) -> JudgePrompt:
    """The prompt for staged evidence. Raises `ValueError` if it was staged under another rubric."""
    if manifest.rubric_sha256 != rubric.sha256:
        raise ValueError("the evidence was staged under another rubric; stage it again")
    prompt = load_prompt(PROMPT)
    task = json.loads((manifest.folder / "task.json").read_text("utf-8"))
    facts = json.loads((manifest.folder / "facts.json").read_text("utf-8"))
    case = prompt.filled(
        "case",
        instruction=fence.around(_cut(task["instruction"]), "the instruction"),
        rubric_id=rubric.id,
        rubric_version=rubric.version,
        rubric="\n".join(rubric_lines(rubric)),
        facts=fence.around_lines(_cut_lines(quoted(facts, indent=1).split("\n"), "facts.json"), "facts.json"),
        differences=_differences(manifest, fence),
        inventory="\n".join(_inventory(manifest)),
        rule_ids=", ".join(rule.id for rule in rubric.rules),
    )
    system = prompt.filled("system", fence_rule=fence.rule)
    return JudgePrompt(system, case, prompt.version, prompt.sha256)


def _cut(text: str) -> str:
    if len(text) <= _MAX_CHARACTERS:
        return text
    return f"{text[:_MAX_CHARACTERS]}… ({len(text) - _MAX_CHARACTERS} characters more in task.json)"


def _cut_lines(lines: list[str], file: str) -> list[str]:
    """Lines up to the limit, and how many more there are."""
    size = 0
    for place, line in enumerate(lines):
        size += len(line) + 1
        if size > _MAX_CHARACTERS:
            return [*lines[:place], f"({len(lines) - place} more lines in {file})"]
    return lines


def _differences(manifest: Manifest, fence: Fence) -> str:
    if "http" not in manifest.layers:
        return "Nothing was compared: you are not given the requests."
    differing = [binding for binding in records(manifest, "bindings") if binding.get("status") != "match"]
    if not differing:
        return "No compared field differs. That alone proves nothing about fields that were not compared."
    lines = [quoted(binding) for binding in differing[:_MAX_DIFFERENCES]]
    more = len(differing) - len(lines)
    lines += [f"({more} more: ask payload_diff)"] if more else []
    return fence.around_lines(_cut_lines(lines, "bindings-001.jsonl"), "fields that differ")


def _inventory(manifest: Manifest) -> list[str]:
    """The files, and the layers that are not among them. Every name is ours."""
    lines = []
    for file in manifest.files:
        if file.lines is None:
            continue
        span = f", lines {file.first_line} to {file.last_line} of the layer" if file.first_line is not None else ""
        lines.append(f"- {file.name}: {file.lines} lines{span}")
    if len(lines) > _MAX_PAGES:
        lines = [*lines[:_MAX_PAGES], f"- and {len(lines) - _MAX_PAGES} more: see manifest.json"]
    pictures = [file.name for file in manifest.files if file.lines is None]
    if pictures:
        lines.append(f"- {len(pictures)} pictures: pictures/*.jpg, and sheets/*.jpg with many small ones")
    withheld = [layer for layer in LAYERS if layer not in manifest.layers]
    if withheld:
        lines.append(f"You are not given these layers, and no gap in them says anything: {', '.join(withheld)}.")
    if manifest.omitted:
        lines.append("Parts of the recording are left out for their size; manifest.json says which and how much.")
    return lines
