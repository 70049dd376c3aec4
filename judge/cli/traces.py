"""`clawjudge traces`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clawjudge.judge.cli.pull import pull
from clawjudge.judge.cli.streams import Exit, NothingMatched, emit, gravest, show

if TYPE_CHECKING:
    from clawjudge.judge.show.layout import Line

_FORMAT = click.option(
    "--format", "form", type=click.Choice(["human", "json"]), default="human", show_default=True, help="What to print."
)
_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}


@click.group()
def traces() -> None:
    """Look into recordings and task definitions, and fetch recordings."""


traces.add_command(pull)


@traces.command(
    epilog="""\b
Examples:
  clawjudge traces info runs/42
  clawjudge traces info runs --format json | jq '.runs[] | select(.n_problems > 0) | .run'
"""
)
@click.argument("path", type=click.Path(path_type=Path))
@_FORMAT
def info(path: Path, form: str) -> Exit:
    """Say what the recording at PATH holds, or every recording below it.

    Layers and how much is in them, times and clocks, what is missing, and every defect with its line number.
    """
    from clawjudge.judge.pairing import find_runs
    from clawjudge.judge.show.documents import dumps
    from clawjudge.judge.show.layout import Screen, line
    from clawjudge.judge.show.recording import recording_parts

    runs = find_runs(path, with_references=True)
    if not runs:
        raise NothingMatched(f"{path}: holds no run; a run is a folder with run-meta.json or requests.jsonl")
    documents = [_recording(run, run.relative_to(path).as_posix()) for run in runs]
    if form == "json":
        emit(dumps({"schema_version": 1, "runs": documents}, indent=2) + "\n")
    else:
        parts: list[Any] = []
        for run, document in zip(runs, documents, strict=True):
            parts += [line("")] if parts else []
            parts += [line(document["error"])] if "error" in document else recording_parts(document, str(run))
        show(Screen.of_stdout().render(parts))
    return Exit.INVALID_INPUT if any("error" in document for document in documents) else Exit.DONE


def _recording(run: Path, name: str) -> dict[str, Any]:
    from clawjudge.judge.show.recording import recording_document
    from clawjudge.traces.errors import TraceError
    from clawjudge.traces.trace import Trace

    try:
        return recording_document(Trace(run), name)
    except (TraceError, OSError) as error:
        # One unreadable folder must not hide the others.
        return {"run": name, "error": str(error), "n_problems": 1}


@traces.command(
    epilog="""\b
Examples:
  clawjudge traces lint tasks/
  clawjudge traces lint v1.jsonl v2.jsonl --format json

\b
Exit codes: 0 no errors (warnings and notes are allowed), 1 a task that would let runs pass or fail for no
fault of theirs, 4 a definition that cannot be used at all, 5 no definition found.
"""
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path))
@_FORMAT
def lint(paths: tuple[Path, ...], form: str) -> Exit:
    """Check task definitions for mistakes in their submission target.

    PATH is a task.json, a folder that holds some at any depth, or a corpus of tasks as JSON lines.
    """
    from clawjudge.judge.show.documents import dumps
    from clawjudge.judge.show.layout import Screen
    from clawjudge.traces.errors import InvalidTask

    for path in paths:
        if not path.exists():
            raise InvalidTask(f"{path}: no such file or folder; give a task.json, a folder of tasks or a .jsonl corpus")
    tasks = [task for path in paths for task in _lint(path)]
    if not tasks:
        raise NothingMatched(f"{', '.join(map(str, paths))}: no task.json found")
    counts = Counter(finding["severity"] for task in tasks for finding in task["findings"])
    summary = {"n_tasks": len(tasks), **{f"n_{severity}s": counts[severity] for severity in _STYLES}}
    if form == "json":
        emit(dumps({"schema_version": 1, "summary": summary, "tasks": tasks}, indent=2) + "\n")
    else:
        show(Screen.of_stdout().render(_lint_lines(tasks, summary)))
    unusable = any(finding["code"] == "invalid_task" for task in tasks for finding in task["findings"])
    failed = Exit.GATE_FAILED if counts["error"] else Exit.DONE
    return gravest([Exit.INVALID_INPUT if unusable else Exit.DONE, failed])


def _lint(path: Path) -> Iterator[dict[str, Any]]:
    """One entry per task: file, slug (in a corpus), findings. A definition that cannot be loaded is a finding too."""
    from clawjudge.traces.errors import InvalidTask
    from clawjudge.traces.lint import lint_corpus, lint_task
    from clawjudge.traces.task import load_task

    is_corpus = path.is_file() and path.suffix == ".jsonl"
    for file in [path] if path.is_file() else _definitions(path):
        try:
            entries = list(lint_corpus(file)) if is_corpus else [(None, lint_task(load_task(file)))]
        except InvalidTask as error:
            finding = {"code": "invalid_task", "severity": "error", "message": str(error), "field": ""}
            yield {"file": str(file), "slug": None, "findings": [finding]}
            continue
        for slug, findings in entries:
            yield {"file": str(file), "slug": slug, "findings": [asdict(finding) for finding in findings]}


def _definitions(folder: Path) -> list[Path]:
    if (folder / "task.json").is_file():
        return [folder / "task.json"]
    return sorted(Path(place) / "task.json" for place, _, names in os.walk(folder) if "task.json" in names)


def _lint_lines(tasks: list[dict[str, Any]], summary: dict[str, int]) -> Iterator[Line]:
    from clawjudge.judge.show.layout import count, line
    from clawjudge.judge.show.terminal import plain

    # Runs of one task hold copies of it, and what is wrong with all of them need be read once.
    alike: dict[str, list[dict[str, Any]]] = {}
    for task in tasks:
        if task["findings"]:
            alike.setdefault(repr((task["slug"], task["findings"])), []).append(task)
    for task, *copies in alike.values():
        slug = f" ({plain(task['slug'])})" if task["slug"] else ""
        more = f" and {len(copies)} more with the same findings" if copies else ""
        yield line((f"{plain(task['file'])}{slug}", "bold"), more)
        for finding in task["findings"]:
            style = _STYLES[finding["severity"]]
            where = f"{plain(finding['field'])}: " if finding["field"] else ""
            for number, message in enumerate(finding["message"].splitlines() or [""]):
                said = f"{where}{plain(message, 1000)}"
                tag = f"{finding['severity']} {finding['code']}"
                yield line((f"{tag}  ", style), said, indent=2) if number == 0 else line(said, indent=4)
    counted = ", ".join(count(summary[f"n_{severity}s"], severity) for severity in _STYLES)
    yield line((f"{count(summary['n_tasks'], 'task')}: {counted}", "bold"))
