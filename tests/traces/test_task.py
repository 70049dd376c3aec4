"""Loading task definitions: what is accepted, what is refused, and with which words."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from clawjudge.traces.errors import InvalidTask
from clawjudge.traces.task import EvalSchema, Task, load_corpus, load_task, parse_task

SHARED = Path(os.environ.get("CLAWJUDGE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
needs_tasks = pytest.mark.skipif(
    not (SHARED / "clawbench-tasks").is_dir(), reason=f"no clawbench-tasks in {SHARED}; set CLAWJUDGE_SHARED"
)


def definition(**changes: Any) -> dict[str, Any]:
    return {
        "$schema": "../task.schema.json",
        "metadata": {"task_id": 7, "class": "shop", "sites_involved": ["shop.test"], "common_info": {"a": "b"}},
        "instruction": "Buy a mug",
        "eval_schema": {"url_pattern": r"shop\.test/api/order$", "method": "post", "body": {"qty": 2}},
        "time_limit": 30,
        "extra_info": [{"path": "extra_info/card.json", "description": "card"}],
        **changes,
    }


def test_a_task_keeps_what_it_does_not_know() -> None:
    task = parse_task(definition(note={"x": 1}), "here")
    assert (task.task_id, task.instruction, task.time_limit) == ("7", "Buy a mug", 30)
    assert (task.eval_schema.method, task.eval_schema.methods) == ("POST", ("POST",))
    assert task.metadata.category == "shop"
    assert task.extra_info[0].path == "extra_info/card.json"
    dumped = task.model_dump(by_alias=True)
    assert dumped["note"] == {"x": 1}
    assert dumped["$schema"] == "../task.schema.json"
    assert parse_task(dumped, "again") == task


def test_a_task_is_frozen() -> None:
    task = parse_task(definition(), "here")
    with pytest.raises(ValueError, match="frozen"):
        task.instruction = "other"


@pytest.mark.parametrize(
    ("changes", "task_id"),
    [({}, "7"), ({"task_id": 9}, "9"), ({"metadata": {}}, ""), ({"metadata": {"task_id": "v2-1b"}}, "v2-1b")],
)
def test_task_id(changes: dict[str, Any], task_id: str) -> None:
    assert parse_task(definition(**changes), "here").task_id == task_id


def test_sites_are_bare_host_names() -> None:
    listed = ["Shop.test", "https://www.shop.test", "shop.test/software/x", "app.shop.test"]
    task = parse_task(definition(metadata={"sites_involved": listed}), "here")
    assert task.sites == ("shop.test", "shop.test", "shop.test", "app.shop.test")


def schema(**fields: Any) -> dict[str, Any]:
    return {"eval_schema": {"url_pattern": "a", **fields}}


DEEP: dict[str, Any] = {}
for _ in range(70):
    DEEP = {"k": DEEP}

INVALID = [
    ({"instruction": " "}, "instruction: is blank"),
    ({"instruction": None}, "instruction: Input should be"),
    ({"eval_schema": {"method": "POST"}}, "eval_schema.url_pattern: is missing; add it"),
    (schema(url_pattern="shop("), r"eval_schema.url_pattern: is not a Python regular expression: missing \), unterm"),
    (schema(url_pattern="a{99999999999999999999}"), "eval_schema.url_pattern: is not"),
    (schema(url_pattern=""), "eval_schema.url_pattern: is empty"),
    (schema(url_pattern="a" * 2001), "eval_schema.url_pattern: is 2001 characters long; at most 2000"),
    (schema(method="FETCH"), "eval_schema.method: 'FETCH' is no HTTP method; use one of"),
    (schema(method=[]), "eval_schema.method"),
    (schema(method=5), "eval_schema.method"),
    (schema(body=[1]), "eval_schema.body"),
    (schema(body=DEEP), "eval_schema.body: is nested more than 64"),
    (schema(params="a=1"), "eval_schema.params"),
    ({"time_limit": 0}, "time_limit: Input should be greater than 0"),
    ({"time_limit": float("nan")}, "time_limit"),
    ({"extra_info": [{"path": "../x"}]}, r"extra_info.0.path: '../x' leaves the task's folder"),
    ({"extra_info": [{"path": "ok"}, {"path": "/etc/passwd"}]}, "extra_info.1.path"),
    ({"extra_info": [{"path": "C:\\x"}]}, "extra_info.0.path"),
    ({"extra_info": [{"path": "..\\x"}]}, "extra_info.0.path"),
    ({"extra_info": [{"path": "a\0b"}]}, "extra_info.0.path"),
    ({"extra_info": [{"description": "x"}]}, "extra_info.0.path: is missing"),
]


@pytest.mark.parametrize(("changes", "message"), INVALID)
def test_defects_name_file_field_and_remedy(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidTask, match=f"^folder/task.json: {message}"):
        parse_task(definition(**changes), "folder/task.json")


@pytest.mark.parametrize("data", [None, [], "task", 5])
def test_a_task_must_be_an_object(data: Any) -> None:
    with pytest.raises(InvalidTask, match="must be a JSON object"):
        parse_task(data, "x")


def test_methods() -> None:
    assert EvalSchema(url_pattern="a").methods == ()
    assert EvalSchema(url_pattern="a", method=("put", "Post")).methods == ("PUT", "POST")


def test_a_pattern_that_python_warns_of_is_accepted() -> None:
    assert EvalSchema(url_pattern="[[a]x").pattern.search("[x") == 0


NEVER = [
    ("__PLACEHOLDER_WILL_NOT_MATCH__", True),
    ("NEVER_MATCH", True),
    ("THIS_DOES_NOT_MATCH", True),
    ("NO-MATCH_1", True),
    ("__TODO__", True),
    ("^__X__$", True),
    ("<FILL IN>", True),
    ("ADD_TO_CART", False),
    ("NO_REPLY", False),
    ("CHECKOUT", False),
    ("/__PLACEHOLDER__/", False),
    ("__placeholder__", False),
    ("(?!)", True),
    ("(?!)x", True),
    ("$^", True),
    ("^$", True),
    ("a^", True),
    (".^", True),
    ("$a", True),
    (r"\Za", True),
    (r"a\A", True),
    (r"[^\s\S]", True),
    ("(?!)|$^", True),
    (r"shop\.test|(?!)", False),
    ("a*^b", False),
    ("a{0,3}^b", False),
    ("(?!)?x", False),
    ("(?!x)y", False),
    ("$|^", False),
    ("^.*$", False),
    ("^(a|b)$", False),
    ("x(^|/)a", False),
    (r"\$^", True),
    (r"[$]a", False),
    (r"\$a", False),
    ("(?m)$^a", False),
    (r"^https://shop\.test/[^$^]+$", False),
]


@pytest.mark.parametrize(("pattern", "never"), NEVER)
def test_never_matches(pattern: str, never: bool) -> None:
    assert EvalSchema(url_pattern=pattern).never_matches is never


def test_load_task_takes_the_file_or_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "task.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(definition()).encode())
    assert load_task(tmp_path) == load_task(file)


@pytest.mark.parametrize(("content", "message"), [("{", "not JSON"), ("[]", "JSON object"), (None, "No such file")])
def test_load_task_names_the_file(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / "task.json").write_text(content)
    with pytest.raises(InvalidTask, match=message) as caught:
        load_task(tmp_path)
    assert str(tmp_path / "task.json") in str(caught.value)


def test_load_task_refuses_a_link_that_leads_outside(tmp_path: Path) -> None:
    folder = tmp_path / "task"
    folder.mkdir()
    (folder / "extra_info").symlink_to(tmp_path)
    (folder / "task.json").write_text(json.dumps(definition()))
    with pytest.raises(InvalidTask, match=r"extra_info\.0\.path: .*leads outside"):
        load_task(folder)


def corpus(path: Path, *lines: Any) -> Path:
    file = path / "tasks.jsonl"
    file.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return file


def test_load_corpus_keeps_order(tmp_path: Path) -> None:
    file = corpus(tmp_path, {"slug": "b", "task": definition()}, "", {"slug": "a", "task": definition()})
    assert [(slug, type(task)) for slug, task in load_corpus(file)] == [("b", Task), ("a", Task)]


CORPUS_DEFECTS = [
    (
        [{"slug": "a", "task": definition()}, {"slug": "b", "task": definition()}, {"slug": "a", "task": definition()}],
        "1 and 3",
    ),
    ([{"slug": "a", "task": definition()}, {"task": definition()}], "line 2: slug: is missing"),
    ([{"slug": "a", "task": definition()}, "{"], "line 2: not JSON"),
    ([{"slug": "a", "task": definition(time_limit=-1)}], r"line 1 \(a\): time_limit"),
    ([{"slug": "a"}], "line 1"),
    (["[1]"], "line 1"),
    ([], "holds no tasks"),
]


@pytest.mark.parametrize(("lines", "message"), CORPUS_DEFECTS)
def test_load_corpus_names_the_lines(tmp_path: Path, lines: list[Any], message: str) -> None:
    with pytest.raises(InvalidTask, match=message):
        load_corpus(corpus(tmp_path, *lines))


def test_load_corpus_without_a_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidTask, match="cannot be read"):
        load_corpus(tmp_path / "none.jsonl")


@needs_tasks
@pytest.mark.parametrize(("name", "count", "never"), [("v1", 152, 82), ("v2", 129, 0), ("v1-lite", 20, 8)])
def test_all_public_tasks_load(name: str, count: int, never: int) -> None:
    tasks = load_corpus(SHARED / "clawbench-tasks" / f"{name}.jsonl")
    assert len(tasks) == count
    assert sum(task.eval_schema.never_matches for _, task in tasks) == never
