"""`source.json`, and what it says is already there."""

from __future__ import annotations

from pathlib import Path

import pytest

from clawjudge.traces.errors import HubError
from clawjudge.traces.hub_record import PullRecord, SourceRecord, read_record, source_of, write_record
from clawjudge.traces.hub_selection import Refused, Wants


def part(path: str, wants: Wants, complete: bool = True) -> PullRecord:
    return PullRecord(path, wants, 3, 10, complete, (Refused("../x", "bad"),))


RECORD = SourceRecord("https://huggingface.co", "o/n", None, "a" * 40, ())


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    record = RECORD.with_pull(part("b", "request", False)).with_pull(part("a", "all")).with_pull(part("b", "request"))
    write_record(tmp_path, record)
    assert read_record(tmp_path) == record
    assert [(kept.path, kept.complete) for kept in record.pulls] == [("a", True), ("b", True)]


@pytest.mark.parametrize(
    ("path", "wants", "covered"),
    [
        ("a/b", "offline", True),
        ("a/b/c", "request", True),
        ("a/b/c", "offline", True),
        ("a/bc", "request", False),
        ("a", "request", False),
        ("a/b", "agentic", False),
        ("unfinished", "request", False),
    ],
)
def test_a_larger_pull_covers_a_smaller_one(path: str, wants: Wants, covered: bool) -> None:
    record = RECORD.with_pull(part("a/b", "offline")).with_pull(part("unfinished", "all", complete=False))
    assert (record.covering(path, wants) is not None) is covered


def test_no_record_is_no_error(tmp_path: Path) -> None:
    assert read_record(tmp_path) is None
    (tmp_path / "file").touch()
    assert read_record(tmp_path / "file") is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"dataset": 1}', b"\xff", b'{"schema_version": 2}'])
def test_a_damaged_record_is_named(content: bytes, tmp_path: Path) -> None:
    write_record(tmp_path, RECORD)
    (tmp_path / ".clawjudge" / "source.json").write_bytes(content)
    with pytest.raises(HubError, match=r"source\.json: cannot be used .*pull into another folder"):
        read_record(tmp_path)


def test_a_record_of_another_version_is_named(tmp_path: Path) -> None:
    write_record(tmp_path, SourceRecord("", "o/n", None, "a" * 40, (), schema_version=2))
    with pytest.raises(HubError, match="written by another version"):
        read_record(tmp_path)


def test_a_pulled_bundle_knows_where_it_is_from(tmp_path: Path) -> None:
    inner = tmp_path / "batch" / "model"
    inner.mkdir(parents=True)
    assert source_of(inner) is None
    write_record(tmp_path, RECORD)
    assert source_of(inner) == f"hf://datasets/o/n@{'a' * 40}/batch/model"
    assert source_of(tmp_path) == f"hf://datasets/o/n@{'a' * 40}"
