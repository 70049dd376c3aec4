"""Folders of runs through the command line, with the real program: store, transcripts, samples, supervisor, caps."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from play import EXAMPLES, KEY, answer, hands_in, scripted
from servers.messages import Failure, Recorded, Reply, ScriptedModel, ToolUse

from clawjudge.judge.agentic.budget import Budget
from clawjudge.judge.agentic.session import JudgeFailure
from clawjudge.judge.cli.main import main
from clawjudge.judge.store.verdict_store import VerdictStore


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    home = tmp_path / "bundle"
    for name in ("reference", "right-order", "wrong-quantity"):
        shutil.copytree(EXAMPLES / name, home / name)
    return home


class Command:
    """`clawjudge evaluate --judge agentic` in this process, and what it said."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch

    def __call__(self, model: ScriptedModel, path: Path, *more: str) -> tuple[int, Any, str]:
        self._monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        self._monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
        command = ["evaluate", "--agent-trace", str(path), "--judge", "agentic", "--format", "json"]
        code = main([*command, "--sandbox", "tools", *more])
        streams = self._capsys.readouterr()
        assert KEY not in streams.out + streams.err
        return code, json.loads(streams.out) if streams.out else None, streams.err


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    return Command(capsys, monkeypatch)


def by_case(request: Recorded) -> Reply | Failure:
    """Right order: pass. Wrong quantity: fail. They are told apart by what the prompt says of the differing fields."""
    wrong = "No compared field differs" not in request.prompt
    step = hands_in(answer("fail", "wrong-quantity") if wrong else answer("pass"))
    assert isinstance(step, Reply)
    return step


@pytest.mark.slow
def test_a_folder_is_judged_kept_and_not_asked_again(bundle: Path, command: Command) -> None:
    with scripted(endless=by_case) as model:
        code, report, err = command(model, bundle)
        assert code == 0, err
        assert [(v["run"], v["outcome"]) for v in report["verdicts"]] == [
            ("right-order", "pass"),
            ("wrong-quantity", "fail"),
        ]
        assert report["judge"]["name"] == "agentic"
        assert report["judge"]["parameters"]["sandbox"] == "tools"
        assert len(report["judge"]["parameters"]["prompt_sha256"]) == 64
        assert "confined by its tools only" in err
        assert any("confined by its tools only" in notice for notice in report["verdicts"][0]["notices"])
        asked = len(model.requests)
        assert asked == 2
        code, again, err = command(model, bundle)
        assert len(model.requests) == asked
        assert "2 answers were there already, 0 were asked for" in err
        assert again["verdicts"] == report["verdicts"]
        # Another model is another judge.
        command(model, bundle, "--model", "claude-other", "--limit", "1")
        assert len(model.requests) == asked + 1
    transcripts = sorted((bundle / ".clawjudge" / "transcripts").iterdir())
    assert len(transcripts) == 3
    named = {report["verdicts"][i]["receipt"]["transcript"] for i in (0, 1)}
    assert {f"transcripts/{path.name}" for path in transcripts} > named
    kept = b"".join(path.read_bytes() for path in (bundle / ".clawjudge").rglob("*") if path.is_file())
    assert KEY.encode() not in kept
    assert not any(path.name.startswith(".clawjudge") for path in (bundle / "right-order").iterdir())


@pytest.mark.slow
def test_samples_stop_early_and_a_supervisor_is_heard(bundle: Path, command: Command) -> None:
    wanted = [hands_in(answer("pass")), hands_in(answer("fail")), hands_in(answer("pass"))]
    with scripted(*wanted) as model:
        code, report, err = command(model, bundle / "right-order", "--samples", "3")
    verdict = report["verdicts"][0]
    assert (code, verdict["outcome"]) == (0, "pass"), err
    assert verdict["flips"] == {"n_planned": 3, "n_run": 3, "outcomes": {"fail": 1, "pass": 2}, "rate": 0.666667}
    with scripted(hands_in(answer("fail", "wrong-quantity"))) as model:
        # One supervisor's answer is enough: the first sample of this run was not asked for before.
        supervisor = hands_in(answer("fail", "wrong-quantity", justification="Looked again."))
        model._steps = iter([hands_in(answer("fail", "wrong-quantity")), supervisor])
        code, report, err = command(model, bundle / "wrong-quantity", "--supervise")
    verdict = report["verdicts"][0]
    assert verdict["outcome"] == "fail"
    assert [opinion["role"] for opinion in verdict["opinions"]] == ["sample", "supervisor"]
    assert "You are the supervisor" in model.requests[1].prompt
    assert "You are the supervisor" not in model.requests[0].prompt
    with VerdictStore.read(bundle) or pytest.fail("nothing was kept") as store:
        assert [record.run for record in store] == ["right-order"] * 3 + ["wrong-quantity"] * 2


@pytest.mark.slow
def test_the_cap_of_a_command(bundle: Path, command: Command) -> None:
    dear = ToolUse("Read", {"file_path": "facts.json"}, usage={"input_tokens": 400_000, "output_tokens": 10})
    with scripted(endless=dear) as model:
        code, report, err = command(model, bundle, "--max-cost", "0.5", "--concurrency", "1")
    assert code == 6, err
    assert {v["reason_code"] for v in report["verdicts"]} == {"budget"}
    assert "the budget is used up" in err
    assert len(model.requests) <= 3
    with scripted(endless=by_case) as model:
        assert command(model, bundle)[0] == 0
    assert len(model.requests) == 2


@pytest.mark.slow
def test_an_outage_is_no_verdict(bundle: Path, command: Command) -> None:
    with scripted(endless=Failure(402, "credit balance is too low")) as model:
        code, report, err = command(model, bundle)
    assert code == 3
    assert report["summary"]["success_rate"] is None
    assert {v["reason_code"] for v in report["verdicts"]} == {"provider_error"}
    assert "credit balance is too low" in report["verdicts"][0]["justification"]
    assert f"redacted evidence goes to {model.url}, which costs money" in err


def test_a_dry_run_asks_nobody(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["evaluate", "--agent-trace", str(bundle), "--judge", "agentic", "--dry-run"]
    assert main([*arguments, "--layers", "http,actions"]) == 0
    said = capsys.readouterr().out
    assert "would judge 2 runs" in said
    assert " USD" in said
    assert main([*arguments, "--model", "nobody-knows"]) == 0
    assert "price of nobody-knows is not known" in capsys.readouterr().out
    assert not (bundle / ".clawjudge").exists()


def test_without_a_key_it_says_what_to_set(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--agent-trace", str(bundle), "--judge", "agentic"]) == 4
    assert "set ANTHROPIC_API_KEY" in capsys.readouterr().err


@pytest.mark.slow
def test_two_runs_that_are_the_same_are_asked_for_once(bundle: Path, command: Command) -> None:
    shutil.rmtree(bundle / "wrong-quantity")
    shutil.copytree(bundle / "right-order", bundle / "right-order-again")
    with scripted(endless=by_case) as model:
        code, report, err = command(model, bundle, "--layers", "http,actions")
    assert code == 0, err
    assert [v["outcome"] for v in report["verdicts"]] == ["pass", "pass"]
    assert report["verdicts"][0]["receipt"]["layers"] == ["http", "actions"]
    assert len(model.requests) == 1


@pytest.mark.slow
def test_what_cannot_be_kept_is_not_paid_for(bundle: Path, command: Command) -> None:
    with VerdictStore.open(bundle):
        pass
    with sqlite3.connect(bundle / ".clawjudge" / "verdicts.sqlite") as connection:
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON verdicts BEGIN SELECT RAISE(ABORT, 'full'); END")
    connection.close()
    with scripted(endless=by_case) as model:
        code, report, err = command(model, bundle, "--concurrency", "1")
    assert code == 4
    assert report is None
    assert "verdicts.sqlite" in err
    assert len(model.requests) == 1


def test_the_budget_is_shared() -> None:
    async def spend() -> list[float | None]:
        budget = Budget(1.0, at_once=2)
        limits = []
        async with budget.share() as one, budget.share() as two:
            limits += [one.limit, two.limit]
            one.spent = two.spent = 0.2
        async with budget.share() as three:
            limits.append(three.limit)
            three.spent = 0.595
        with pytest.raises(JudgeFailure) as raised:
            async with budget.share():
                pass
        assert raised.value.reason == "budget"
        assert budget.is_used_up
        async with Budget(None).share() as free:
            limits.append(free.limit)
        return limits

    assert asyncio.run(spend()) == [0.5, 0.5, pytest.approx(0.3), None]
