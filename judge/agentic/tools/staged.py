"""Staged files read back, line by line, each line with where it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clawjudge.judge.agentic.evidence.manifest import Manifest

_BLOCK = re.compile(r"(?:agent|reference) (?:http|actions|messages):(?P<line>[0-9]+)(?: |$)")
_FACTS = re.compile(r"(?:agent|reference) http:[0-9]+(?: @-?[0-9.]+s)? (?P<facts>\{.*\})")


@dataclass(frozen=True, slots=True)
class StagedLine:
    """One line of a staged file."""

    file: str
    number: int
    """From 1, in the staged file."""
    text: str


@dataclass(frozen=True, slots=True)
class StagedBlock:
    """The staged lines of one line of a layer."""

    line: int
    """In the layer's file."""
    lines: tuple[StagedLine, ...]

    @property
    def facts(self) -> dict[str, Any]:
        """Of a request: method, address, type and, where recorded, status and whether it was blocked."""
        found = _FACTS.fullmatch(self.lines[0].text)
        value = json.loads(found["facts"]) if found else {}
        return value if isinstance(value, dict) else {}


def layer_lines(manifest: Manifest, run: str, layer: str) -> Iterator[StagedLine]:
    """All staged lines of one layer of one run, in order."""
    for file in manifest.files:
        if file.run == run and file.layer == layer and file.lines is not None:
            yield from _lines(manifest, file.name)


def layer_blocks(manifest: Manifest, run: str, layer: str) -> Iterator[StagedBlock]:
    """The staged lines of a layer, together as they were made from one line of it."""
    block: list[StagedLine] = []
    line = 0
    for staged in layer_lines(manifest, run, layer):
        found = _BLOCK.match(staged.text)
        number = int(found["line"]) if found else line
        if block and number != line:
            yield StagedBlock(line, tuple(block))
            block = []
        line = number
        block.append(staged)
    if block:
        yield StagedBlock(line, tuple(block))


def records(manifest: Manifest, name: str) -> Iterator[dict[str, Any]]:
    """The JSON lines of `alignment` or `bindings`, in order."""
    for file in manifest.files:
        if file.name.startswith(f"{name}-"):
            for line in _lines(manifest, file.name):
                yield json.loads(line.text)


def _lines(manifest: Manifest, name: str) -> Iterator[StagedLine]:
    with (manifest.folder / name).open(encoding="utf-8", newline="\n") as file:
        for number, text in enumerate(file, 1):
            yield StagedLine(name, number, text.removesuffix("\n"))
