"""The task lint: one row per mistake, silence for a sound task, and the counts on the public tasks."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.traces.errors import InvalidTask
from clawjudge.traces.lint import lint_corpus, lint_task
from clawjudge.traces.patterns import Pattern
from clawjudge.traces.task import Task, load_task, parse_task

SHARED = Path(os.environ.get("CLAWJUDGE_SHARED", Path(__file__).resolve().parents[3] / "shared"))


def task(pattern: str, method: str | None = "POST", sites: tuple[str, ...] = ("shop.test",), **schema: Any) -> Task:
    return parse_task(
        {
            "instruction": "Buy a mug",
            "eval_schema": {"url_pattern": pattern, "method": method, **schema},
            "metadata": {"sites_involved": list(sites)},
        },
        "test",
    )


CASES: list[tuple[Task, list[str]]] = [
    (task(r"shop\.test/api/order$"), []),
    (task(r"^https?://(www\.)?shop\.test/api/order"), []),
    (task(r"^https://([^/?#]+\.)?shop\.test/api/order"), []),
    (task(r"^https://[^/]+\.shop\.test/api/order"), []),
    (task(r"^https://api\.shop\.test\/v\d+\/orders"), []),
    (task(r"shop\.(test|example)/api/order"), []),
    (task(r"shop\.test.*(order|buy)"), []),
    (task(r"shop\.test/order", sites=("https://www.Shop.test/start",)), []),
    (task(r"localhost:\d+/order", sites=()), []),
    (task(r"127\.0\.0\.1:8000/order", sites=()), []),
    (task(r"/api/order"), ["unanchored_host"]),
    (task(r"api/v1\.0/order"), ["unanchored_host"]),
    (task(r"order\.php$"), ["unanchored_host"]),
    (task(r"shop\.test/a|/b"), ["unanchored_host"]),
    (task(r"shop.test/api/order"), ["unescaped_host_dot"]),
    (task(r"shop\.test/order", "GET"), ["get_without_params"]),
    (task(r"shop\.test/order", None), ["get_without_params"]),
    (task(r"shop\.test/order", "GET", params={"action": "buy"}), []),
    (task(r"shop\.test/order\?action=buy", "GET"), []),
    (task(r"shop\.test", "GET"), ["matches_start_page", "get_without_params"]),
    (task(r"shop\.test/$", None), ["matches_start_page", "get_without_params"]),
    (task(r"shop\.test", "GET", params={"action": "buy"}), []),
    (task(r"shop\.test", "GET", body={"a": 1}), ["matches_start_page"]),
    (task(r"shop\.test"), ["whole_site"]),
    (task(r"shop\.test", body={"_action": "send"}), []),
    (task(r"shop\.test/graphql"), ["any_graphql_call"]),
    (task(r"shop\.test/graphql", body={"operationName": "Buy"}), []),
    (task(r"shop\.test/graphql/Buy"), []),
    (task(r".*"), ["matches_everything", "unanchored_host"]),
    (task(r"^https?://"), ["matches_everything", "unanchored_host"]),
    (task(r"other\.test/order"), ["foreign_host"]),
    (task(r"other\.test/a|other\.test/b|shop\.test/c"), ["foreign_host"]),
    (task(r"other\.test/order", sites=()), []),
    (task("__PLACEHOLDER_WILL_NOT_MATCH__", "GET"), ["never_matches"]),
    (task("(?!)"), ["never_matches"]),
]


@pytest.mark.parametrize(("subject", "codes"), CASES, ids=lambda value: str(getattr(value, "eval_schema", value))[:60])
def test_codes(subject: Task, codes: list[str]) -> None:
    findings = lint_task(subject)
    assert [finding.code for finding in findings if finding.code != "open_host"] == codes
    assert all(finding.message and finding.field.startswith("eval_schema.") for finding in findings)


def test_severities_come_in_order() -> None:
    findings = lint_task(task(r"shop\.test|other\.test/x", "GET"))
    assert list(dict.fromkeys(finding.severity for finding in findings)) == ["error", "warning", "note"]


OPEN: list[tuple[str, tuple[str, ...]]] = [
    (r"shop\.test/api/order$", ("notshop.test",)),
    (r"https?://.*shop\.test/api/order$", ("notshop.test",)),
    (r"^https://[^/]*shop\.test/api/order$", ("notshop.test",)),
    (r"^https://shop\.test.*(order|buy)", ("shop.test.other.invalid",)),
    (r"shop\.test.*(order|buy)", ("notshop.test", "shop.test.other.invalid")),
    (r"shop\.(test|example)/buy", ("notshop.test",)),
    (r"^https://shop\.test/buy", ()),
    (r"^https?://(www\.)?shop\.test/buy", ()),
    (r"^https://([^/?#]+\.)?shop\.test/buy", ()),
    (r"://shop\.test/buy", ()),
    (r"/buy", ()),
]


@pytest.mark.parametrize(("pattern", "others"), OPEN)
def test_a_host_that_another_host_meets_is_named(pattern: str, others: tuple[str, ...]) -> None:
    found = [finding for finding in lint_task(task(pattern)) if finding.code == "open_host"]
    assert len(found) == bool(others)
    for finding in found:
        assert finding.severity == "note"
        assert all(other in finding.message for other in others)
        assert ("other.invalid" in finding.message) is ("shop.test.other.invalid" in others)
        remedy = Pattern(finding.message.split("write ")[1])
        for address in ("http://shop.test/", "https://shop.test/", "https://www.shop.test/"):
            assert remedy.search(address) is not None, "the remedy loses a request that is meant"
        for other in others:
            assert remedy.search(f"https://{other}/") is None


SLOW = [
    "(a+)+$",
    r"shop\.test/(a|aa)+$",
    r"(shop\.test/(x|(y|(a|a)*$)))",
    r"^https://shop\.test/(\w+\s?)+$",
    r"shop\.test/\w+(?=(a|a)*$)",
    ".*.*.*=.*x",
    "^(.*?,){11}P",
]


@pytest.mark.parametrize("pattern", SLOW)
def test_a_pattern_that_can_keep_the_search_busy_is_named(pattern: str) -> None:
    assert [(finding.code, finding.severity) for finding in lint_task(task(pattern))] == [("slow_pattern", "error")]


@pytest.mark.parametrize(
    "pattern",
    [r"^https://shop\.test/(?:[^/]+/)+order$", r"shop\.test/(sync|order)+/history", r"shop\.test/[^/]+/[^/]+/add"],
)
def test_a_repeat_inside_a_repeat_is_no_fault_in_itself(pattern: str) -> None:
    assert "slow_pattern" not in [finding.code for finding in lint_task(task(pattern))]


@given(st.text(".*\\/()|?^$ab[]{}+-:", min_size=1, max_size=20), st.sampled_from(["GET", "POST", None]))
def test_no_valid_pattern_raises(pattern: str, method: str | None) -> None:
    try:
        subject = task(pattern, method)
    except InvalidTask:
        return
    lint_task(subject)


def test_lint_corpus(tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    lines = [("a", r"shop\.test/order"), ("b", "(?!)")]
    file.write_text("".join(json.dumps({"slug": s, "task": task(p).model_dump()}) + "\n" for s, p in lines))
    assert [(slug, [finding.code for finding in found]) for slug, found in lint_corpus(file)] == [
        ("a", ["open_host"]),
        ("b", ["never_matches"]),
    ]


@pytest.mark.skipif(not (SHARED / "clawbench-tasks").is_dir(), reason=f"no tasks in {SHARED}; set CLAWJUDGE_SHARED")
def test_public_tasks_have_no_errors_and_few_warnings() -> None:
    found = Counter(
        (finding.severity, finding.code)
        for name in ("v1", "v2")
        for _, findings in lint_corpus(SHARED / "clawbench-tasks" / f"{name}.jsonl")
        for finding in findings
    )
    assert found["note", "never_matches"] == 82
    assert found["note", "open_host"] > 100
    assert not [key for key in found if key[0] == "error"]
    assert {key[1] for key in found if key[0] == "warning"} == {"get_without_params", "any_graphql_call"}


@pytest.mark.skipif(not (SHARED / "corpus" / "dev").is_dir(), reason=f"no corpus in {SHARED}; set CLAWJUDGE_SHARED")
def test_corpus_tasks_are_sound() -> None:
    for file in sorted((SHARED / "corpus" / "dev").glob("*/reference/task.json")):
        assert {finding.code for finding in lint_task(load_task(file))} <= {"open_host"}, file
