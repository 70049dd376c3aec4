"""Files are whole or not there: a crash at every point, modes, and a process killed while it writes."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from clawjudge.traces.atomic import sweep, write_atomically


def listing(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize(
    ("content", "raw"),
    [
        ("é\n", "é\n".encode()),
        (b"\x00\xff", b"\x00\xff"),
        ("", b""),
        ("a\r\nb\n", b"a\r\nb\n"),
        # What a recording may hold and UTF-8 may not; in JSON this is the value itself.
        ('"\ud83d"', b'"\\ud83d"'),
    ],
)
@pytest.mark.parametrize("exists", [False, True])
def test_content_is_replaced(tmp_path: Path, content: str | bytes, raw: bytes, exists: bool) -> None:
    path = tmp_path / "f.json"
    if exists:
        path.write_bytes(b"old, and longer than what comes")
    write_atomically(path, content)
    assert path.read_bytes() == raw
    assert listing(tmp_path) == ["f.json"]


class Crash(Exception):
    """Stands for whatever goes wrong."""


@pytest.mark.parametrize(
    ("point", "exists"),
    [(point, exists) for point in ("fdopen", "fsync", "replace") for exists in (True, False)] + [("fchmod", True)],
)
def test_crash_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str, exists: bool) -> None:
    path = tmp_path / "f"
    if exists:
        path.write_bytes(b"old")

    def crash(*arguments: object, **named: object) -> None:
        raise Crash

    monkeypatch.setattr(Path if point == "replace" else os, point, crash)
    with pytest.raises(Crash):
        write_atomically(path, b"new")
    monkeypatch.undo()
    assert listing(tmp_path) == (["f"] if exists else [])
    assert not exists or path.read_bytes() == b"old"


def test_interrupt_leaves_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "f", b"new")
    assert listing(tmp_path) == []


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664), (0o000, 0o666)])
def test_new_file_has_the_mode_that_open_would_give(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "f", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o444])
def test_replaced_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_atomically(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", mode)


def test_umask_of_other_threads_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def touched(_: int) -> int:
        raise AssertionError("the umask belongs to the whole process")

    monkeypatch.setattr(os, "umask", touched)
    write_atomically(tmp_path / "f", b"x")
    assert (tmp_path / "f").read_bytes() == b"x"


def test_link_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"precious")
    (tmp_path / "f").symlink_to("outside")
    write_atomically(tmp_path / "f", b"new")
    assert (tmp_path / "outside").read_bytes() == b"precious"
    assert (tmp_path / "f").read_bytes() == b"new"
    assert not (tmp_path / "f").is_symlink()


def test_name_of_the_greatest_length(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_atomically(path, b"x")
    write_atomically(tmp_path / ("é" * 127), b"x")
    assert path.read_bytes() == b"x"
    assert len(listing(tmp_path)) == 2


def test_folder_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path / "f", b"x")
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "no" / "f", b"x")
    assert listing(tmp_path) == ["f"]


def test_writers_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "f"
    contents = [bytes([65 + n]) * 200_000 for n in range(6)]

    def write(content: bytes) -> None:
        for _ in range(10):
            write_atomically(path, content)

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    seen = {path.read_bytes() for _ in range(50) if path.exists()}
    for thread in threads:
        thread.join()
    assert {*seen, path.read_bytes()} <= set(contents)
    assert listing(tmp_path) == ["f"]


LOOP = """
import sys
from pathlib import Path
from clawjudge.traces.atomic import sweep, write_atomically
path = Path(sys.argv[1])
n = 0
while True:
    write_atomically(path, bytes([65 + n % 26]) * 3_000_000)
    n += 1
    if n == 1:
        print("started", flush=True)
"""


@pytest.mark.parametrize("after_ms", [0, 7, 30, 61])
def test_killed_writer_leaves_a_whole_file(tmp_path: Path, after_ms: int) -> None:
    path = tmp_path / "f"
    process = subprocess.Popen([sys.executable, "-c", LOOP, str(path)], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        time.sleep(after_ms / 1000)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    content = path.read_bytes()
    assert len(content) == 3_000_000
    assert len(set(content)) == 1


def test_what_a_killed_write_left_is_swept(tmp_path: Path) -> None:
    write_atomically(tmp_path / "judge.json", "whole")
    left = tmp_path / ".judge.json.0123456789abcdef.tmp"
    others = [
        tmp_path / name for name in (".judge.json.tmp", ".other.json.0123456789abcdef.tmp", "x.0123456789abcdef.tmp")
    ]
    for path in (left, *others):
        path.write_text("half")
    sweep(tmp_path, ["judge.json"])
    sweep(tmp_path / "nowhere", ["judge.json"])
    assert sorted(tmp_path.iterdir()) == sorted([*others, tmp_path / "judge.json"])
