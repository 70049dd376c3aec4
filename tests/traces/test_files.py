"""Where the files of a run are: every layout, and everything that may stand in place of a file."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from shop_run import as_nobody

from clawjudge.traces.errors import InvalidRun
from clawjudge.traces.files import LAYER_FILES, PRIOR_VERDICT_FILES, RUN_FILES, RunFiles, is_run_folder, locate
from clawjudge.traces.problems import ProblemLog

ALL = [*LAYER_FILES.values(), *RUN_FILES.values(), *PRIOR_VERDICT_FILES]


def make(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.name == "screenshots":
            path.mkdir()
        else:
            path.write_bytes(b"{}\n")
    return root


def find(root: Path) -> tuple[RunFiles, list[tuple[str, str, str]]]:
    log = ProblemLog()
    files = locate(root, log)
    return files, [(p.code, p.layer, p.file) for p in log]


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that another user can reach."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        for path in Path(name).rglob("*"):
            path.chmod(0o755)


NESTED = ["run-meta.json", "task.json", "eval-schema.json", "judge.json", "judge_llm.json"]
NESTED += [f"data/{name}" for name in LAYER_FILES.values()]


@pytest.mark.parametrize(
    ("names", "layout"),
    [
        (NESTED, "nested"),
        (ALL, "flat"),
        ([*NESTED[:5], *LAYER_FILES.values()], "flat"),
        (["run-meta.json", "data/actions.jsonl", "requests.jsonl"], "mixed"),
        (["run-meta.json"], "nested"),
        (["data/interception.json"], "nested"),
        (["agent-messages.jsonl"], "flat"),
    ],
)
def test_layouts(tmp_path: Path, names: list[str], layout: str) -> None:
    files, problems = find(make(tmp_path, *names))
    assert files.layout == layout
    assert {files.relative(key) for key in files.found} == set(names)
    assert problems == []


def test_prior_verdicts_at_the_root_or_under_data(tmp_path: Path) -> None:
    files, problems = find(make(tmp_path, "run-meta.json", "data/judge.json", "judge_llm.json"))
    assert files.relative("judge.json") == "data/judge.json"
    assert files.relative("judge_llm.json") == "judge_llm.json"
    make(tmp_path, "judge.json")
    files, problems = find(tmp_path)
    assert files.relative("judge.json") == "judge.json"
    assert problems == []


@pytest.mark.parametrize(
    ("first", "second", "layer"),
    [
        ("data/actions.jsonl", "actions.jsonl", "actions"),
        ("data/interception.json", "interception.json", "interception"),
        ("data/screenshots", "screenshots", "screenshots"),
        ("task.json", "data/task.json", "meta"),
        ("run-meta.json", "data/run-meta.json", "meta"),
    ],
)
def test_two_files_of_one_layer_are_named(tmp_path: Path, first: str, second: str, layer: str) -> None:
    files, problems = find(make(tmp_path, "data/requests.jsonl", first, second))
    assert first in {files.relative(key) for key in files.found}
    assert problems == [("second_copy", layer, second)]


def test_one_file_by_two_names_is_one_file(tmp_path: Path) -> None:
    make(tmp_path, "data/actions.jsonl")
    (tmp_path / "actions.jsonl").symlink_to("data/actions.jsonl")
    assert find(tmp_path)[1] == []


@pytest.mark.parametrize("name", ALL)
def test_missing_file_is_absent_and_no_problem(tmp_path: Path, name: str) -> None:
    files, problems = find(make(tmp_path, *[f"data/{other}" for other in ALL if other != name]))
    assert len(files.found) == len(ALL) - 1
    assert name not in {path.name for path in files.found.values()}
    assert problems == []


@pytest.mark.parametrize("target", ["/etc/passwd", "../../outside.jsonl", "../../gone"])
def test_link_out_of_the_run_is_refused_and_named(tmp_path: Path, target: str) -> None:
    (tmp_path / "outside.jsonl").write_bytes(b"{}")
    root = make(tmp_path / "run", "run-meta.json", "data/actions.jsonl")
    (root / "data" / "requests.jsonl").symlink_to(target)
    files, problems = find(root)
    assert "http" not in files.found
    assert problems == [("unsafe_path", "http", "data/requests.jsonl")]


def test_refused_file_does_not_hide_a_good_one(tmp_path: Path) -> None:
    root = make(tmp_path / "run", "run-meta.json", "requests.jsonl", "data/actions.jsonl")
    (root / "data" / "requests.jsonl").symlink_to("/etc/passwd")
    files, problems = find(root)
    assert files.relative("http") == "requests.jsonl"
    assert problems == [("unsafe_path", "http", "data/requests.jsonl")]


@pytest.mark.parametrize("name", ["data", "data/screenshots"])
def test_linked_folder_is_refused(tmp_path: Path, name: str) -> None:
    make(tmp_path / "outside", *LAYER_FILES.values())
    root = make(tmp_path / "run", "run-meta.json")
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).symlink_to(tmp_path / "outside")
    files, problems = find(root)
    assert set(files.found) == {"meta"}
    assert {code for code, _, _ in problems} == {"unsafe_path"}
    assert ("unsafe_path", "screenshots", "data/screenshots") in problems


def test_link_inside_the_run_is_followed(tmp_path: Path) -> None:
    root = make(tmp_path, "run-meta.json", "data/log-3.jsonl")
    (root / "data" / "actions.jsonl").symlink_to("log-3.jsonl")
    files, problems = find(root)
    assert files.relative("actions") == "data/actions.jsonl"
    assert problems == []


@pytest.mark.parametrize(
    ("target", "code"), [("gone.jsonl", "broken_link"), ("requests.jsonl", "unsafe_path"), ("a/b/c", "broken_link")]
)
def test_broken_and_looping_links_are_named(tmp_path: Path, target: str, code: str) -> None:
    root = make(tmp_path, "run-meta.json", "data/actions.jsonl")
    (root / "data" / "requests.jsonl").symlink_to(target)
    files, problems = find(root)
    assert "http" not in files.found
    assert problems == [(code, "http", "data/requests.jsonl")]


def put_fifo(path: Path) -> None:
    os.mkfifo(path)


def put_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as unix, contextlib.chdir(path.parent):
        unix.bind(path.name)


def put_folder(path: Path) -> None:
    path.mkdir()


def put_device(path: Path) -> None:
    try:
        os.mknod(path, 0o20644, os.makedev(1, 5))  # /dev/zero never ends
    except PermissionError:
        pytest.skip("this user may not make device files")


@pytest.mark.parametrize("put", [put_fifo, put_socket, put_folder, put_device])
@pytest.mark.parametrize("name", ["data/requests.jsonl", "data/interception.json", "data/recording.mp4", "task.json"])
def test_what_is_no_file_is_never_opened(tmp_path: Path, put: object, name: str) -> None:
    root = make(tmp_path, "run-meta.json", "data/actions.jsonl")
    put(root / name)  # type: ignore[operator]
    files, problems = find(root)
    assert set(files.found) == {"meta", "actions"}
    assert [(code, file) for code, _, file in problems] == [("not_a_file", name)]


def test_screenshots_that_are_no_folder(tmp_path: Path) -> None:
    root = make(tmp_path, "run-meta.json")
    (root / "screenshots").write_bytes(b"")
    files, problems = find(root)
    assert "screenshots" not in files.found
    assert problems == [("not_a_folder", "screenshots", "screenshots")]


def test_folder_that_may_not_be_entered(shared_folder: Path) -> None:
    root = make(shared_folder / "run", "run-meta.json", "actions.jsonl", "data/requests.jsonl")
    root.chmod(0o755)
    (root / "data").chmod(0o000)
    with as_nobody():
        files, problems = find(root)
    assert set(files.found) == {"meta", "actions"}
    assert ("unreadable", "http", "data/requests.jsonl") in problems


def test_run_that_may_not_be_entered(shared_folder: Path) -> None:
    root = make(shared_folder / "run", "run-meta.json")
    root.chmod(0o000)
    with as_nobody(), pytest.raises(InvalidRun, match=r"cannot be opened \(Permission denied\)"):
        locate(root, ProblemLog())


def test_what_is_no_run_says_what_was_expected(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    make(tmp_path / "pictures", "recording.mp4", "screenshots", "task.json")
    (tmp_path / "file").write_bytes(b"")
    for name, words in (
        ("empty", "not a run folder; expected one of run-meta.json"),
        ("pictures", "not a run folder"),
        ("file", "a run is a folder"),
        ("gone", "no such file or folder"),
        ("x" * 5000, "cannot be opened"),
    ):
        with pytest.raises(InvalidRun, match=words):
            locate(tmp_path / name, ProblemLog())


def test_is_run_folder(tmp_path: Path) -> None:
    make(tmp_path / "bundle" / "run", "data/requests.jsonl")
    assert is_run_folder(tmp_path / "bundle" / "run")
    assert not is_run_folder(tmp_path / "bundle")
    assert not is_run_folder(tmp_path / "bundle" / "run" / "data" / "requests.jsonl")
    assert not is_run_folder(tmp_path / "gone")
