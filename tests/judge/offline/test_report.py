"""What a verdict shows: fields, gaps, places and the first parting; secrets masked, nothing endless."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from clawjudge.judge.align.payloads import ABSENT
from clawjudge.judge.citation import CitationCheck
from clawjudge.judge.offline import cite, report
from clawjudge.judge.offline.divergence import first_divergence

FILE = {"filename": "cv.pdf", "content_type": "application/pdf", "size": 7, "sha256": "0" * 64}


def body(run: Any, **fields: Any) -> dict[str, Any]:
    return copy.deepcopy(run.body) | fields


def order(p: Any, *mine: dict[str, Any]) -> Any:
    p.human.shop().commit()
    p.agent.shop().press("place", "Place order")
    for fields in mine or ({},):
        p.agent.send("POST", "/api/orders", body(p.agent, **fields))
    return p.facts()


@pytest.mark.parametrize(
    ("value", "name", "shown"),
    [
        ("a", "x", "'a'"),
        (7, "x", "7"),
        (None, "x", "nothing"),
        ("", "x", "nothing"),
        (ABSENT, "x", "nothing"),
        (FILE, "x", "'file cv.pdf (7 bytes)'"),
        ("y" * 200, "x", "'" + "y" * 116 + "…"),
    ],
)
def test_shown_value(value: Any, name: str, shown: str) -> None:
    assert report.shown_value(value, name) == shown


def test_a_secret_is_shown_to_nobody() -> None:
    assert "hunter22" not in report.shown_value("hunter22", "password")


def test_the_wrong_request_decides_then_the_uncertain_one_then_the_last(pair: Any) -> None:
    facts = order(pair, {"x": "unknown"}, {"gift": {"note": "Hello"}}, {})
    assert report.decisive_commit(facts) is facts.commits[1]
    assert [f.pointer for f in report.decisive_fields(facts)] == ["/body/gift/note"]
    del facts.commits[1]
    assert report.decisive_commit(facts) is facts.commits[0]
    assert [f.pointer for f in report.decisive_fields(facts)] == ["/body/x"]
    del facts.commits[0]
    assert report.decisive_commit(facts) is facts.commits[0]
    assert report.decisive_fields(facts) == []


def test_the_field_table(pair: Any) -> None:
    facts = order(pair, {"gift": {"note": "Hello"}})
    table = {binding.pointer: binding for binding in report.bindings(facts)}
    assert set(table) >= {"/body/lines/0/count", "/body/gift/note", "/body/meta/sid"}
    wrong = table["/body/gift/note"]
    assert (wrong.reference, wrong.agent, wrong.status) == ("Happy move!", "Hello", "mismatch")
    assert [(c.pointer, c.quote) for c in wrong.citations] == [("/body/gift/note", "Hello")]
    assert not table["/body/lines/0/count"].citations, "what is right needs no place"
    assert "8776" not in str(table["/body/meta/sid"].agent), "a session's token is not shown whole"


def test_a_thousand_wrong_fields_are_cut(pair: Any) -> None:
    many = {f"k{n}": f"v{n}" for n in range(600)}
    table = report.bindings(order(pair, {"gift": {"note": "Hello"}, "more": many}))
    assert len(table) == 500
    assert sum(bool(binding.citations) for binding in table) == 20
    assert "/body/gift/note" in {binding.pointer for binding in table}


def test_gaps_and_skipped_lines(pair: Any) -> None:
    order(pair)
    with (pair.agent_folder / "data" / "requests.jsonl").open("a") as log:
        log.write("{\n[1]\n")
    (pair.agent_folder / "data" / "actions.jsonl").unlink()
    case = pair.case()
    found = {(gap.run, gap.layer, gap.code): gap.count for gap in report.gaps(case.agent, case.reference)}
    assert found["agent", "actions", "layer_missing"] == 1
    assert found["agent", "http", "bad_json"] == 1
    assert found["agent", "http", "wrong_type"] == 1
    assert found["reference", "video", "layer_missing"] == 1
    assert ("reference", "messages", "layer_missing") not in found, "a human has no transcript"
    assert report.skipped_lines(case.agent) == {"data/requests.jsonl": 2}
    assert ("reference", "video", "layer_missing") not in {
        (gap.run, gap.layer, gap.code) for gap in report.gaps(case.agent, None)
    }


def places(p: Any) -> list[Any]:
    facts = order(p)
    agent, commit = facts.agent, facts.commits[0].request
    page = cite.page(agent, agent.pages[-1], "Almost there")
    claim = cite.interception(agent)
    fields = [cite.request(agent, commit, f.agent_pointer, f.agent) for f in facts.commits[0].fields]
    theirs = cite.request(facts.reference, facts.terminal.request, "/body/gift/note", "Happy move!", "reference")
    return [
        *(cite.step(agent, step) for step in agent.steps),
        *fields,
        page,
        claim,
        theirs,
        cite.request(agent, commit),
    ]


def test_every_place_can_be_looked_up(pair: Any) -> None:
    pair.agent.show("- text: Almost there")
    cited = places(pair)
    check = CitationCheck(pair.case().folders)
    assert len(cited) > 20
    assert [c for c in cited if not check.verify(c).verified] == []


@pytest.mark.parametrize("change", ["quote", "pointer", "line"])
def test_a_place_beside_it_can_not(pair: Any, change: str) -> None:
    pair.agent.show("- text: Almost there")
    cited = places(pair)
    check = CitationCheck(pair.case().folders)
    other = {"quote": "something else", "pointer": "/nowhere", "line": 9999}
    assert not any(check.verify(c.model_copy(update={change: other[change]})).verified for c in cited)


def test_an_address_is_cited_without_its_query(pair: Any) -> None:
    pair.agent.page("/?token=secret", "Lumen Store")
    facts = order(pair)
    assert all("secret" not in cite.step(facts.agent, step).quote for step in facts.agent.steps)
    commit = facts.commits[0].request
    assert cite.request(facts.agent, commit).quote == "http://lumen.example/api/orders"


def parting(p: Any) -> tuple[str, str] | None:
    p.human.shop().commit()
    if not p.agent.commits:
        p.agent.commit()
    found = first_divergence(p.facts())
    return (found.kind, found.description) if found else None


def test_no_parting(pair: Any) -> None:
    pair.agent.shop()
    assert parting(pair) is None


def test_another_value_of_something_bound_comes_first(pair: Any) -> None:
    pair.agent.page("/help", "Help")
    pair.agent.body["gift"]["note"] = "Hello there"
    pair.agent.shop()
    kind, words = parting(pair) or ("", "")
    assert kind == "variant"
    assert words == "in field 'gift' the agent entered 'Hello there' instead of 'Happy move!'"


def test_something_left_out_comes_before_something_added(pair: Any) -> None:
    pair.agent.page("/help", "Help").shop()
    del pair.agent.actions[3]
    kind, words = parting(pair) or ("", "")
    assert (kind, words) == ("missing", "the human pressed 'Add to basket', the agent did not")


def test_something_added(pair: Any) -> None:
    pair.agent.page("/help", "Help").shop()
    assert parting(pair) == ("extra", "the agent opened 'Help', the human did not")


def test_without_acts_nothing_parts(pair: Any) -> None:
    pair.agent.page("/help", "Help").shop().commit()
    pair.agent.actions.clear()
    assert parting(pair) is None
