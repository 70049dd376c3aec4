"""Rescoring bundles that come from elsewhere: with verdicts of others, and from the Hub."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # tests are no package; `servers` is one of its folders

from servers.hub import Dataset, HubServer, serve_hub
from servers.messages_script import Text
from servers.openai import ScriptedChat

from clawjudge.judge.cli.main import main
from clawjudge.judge.store.verdict_store import VerdictStore

YES = Text('{"reason": "It is what was asked for.", "match": true}')
STRICT = ("--judge", "request-strict")
THEIRS = {"match": False, "reason": "theirs", "judge_model": "deepseek-v4-pro"}


def test_verdicts_of_others_are_kept_before_they_are_written_over(
    make_bundle: Callable[..., Path], run: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = make_bundle(3)
    (bundle / "run-00000/judge.json").write_text(json.dumps(THEIRS))
    (bundle / "run-00001/judge.json").write_text('{"match":')
    with ScriptedChat(YES) as server:
        said = run(server, bundle, *STRICT)
        assert said.code == 0
        assert "run-00001/judge.json: no verdict to be kept: not JSON" in said.err
        # Nobody else's verdict is taken for an answer.
        assert (said.line["pass"], len(server.requests)) == ("3", 3)
        assert "no verdict to be kept" not in run(server, bundle, *STRICT).err
        assert len(server.requests) == 3
    assert json.loads((bundle / "run-00000/judge.json").read_text())["match"] is True
    with VerdictStore.open(bundle) as store:
        history = [
            (record.parts.judge, record.verdict.outcome, record.origin) for record in store.history(run="run-00000")
        ]
    assert history == [("clawbench-strict", "fail", "imported"), ("request-strict", "pass", "judged")]
    assert main(["verdicts", "diff", str(bundle), "clawbench-strict", "request-strict", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["gained"] == 1


def test_a_bundle_that_may_not_be_written_to_keeps_its_verdicts(
    make_bundle: Callable[..., Path], run: Callable[..., Any], tmp_path: Path
) -> None:
    bundle = make_bundle(1)
    (bundle / "run-00000/judge.json").write_text(json.dumps(THEIRS))
    with ScriptedChat(YES) as server:
        assert run(server, bundle, *STRICT, "--dry-run").code == 0
        assert not (bundle / ".clawjudge").exists()
        assert run(server, bundle, *STRICT, "--out", str(tmp_path / "out")).code == 0
    assert json.loads((bundle / "run-00000/judge.json").read_text()) == THEIRS
    with VerdictStore.open(tmp_path / "out") as store:
        assert [record.parts.judge for record in store] == ["clawbench-strict", "request-strict"]


def test_a_bundle_on_the_hub_is_pulled_and_judged(
    make_bundle: Callable[..., Path], run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = make_bundle(4, every=2)
    files = {path.relative_to(made).as_posix(): path.read_bytes() for path in made.rglob("*") if path.is_file()}
    dataset = Dataset()
    commit = dataset.commit(
        {f"batch-1/m/{name}": content for name, content in files.items()}
        | {"batch-1/m/run-00000/data/recording.mp4": b"v" * 9}
    )
    with serve_hub(HubServer({"lab/traces": dataset})) as hub, ScriptedChat(YES) as server:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        said = run(server, "hf://datasets/lab/traces/batch-1/m", *STRICT)
        assert (said.code, said.line["pass"], said.line["fail"]) == (0, "2", "2")
        assert not any("mp4" in path for path in hub.fetched())
        asked = len(server.requests)
        again = run(server, "hf://datasets/lab/traces/batch-1/m", *STRICT)
        assert (again.line["calls"], len(server.requests)) == ("0", asked)
    folder = tmp_path / "traces/batch-1/m"
    source = f"hf://datasets/lab/traces@{commit}/batch-1/m"
    assert json.loads((folder / "rescore-summary.json").read_text())["source"] == source
    with VerdictStore.open(folder) as store:
        assert store.fact("source") == source
    assert os.fspath(tmp_path) not in (folder / "rescore-summary.json").read_text()
