"""The house rules that no linter knows: links, guards, sizes, no swallowed error, no test that asserts nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ["interceptor", "judge", "rubrics", "runner", "traces"]
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 60
Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_files() -> Iterator[Path]:
    for folder in [*FOLDERS, "tests"]:
        yield from (ROOT / folder).rglob("*.py")
    for script in (ROOT / "scripts").iterdir():
        if script.is_file() and script.read_bytes().startswith(b"#!/usr/bin/env python"):
            yield script


FILES = sorted(python_files())
TESTS = [file for file in FILES if file.name.startswith("test_")]


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


each_file = pytest.mark.parametrize("path", FILES, ids=shown)


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


@pytest.mark.parametrize("folder", FOLDERS)
def test_package_refuses_its_bare_name(folder: str) -> None:
    # Under two names one class would exist twice, and `isinstance` would fail between them.
    done = subprocess.run([sys.executable, "-c", f"import {folder}"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode != 0
    assert f"ImportError: import this package as clawjudge.{folder} (pip install -e .)" in done.stderr.replace(
        " makes that name available", ""
    )


@pytest.mark.parametrize("folder", FOLDERS)
def test_package_is_typed(folder: str) -> None:
    assert (ROOT / folder / "py.typed").is_file()


def test_links_are_complete_and_relative() -> None:
    links = {link.name: str(link.readlink()) for link in (ROOT / ".src" / "clawjudge").iterdir()}
    # No __init__.py among them: clawjudge is a namespace package, or editable installs break.
    assert links == {folder: f"../../{folder}" for folder in FOLDERS}
    assert [entry.name for entry in (ROOT / ".src").iterdir()] == ["clawjudge"]


@each_file
def test_file_can_be_imported_by_name(path: Path) -> None:
    assert "-" not in shown(path)


@each_file
def test_module_is_small(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= MAX_MODULE_LINES


def length(function: Function) -> int:
    """Lines of a function without its docstring and decorators."""
    first = function.body[0]
    lines = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is not None:
        lines -= (first.end_lineno or 0) - first.lineno + 1
    return lines


@each_file
def test_functions_are_small(path: Path) -> None:
    long = [f"{f.name}: {length(f)} lines" for f in functions(parse(path)) if length(f) > MAX_FUNCTION_LINES]
    assert long == []


def swallowing(tree: ast.AST) -> list[int]:
    """Lines of `except:` without a type, and of handlers that do nothing at all."""
    return [
        handler.lineno
        for handler in ast.walk(tree)
        if isinstance(handler, ast.ExceptHandler)
        and (handler.type is None or all(_does_nothing(statement) for statement in handler.body))
    ]


def _does_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


@each_file
def test_no_error_is_swallowed(path: Path) -> None:
    assert swallowing(parse(path)) == []


def asserting(tree: ast.AST) -> set[str]:
    """Names of functions that assert: by a statement, by `pytest.raises` or `warns`, or by calling one that does.

    A property (`@given`) may hold none: that no input at all makes the code raise is an assertion.
    """
    found: set[str] = set()
    calls: dict[str, set[str]] = {}
    for function in functions(tree):
        called = {_name(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
        calls[function.name] = called
        if called & {"raises", "warns", "fail", "given"} or any(
            isinstance(node, ast.Assert) for node in ast.walk(function)
        ):
            found.add(function.name)
    while more := {name for name, called in calls.items() if name not in found and called & found}:
        found |= more
    return found


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


@pytest.mark.parametrize("path", TESTS, ids=shown)
def test_every_test_asserts(path: Path) -> None:
    tree = parse(path)
    tests = {function.name for function in functions(tree) if function.name.startswith("test_")}
    assert tests, "a test file without a test"
    assert tests - asserting(tree) == set()


def test_the_checks_of_this_file_find_what_they_look_for() -> None:
    bad = "try:\n    f()\nexcept:\n    raise\ntry:\n    f()\nexcept ValueError:\n    pass\n"
    assert swallowing(ast.parse(bad)) == [3, 7]
    assert swallowing(ast.parse("try:\n    f()\nexcept ValueError:\n    x = 1\n")) == []

    text = "def helper():\n    assert 1\n\ndef test_a():\n    helper()\n\ndef test_b():\n    print()\n"
    assert asserting(ast.parse(text)) == {"helper", "test_a"}

    function = next(functions(ast.parse('@one\ndef f():\n    """Two\n    lines."""\n    return 1\n')))
    assert length(function) == 2


def test_tests_are_not_a_package() -> None:
    # Fixtures in a conftest.py at the top would hide what a test depends on; it may hold settings of tools alone.
    assert list(functions(parse(ROOT / "tests" / "conftest.py"))) == []
    # With --import-mode=importlib none is needed.
    assert list((ROOT / "tests").rglob("__init__.py")) == []
