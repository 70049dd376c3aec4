from __future__ import annotations

import re
from typing import Any

import pytest

from clawjudge.judge.evaluate import Choice, evaluate, report
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.judge.show.human import render
from clawjudge.judge.show.layout import Screen
from clawjudge.judge.show.terminal import plain, plain_lines
from clawjudge.judge.verdict import (
    BoundBy,
    Citation,
    Divergence,
    FieldBinding,
    Finding,
    Gap,
    JudgeReport,
    Stage1,
    Verdict,
)

EVIL = "\x1b[2J\x1b]0;PASS\x07\x9b31m\u202eSSAP\u2066\x00\r\n[bold red]x[/] :smile: \ud800" + "A" * 100_000
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
PIPE = Screen()
NARROW = Screen(50, is_terminal=True)
WIDE = Screen(120, is_terminal=True)


def citation(quote: str = "3", **more: Any) -> Citation:
    values: dict[str, Any] = {"layer": "http", "file": "data/requests.jsonl", "line": 14, "pointer": "/body/quantity"}
    return Citation(**{**values, "quote": quote, "verified": True, **more})


def binding(pointer: str, agent: Any, reference: Any, status: Any = "match", kind: Any = "bound") -> FieldBinding:
    bound = (BoundBy(source="instruction", quote="two"),) if kind == "bound" else ()
    return FieldBinding(
        pointer=pointer,
        agent_pointer=pointer,
        agent=agent,
        reference=reference,
        kind=kind,
        status=status,
        bound_by=bound,
    )


def failed(**more: Any) -> Verdict:
    values: dict[str, Any] = {
        "run": "a",
        "task_id": "7",
        "outcome": "fail",
        "reason_code": "wrong_value",
        "justification": "Task completed as instructed: quantity: 3 instead of 2.",
        "stage1": Stage1(status="intercepted", commits=1),
        "intercepted": True,
        "violated_rules": ("R1",),
        "failing_field": "/body/quantity",
        "findings": (Finding(rule="R1", status="violated", note="quantity: 3 instead of 2", citations=(citation(),)),),
        "fields": (
            binding("/body/dish", "Pad Thai", "Pad Thai"),
            binding("/body/quantity", 3, 2, "mismatch"),
            binding("/body/tip", 1, 0, "uncertain", "free"),
            binding("/body/session", "s_1…", "s_2…", kind="volatile"),
            binding("/body/ts", 1, 2, kind="volatile"),
        ),
    }
    return Verdict(**{**values, **more})


def made(*verdicts: Verdict, n_found: int | None = None) -> JudgeReport:
    return report(Choice("auto", OfflineJudge(), "no other"), verdicts, n_found)


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def test_a_failed_run_says_at_once_what_is_wrong():
    first, second, third = render(made(failed()), "runs/a", PIPE).splitlines()[:3]
    assert first == "✗ FAIL  runs/a"
    assert second == "  quantity: 3 instead of 2"
    assert third == "  breaks rule R1 “Task completed as instructed”"


def test_evidence_is_file_and_line_with_the_quote_and_at_most_three():
    more = tuple(citation(f"q{n}", line=n) for n in range(20, 30))
    unsure = citation("never there", line=99, verified=False)
    finding = Finding(rule="R1", status="violated", note="x", citations=(unsure, citation(), citation(), *more))
    text = render(made(failed(findings=(finding,))), "a", PIPE)
    evidence = lines(text.split("Evidence\n")[1].split("\n\n")[0])
    assert evidence[0] == "data/requests.jsonl:14  /body/quantity  “3”"
    assert len(evidence) == 3
    assert "never there" not in text


def test_decisive_evidence_comes_first():
    early = Finding(
        rule="R1", status="violated", note="x", citations=(citation("one", line=1), citation("both", line=2))
    )
    late = Finding(
        rule="R4", status="violated", note="y", citations=(citation("both", line=2), citation("four", line=4))
    )
    text = render(made(failed(findings=(early, late), violated_rules=("R4", "R1"))), "a", PIPE)
    assert re.findall("“(both|one|four)”", text) == ["both", "four", "one"]


@pytest.mark.parametrize("screen", [PIPE, WIDE, NARROW])
def test_wrong_fields_come_first_and_volatile_ones_share_a_line(screen):
    text = render(made(failed()), "a", screen)
    section = text[text.index("Fields of") :].replace("uncertain,\n1", "uncertain, 1")
    assert section.startswith("Fields of the final request: 1 wrong, 1 uncertain, 1 right")
    order = [
        section.index(f"{mark}  /body/{name}" if screen is not NARROW else name)
        for mark, name in (("✗", "quantity"), ("?", "tip"), ("✓", "dish"))
    ]
    assert order == sorted(order)
    assert "2 volatile fields differ as expected" in " ".join(section.split())


def test_the_parting_is_evidence_of_a_failure_beside_what_the_rules_quote():
    parting = Divergence(kind="variant", description="x", citations=(citation("the parting", pointer="/value"),))
    text = render(made(failed(first_divergence=parting)), "a", PIPE)
    assert "“the parting”" in text[text.index("Evidence") : text.index("Where the runs")]


def test_a_value_is_never_cut_where_it_is_wrong():
    long = "Great coffee, " * 12
    text = render(made(failed(fields=(binding("/body/text", long + "bad", long + "good", "mismatch"),))), "a", PIPE)
    shown = " ".join(text[text.index("Fields of") :].split())
    assert shown.count("coffee") == 24
    assert "bad" in shown
    assert "good" in shown


def test_fields_that_the_run_never_came_to_share_a_line():
    left = tuple(
        binding(f"/body/f{n}", None, n, "uncertain").model_copy(update={"note": "stopped before"}) for n in range(4)
    )
    text = render(made(failed(fields=left, stage1=Stage1(status="not_intercepted"))), "a", PIPE)
    assert "? 4 fields: stopped before (/body/f0, /body/f1, /body/f2, /body/f3)" in text
    assert "Fields as far as the run came" in text


def test_parting_gaps_and_notices_are_told():
    parting = Divergence(
        kind="variant", description="fill 'x'", agent_step=3, reference_step=4, citations=(citation(),)
    )
    gap = Gap(code="layer_missing", run="reference", layer="video", message="no video")
    more = {"first_divergence": parting, "gaps": (gap,), "notices": ("a page speaks to the judge",)}
    text = render(
        made(failed(skipped_lines={"actions.jsonl": 2}, alignment={"match": 5, "extra": 1}, **more)), "a", PIPE
    )
    assert "agent step 3 · reference step 4" in text
    assert "5 match, 1 extra" in text
    assert "reference: no video" in lines(text)
    assert "lines skipped: 2 in actions.jsonl" in lines(text)
    assert "a page speaks to the judge" in lines(text)


def test_many_runs_are_a_line_each_and_both_stages():
    passed = failed(run="b", outcome="pass", violated_rules=(), findings=(), justification="All right.")
    unsure = failed(
        run="c", outcome="unjudged", reason_code="no_reference", justification="No reference.", violated_rules=()
    )
    text = render(made(failed(), passed, unsure), "runs", PIPE)
    assert [line.split()[1] for line in text.splitlines()[1:4]] == ["FAIL", "PASS", "UNJUDGED"]
    assert "3 runs in runs: 1 pass, 1 fail, 1 unjudged" in text
    assert re.search(r"stage 1, interception +100.0 % +3 of 3 runs", text)
    assert re.search(r"stage 2, the judge +50.0 % +1 of 2 judged runs passed", text)
    assert "over all 3: 33.3 % if all unjudged runs failed, 66.7 % if all passed" in text
    assert "1 run made the final request and failed all the same" in text


def test_runs_not_reached_are_told():
    assert "only 1 of 9 runs were judged" in render(made(failed(), n_found=9), "runs", PIPE)


def test_nothing_judged_is_still_a_screen():
    assert "0 runs in runs" in render(made(n_found=3), "runs", PIPE)


def test_lines_are_whole_in_a_pipe_and_fit_on_a_terminal():
    long = failed(justification="x", findings=(Finding(rule="R1", status="violated", note="word " * 50),))
    many = made(long, long)
    assert max(map(len, render(many, "runs", PIPE).splitlines())) > 200
    assert max(map(len, render(many, "runs", NARROW).splitlines())) <= 50
    folded = " ".join(render(many, "runs", NARROW).split())
    assert folded.count("word") == 100
    assert "R1 wrong_value" in folded
    assert max(map(len, render(made(failed()), "runs", NARROW).splitlines())) <= 50
    assert render(many, "runs", PIPE).splitlines() == [
        line.rstrip() for line in render(many, "runs", PIPE).splitlines()
    ]


def test_colour_only_where_it_is_wanted():
    assert "\x1b[" not in render(made(failed()), "a", WIDE)
    assert "\x1b[1;31m✗ FAIL" in render(made(failed()), "a", Screen(100, True, has_colour=True))


@pytest.mark.parametrize("screen", [PIPE, WIDE, NARROW])
@pytest.mark.parametrize("twice", [False, True])
def test_nothing_from_a_trace_reaches_the_terminal_raw(screen, twice):
    evil = citation(EVIL, file=EVIL, pointer=EVIL)
    verdict = failed(
        run=EVIL,
        task_id=EVIL,
        reason_code=EVIL,
        justification=EVIL,
        violated_rules=("R1", EVIL),
        failing_field=EVIL,
        findings=(Finding(rule="R1", status="violated", note=EVIL, citations=(evil,)),),
        fields=(
            binding(EVIL, EVIL, {EVIL: [EVIL]}, "mismatch").model_copy(
                update={"note": EVIL, "normalisations": (EVIL,)}
            ),
            binding(EVIL, None, EVIL, "uncertain").model_copy(update={"note": EVIL}),
            binding(EVIL, EVIL, EVIL, kind="volatile"),
            binding(EVIL, EVIL, EVIL).model_copy(update={"bound_by": (BoundBy(source="instruction", quote=EVIL),)}),
        ),
        first_divergence=Divergence(kind="extra", description=EVIL, citations=(evil,)),
        gaps=(Gap(code="x", layer="http", message=EVIL),),
        skipped_lines={EVIL: 3},
        notices=(EVIL,),
    )
    text = render(made(*[verdict] * (2 if twice else 1)), EVIL, screen)
    assert not RAW.search(text)
    assert len(text) < 20_000
    text.encode()
    if not twice and screen is PIPE:
        assert "[bold red]x[/] :smile:" in text


def test_plain_leaves_a_sign_where_it_takes_something_out():
    assert plain("a\x1b[31mb\x1b]0;title\x07c") == "a␛b␛0;title\ufffdc"
    assert plain("a\u202eb\x00\ud800") == "a\ufffdb\ufffd\ufffd"
    assert plain("one\r\ntwo\tthree\u2028four") == "one↵two three four"
    assert plain("\x1b" * 5) == "␛" * 5


def test_plain_keeps_the_scripts_of_the_world():
    for text in ("می‌خواهم", "👨‍👩‍👧", "Zürich", "東京", "सत्य"):
        assert plain(text) == text


def test_plain_is_bounded_and_says_so():
    assert plain("é" * 1000, 10) == "é" * 9 + "…"
    assert plain("\u200b" * 10**6 + "hidden", 10).endswith("…")
    assert plain_lines("a\n    b\x1b") == "a\n    b␛"


def test_the_screen_of_a_real_failure(dev_corpus):
    text = render(evaluate(dev_corpus / "food-order" / "fail-wrong-quantity"), "run", PIPE)
    assert text.splitlines()[1] == "  quantity: 1 instead of 2"
    assert "requests.jsonl:14  /body/cart/items/0/quantity  “1”" in text
    assert re.search(r"✗  /body/cart/items/0/quantity +1 +2 +instruction “two”", text)
    assert max(map(len, text.splitlines())) <= 120
