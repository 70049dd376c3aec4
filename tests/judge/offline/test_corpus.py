"""The figures promised for the labelled corpus. Needs ../shared (or CLAWJUDGE_SHARED); skipped where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clawjudge.judge.study.corpus import score_corpus

SHARED = Path(os.environ.get("CLAWJUDGE_SHARED", Path(__file__).resolve().parents[4] / "shared"))
CORPUS = SHARED / "corpus" / "dev"


@pytest.mark.slow
@pytest.mark.skipif(
    not (CORPUS / "labels.csv").is_file(), reason=f"no labelled corpus at {CORPUS} (set CLAWJUDGE_SHARED)"
)
@pytest.mark.parametrize("renamed", [False, True], ids=["as-recorded", "meaningless-names"])
def test_the_corpus_is_judged_as_labelled(renamed: bool) -> None:
    score = score_corpus(CORPUS, renamed=renamed).summary()
    assert score["runs"] == 83
    assert score["false_pass"] == []
    assert score["right_share_of_decided"] >= 0.97, score["false_fail"]
    assert score["decided_share"] >= 0.85
    assert score["rule_right_share"] >= 0.90
    assert score["field_right_share"] >= 0.90
    assert score["stage1_right_share"] < score["right_share_of_decided"]
