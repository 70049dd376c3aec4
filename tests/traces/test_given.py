from __future__ import annotations

import os
from pathlib import Path

import pytest

from clawjudge.traces.errors import InvalidInput
from clawjudge.traces.given import read_given


def test_a_regular_file_is_read_whole_up_to_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"x" * 10)
    (tmp_path / "link").symlink_to(file)
    assert read_given(file, 10) == read_given(tmp_path / "link", 10) == b"x" * 10
    with pytest.raises(InvalidInput, match="larger than"):
        read_given(file, 9)


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to("loop")
    for path, said in (
        (tmp_path, "a folder"),
        (tmp_path / "fifo", "a pipe"),
        (Path("/dev/zero"), "a device"),
        (tmp_path / "none", "cannot be read: No such file"),
        (tmp_path / "loop", "cannot be read"),
    ):
        with pytest.raises(InvalidInput, match=said):
            read_given(path, 100)
