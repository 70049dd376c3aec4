"""Task definitions (`task.json`, or a corpus of them as JSON lines), checked once, when they are loaded.

A wrong pattern that is found only while a browser runs ends the interceptor and lets the final request through, so
whatever can be checked is checked here: the pattern compiles, the method exists, no path leaves the task's folder.
Unknown keys are kept and written back. Every defect raises `InvalidTask` with the file, the field and the remedy.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from clawjudge.traces.errors import InvalidInput, InvalidTask, UnsafePath
from clawjudge.traces.given import read_given
from clawjudge.traces.jsonl import decode, read_lines
from clawjudge.traces.paths import inside
from clawjudge.traces.patterns import Pattern, cannot_match, compile_pattern, is_placeholder
from clawjudge.traces.pointers import flatten
from clawjudge.traces.problems import ProblemLog

HTTP_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"})
MAX_TASK_BYTES = 16 * 1024 * 1024
MAX_CONSTRAINT_DEPTH = 64
"""Levels of nesting in a body or params constraint, so that matching may recurse over it."""

# Only to apply the rules of `inside` to the text of a path; a task in a corpus file has no folder of its own.
_ANY_FOLDER = Path("/nonexistent")


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)


class ExtraInfo(_Model):
    """A file handed to the agent together with the instruction."""

    path: str
    """Relative to the task's folder."""
    description: str = ""

    @field_validator("path")
    @classmethod
    def _stays_in_the_folder(cls, path: str) -> str:
        try:
            inside(_ANY_FOLDER, path)
        except UnsafePath:
            raise ValueError(f"{path!r} leaves the task's folder; use a path relative to it, without '..'") from None
        return path


class Metadata(_Model):
    """Where a task comes from; nothing here takes part in judging."""

    metaclass: str = ""
    category: str = Field(default="", alias="class")
    description: str = ""
    sites_involved: tuple[str, ...] = ()
    """Host names as the benchmark lists them; some carry a scheme or a path."""
    platform: str = ""
    common_info: dict[str, Any] = Field(default_factory=dict)


class EvalSchema(_Model):
    """The terminal submission target: the request that would commit the task."""

    url_pattern: str
    """Python regular expression; `clawjudge.traces.matcher` says how it is applied."""
    method: str | tuple[str, ...] | None = None
    """HTTP method in capitals, or several; None allows every method."""
    body: dict[str, Any] | None = None
    """Fields that the parsed body must contain."""
    params: dict[str, Any] | None = None
    """Query parameters that the URL must carry."""

    @field_validator("url_pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        compile_pattern(pattern)
        return pattern

    @field_validator("method", mode="before")
    @classmethod
    def _known_method(cls, method: Any) -> Any:
        names = [method] if isinstance(method, str) else method
        if not isinstance(names, list | tuple):
            return names
        upper = tuple(name.strip().upper() if isinstance(name, str) else name for name in names)
        unknown = [name for name in upper if name not in HTTP_METHODS]
        if unknown or not upper:
            raise ValueError(f"{method!r} is no HTTP method; use one of {', '.join(sorted(HTTP_METHODS))}")
        return upper[0] if isinstance(method, str) else upper

    @field_validator("body", "params")
    @classmethod
    def _shallow_enough(cls, constraint: dict[str, Any] | None) -> dict[str, Any] | None:
        if any(pointer.count("/") > MAX_CONSTRAINT_DEPTH for pointer, _ in flatten(constraint)):
            raise ValueError(f"is nested more than {MAX_CONSTRAINT_DEPTH} levels deep; constrain fewer levels")
        return constraint

    @cached_property
    def pattern(self) -> Pattern:
        """`url_pattern`, ready to be searched within a time limit."""
        return compile_pattern(self.url_pattern)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods allowed; empty if all are."""
        if self.method is None:
            return ()
        return (self.method,) if isinstance(self.method, str) else self.method

    @cached_property
    def never_matches(self) -> bool:
        """Whether the author chose a pattern that no URL can match, so that stage 1 says nothing about the task.

        That is a placeholder word (capitals joined by underscores, like `__TO_BE_DONE__` or `NO_MATCH`; a word such as
        `ADD_TO_CART` may well stand in a URL and is none), or an expression that cannot match (`(?!)`, `$^`, `a^`).
        """
        return is_placeholder(self.url_pattern) or cannot_match(self.url_pattern)


class Task(_Model):
    """One task definition."""

    task_id: str = Field(default="", coerce_numbers_to_str=True)
    """As in `metadata.task_id`; empty if the definition has none."""
    instruction: str
    """What the agent was asked to do."""
    eval_schema: EvalSchema
    time_limit: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Minutes."""
    extra_info: tuple[ExtraInfo, ...] = ()
    metadata: Metadata = Metadata()

    @property
    def sites(self) -> tuple[str, ...]:
        """Host names of `metadata.sites_involved`, in lower case, without scheme, `www.` and path."""
        hosts = (site.strip().lower().rpartition("://")[2] for site in self.metadata.sites_involved)
        return tuple(host.partition("/")[0].removeprefix("www.") for host in hosts)

    @model_validator(mode="before")
    @classmethod
    def _lift_task_id(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and data.get("task_id") is None:
            metadata = data.get("metadata")
            lifted = metadata.get("task_id") if isinstance(metadata, Mapping) else None
            return {**data, "task_id": "" if lifted is None else lifted}
        return data

    @field_validator("instruction")
    @classmethod
    def _says_something(cls, instruction: str) -> str:
        if not instruction.strip():
            raise ValueError("is blank; write what the agent is to do")
        return instruction


def parse_task(data: Mapping[str, Any], source: str) -> Task:
    """The task in a decoded JSON object. `source` names it in errors. Raises `InvalidTask`."""
    try:
        return Task.model_validate(data)
    except ValidationError as error:
        raise InvalidTask("\n".join(_explain(source, defect) for defect in error.errors())) from error


def load_task(path: Path) -> Task:
    """The task in a `task.json`, or in the folder that holds one. Raises `InvalidTask`."""
    file = path / "task.json" if path.is_dir() else path
    try:
        data = decode(read_given(file, MAX_TASK_BYTES).removeprefix(b"\xef\xbb\xbf"))
    except InvalidInput as error:
        remedy = "" if file.exists() else "; give a task.json or the folder that holds it"
        raise InvalidTask(f"{error}{remedy}") from error
    except ValueError as error:
        raise InvalidTask(f"{file}: not JSON: {error}; correct the file") from error
    task = parse_task(data, str(file))
    for index, info in enumerate(task.extra_info):
        try:
            inside(file.parent, info.path)
        except UnsafePath as error:
            raise InvalidTask(f"{file}: extra_info.{index}.path: {error}") from error
    return task


def load_corpus(path: Path) -> list[tuple[str, Task]]:
    """Slug and task of every line `{"slug", "task"}` of a JSON lines file, in file order.

    Raises `InvalidTask` for an unreadable or damaged file, and for a slug that occurs twice.
    """
    log = ProblemLog()
    first_line: dict[str, int] = {}
    tasks: list[tuple[str, Task]] = []
    try:
        for line in read_lines(path, "task", path.name, log):
            source = f"{path}, line {line.number}"
            slug = line.value.get("slug") if isinstance(line.value, dict) else None
            if not isinstance(slug, str) or not slug:
                raise InvalidTask(f'{source}: slug: is missing; each line is {{"slug": "...", "task": {{...}}}}')
            if slug in first_line:
                raise InvalidTask(f"{path}: slug {slug!r} is on lines {first_line[slug]} and {line.number}; rename one")
            first_line[slug] = line.number
            tasks.append((slug, parse_task(line.value.get("task"), f"{source} ({slug})")))
    except OSError as error:
        raise InvalidTask(f"{path}: cannot be read: {error.strerror}; give a JSON lines file of tasks") from error
    for problem in log:
        raise InvalidTask(f"{path}, line {problem.line}: {problem.message}; correct or remove the line")
    if not tasks:
        raise InvalidTask(f"{path}: holds no tasks; give a JSON lines file of tasks")
    return tasks


def _explain(source: str, defect: Any) -> str:
    field = ".".join(str(part) for part in defect["loc"])
    if defect["type"] == "missing":
        return f"{source}: {field}: is missing; add it"
    if not field:
        return f"{source}: the definition must be a JSON object, see `instruction` and `eval_schema` in other tasks"
    return f"{source}: {field}: {defect['msg'].removeprefix('Value error, ')}"
