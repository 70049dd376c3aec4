"""The same session, recorded differently: no verdict may turn into a wrong pass or a wrong fail (it may abstain)."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted.catalogue import SCENARIOS
from scripted.editing import LAYERS, Folder, copy_runs
from scripted.transformations import TRANSFORMATIONS

from clawjudge.judge.case import build_case
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.judge.study.corpus import CorpusScore, Scored, score_corpus
from clawjudge.traces.trace import Trace

pytestmark = pytest.mark.slow

MakeCorpus = Callable[..., Path]
TRUNCATIONS = 40

# Runs that were judged wrong once, after one transformation or another.
ONCE_WRONG = [
    "groceries-server-basket/fail-wrong-quantity",
    "job-required-phone/fail-wrong-start",
    "newsletter-french-code/fail-extra-newsletter",
    "pharmacy-order-german/pass-phone-wall",
    "table-booking-japanese/fail-required-phone-invented",
    "taxi-booking/fail-phone-wall-wrong-car",
    "train-seat/fail-extra-passenger",
    "calendar-invite/pass-cosmetic-utc",
    "cinema-placeholder/pass-cosmetic",
    "marketplace-listing/pass-cosmetic",
    "paper-authors/pass-cosmetic",
    "pharmacy-order-german/pass-cosmetic",
]
# Layers that were cut: what was left of the layer.
ONCE_WRONG_CUTS = [
    ("cinema-placeholder/pass-exact", "requests.jsonl", 0.474),
    ("pharmacy-order-german/pass-phone-wall", "agent-messages.jsonl", 0.555),
]


def sample() -> list[str]:
    """One passing and one failing run of every scenario, and those that once were judged wrong."""
    chosen = list(ONCE_WRONG)
    for scenario in SCENARIOS:
        chance = random.Random(f"sample {scenario.slug}")
        for label in ("pass", "fail"):
            names = [variant.name for variant in scenario.variants if variant.label == label]
            chosen.append(f"{scenario.slug}/{chance.choice(names)}")
    return sorted(set(chosen))


def transformed(corpus: Path, runs: list[str], transformation: str, out: Path) -> Path:
    """A copy of these runs and their references after a transformation."""
    copy_runs(corpus, runs, out)
    for folder in sorted(out.glob("*/*")):
        TRANSFORMATIONS[transformation](Folder(folder), random.Random(f"{folder.parent.name}/{folder.name}"))
    return out


def wrong(score: CorpusScore) -> dict[str, str]:
    return {s.label.run: shown(s) for s in score.scored if s.decided and not s.right}


def shown(scored: Scored) -> str:
    verdict = scored.verdict
    return f"{scored.label.outcome}, judged {verdict.outcome} ({verdict.reason_code}): {verdict.justification}"


@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
def test_no_verdict_turns_wrong(make_corpus: MakeCorpus, tmp_path: Path, transformation: str) -> None:
    runs = sample()
    score = score_corpus(transformed(make_corpus(), runs, transformation, tmp_path / "corpus"))
    assert len(score.scored) == len(runs)
    assert wrong(score) == {}


def test_no_verdict_rests_on_the_names_of_folders(make_corpus: MakeCorpus, tmp_path: Path) -> None:
    corpus = copy_runs(make_corpus(), sample(), tmp_path / "corpus")
    named, renamed = score_corpus(corpus), score_corpus(corpus, renamed=True)
    assert wrong(renamed) == {}
    assert [s.verdict.outcome for s in renamed.scored] == [s.verdict.outcome for s in named.scored]


def test_a_transformation_changes_what_it_says(make_corpus: MakeCorpus, tmp_path: Path) -> None:
    # If one did nothing at all, its test would say nothing.
    run = "train-seat/pass-exact"
    before = Folder(make_corpus() / run)
    for name in TRANSFORMATIONS:
        after = Folder(transformed(make_corpus(), [run], name, tmp_path / name) / run)
        layers = [layer for layer in LAYERS if content(before, layer) != content(after, layer)]
        assert layers, name
    moved = Folder(tmp_path / "move-into-server-state" / run)
    body = next(request["body"] for request in moved.lines("requests.jsonl") if moved.is_commit(request))
    assert sorted(body) == ["confirm", "session"]
    form = Folder(tmp_path / "send-as-form" / run)
    body = next(request["body"] for request in form.lines("requests.jsonl") if form.is_commit(request))
    assert body["passengers[0][firstName]"] == "Alex"


def content(folder: Folder, layer: str) -> bytes:
    path = folder.data / layer
    return path.read_bytes() if path.is_file() else b""


def judge_cut(corpus: Path, run: str, layer: str, share: float, out: Path) -> tuple[str, str]:
    """The outcome and its reason when only `share` of a layer's bytes is left."""
    folder = Folder(shutil.copytree(corpus / run, out))
    whole = content(folder, layer)
    (folder.data / layer).write_bytes(whole[: int(len(whole) * share)])
    verdict = OfflineJudge().judge(build_case(Trace(out), Trace(corpus / run.split("/")[0] / "reference")))
    return verdict.outcome, verdict.justification


@pytest.mark.parametrize(("label", "wrong_outcome"), [("fail", "pass"), ("pass", "fail")])
def test_a_cut_layer_never_turns_a_verdict_wrong(
    make_corpus: MakeCorpus, tmp_path: Path, label: str, wrong_outcome: str
) -> None:
    runs = [f"{s.slug}/{v.name}" for s in SCENARIOS for v in s.variants if v.label == label]
    chance, found = random.Random("cuts"), []
    for number in range(TRUNCATIONS):
        run, layer, share = chance.choice(runs), LAYERS[number % len(LAYERS)], chance.random()
        outcome, why = judge_cut(make_corpus(), run, layer, share, tmp_path / str(number))
        if outcome == wrong_outcome:
            found.append(f"{run}: {layer} cut to {share:.3f}: {why}")
    assert found == []


@pytest.mark.parametrize(("run", "layer", "share"), ONCE_WRONG_CUTS)
def test_layers_that_were_cut_once(make_corpus: MakeCorpus, tmp_path: Path, run: str, layer: str, share: float) -> None:
    outcome, why = judge_cut(make_corpus(), run, layer, share, tmp_path / "run")
    assert outcome in ("unjudged", run.split("/")[1].split("-")[0]), why
