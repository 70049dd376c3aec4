"""From what the rules found to the parts of a verdict: field bindings, first divergence, gaps."""

from __future__ import annotations

from typing import Any

from clawjudge.judge.align.bindings import Field
from clawjudge.judge.align.comparison import JudgedCommit, RunComparison
from clawjudge.judge.align.payloads import ABSENT, is_file
from clawjudge.judge.citation import shown_pointer
from clawjudge.judge.offline import cite
from clawjudge.judge.verdict import BoundBy, Citation, FieldBinding, Gap
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.secrets import mask, scrub

_MAX_FIELDS = 500
_MAX_CITED = 20
_MAX_SHOWN = 64 * 1024
_LINE_PROBLEMS = frozenset({"bad_json", "truncated_line", "line_too_long", "wrong_type", "unknown_line"})
_EXPECTED = {"http": "requests.jsonl", "actions": "actions.jsonl", "messages": "agent-messages.jsonl"}


def shown_value(value: Any, name: str = "") -> str:
    """A value as it may stand in a sentence: secrets masked, files by name, nothing said as nothing."""
    value = public_value(value, name)
    if value is None or value == "":
        return "nothing"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 120 else text[:117] + "…"


def public_value(value: Any, name: str = "") -> Any:
    """A value as it may be printed."""
    if value is ABSENT:
        return None
    if is_file(value):
        return f"file {value['filename']} ({value['size']} bytes)"
    if isinstance(value, str) and len(value) > _MAX_SHOWN:
        # A verdict is no copy of the recording; the citation says where the whole of it stands.
        return f"{mask(value[:_MAX_SHOWN], name)}… ({len(value)} characters)"
    return mask(value, name)


def bindings(compared: RunComparison) -> tuple[FieldBinding, ...]:
    """The field table: of the decisive terminal request, or of an unfinished run as far as it came."""
    if compared.commits:
        commit = decisive_commit(compared)
        fields = [*commit.fields, *_earlier(compared)]
        # Thousands of wrong fields are no better evidence than the first; each citation costs a look into the request.
        ranked = sorted(fields, key=lambda f: f.status == "match")[:_MAX_FIELDS]
        cited = {id(f) for f in ranked[:_MAX_CITED]}
        kept = {id(f) for f in ranked}
        return tuple(_binding(compared, f, commit.request if id(f) in cited else None) for f in fields if id(f) in kept)
    return tuple(_binding(compared, s.field, s.request) for s in compared.progress)


def decisive_commit(compared: RunComparison) -> JudgedCommit:
    """The first wrong final request, else the first uncertain one, else the last."""
    wrong = [c for c in compared.commits if c.wrong] or [c for c in compared.commits if c.uncertain]
    return wrong[0] if wrong else compared.commits[-1]


def decisive_fields(compared: RunComparison) -> list[Field]:
    """What is wrong in the decisive request; without a certain fault, what differs there."""
    commit = decisive_commit(compared)
    return commit.wrong or commit.uncertain


def _earlier(compared: RunComparison) -> list[Field]:
    return [f for f in compared.earlier if f.status == "uncertain"]


def _binding(compared: RunComparison, field: Field, request: RequestEvent | None) -> FieldBinding:
    name = field.shown_as
    sensitive = field.kind == "volatile"
    citations: list[Citation] = []
    if field.status != "match" and request is not None and field.agent is not ABSENT and field.agent is not None:
        citations.append(cite.request(compared.agent, request, field.agent_pointer, field.agent))
    return FieldBinding(
        pointer=shown_pointer(field.pointer),
        agent_pointer=shown_pointer(field.agent_pointer),
        reference=_shortened(public_value(field.reference, name), sensitive),
        agent=_shortened(public_value(field.agent, name), sensitive),
        kind=field.kind,
        status=field.status,
        bound_by=tuple(BoundBy(source=b.source, quote=scrub(b.quote)) for b in field.bound_by),  # type: ignore[arg-type]
        normalisations=field.normalisations,
        note=field.note,
        citations=tuple(citations),
    )


def _shortened(value: Any, sensitive: bool) -> Any:
    """Tokens are shown by their first characters only: enough to see that they differ, useless to anyone else."""
    if sensitive and isinstance(value, str) and len(value) > 6:
        return value[:4] + "…"
    return value


def gaps(agent: RunDigest, reference: RunDigest | None) -> tuple[Gap, ...]:
    """Missing and damaged evidence of both runs."""
    found = _run_gaps(agent, "agent")
    return tuple(found + (_run_gaps(reference, "reference") if reference is not None else []))


def _run_gaps(run: RunDigest, whose: Any) -> list[Gap]:
    out = []
    trace = run.trace
    human = trace.meta.human or whose == "reference"
    for layer, name in _EXPECTED.items():
        if layer == "messages" and human:
            continue
        if not trace.has(layer):
            out.append(Gap(code="layer_missing", run=whose, layer=layer, message=f"{name} is missing"))
        elif not run.counts.get(layer):
            out.append(Gap(code="layer_empty", run=whose, layer=layer, message=f"{name} holds nothing usable"))
    for key, name in (("meta", "run-meta.json"), ("task", "task.json"), ("interception", "interception.json")):
        if not trace.has(key):
            out.append(Gap(code="file_missing", run=whose, layer=key, message=f"{name} is missing"))
    for layer in ("video", "screenshots"):
        if not trace.has(layer):
            out.append(Gap(code="layer_missing", run=whose, layer=layer, message=f"no {layer}"))
    for (layer, file, code), count in trace.problems.counts.items():
        example = next(p for p in trace.problems if (p.layer, p.file, p.code) == (layer, file, code))
        where = f"{file}:{example.line}" if example.line else file
        out.append(Gap(code=code, run=whose, layer=layer, count=count, message=f"{where}: {scrub(example.message)}"))
    return out


def skipped_lines(run: RunDigest) -> dict[str, int]:
    """Lines that could not be used, by file."""
    skipped: dict[str, int] = {}
    for (layer, file, code), count in run.trace.problems.counts.items():
        if code in _LINE_PROBLEMS and layer in _EXPECTED:
            skipped[file] = skipped.get(file, 0) + count
    return skipped
