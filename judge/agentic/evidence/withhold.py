"""A case as if some layers had never been recorded, for studies of what each layer is worth.

The runs are read again without those layers, so nothing that is worked out from a case (alignment, bindings, stage 1,
details that the agent was shown) can tell what they hold.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from clawjudge.judge.case import Case, build_case
from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.records import LAYERS
from clawjudge.traces.trace import Trace

_FILES = {"http": frozenset({"http", "interception"})}
"""The recorder's word on the final request belongs to the requests."""


def with_layers(case: Case, layers: Collection[str]) -> Case:
    """`case` with these layers only. Raises `ValueError` for an unknown layer or none."""
    unknown = sorted(set(layers) - set(LAYERS))
    if unknown or not layers:
        said = f"no layer {unknown[0]!r}" if unknown else "no layer is left"
        raise ValueError(f"{said}; layers are {', '.join(LAYERS)}")
    withheld = frozenset(LAYERS) - set(layers)
    if not withheld:
        return case
    agent = _without(case.agent.trace, withheld)
    reference = _without(case.reference.trace, withheld) if case.reference is not None else None
    shown = [file.value for file in case.agent.shown] if "messages" in withheld else []
    documents = [d for d in case.sources.documents if not any(d.value == value for value in shown)]
    made = build_case(agent, reference, documents)
    # The task is no layer, even where only the recorder's files hold it.
    sources = replace(made.sources, instruction=case.sources.instruction, constraints=case.sources.constraints)
    return replace(made, task=case.task, sources=sources, task_mismatch=case.task_mismatch)


def _without(trace: Trace, withheld: frozenset[str]) -> Trace:
    gone = frozenset().union(*(_FILES.get(layer, frozenset({layer})) for layer in withheld))
    out = Trace(trace.root)
    out.files = replace(out.files, found={key: path for key, path in out.files.found.items() if key not in gone})
    kept = ProblemLog()
    for problem in out.problems:
        if problem.layer not in gone:
            kept.add(problem.code, problem.layer, problem.file, problem.message, problem.line)
    out.problems = kept
    return out
