"""`run-meta.json` and `interception.json`: what the recorder says about a run. Claims, checked against the layers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clawjudge.traces.clock import parse_time
from clawjudge.traces.jsonl import decode_tolerant
from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.records import RequestEvent

MAX_DOCUMENT_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class RunMeta:
    """The part of `run-meta.json` that clawjudge uses; `raw` keeps the rest."""

    task_id: str | None = None
    model: str = ""
    harness: str = ""
    email_used: str = ""
    instruction: str = ""
    category: str = ""
    human: bool = False
    raw: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Interception:
    """What `interception.json` claims."""

    intercepted: bool
    request: RequestEvent | None
    stop_reason: str = ""
    schema: dict[str, Any] = field(default_factory=dict)


def read_document(path: Path, layer: str, file: str, problems: ProblemLog) -> dict[str, Any]:
    """A small JSON object from a run; whatever is wrong with it becomes a problem and an empty object."""
    try:
        if path.stat().st_size > MAX_DOCUMENT_BYTES:
            problems.add("file_too_large", layer, file, f"larger than {MAX_DOCUMENT_BYTES} bytes; ignored")
            return {}
        raw = path.read_bytes().strip().removeprefix(b"\xef\xbb\xbf").strip()
    except OSError as error:
        problems.add("unreadable", layer, file, f"cannot be read: {error.strerror}")
        return {}
    if not raw:
        problems.add("empty_file", layer, file, "the file is empty")
        return {}
    try:
        value, replaced = decode_tolerant(raw)
    except ValueError as error:
        problems.add("bad_json", layer, file, f"not JSON: {error}")
        return {}
    if replaced:
        problems.add("invalid_utf8", layer, file, "invalid UTF-8 was replaced")
    if not isinstance(value, dict):
        problems.add("wrong_type", layer, file, f"expected an object, found {type(value).__name__}")
        return {}
    return value


def parse_meta(raw: dict[str, Any]) -> RunMeta:
    flags = raw.get("run_flags")
    harness = text(raw.get("harness"))
    task_id = raw.get("task_id")
    return RunMeta(
        task_id=str(task_id) if isinstance(task_id, str | int) and not isinstance(task_id, bool) else None,
        model=text(raw.get("model")),
        harness=harness,
        email_used=text(raw.get("email_used")),
        instruction=text(raw.get("instruction")),
        category=text(raw.get("metaclass")),
        human=harness == "human" or (isinstance(flags, dict) and flags.get("human") is True),
        raw=raw,
    )


def parse_interception(raw: dict[str, Any]) -> Interception:
    """Accepts the request nested under `request`, the flat form, and the stopped form."""
    inner = raw.get("request")
    source = inner if isinstance(inner, dict) else raw
    request = None
    if isinstance(source.get("url"), str):
        headers = source.get("headers")
        times = (raw.get("intercepted_at"), source.get("timestamp"))
        request = RequestEvent(
            line=0,
            method=text(source.get("method")).upper() or "GET",
            url=source["url"],
            t_ms=next((t for t in (parse_time(time, "s") for time in times) if t is not None), None),
            headers={str(k): str(v) for k, v in headers.items()} if isinstance(headers, dict) else {},
            body=source.get("body"),
            blocked=True,
        )
    schema = raw.get("schema")
    claimed = raw.get("intercepted")
    return Interception(
        # The flat form of the documentation has no flag: a request there is the intercepted one.
        intercepted=claimed is True or (claimed is None and request is not None),
        request=request,
        stop_reason=text(raw.get("stop_reason")),
        schema=schema if isinstance(schema, dict) else {},
    )


def text(value: object) -> str:
    return value if isinstance(value, str) else ""
