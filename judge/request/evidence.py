"""What a request judge is shown of a run: instruction, method, address, body, and what the task's author says about it.

Secrets become tokens that still compare: a judge can see that the password of the task was typed, and not which.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from clawjudge.judge.request.reduction import reduce, roughly
from clawjudge.judge.request.terminal import Terminal, find_terminal
from clawjudge.judge.store.key import sha256_of
from clawjudge.traces.meta import RunMeta
from clawjudge.traces.payload import query_value
from clawjudge.traces.pointers import unpacked
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.redaction import Redactor
from clawjudge.traces.task import Task
from clawjudge.traces.trace import Trace

_CONTEXT_KEYS = ("rubric", "reference_solution", "gold_answer", "source_task_yaml")
_MOST_CONTEXT = 40_000
_MOST_ADDRESS = 4_000


@dataclass(frozen=True, slots=True)
class RequestEvidence:
    """One run, ready for either request judge."""

    task_id: str | None
    meta: RunMeta
    terminal: Terminal
    instruction: str = ""
    """As recorded; only its redacted form is shown."""
    shown: dict[str, Any] = field(default_factory=dict)
    """`instruction`, `method`, `url`, `query`, `body`, `context`: redacted, and small enough."""
    omissions: tuple[str, ...] = ()

    @property
    def problem(self) -> str:
        """Reason code if no judge can be asked about this run although it may have sent its request."""
        if self.terminal.problem:
            return self.terminal.problem
        return "no_instruction" if self.terminal.request is not None and not self.instruction else ""

    @property
    def why(self) -> str:
        """`problem`, or why there is no request, as a sentence."""
        if self.terminal.request is not None and not self.instruction:
            return "neither task.json nor run-meta.json says what the agent was asked to do"
        return self.terminal.why

    @property
    def instruction_sha256(self) -> str:
        return sha256_of(self.instruction)

    @property
    def sha256(self) -> str:
        """Of all that is shown; of what was decided without a judge where nothing is."""
        told: dict[str, Any] = {"recording": _recording_of(self.meta)}
        if self.shown:
            return sha256_of({**told, "shown": self.shown, "omissions": list(self.omissions)})
        return sha256_of({**told, "stage": self.terminal.stage.model_dump(mode="json"), "problem": self.problem})


def _recording_of(meta: RunMeta) -> list[Any]:
    """What tells one recording from another that happens to hold the same request: each attempt is judged by itself."""
    named = [meta.raw.get(name) for name in ("task_id", "test_case", "model", "harness", "timestamp")]
    return [value if isinstance(value, str | int) else None for value in named]


def gather(trace: Trace) -> RequestEvidence:
    """Read what a request judge needs of a run: a few small files, and the request log only where they fail."""
    terminal = find_terminal(trace)
    task, meta = trace.task, trace.meta
    instruction = (task.instruction if task else meta.instruction).strip()
    task_id = task.task_id if task is not None and task.task_id else meta.task_id
    if terminal.request is None or terminal.problem or not instruction:
        return RequestEvidence(task_id, meta, terminal, instruction)
    shown, omissions = _shown(instruction, terminal.request, _context(task, meta))
    return RequestEvidence(task_id, meta, terminal, instruction, shown, omissions)


def _shown(instruction: str, request: RequestEvent, context: dict[str, str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    payload = request.payload()
    body: Any = unpacked(payload.value)
    if payload.kind == "binary":
        raw = payload.raw or b""
        body = {"binary": f"{len(raw)} bytes", "sha256": hashlib.sha256(raw).hexdigest()}
    tree = roughly(
        {"method": request.method, "url": request.url, "query": unpacked(query_value(request.url)), "body": body}
    )
    # The salt comes from the evidence: equal evidence gives equal tokens, and who does not have it cannot try secrets.
    salt = hashlib.sha256(f"{instruction}\0{sha256_of(tree)}".encode("utf-8", "replace")).digest()
    redactor = Redactor(salt)
    for part in (tree["query"], tree["body"], instruction, context):
        redactor.learn(part)
    tree = {name: redactor.redact(value, "" if name == "body" else name) for name, value in tree.items()}
    reduced = reduce({"query": tree["query"], "body": tree["body"]}, instruction)
    problems = list(payload.problems)
    shown = {
        "instruction": redactor.redact(instruction),
        "method": tree["method"],
        "url": tree["url"][:_MOST_ADDRESS],
        "request": reduced.tree,
        "kind": payload.kind,
        **({"parsing": problems} if problems else {}),
        **({"context": redactor.redact(context)} if context else {}),
    }
    long_address = (f"/url: {len(tree['url']) - _MOST_ADDRESS} characters",) if len(tree["url"]) > _MOST_ADDRESS else ()
    return shown, (*long_address, *reduced.omissions)


def _context(task: Task | None, meta: RunMeta) -> dict[str, str]:
    """What the author of the task tells judges and not agents (`judge_context`)."""
    given = (task.model_extra or {}).get("judge_context") if task is not None else None
    if not isinstance(given, dict):
        given = meta.raw.get("judge_context")
    if not isinstance(given, dict):
        return {}
    texts = {key: given[key] for key in _CONTEXT_KEYS if isinstance(given.get(key), str) and given[key].strip()}
    return {key: text.strip()[:_MOST_CONTEXT] for key, text in texts.items()}
