"""Lines of JSON: every row of the table on which JSON parsers disagree, and no line lost without being counted."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawjudge.traces import jsonl
from clawjudge.traces.jsonl import Line, decode, decode_tolerant, line_at, raw_lines, read_lines
from clawjudge.traces.problems import EXAMPLES_PER_CODE, ProblemLog

OK = b'{"ok": 1}\n'


def read(tmp_path: Path, content: bytes) -> tuple[list[Line], ProblemLog]:
    path = tmp_path / "layer.jsonl"
    path.write_bytes(content)
    log = ProblemLog()
    return list(read_lines(path, "http", "data/layer.jsonl", log)), log


# What stands on the line; what it is read as; the problem that is named.
READ: list[tuple[str, bytes, Any, str | None]] = [
    ("plain", b'{"a": [1, 2.5, "x", null, true]}', {"a": [1, 2.5, "x", None, True]}, None),
    ("lone surrogate", rb'{"a": "\ud83d"}', {"a": "\ud83d"}, None),
    ("surrogate pair", rb'{"a": "\ud83d\ude00"}', {"a": "😀"}, None),
    ("infinity", b'{"a": Infinity, "b": -Infinity}', {"a": math.inf, "b": -math.inf}, None),
    ("number beyond a float", b'{"a": 1e400}', {"a": math.inf}, None),
    ("integer beyond 64 bits", b'{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}, None),
    ("timestamp as text", b'{"timestamp": "12.5"}', {"timestamp": "12.5"}, None),
    ("byte order mark", b'\xef\xbb\xbf{"a": 1}', {"a": 1}, None),
    ("mark after blanks", b'  \xef\xbb\xbf {"a": 1}', {"a": 1}, None),
    ("carriage return", b'{"a": 1}\r', {"a": 1}, None),
    ("blanks around", b' \t{"a": 1} \t', {"a": 1}, None),
    ("line separator in a string", '{"a": "x\u2028y"}'.encode(), {"a": "x\u2028y"}, None),
    ("next line in a string", '{"a": "x\u0085y"}'.encode(), {"a": "x\u0085y"}, None),
    ("escaped NUL", rb'{"a": "x\u0000y"}', {"a": "x\0y"}, None),
    ("duplicate key", b'{"a": 1, "a": 2}', {"a": 2}, None),
    ("invalid UTF-8", b'{"a": "x\xffy"}', {"a": "x\ufffdy"}, "invalid_utf8"),
    ("surrogate as UTF-8", b'{"a": "\xed\xa0\xbd"}', {"a": "\ufffd\ufffd\ufffd"}, "invalid_utf8"),
    ("latin-1", "{'a': 'é'}".replace("'", '"').encode("latin-1"), {"a": "\ufffd"}, "invalid_utf8"),
    ("not an object", b"[1]", [1], None),
    ("a bare number", b"7", 7, None),
    ("null", b"null", None, None),
    ("empty object", b"{}", {}, None),
]


@pytest.mark.parametrize(("line", "value", "code"), [row[1:] for row in READ], ids=[row[0] for row in READ])
def test_line_that_is_read(tmp_path: Path, line: bytes, value: Any, code: str | None) -> None:
    lines, log = read(tmp_path, line + b"\n" + OK)
    assert [found.value for found in lines] == [value, {"ok": 1}]
    assert [problem.code for problem in log] == ([code] if code else [])


def test_nan_is_read(tmp_path: Path) -> None:
    lines, log = read(tmp_path, b'{"a": NaN}\n')
    assert math.isnan(lines[0].value["a"])
    assert len(log) == 0


SKIPPED: list[tuple[str, bytes, str]] = [
    ("nesting of 2000", b"[" * 2000 + b"]" * 2000, "bad_json"),
    ("nesting of 100000", b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "bad_json"),
    ("raw NUL in a string", b'{"a": "x\x00y"}', "bad_json"),
    ("raw tab in a string", b'{"a": "x\ty"}', "bad_json"),
    ("line of NULs", b"\x00" * 100, "bad_json"),
    ("integer of 5000 digits", b"[" + b"1" * 5000 + b"]", "bad_json"),
    ("two documents", b'{"a": 1}{"b": 2}', "bad_json"),
    ("trailing comma", b'{"a": 1,}', "bad_json"),
    ("single quotes", b"{'a': 1}", "bad_json"),
    ("prose", b"Traceback (most recent call last):", "bad_json"),
    ("UTF-16", '{"a": 1}'.encode("utf-16"), "bad_json"),
    ("cut short, yet ended", b'{"a": "x', "bad_json"),
]


@pytest.mark.parametrize(("line", "code"), [row[1:] for row in SKIPPED], ids=[row[0] for row in SKIPPED])
def test_line_that_is_skipped_ends_nothing(tmp_path: Path, line: bytes, code: str) -> None:
    lines, log = read(tmp_path, OK + line + b"\n" + OK)
    assert [(found.number, found.value) for found in lines] == [(1, {"ok": 1}), (3, {"ok": 1})]
    assert [(p.code, p.layer, p.file, p.line) for p in log] == [(code, "http", "data/layer.jsonl", 2)]


@pytest.mark.parametrize("tail", [b'{"a": "x', b'{"a": 1', b"{", b'{"a": "\xe2\x82', b'{"a": "x\xff'])
def test_truncated_last_line_is_one_problem(tmp_path: Path, tail: bytes) -> None:
    lines, log = read(tmp_path, OK + tail)
    assert [found.number for found in lines] == [1]
    assert [(p.code, p.line) for p in log] == [("truncated_line", 2)]


def test_whole_last_line_needs_no_newline(tmp_path: Path) -> None:
    lines, log = read(tmp_path, OK + b'{"a": 1}')
    assert [found.value for found in lines] == [{"ok": 1}, {"a": 1}]
    assert len(log) == 0


def test_numbers_and_offsets_count_every_line(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf\n\n{bad\r\n \t\r\n" + OK + b"\xef\xbb\xbf" + OK
    lines, log = read(tmp_path, content)
    assert [found.number for found in lines] == [5, 6]
    assert [content[found.offset :][: found.size] for found in lines] == [OK[:-1], b"\xef\xbb\xbf" + OK[:-1]]
    assert [(p.code, p.line) for p in log] == [("bad_json", 3)]


@pytest.mark.parametrize("content", [b"", b"\n", b"\n\n\r\n", b"\xef\xbb\xbf", b" "])
def test_empty_file_is_no_line_and_no_problem(tmp_path: Path, content: bytes) -> None:
    lines, log = read(tmp_path, content)
    assert (lines, len(log)) == ([], 0)


def test_line_of_10_megabytes(tmp_path: Path) -> None:
    body = "é" * 5_000_000
    lines, log = read(tmp_path, OK + json.dumps({"body": body}, ensure_ascii=False).encode() + b"\n" + OK)
    assert [found.number for found in lines] == [1, 2, 3]
    assert lines[1].value == {"body": body}
    assert lines[2].offset == lines[1].offset + lines[1].size + 1
    assert len(log) == 0


@pytest.mark.parametrize(("extra", "kept"), [(0, True), (1, False), (5, False), (3000, False)])
@pytest.mark.parametrize("end", [b"\n", b""])
def test_line_over_the_cap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extra: int, kept: bool, end: bytes) -> None:
    monkeypatch.setattr(jsonl, "MAX_LINE_BYTES", 1000)
    monkeypatch.setattr(jsonl, "_CHUNK", 64)
    long = b'"' + b"x" * (998 + extra) + b'"'
    lines, log = read(tmp_path, OK + long + end)
    assert [found.number for found in lines] == ([1, 2] if kept else [1])
    assert [(p.code, p.line) for p in log] == ([] if kept else [("line_too_long", 2)])
    if end:
        lines, log = read(tmp_path, long + end + OK)
        assert lines[-1].number == 2
        assert lines[-1].offset == len(long) + 1


def test_memory_does_not_grow_with_a_line_over_the_cap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tracemalloc

    monkeypatch.setattr(jsonl, "MAX_LINE_BYTES", 1024 * 1024)
    path = tmp_path / "long"
    with path.open("wb") as file:
        for _ in range(64):
            file.write(b"x" * 1024 * 1024)
    tracemalloc.start()
    try:
        assert [raw for _, _, raw, _ in raw_lines(path)] == [None]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16 * 1024 * 1024


def test_missing_file_is_named(tmp_path: Path) -> None:
    log = ProblemLog()
    assert list(read_lines(tmp_path / "gone", "http", "data/gone", log)) == []
    assert [(p.code, p.file) for p in log] == [("unreadable", "data/gone")]
    assert "No such file" in log.examples[0].message


def test_problems_of_a_ruined_file_stay_few_but_counted(tmp_path: Path) -> None:
    lines, log = read(tmp_path, b"{\n" * 1000)
    assert lines == []
    assert len(log) == 1000
    assert len(log.examples) == EXAMPLES_PER_CODE


def test_line_at_gives_what_a_citation_needs(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"one\ntwo\r\n\nfour")
    assert [line_at(path, n) for n in (0, 1, 2, 3, 4, 5)] == [None, b"one", b"two\r", b"", b"four", None]


def test_decode_tells_invalid_utf8_from_invalid_json() -> None:
    with pytest.raises(UnicodeDecodeError):
        decode(b'"\xff"')
    with pytest.raises(ValueError, match="nested too deeply"):
        decode(b"[" * 100_000)
    assert decode_tolerant(b'"\xff"') == ("\ufffd", True)
    assert decode_tolerant(b'"x"') == ("x", False)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(json_values, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
@settings(max_examples=150)
def test_what_json_writes_comes_back(
    tmp_path_factory: pytest.TempPathFactory, values: list[Any], end: str, ascii_only: bool
) -> None:
    content = "".join(json.dumps(v, ensure_ascii=ascii_only) + end for v in values).encode("utf-8", "replace")
    lines, log = read(tmp_path_factory.getbasetemp(), content)
    assert len(lines) == len(values)
    expected = [json.loads(line) for line in content.decode().split(end)[:-1]]
    assert json.dumps([found.value for found in lines]) == json.dumps(expected)
    assert len(log) == 0


def as_counted(content: bytes, log: ProblemLog, parsed: int) -> tuple[int, int]:
    """(lines that the file has, lines that are accounted for)."""
    lines = content.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    blank = sum(not line.strip(b" \t\r").removeprefix(b"\xef\xbb\xbf").strip(b" \t\r") for line in lines)
    skipped = sum(n for key, n in log.counts.items() if key[2] in ("bad_json", "truncated_line", "line_too_long"))
    return len(lines), parsed + skipped + blank


@given(
    st.lists(
        st.binary(max_size=30)
        | st.sampled_from([b'{"type": "click"}', b"", b" ", b"\r", b"\xef\xbb\xbf", b"NaN", b'"\xff"', b"[" * 3000]),
        max_size=12,
    ),
    st.booleans(),
)
@settings(max_examples=300)
def test_every_line_is_parsed_skipped_or_blank(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], ended: bool
) -> None:
    content = b"\n".join(parts) + (b"\n" if ended else b"")
    lines, log = read(tmp_path_factory.getbasetemp(), content)
    there, accounted = as_counted(content, log, len(lines))
    assert there == accounted
    assert [found.number for found in lines] == sorted({found.number for found in lines})
