"""A case: what a judge gets. Task, the agent's run, the reference, and what the task gave the agent to enter.

Judges never see where a run came from: its folder's name is chosen by whoever made it and may tell the label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clawjudge.judge.align import quantities
from clawjudge.judge.align.sources import Document, TaskSources
from clawjudge.judge.align.texts import is_email
from clawjudge.traces.digest import RunDigest, digest
from clawjudge.traces.errors import InvalidInput, UnsafePath
from clawjudge.traces.given import read_given
from clawjudge.traces.jsonl import decode
from clawjudge.traces.meta import read_document
from clawjudge.traces.paths import inside
from clawjudge.traces.pointers import MAX_LEVELS, flatten
from clawjudge.traces.step_frames import probe_pictures
from clawjudge.traces.task import Task
from clawjudge.traces.trace import Trace

_PERSONA_FOLDERS = ("", "data", "my-info", "data/my-info", "my_info", "persona", "extra_info", "data/extra_info")
_OWN_FILES = re.compile(r"^(run-meta|task|eval-schema|interception|judge|judge_llm|rescore.*|package.*)\.json$")
_TEXTS = (".txt", ".md")
_LONGEST_KEY = 40
_MAX_PERSONA_BYTES = 2 * 1024 * 1024


@dataclass
class Case:
    """One run to be judged."""

    task: Task | None
    agent: RunDigest
    reference: RunDigest | None
    sources: TaskSources
    reference_emails: frozenset[str] = frozenset()
    region: str | None = None
    task_mismatch: str = ""
    """Set where the run and its reference were not recorded for the same task."""
    notices: list[str] = field(default_factory=list)

    @property
    def folders(self) -> dict[str, Path]:
        """Run folders for the citation check."""
        runs = {"agent": self.agent.trace.root}
        return runs if self.reference is None else {**runs, "reference": self.reference.trace.root}


def build_case(agent: Trace, reference: Trace | None, persona: Iterable[Document] = ()) -> Case:
    """Read both runs. `persona` are documents given by the user, over and above what the run itself holds."""
    task = agent.task or (reference.task if reference else None)
    schema = task.eval_schema if task else None
    agent_digest = digest(agent, schema)
    reference_digest = digest(reference, schema) if reference else None
    for trace in filter(None, (agent, reference)):
        # Nothing is decoded; what is wrong with the pictures shows in the trace's problems, and so as a gap.
        probe_pictures(trace)
    documents = [*persona, *_shown_documents(agent_digest, task), *_folder_documents(agent, task)]
    emails = _own_emails(agent, documents)
    sources = TaskSources(
        instruction=task.instruction if task else "",
        documents=_distinct(documents),
        constraints=_constraints(task),
        own_emails=emails,
    )
    return Case(
        task=task,
        agent=agent_digest,
        reference=reference_digest,
        sources=sources,
        reference_emails=_own_emails(reference, []) if reference else frozenset(),
        region=_region(documents),
        task_mismatch=_mismatch(agent, reference),
    )


def read_persona(path: Path) -> Document:
    """A persona file given with `--persona`. Raises `InvalidInput` if it is no file with a JSON object."""
    raw = read_given(path, _MAX_PERSONA_BYTES)
    try:
        value = decode(raw.removeprefix(b"\xef\xbb\xbf"))
    except ValueError as error:
        raise InvalidInput(f"{path}: not JSON: {error}; give a file with a JSON object") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"{path}: a persona is a JSON object, this is a {type(value).__name__}")
    if any(pointer.count("/") > MAX_LEVELS for pointer, _ in flatten(value)):
        raise InvalidInput(f"{path}: is nested more than {MAX_LEVELS} levels deep; no user's details are")
    return Document("persona", path.name, value)


def _shown_documents(run: RunDigest, task: Task | None) -> list[Document]:
    """Files that the agent read; where the task names the files that it comes with, only those count."""
    named = _named_files(task)
    shown = [s for s in run.shown if not named or _base_name(s.path) in named]
    return [Document(_kind(s.path, task), s.path, s.value) for s in shown]


def _named_files(task: Task | None) -> frozenset[str]:
    if task is None:
        return frozenset()
    said = " ".join(str(text) for text in task.metadata.common_info.values())
    names = set(re.findall(r"[\w.-]+\.json", said))
    return frozenset(names | {_base_name(item.path) for item in task.extra_info}) if names else frozenset()


def _base_name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def _folder_documents(trace: Trace, task: Task | None) -> list[Document]:
    """JSON files beside the recording that hold the persona or extra info."""
    found = []
    for folder in _PERSONA_FOLDERS:
        try:
            place = inside(trace.root, folder)
        except UnsafePath:
            continue
        if not place.is_dir():
            continue
        for path in sorted(place.glob("*.json")):
            relative = path.relative_to(trace.root).as_posix()
            # Hidden files are for programs, and none of them gives an agent anything to enter.
            if path.name.startswith(".") or _OWN_FILES.match(path.name) or not _readable(trace.root, relative):
                continue
            value = read_document(path, "task", relative, trace.problems)
            if value:
                found.append(Document(_kind(relative, task), relative, value))
    return [*found, *_named_documents(trace, task)]


def _named_documents(trace: Trace, task: Task | None) -> list[Document]:
    """The files that the task itself names, where they lie in the run; JSON, or text as its lines."""
    found = []
    for item in task.extra_info if task else ():
        for folder in _PERSONA_FOLDERS:
            relative = f"{folder}/{item.path}".lstrip("/")
            # A path that leads out of the task's folder is refused when the task is loaded.
            if not _readable(trace.root, relative):
                continue
            path = inside(trace.root, relative)
            if path.suffix.casefold() == ".json":
                value = read_document(path, "task", relative, trace.problems)
            elif path.suffix.casefold() in _TEXTS:
                value = _lines(path.read_text("utf-8-sig", "replace"))
            else:
                continue
            if value:
                found.append(Document("extra_info", relative, value))
    return found


def _lines(text: str) -> dict[str, Any]:
    """A text as a document: `Phone: 416 555 0134` under its key, any other line under its number.

    A value binds as the whole of what stands there; a word of a long line is no detail that a task gives.
    """
    out = {}
    for number, line in enumerate(text.splitlines(), 1):
        key, colon, value = line.strip(" \t-*#•").partition(": ")
        if colon and value.strip() and len(key) <= _LONGEST_KEY:
            out[key.strip()] = value.strip()
        elif line.strip():
            out[str(number)] = line.strip()
    return out


def _readable(root: Path, relative: str) -> bool:
    try:
        path = inside(root, relative)
    except UnsafePath:
        return False
    return path.is_file() and path.stat().st_size <= _MAX_PERSONA_BYTES


def _kind(path: str, task: Task | None) -> str:
    extra = [_base_name(item.path) for item in task.extra_info] if task else []
    return "extra_info" if _base_name(path) in extra else "persona"


def _distinct(documents: list[Document]) -> list[Document]:
    kept: list[Document] = []
    for document in documents:
        if not any(document.value == other.value for other in kept):
            kept.append(document)
    return kept


def _own_emails(trace: Trace, documents: list[Document]) -> frozenset[str]:
    """The run's own address; where the recorder kept none, the addresses in the user's details."""
    if trace.meta.email_used:
        return frozenset({trace.meta.email_used.strip().casefold()})
    leaves = (str(leaf) for d in documents if d.source == "persona" for _, leaf in d.leaves)
    return frozenset(leaf.strip().casefold() for leaf in leaves if is_email(leaf.strip()))


def _constraints(task: Task | None) -> dict[str, Any]:
    if task is None:
        return {}
    tree = {"body": task.eval_schema.body or {}, "params": task.eval_schema.params or {}}
    return dict(flatten(tree))


def _region(documents: list[Document]) -> str | None:
    for document in documents:
        for _, leaf in document.leaves:
            if isinstance(leaf, str) and 2 < len(leaf) < 40:
                code = quantities.country_code(leaf)
                if code:
                    return code
    return None


def _mismatch(agent: Trace, reference: Trace | None) -> str:
    """Why the two runs cannot be said to be of one task; empty if they are."""
    theirs = reference.task if reference else None
    if theirs is None:
        return ""
    said = agent.task.instruction if agent.task else agent.meta.instruction
    if not said:
        return "the run does not say which task it was recorded for"
    if " ".join(said.split()) != " ".join(theirs.instruction.split()):
        return "the run and its reference have different instructions"
    if agent.task is not None and agent.task.eval_schema != theirs.eval_schema:
        return "the run and its reference have different eval schemas"
    return ""
