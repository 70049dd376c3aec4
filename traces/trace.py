"""A recorded run. Opening one reads only its small files; layers are streamed when asked for."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clawjudge.traces.clock import parse_time
from clawjudge.traces.errors import InvalidTask
from clawjudge.traces.files import RunFiles, locate
from clawjudge.traces.jsonl import read_lines
from clawjudge.traces.meta import Interception, RunMeta, parse_interception, parse_meta, read_document, text
from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.records import ActionEvent, Message, RequestEvent, Target
from clawjudge.traces.secret_members import promised_secrets

if TYPE_CHECKING:
    from clawjudge.traces.screenshots import Screenshot
    from clawjudge.traces.task import Task
    from clawjudge.traces.video import VideoInfo


class Trace:
    """One run folder, in any of the accepted forms.

    `problems` collects what is wrong with the recording while it is read. Raises `InvalidRun` if the folder is no run.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.problems = ProblemLog()
        self.files: RunFiles = locate(root, self.problems)

    def has(self, layer: str) -> bool:
        """Whether the layer's file exists (it may still be empty)."""
        return layer in self.files.found

    @functools.cached_property
    def meta(self) -> RunMeta:
        return parse_meta(self._document("meta"))

    @functools.cached_property
    def interception_document(self) -> dict[str, Any]:
        """`interception.json` as it stands; empty if there is none."""
        return self._document("interception")

    @functools.cached_property
    def interception(self) -> Interception | None:
        return parse_interception(self.interception_document) if self.has("interception") else None

    @functools.cached_property
    def task(self) -> Task | None:
        """The task from `task.json`, else put together from what the recorder kept of it; None if neither serves."""
        from clawjudge.traces.task import parse_task

        document = self._task_document()
        schema = self._document("schema") or (self.interception.schema if self.interception else {})
        if not document and self.meta.instruction:
            raw = self.meta.raw
            document = {"instruction": self.meta.instruction, "metadata": {"task_id": raw.get("task_id")}}
            document["metadata"]["sites_involved"] = raw.get("sites_involved") or []
        if document and not document.get("eval_schema") and schema:
            document = {**document, "eval_schema": schema}
        if not document:
            return None
        source = self.files.relative("task") if self.has("task") else "run-meta.json"
        try:
            return parse_task(document, source)
        except InvalidTask as error:
            self.problems.add("invalid_task", "task", source, str(error))
            return None

    @property
    def task_defect(self) -> str:
        """What is wrong with the run's own `task.json`; empty if it is usable, or if there is none."""
        usable = self.task is not None
        file = self.files.relative("task") if self.has("task") else ""
        found = (p for p in self.problems.of("task") if p.code == "invalid_task" and p.file == file)
        said = next((p.message for p in found), "" if usable or not file else "it cannot be used")
        return f"{file}: {said}" if said else ""

    def _task_document(self) -> dict[str, Any]:
        """`task.json`; a damaged one is one problem of its own, whatever the damage."""
        if not self.has("task"):
            return {}
        file = self.files.relative("task")
        self.problems.forget("task", file)
        found = ProblemLog()
        document = read_document(self.files.found["task"], "task", file, found)
        if document:
            for problem in found:
                self.problems.add(problem.code, problem.layer, problem.file, problem.message)
        else:
            self.problems.add("invalid_task", "task", file, next((p.message for p in found), "an empty object"))
        return document

    def actions(self) -> Iterator[ActionEvent]:
        if not self.has("actions"):
            return
        file = self.files.relative("actions")
        self.problems.forget("actions", file)
        for line in read_lines(self.files.found["actions"], "actions", file, self.problems):
            event = _action(line.value, line.number)
            if event is None:
                self.problems.add("wrong_type", "actions", file, "not an action: no `type`", line.number)
            else:
                yield event

    def requests(self) -> Iterator[RequestEvent]:
        if not self.has("http"):
            return
        file = self.files.relative("http")
        self.problems.forget("http", file)
        for line in read_lines(self.files.found["http"], "http", file, self.problems):
            event = _request(line.value, line.number, line.size)
            if event is None:
                self.problems.add("wrong_type", "http", file, "not a request: no `url` and `method`", line.number)
            else:
                yield event

    def messages(self) -> Iterator[Message]:
        if not self.has("messages"):
            return
        from clawjudge.traces.transcripts.read import read_messages

        file = self.files.relative("messages")
        self.problems.forget("messages", file)
        try:
            yield from read_messages(self.files.found["messages"], file, self.problems)
        except OSError as error:
            self.problems.add("unreadable", "messages", file, f"cannot be read: {error.strerror}")

    def screenshots(self) -> list[Screenshot]:
        if not self.has("screenshots"):
            return []
        from clawjudge.traces.screenshots import list_screenshots

        return list_screenshots(self.files.found["screenshots"], self.root, self.problems)

    def video(self) -> VideoInfo | None:
        if not self.has("video"):
            return None
        from clawjudge.traces.video import probe_video

        file = self.files.relative("video")
        self.problems.forget("video", file)
        return probe_video(self.files.found["video"], file, self.problems)

    def _document(self, key: str) -> dict[str, Any]:
        if not self.has(key):
            return {}
        layer = "interception" if key == "interception" else "task" if key in ("task", "schema") else "meta"
        file = self.files.relative(key)
        self.problems.forget(layer, file)
        return read_document(self.files.found[key], layer, file, self.problems)


def _action(value: object, line: int) -> ActionEvent | None:
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return None
    target = value.get("target")
    return ActionEvent(
        line=line,
        type=value["type"],
        t_ms=parse_time(value.get("timestamp"), "ms"),
        url=text(value.get("url")),
        title=text(value.get("title")),
        target=_target(target) if isinstance(target, dict) else None,
        value=_value(value.get("value")),
        key=text(value.get("key")) or None,
        x=_number(value.get("x")),
        y=_number(value.get("y")),
    )


def _value(raw: object) -> str | None:
    """What an element held. Recorders write text; a page can put anything there, and only scalars are values."""
    if isinstance(raw, bool):
        return "true" if raw else "false"
    return str(raw) if isinstance(raw, str | int | float) else None


def _target(raw: dict[str, Any]) -> Target:
    name = next((raw[k] for k in ("name", "ariaLabel", "placeholder", "label") if isinstance(raw.get(k), str)), "")
    return Target(
        tag=text(raw.get("tagName")).upper(),
        id=text(raw.get("id")),
        classes=text(raw.get("className")),
        text=text(raw.get("textContent")),
        xpath=text(raw.get("xpath")),
        name=name,
        promises=tuple(promised_secrets(raw)),
    )


def _request(value: object, line: int, size: int) -> RequestEvent | None:
    if not isinstance(value, dict) or not isinstance(value.get("url"), str) or not isinstance(value.get("method"), str):
        return None
    headers = value.get("headers")
    blocked, status = value.get("blocked"), value.get("status")
    return RequestEvent(
        line=line,
        method=value["method"].upper(),
        url=value["url"],
        t_ms=parse_time(value.get("timestamp"), "s"),
        headers={str(k): str(v) for k, v in headers.items()} if isinstance(headers, dict) else {},
        resource_type=text(value.get("resource_type")),
        body=value.get("body"),
        blocked=blocked if isinstance(blocked, bool) else None,
        status=status if isinstance(status, int) and not isinstance(status, bool) else None,
        size=size,
    )


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e9 else None
