"""Which folder may import which (the table of CONTRIBUTING.md): absolutely, and the command line from nowhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAY_IMPORT: dict[str, set[str]] = {
    "traces": set(),
    "rubrics": set(),
    "judge": {"traces", "rubrics"},
    "interceptor": {"traces"},
    "runner": {"traces", "interceptor"},
}
ROOMS: dict[str, set[str]] = {
    "align": set(),
    "offline": {"align"},
}
"""Rooms of `judge/` and what they may import of other rooms; the modules that stand in no room are everyone's."""
LAZY_FROM_CLI = {"runner", "interceptor"}
OURS = {*MAY_IMPORT, "tests", "scripts"}
MODULES = sorted(path for folder in MAY_IMPORT for path in (ROOT / folder).rglob("*.py"))


def imports(tree: ast.Module) -> Iterator[tuple[str, bool, int]]:
    """Every imported name with dots, whether the import stands inside a function, and its line."""
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        names: list[str] = []
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom():
                start = "." * node.level + (node.module or "")
                names = [f"{start}.{alias.name}" for alias in node.names]
            # Written as a call, an import is an import all the same.
            case ast.Call(
                func=ast.Attribute(attr="import_module") | ast.Name(id="import_module" | "__import__"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                names = [name]
        for name in names:
            yield name, id(node) in inside, node.lineno  # type: ignore[attr-defined]


def _room(parts: list[str]) -> str:
    """The room of `judge/` that `clawjudge.judge.…` names, or an empty text."""
    return parts[2] if parts[1:2] == ["judge"] and len(parts) > 2 and (ROOT / "judge" / parts[2]).is_dir() else ""


def violations(source: str, file: str) -> list[str]:
    """What the module `file` (relative to the repository) imports although it may not."""
    folder = Path(file).parts[0]
    in_cli = file.startswith("judge/cli/")
    room = _room(["clawjudge", *Path(file).with_suffix("").parts])
    found = []
    for name, lazy, line in imports(ast.parse(source)):
        parts = name.split(".")
        if name.startswith("."):
            found.append(f"{file}:{line}: relative import {name}")
        elif parts[0] in OURS:
            found.append(f"{file}:{line}: {parts[0]} is imported as clawjudge.{parts[0]} or not at all")
        elif parts[0] != "clawjudge":
            continue
        elif len(parts) < 2 or parts[1] not in MAY_IMPORT:
            found.append(f"{file}:{line}: {name} names no folder of ours")
        elif parts[1] in LAZY_FROM_CLI and in_cli and not lazy:
            found.append(f"{file}:{line}: {name} is imported at the top; the command line does it inside a function")
        elif parts[1] not in {folder, *MAY_IMPORT[folder], *(LAZY_FROM_CLI if in_cli else ())}:
            found.append(f"{file}:{line}: {folder} may not import {parts[1]}")
        elif parts[1:3] == ["judge", "cli"] and not in_cli:
            found.append(f"{file}:{line}: the command line is imported by nothing else")
        elif room in ROOMS and (other := _room(parts)) and other not in {room, *ROOMS[room]}:
            found.append(f"{file}:{line}: judge/{room} may not import judge/{other}")
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_imports_only_what_its_folder_may(path: Path) -> None:
    assert violations(path.read_text("utf-8"), str(path.relative_to(ROOT))) == []


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("traces/a.py", "from clawjudge.judge.case import Case"),
        ("traces/a.py", "def f():\n    from clawjudge.rubrics import load"),
        ("traces/a.py", "from clawjudge import judge"),
        ("traces/a.py", "import clawjudge"),
        ("traces/a.py", "from clawjudge import *"),
        ("traces/a.py", "from .clock import Clock"),
        ("traces/a.py", "from . import clock"),
        ("traces/a.py", "import traces.clock"),
        ("traces/a.py", "from tests.traces import test_clock"),
        ("traces/a.py", "import importlib\nimportlib.import_module('clawjudge.judge.case')"),
        ("rubrics/a.py", "from clawjudge.traces.clock import Clock"),
        ("judge/a.py", "from clawjudge.runner.run import start"),
        ("judge/a.py", "def f():\n    import clawjudge.interceptor.cdp"),
        ("judge/a.py", "def f():\n    from clawjudge.judge.cli import main"),
        ("judge/study/a.py", "from clawjudge.judge import cli"),
        ("judge/align/a.py", "from clawjudge.judge.offline.facts import Facts"),
        ("judge/align/a.py", "def f():\n    from clawjudge.judge import offline"),
        ("judge/offline/a.py", "from clawjudge.judge.study.corpus import score_corpus"),
        ("judge/cli/a.py", "from clawjudge.runner.run import start"),
        ("judge/cli/a.py", "if True:\n    import clawjudge.interceptor.cdp"),
        ("interceptor/a.py", "import clawjudge.runner.run"),
        ("interceptor/a.py", "from clawjudge.judge.align import terminal"),
        ("runner/a.py", "from clawjudge.judge.verdict import Verdict"),
    ],
)
def test_each_forbidden_import_is_found(file: str, source: str) -> None:
    assert len(violations(source, file)) == 1


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("traces/a.py", "import json, av\nfrom clawjudge.traces.clock import Clock"),
        ("rubrics/a.py", "from clawjudge.rubrics.load import Rubric"),
        ("judge/a.py", "from clawjudge.traces import clock\nfrom clawjudge.rubrics import load"),
        ("judge/align/a.py", "from clawjudge.judge.align.acts import ENTRIES\nfrom clawjudge.judge.case import Case"),
        ("judge/offline/a.py", "from clawjudge.judge.align import terminal"),
        ("judge/cli/a.py", "from clawjudge.judge.cli.main import run"),
        ("judge/cli/a.py", "def f():\n    from clawjudge.runner import run\n    import clawjudge.interceptor.cdp"),
        ("interceptor/a.py", "from clawjudge.traces.payload import parse"),
        ("runner/a.py", "from clawjudge.interceptor import cdp\nfrom clawjudge.traces import task"),
    ],
)
def test_each_allowed_import_passes(file: str, source: str) -> None:
    assert violations(source, file) == []
