"""Staging: the evidence folder that the agentic judge gets of a case.

Everything in it is copied, redacted and named by us; text of a trace stands only as JSON strings behind addresses.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path

from clawjudge.judge.agentic.evidence.address import Run
from clawjudge.judge.agentic.evidence.documents import Documents, rubric_lines
from clawjudge.judge.agentic.evidence.layers import LayerStaging
from clawjudge.judge.agentic.evidence.manifest import MANIFEST, Manifest
from clawjudge.judge.agentic.evidence.pages import Omissions, StagedFile, write_bytes, write_lines
from clawjudge.judge.agentic.evidence.pictures import StagedPictures, stage_pictures
from clawjudge.judge.agentic.evidence.redact import EvidenceRedactor
from clawjudge.judge.agentic.evidence.withhold import with_layers
from clawjudge.judge.align.alignment import Alignment, StepPair
from clawjudge.judge.align.comparison import RunComparison, align_runs
from clawjudge.judge.align.frames import check_folder
from clawjudge.judge.case import Case
from clawjudge.judge.fence import quoted
from clawjudge.rubrics.load import Rubric, load_rubric
from clawjudge.traces.atomic import write_atomically
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.records import LAYERS

RUBRIC = "v1-agentic"
_TEXT_LAYERS = ("http", "actions", "messages")


def stage(case: Case, folder: Path, layers: Collection[str] = LAYERS, rubric: Rubric | None = None) -> Manifest:
    """Write the evidence of `case` into `folder`, which is new or empty and lies outside of both runs.

    `layers` are those that the judge may see; nothing in the folder tells what the others hold. The manifest is
    written last: a folder without one is not whole. Raises `InvalidInput` for any other folder, `ValueError` for a
    layer that there is not, and `OSError` where nothing can be written.
    """
    check_folder(folder, *case.folders.values())
    case = with_layers(case, layers)
    given = tuple(layer for layer in LAYERS if layer in layers)
    rules = rubric or load_rubric(RUBRIC)
    folder.mkdir(parents=True, exist_ok=True)
    runs: dict[Run, RunDigest] = {"agent": case.agent}
    if case.reference is not None:
        runs["reference"] = case.reference
    start_ms: dict[str, int] = {whose: start for whose, run in runs.items() if (start := _start(run)) is not None}
    redactor = EvidenceRedactor(case)
    omitted = Omissions()
    compared = RunComparison.of(case)
    alignment = compared.alignment if compared is not None else align_runs(case)
    if alignment is None:
        alignment = _alone(case.agent)
    pictures = _pictures(case, alignment, given, folder, omitted)
    documents = Documents(case, given, redactor, start_ms)
    files = [
        write_lines(folder, "rubric.txt", rubric_lines(rules)),
        _json(folder, "task.json", documents.task()),
        _json(folder, "facts.json", documents.facts(compared, alignment)),
        *_paged(folder, "alignment", documents.alignment(alignment, pictures.names)),
        *_paged(folder, "bindings", documents.bindings(compared)),
    ]
    for whose, run in runs.items():
        staging = LayerStaging(run, whose, start_ms.get(whose), redactor, folder, omitted)
        for layer in _TEXT_LAYERS:
            files += staging.stage(layer) if layer in given else []
        files += _interception(run, whose, redactor, folder) if "http" in given else []
    manifest = Manifest(
        folder=folder,
        layers=given,
        rubric_sha256=rules.sha256,
        files=(*files, *pictures.files),
        omitted=tuple(o for o in omitted if o.count),
        runs={whose: run.trace for whose, run in runs.items()},
        redactor=redactor,
        pictures=pictures.sources,
        films=pictures.films,
        start_ms=start_ms,
    )
    write_atomically(folder / MANIFEST, json.dumps(manifest.document(), indent=1) + "\n")
    return manifest


def _start(run: RunDigest) -> int | None:
    """When the run began, for the seconds that the evidence counts."""
    times = [step.t_ms for step in run.steps if step.t_ms is not None]
    return min(times, default=None)


def _alone(run: RunDigest) -> Alignment:
    """The steps of a run that has no reference."""
    pairs = (StepPair("extra", place, None, 0.0, "there is no reference") for place in range(len(run.steps)))
    return Alignment(tuple(pairs))


def _pictures(
    case: Case, alignment: Alignment, given: tuple[str, ...], folder: Path, omitted: Omissions
) -> StagedPictures:
    if not {"video", "screenshots"} & set(given):
        return StagedPictures()
    return stage_pictures(alignment, case.agent, case.reference, folder, omitted)


def _json(folder: Path, name: str, value: object) -> StagedFile:
    text = quoted(value, indent=1) + "\n"
    return write_bytes(folder, name, text.encode(), text.count("\n"))


_PAGE = 200


def _paged(folder: Path, name: str, lines: Iterator[str]) -> list[StagedFile]:
    """Lines of JSON as files of at most `_PAGE` lines."""
    everything = list(lines)
    pages = [everything[i : i + _PAGE] for i in range(0, len(everything), _PAGE)]
    return [write_lines(folder, f"{name}-{number:03}.jsonl", page) for number, page in enumerate(pages, 1)]


def _interception(run: RunDigest, whose: Run, redactor: EvidenceRedactor, folder: Path) -> list[StagedFile]:
    """What the recorder wrote of the final request, which may contradict the request log."""
    document = run.trace.interception_document
    if not document:
        return []
    from clawjudge.judge.agentic.evidence.leaves import Limits, leaf_lines
    from clawjudge.judge.agentic.evidence.pages import Omission

    limits = Limits(characters=20_000, leaves=1000, total=200_000)
    lines = list(leaf_lines(f"{whose} interception", document, "", limits, Omission(whose, "http", ""), redactor))
    return [write_lines(folder, f"{whose}/interception.txt", lines, whose, "interception")]
