"""One leaf of a right commit changed or left out: the run may pass only where the leaf means nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted.editing import Folder
from scripted.mutations import leaves, mutate_commit, other, pointer

from clawjudge.judge.case import build_case
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.judge.verdict import Verdict
from clawjudge.traces.trace import Trace

pytestmark = pytest.mark.slow

MakeCorpus = Callable[..., Path]
SCENARIOS = [
    "calendar-invite",
    "community-post-graphql",
    "groceries-server-basket",
    "hotel-booking",
    "insurance-quote",
    "marketplace-listing",
    "paper-authors",
    "pharmacy-order-german",
    "taxi-booking",
    "train-seat",
]
RUN = "pass-exact"
# Which stored query a named GraphQL operation refers to is a version of its text, made up for each run here.
MEANS_NOTHING = {
    ("community-post-graphql", "/body/extensions/persistedQuery/version"),
    ("community-post-graphql", "/body/extensions/persistedQuery/sha256Hash"),
}


def judged(run: Path, reference: Path) -> Verdict:
    return OfflineJudge().judge(build_case(Trace(run), Trace(reference)))


def commit_body(run: Path) -> Any:
    folder = Folder(run)
    return next(request["body"] for request in folder.lines("requests.jsonl") if folder.is_commit(request))


def kinds(verdict: Verdict) -> dict[str, str]:
    """What the verdict takes each leaf of the agent's body for."""
    return {field.agent_pointer or field.pointer: field.kind for field in verdict.fields}


def passing_mutants(corpus: Path, scenario: str, scratch: Path) -> Iterator[str]:
    """Mutants that pass although the leaf is not volatile, with what was done to it."""
    run, reference = corpus / scenario / RUN, corpus / scenario / "reference"
    verdict = judged(run, reference)
    assert verdict.outcome == "pass", verdict.justification
    kind = kinds(verdict)
    number = 0
    for way, value in leaves(commit_body(run)):
        place = pointer(way)
        if (scenario, place) in MEANS_NOTHING or kind.get(place) == "volatile":
            continue
        for deleted in (False, True):
            if deleted and not value:
                continue  # leaving out what is false or empty says the same
            number += 1
            mutant = Folder(shutil.copytree(run, scratch / str(number)))
            mutate_commit(mutant, way, deleted)
            found = judged(mutant.root, reference)
            if found.outcome == "pass":
                done = "left out" if deleted else f"changed into {other(value)!r}"
                yield f"{place} ({kind.get(place, 'not compared')}): {value!r} {done}: {found.justification}"
    assert number, "nothing was changed"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_changed_leaf_passes(make_corpus: MakeCorpus, tmp_path: Path, scenario: str) -> None:
    assert list(passing_mutants(make_corpus(), scenario, tmp_path)) == []
