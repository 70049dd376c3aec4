"""What a judge gets: the task of the run or its reference, the user's details wherever they lie, and no run's name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clawjudge.judge.case import Case, build_case, read_persona
from clawjudge.traces.errors import InvalidInput
from clawjudge.traces.trace import Trace

PERSONA = {"name": {"first": "Dana"}, "email": "dana@box.test", "address": {"country": "Canada"}}


@pytest.fixture
def run(tmp_path: Path, make_run: Any) -> Path:
    folder: Path = make_run(tmp_path / "run")
    return folder


def put(folder: Path, name: str, value: Any) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def read(run: Path, reference: Path | None = None, **more: Any) -> Case:
    return build_case(Trace(run), Trace(reference) if reference else None, **more)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("persona.json", True),
        ("data/persona.json", True),
        ("my-info/p.json", True),
        ("data/extra_info/p.json", True),
        ("persona/p.json", True),
        ("elsewhere/p.json", False),
        ("my-info/deeper/p.json", False),
        ("my-info/p.txt", False),
        ("judge.json", False),
        ("rescore-summary.json", False),
        ("package-lock.json", False),
    ],
)
def test_details_beside_the_recording(run: Path, name: str, found: bool) -> None:
    put(run, name, PERSONA)
    assert [d.value for d in read(run).sources.documents] == ([PERSONA] if found else [])


def test_details_are_read_once_and_never_from_outside(run: Path, tmp_path: Path) -> None:
    put(run, "my-info/a.json", PERSONA)
    put(run, "my-info/b.json", PERSONA)
    put(tmp_path, "secret.json", {"password": "x"})
    (run / "my-info" / "c.json").symlink_to(tmp_path / "secret.json")
    put(run, "my-info/d.json", {"pad": "x" * (2 * 1024 * 1024)})
    put(run, "my-info/e.json", [1, 2])
    assert [d.value for d in read(run).sources.documents] == [PERSONA]


def test_a_given_persona_comes_first(run: Path, tmp_path: Path) -> None:
    put(run, "persona.json", {"name": "Other"})
    put(tmp_path, "mine.json", PERSONA)
    documents = read(run, persona=[read_persona(tmp_path / "mine.json")]).sources.documents
    assert [(d.source, d.value) for d in documents] == [("persona", PERSONA), ("persona", {"name": "Other"})]


@pytest.mark.parametrize(
    ("content", "words"),
    [("{", "not JSON"), ("[1]", "a persona is a JSON object, this is a list"), (None, "cannot be read")],
)
def test_a_persona_that_is_none(tmp_path: Path, content: str | None, words: str) -> None:
    path = tmp_path / "p.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InvalidInput, match=words):
        read_persona(path)


def test_extra_info_is_known_by_the_task(run: Path) -> None:
    task = json.loads((run / "task.json").read_text())
    (run / "task.json").write_text(json.dumps(task | {"extra_info": [{"path": "extra_info/guests.json"}]}))
    put(run, "extra_info/guests.json", {"guests": ["Ann"]})
    put(run, "extra_info/p.json", PERSONA)
    kinds = {d.name: d.source for d in read(run).sources.documents}
    assert kinds == {"extra_info/guests.json": "extra_info", "extra_info/p.json": "persona"}


def test_the_own_address(run: Path) -> None:
    assert read(run).sources.own_emails == frozenset()
    put(run, "persona.json", PERSONA | {"note": "write to a@b.test or c@d.test"})
    assert read(run).sources.own_emails == {"dana@box.test"}
    meta = json.loads((run / "run-meta.json").read_text())
    put(run, "run-meta.json", meta | {"email_used": " Dana.7@Box.test "})
    assert read(run).sources.own_emails == {"dana.7@box.test"}
    assert read(run, run).reference_emails == {"dana.7@box.test"}


def test_the_region(run: Path) -> None:
    assert read(run).region is None
    put(run, "persona.json", PERSONA)
    assert read(run).region == "CA"


def test_the_schema_s_values_bind(run: Path) -> None:
    task = json.loads((run / "task.json").read_text())
    task["eval_schema"] |= {"body": {"kind": "order"}, "params": {"v": "2"}}
    (run / "task.json").write_text(json.dumps(task))
    assert read(run).sources.constraints == {"/body/kind": "order", "/params/v": "2"}


OTHER = "Order one Pad See Ew on Noodle Shop."


@pytest.mark.parametrize(
    ("mine", "mismatch"),
    [
        ({}, ""),
        ({"instruction": OTHER}, "different instructions"),
        ({"task": False}, ""),
        ({"task": False, "instruction": OTHER}, "different instructions"),
        ({"task": False, "meta_task": False}, "does not say which task"),
    ],
)
def test_the_two_runs_are_of_one_task(tmp_path: Path, make_run: Any, mine: dict[str, Any], mismatch: str) -> None:
    reference = make_run(tmp_path / "reference", human=True)
    case = read(make_run(tmp_path / "agent", **mine), reference)
    assert mismatch in case.task_mismatch
    assert bool(case.task_mismatch) is bool(mismatch)
    assert set(case.folders) == {"agent", "reference"}


def test_another_schema_is_another_task(tmp_path: Path, make_run: Any) -> None:
    run, reference = make_run(tmp_path / "agent"), make_run(tmp_path / "reference", human=True)
    task = json.loads((run / "task.json").read_text())
    task["eval_schema"]["method"] = "PUT"
    (run / "task.json").write_text(json.dumps(task))
    assert "different eval schemas" in read(run, reference).task_mismatch


def test_white_space_makes_no_other_task(tmp_path: Path, make_run: Any) -> None:
    run, reference = make_run(tmp_path / "agent"), make_run(tmp_path / "reference", human=True)
    task = json.loads((run / "task.json").read_text())
    (run / "task.json").write_text(json.dumps(task | {"instruction": f"  {task['instruction']}\n"}))
    assert read(run, reference).task_mismatch == ""


def test_without_a_reference(run: Path) -> None:
    case = read(run)
    assert (case.reference, set(case.folders), case.task_mismatch) == (None, {"agent"}, "")


@pytest.mark.parametrize("folder", ["", "data/", "my-info/"])
@pytest.mark.parametrize("name", ["files/brief.json", "files/brief.txt", "brief.md"])
def test_files_that_the_task_names_bind(run: Path, folder: str, name: str) -> None:
    task = json.loads((run / "task.json").read_text())
    task["extra_info"] = [{"path": name, "description": "what to enter"}]
    (run / "task.json").write_text(json.dumps(task))
    path = run / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    told = {"Membership number": "QX-77120", "Plan": "Gold"}
    text = "# Details\n- Membership number: QX-77120\n- Plan: Gold\n\nThe choir meets on Mondays.\n"
    path.write_text(json.dumps(told) if name.endswith("json") else text)
    sources = read(run).sources
    assert [b.source for b in sources.bind("QX-77120")] == ["extra_info"]
    assert "Membership number" in sources.bind("QX-77120")[0].quote
    assert sources.bind("choir") == []


def test_a_file_of_another_kind_or_elsewhere_binds_nothing(run: Path) -> None:
    task = json.loads((run / "task.json").read_text())
    task["extra_info"] = [{"path": "photo.png"}, {"path": "secret.txt"}]
    (run / "task.json").write_text(json.dumps(task))
    (run / "photo.png").write_text("Code: QX-77120")
    (run.parent / "outside.txt").write_text("Code: QX-77120")
    (run / "secret.txt").symlink_to(run.parent / "outside.txt")
    assert read(run).sources.bind("QX-77120") == []
