from __future__ import annotations

import csv
import io
import json
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from clawjudge.judge.evaluate import Choice, report
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.judge.show.documents import CSV_HEADER, csv_table, dumps, json_document, json_lines
from clawjudge.judge.show.junit import junit_document
from clawjudge.judge.verdict import Citation, FieldBinding, Finding, JudgeReport, Stage1, Verdict

EVIL = "=1+1\x1b[2J\x00\u202e<&]]>\ud800\ufffe\n\"',;\U0001f35c"


def verdict(run: str = "a", outcome: Any = "pass", text: str = "so", **more: Any) -> Verdict:
    values = {
        "task_id": "7",
        "reason_code": "wrong_value",
        "justification": text,
        "stage1": Stage1(status="intercepted", commits=1),
        "intercepted": True,
    }
    return Verdict(run=run, outcome=outcome, **{**values, **more})


def made(*verdicts: Verdict) -> JudgeReport:
    return report(Choice("auto", OfflineJudge(), "why"), verdicts)


def hostile() -> JudgeReport:
    citation = Citation(layer="http", file=EVIL, line=1, quote=EVIL, verified=True)
    finding = Finding(rule="R1", status="violated", note=EVIL, citations=(citation,))
    field = FieldBinding(pointer=EVIL, reference=EVIL, agent=float("nan"), kind="bound", status="mismatch")
    more = {"violated_rules": ("R1",), "failing_field": EVIL, "findings": (finding,), "fields": (field,)}
    return made(verdict(EVIL, "fail", EVIL, **more), verdict("b", "unjudged", EVIL, task_id=EVIL), verdict("c"))


def test_json_is_the_report():
    document = json.loads(json_document(made(verdict(), verdict("b", "fail"))))
    assert document["schema_version"] == 1
    assert [v["run"] for v in document["verdicts"]] == ["a", "b"]
    assert document["summary"]["n_fail"] == 1
    assert document["judge"]["requested"] == "auto"


def test_json_lines_hold_one_verdict_each():
    lines = json_lines(made(verdict(), verdict("b", "fail", "x\ny"))).splitlines()
    assert [json.loads(line)["run"] for line in lines] == ["a", "b"]


@pytest.mark.parametrize("write", [json_document, json_lines])
def test_json_is_strict_and_inert_whatever_is_inside(write):
    text = write(hostile())
    assert text.isascii()
    assert not set(text) & set(map(chr, range(32))) - {"\n"}

    def refuse(constant: str) -> Any:
        raise AssertionError(constant)

    for line in [text] if write is json_document else text.splitlines():
        json.loads(line, parse_constant=refuse).__str__().encode()


def test_json_keeps_what_is_no_danger():
    assert json.loads(dumps({"a": "🍜\x1b", 1: (True, None, 2.5)})) == {"a": "🍜\x1b", "1": [True, None, 2.5]}


def test_csv_has_a_fixed_header_and_a_row_per_run():
    rows = list(csv.DictReader(io.StringIO(csv_table(made(verdict(violated_rules=("R4", "R1"), intercepted=None))))))
    assert tuple(rows[0]) == CSV_HEADER
    assert ",".join(CSV_HEADER) == (
        "run,task_id,outcome,reason_code,intercepted,violated_rules,failing_field,justification,judge,rubric,"
        "rubric_sha256,cost_usd"
    )
    row = rows[0]
    assert (row["violated_rules"], row["intercepted"], row["judge"], row["cost_usd"]) == ("R4;R1", "", "offline", "0.0")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "\x00=1", "\ufeff=1"])
def test_no_csv_cell_starts_a_formula(text):
    [row] = csv.DictReader(io.StringIO(csv_table(made(verdict(text, text=text, failing_field=text)))))
    for key in ("run", "justification", "failing_field"):
        assert row[key][0] in "'\ufffd"


def test_csv_of_hostile_texts_keeps_its_rows():
    text = csv_table(hostile())
    rows = list(csv.reader(io.StringIO(text)))
    assert [len(row) for row in rows] == [len(CSV_HEADER)] * 4
    assert not {"\x1b", "\x00", "\u202e"} & set(text)
    text.encode()


def test_junit_tells_failures_from_errors():
    root = ET.fromstring(junit_document(made(verdict(), verdict("b", "fail"), verdict("c", "unjudged"))))
    suite = root.find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert [[child.tag for child in case] for case in suite.iter("testcase")] == [[], ["failure"], ["error"]]


def test_junit_is_valid_whatever_is_inside():
    text = junit_document(hostile())
    root = ET.fromstring(text.encode())
    assert [case.get("name") for case in root.iter("testcase")][1:] == ["b", "c"]
    assert "]]>" in "".join(root.itertext())
    assert not {"\x1b", "\x00", "\u202e", "\ufffe"} & set(text)


def test_documents_do_not_change_from_run_to_run():
    for write in (json_document, json_lines, csv_table, junit_document):
        assert write(hostile()) == write(hostile())


def test_no_verdict_at_all_is_still_a_document():
    empty = made()
    assert json.loads(json_document(empty))["summary"]["n_total"] == 0
    assert json_lines(empty) == ""
    assert csv_table(empty).count("\n") == 1
    assert ET.fromstring(junit_document(empty)).get("tests") == "0"
