"""The judge on scripted runs that were written without looking at it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted.catalogue import SCENARIOS

from clawjudge.judge.study.corpus import CorpusScore, render, score_corpus

pytestmark = pytest.mark.slow

MakeCorpus = Callable[..., Path]


def wrong_ones(score: CorpusScore) -> str:
    return "\n".join(
        f"{s.label.run}: {s.label.outcome}, judged {s.verdict.outcome}: {s.verdict.justification}"
        for s in score.scored
        if s.decided and not s.right
    )


@pytest.mark.parametrize("salt", ["first", "second"])
def test_the_judge_is_right_about_scripted_runs(make_corpus: MakeCorpus, salt: str) -> None:
    score = score_corpus(make_corpus(salt=salt))
    summary, table = score.summary(), render(score, verbose=False)
    assert summary["runs"] == sum(len(scenario.variants) for scenario in SCENARIOS)
    assert summary["false_pass"] == [], wrong_ones(score)
    assert summary["right_share_of_decided"] >= 0.97, wrong_ones(score)
    assert summary["decided_share"] >= 0.80, table
    assert summary["rule_right_share"] >= 0.90, table
    assert summary["field_right_share"] >= 0.85, table


def hashes(corpus: Path) -> dict[str, str]:
    files = (path for path in corpus.rglob("*") if path.is_file())
    return {str(path.relative_to(corpus)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_same_salt_gives_the_same_files_and_another_one_others(make_corpus: MakeCorpus) -> None:
    slug = "poll-vote-get"
    first, again = hashes(make_corpus(slug) / slug), hashes(make_corpus("cinema-placeholder", slug) / slug)
    other = hashes(make_corpus(slug, salt="second") / slug)
    assert first == again
    # Where the layers stand is chosen by the salt, too.
    assert {name.split("/")[0] for name in first} == {name.split("/")[0] for name in other}
    logs = [{digest for name, digest in found.items() if name.endswith("requests.jsonl")} for found in (first, other)]
    assert len(logs[0]) == len(logs[1]) == len({name.split("/")[0] for name in first})
    assert not logs[0] & logs[1]
