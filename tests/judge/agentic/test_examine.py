"""The real program against a scripted model: every way in which an examination can go ends in the right reason."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from play import KEY, answer, examined, final_request, hands_in, scripted, staged, text_of
from servers.messages import Failure, Refusal, Reply, Text, ToolUse, call

from clawjudge.judge.agentic import program
from clawjudge.judge.agentic.evidence.manifest import Manifest
from clawjudge.judge.agentic.program import RETRIES
from clawjudge.judge.agentic.tools.server import MODELS


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    return staged(tmp_path_factory.mktemp("staged"))


def with_citation(address: str, quote: str, outcome: str = "pass") -> dict[str, Any]:
    whole = answer(outcome)
    whole["findings"][0]["citations"] = [{"address": address, "quote": quote}]
    return whole


def test_an_answer_that_stands(manifest: Manifest) -> None:
    reads = Reply((call("Read", {"file_path": "task.json"}), call("mcp__evidence__payload_diff", {"everything": True})))
    sound = answer("fail", justification="Zürich 東京 🍜: das Gericht ist falsch.")
    with scripted(reads, hands_in(sound)) as model:
        done = examined(manifest, model)
    assert (done.reason, done.message) == ("", "")
    assert done.checked is not None
    assert done.checked.answer.outcome == "fail"
    assert done.checked.answer.justification == "Zürich 東京 🍜: das Gericht ist falsch."
    assert [c.verified for c in done.checked.findings[0].citations] == [True]
    assert "Pad Thai" in model.requests[1].tool_results[0].text
    assert not any(result.is_error for result in model.requests[1].tool_results)
    # What the model was really offered.
    for request in model.requests:
        assert sorted(request.tools) == [
            *("Glob", "Grep", "Read", "StructuredOutput", "mcp__evidence__cite", "mcp__evidence__frame_at"),
            *("mcp__evidence__list_divergences", "mcp__evidence__payload_diff", "mcp__evidence__requests"),
            "mcp__evidence__step_pair",
        ]
    receipt = done.receipt
    assert [use.tool for use in receipt.tools] == ["Read", "mcp__evidence__payload_diff", "StructuredOutput"]
    assert receipt.calls == len(model.requests) == 2
    assert receipt.input_tokens > 1000
    assert receipt.cost_usd > 0
    assert 0 < receipt.model_seconds < receipt.seconds
    assert not receipt.repaired
    assert receipt.evidence_sha256 == manifest.evidence_sha256
    assert KEY not in text_of(done.transcript)


@pytest.mark.parametrize("name", ["claude-opus-5", "claude-haiku-4-5", "somebody/elses-model"])
def test_every_model_is_offered_the_same_tools(manifest: Manifest, name: str) -> None:
    # The program offers some models more than others, unless it is told not to.
    with scripted(hands_in(answer())) as model:
        assert examined(manifest, model, model=name).reason == ""
    assert model.requests[0].body["model"] == name
    assert sorted(model.requests[0].tools) == sorted(program.tool_names(frozenset(MODELS)))


def test_a_false_citation_is_sent_back_once_with_what_is_wrong(manifest: Manifest) -> None:
    line, pointer, _ = final_request()
    wrong = with_citation(f"agent http:{line} {pointer}", "the golden spoon")
    with scripted(hands_in(wrong), hands_in(answer())) as model:
        done = examined(manifest, model)
    assert done.reason == ""
    assert done.receipt.repaired
    assert len(done.replies) == 2
    assert "the golden spoon" in model.requests[1].last
    assert f"agent http:{line}" in model.requests[1].last


@pytest.mark.parametrize(
    ("address", "quote"),
    [
        ("agent http:15 /body/cart/restaurant", "invented words"),
        ("agent http:99999", "anything"),
        ("reference messages:1", "there are none"),
        ("/etc/passwd", "root"),
        ("pictures/999-agent-after.jpg", ""),
    ],
)
def test_a_citation_that_never_holds(manifest: Manifest, address: str, quote: str) -> None:
    with scripted(endless=hands_in(with_citation(address, quote))) as model:
        done = examined(manifest, model)
    assert done.reason == "citation_failed"
    assert len(model.requests) == 2


def test_a_finding_without_a_citation(manifest: Manifest) -> None:
    whole = answer()
    whole["findings"][0]["citations"] = []
    with scripted(endless=hands_in(whole)) as model:
        done = examined(manifest, model)
    assert done.reason == "citation_failed"
    assert "R1 is said to be met and cites nothing" in done.message


@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "fail"},
        {"outcome": "unjudged"},
        {"justification": "The order does not fulfil the instruction."},
        {"fields": [{"field": "qty", "expected": "2", "found": "1", "citations": [], "status": "missing"}]},
    ],
)
def test_an_answer_that_contradicts_itself(manifest: Manifest, change: dict[str, Any]) -> None:
    with scripted(endless=hands_in({**answer(), **change})) as model:
        done = examined(manifest, model)
    assert done.reason == "contradiction"
    assert len(model.requests) == 2


def test_two_answers_that_differ(manifest: Manifest) -> None:
    both = Reply((call("StructuredOutput", answer("fail")), call("StructuredOutput", answer("pass"))))
    with scripted(endless=both) as model:
        done = examined(manifest, model)
    assert done.reason == "contradiction"
    assert len(done.replies) == 4


def test_an_answer_of_the_wrong_form(manifest: Manifest) -> None:
    with scripted(endless=hands_in({"verdict": "PASS"})) as model:
        done = examined(manifest, model)
    assert done.reason == "unparseable"
    assert len(model.requests) == 2
    assert "findings" in model.requests[1].last


def test_a_rule_that_is_missing(manifest: Manifest) -> None:
    whole = answer()
    del whole["findings"][3]
    with scripted(hands_in(whole), hands_in(answer())) as model:
        assert examined(manifest, model).reason == ""
    assert "no finding for rule R4" in model.requests[1].last


def test_words_instead_of_an_answer(manifest: Manifest) -> None:
    with scripted(endless=Text('PASS. {"outcome": "pass"}')) as model:
        assert examined(manifest, model).reason == "unparseable"


def test_a_refusal(manifest: Manifest) -> None:
    with scripted(endless=Refusal("I cannot help with that")) as model:
        done = examined(manifest, model)
    assert done.reason == "refused"


def test_a_stream_that_is_cut_is_repeated(manifest: Manifest) -> None:
    cut = Reply((call("StructuredOutput", answer("pass")),), cut_after=4)
    with scripted(cut, hands_in(answer("fail"))) as model:
        done = examined(manifest, model)
    assert done.reason == ""
    assert done.checked is not None
    assert done.checked.answer.outcome == "fail"


def test_retry_after_is_obeyed(manifest: Manifest) -> None:
    with scripted(Failure(429, "slow down", retry_after=2), hands_in(answer())) as model:
        assert examined(manifest, model).reason == ""
    assert model.requests[1].at - model.requests[0].at >= 2


def test_an_overloaded_service_gets_over_it(manifest: Manifest) -> None:
    with scripted(Failure(529, "overloaded"), Failure(500, "oops"), hands_in(answer())) as model:
        assert examined(manifest, model).reason == ""
    assert len(model.requests) == 3


@pytest.mark.slow
def test_a_service_that_stays_down(manifest: Manifest) -> None:
    with scripted(endless=Failure(529, "overloaded")) as model:
        done = examined(manifest, model)
    assert done.reason == "provider_error"
    assert "529" in done.message
    assert len(model.requests) == RETRIES + 1


@pytest.mark.parametrize(("status", "said"), [(401, "invalid x-api-key"), (402, "credit balance too low"), (403, "no")])
def test_what_can_never_succeed_is_asked_once(manifest: Manifest, status: int, said: str) -> None:
    with scripted(endless=Failure(status, said)) as model:
        done = examined(manifest, model)
    assert done.reason == "provider_error"
    assert str(status) in done.message
    assert said in done.message
    assert len(model.requests) == 1
    assert done.receipt.calls == 1


def test_a_service_that_is_not_there(manifest: Manifest) -> None:
    model = scripted()
    model.start()
    model.stop()
    done = examined(manifest, model, timeout=4)
    assert done.reason == "provider_error"
    assert done.message.startswith(f"{model.url} cannot be reached (ConnectionRefusedError); ")
    assert "ANTHROPIC_BASE_URL" in done.message


def test_a_slow_service(manifest: Manifest) -> None:
    began = time.monotonic()
    with scripted(hands_in(answer(), delay=60)) as model:
        done = examined(manifest, model, timeout=3)
    assert done.reason == "timeout"
    assert time.monotonic() - began < 15


def test_endless_tool_calls(manifest: Manifest) -> None:
    with scripted(endless=ToolUse("Read", {"file_path": "facts.json"})) as model:
        done = examined(manifest, model, max_turns=5)
    assert done.reason == "budget"
    assert len(model.requests) == 5
    assert [use.tool for use in done.receipt.tools] == ["Read"] * 5


def test_the_cap_on_cost(manifest: Manifest) -> None:
    dear = ToolUse("Read", {"file_path": "facts.json"}, usage={"input_tokens": 100_000, "output_tokens": 100})
    with scripted(endless=dear) as model:
        done = examined(manifest, model, max_cost=0.5)
    assert done.reason == "budget"
    assert 0.5 <= done.receipt.cost_usd < 0.9


def test_a_longest_answer_that_is_cut_off(manifest: Manifest) -> None:
    with scripted(endless=Text("and so on", stop_reason="max_tokens")) as model:
        assert examined(manifest, model).reason == "unparseable"


def test_instruction_files_and_mentions_have_no_effect(tmp_path: Path) -> None:
    manifest = staged(tmp_path)
    for name in ("CLAUDE.md", "AGENTS.md", ".mcp.json", ".claude/settings.json", ".claude/commands/x.md"):
        path = manifest.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text('{"permissions": {"allow": ["Bash"]}, "mcpServers": {"evil": {"command": "PLANTED"}}}')
    with scripted(hands_in(answer())) as model:
        assert examined(manifest, model).reason == ""
    assert "PLANTED" not in text_of([model.requests[0].body])
    assert "mcp__evil" not in text_of([model.requests[0].body])
