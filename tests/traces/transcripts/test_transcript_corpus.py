"""Every transcript of the recorded corpus is read in full, with its persona and its pages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.transcripts.pages import page_states
from clawjudge.traces.transcripts.persona import personas_shown
from clawjudge.traces.transcripts.read import read_messages

SHARED = Path(os.environ.get("CLAWJUDGE_SHARED", Path(__file__).resolve().parents[4] / "shared"))
TRANSCRIPTS = sorted((SHARED / "corpus" / "dev").glob("*/*/**/agent-messages.jsonl"))

pytestmark = pytest.mark.skipif(
    not TRANSCRIPTS, reason=f"no corpus under {SHARED}/corpus/dev; set CLAWJUDGE_SHARED to the folder that holds it"
)


def test_every_transcript() -> None:
    assert len(TRANSCRIPTS) >= 80
    for path in TRANSCRIPTS:
        problems = ProblemLog()
        messages = list(read_messages(path, "agent-messages.jsonl", problems))
        assert list(problems) == [], path
        assert not any(m.role == "unknown" for m in messages), path

        files = personas_shown(messages)
        assert any({"identity", "contact", "address", "financial"} <= f.value.keys() for f in files), path

        pages = [state for state in page_states(messages) if state.controls or state.title]
        assert pages[-1].url, path
        assert all(state.call for state in pages), path
