"""Long layers as pages: the beginning, the end and what must stay; the rest is counted."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from clawjudge.judge.agentic.evidence.pages import (
    PAGE_BYTES,
    PAGE_LINES,
    Block,
    LayerPages,
    Omissions,
    StagedFile,
    write_lines,
)


def staged(tmp_path: Path, blocks: list[Block], budget: int) -> tuple[list[StagedFile], list[str], Omissions]:
    omitted = Omissions()
    pages = LayerPages(tmp_path, "agent", "http", budget, omitted)
    for block in blocks:
        pages.add(block)
    files = pages.close()
    text = [line for file in files for line in (tmp_path / file.name).read_text().splitlines()]
    return files, text, omitted


def block(line: int, text: str = "", keep: bool = False) -> Block:
    return Block.rendered(line, (f"agent http:{line} {text}".rstrip(),), keep)


def test_a_short_layer_is_staged_whole(tmp_path: Path) -> None:
    files, text, omitted = staged(tmp_path, [block(n) for n in range(1, 1001)], 1_000_000)
    assert text == [f"agent http:{n}" for n in range(1, 1001)]
    assert [(f.first_line, f.last_line, f.lines) for f in files] == [(1, 400, 400), (401, 800, 400), (801, 1000, 200)]
    assert [f.name for f in files] == [f"agent/http-{n:04}.txt" for n in (1, 2, 3)]
    assert not [o for o in omitted if o.count]
    for file in files:
        raw = (tmp_path / file.name).read_bytes()
        assert (file.sha256, file.size) == (hashlib.sha256(raw).hexdigest(), len(raw))


def test_pages_stay_within_what_one_reading_shows(tmp_path: Path) -> None:
    files, _, _ = staged(tmp_path, [block(n, "x" * 3000) for n in range(1, 100)], 10_000_000)
    assert len(files) > 5
    assert all(f.size <= PAGE_BYTES and (f.lines or 0) <= PAGE_LINES for f in files)


def test_of_a_long_layer_the_ends_stay_and_what_is_to_be_kept(tmp_path: Path) -> None:
    rendered: list[int] = []

    def lazy(line: int) -> Block:
        def render() -> tuple[str, ...]:
            rendered.append(line)
            return (f"agent http:{line} {'x' * 80}",)

        return Block(line, 100, render, keep=line == 5000)

    files, text, omitted = staged(tmp_path, [lazy(n) for n in range(1, 10_001)], 20_000)
    shown = [int(line.split(":")[1].split(" ")[0]) for line in text]
    assert shown == sorted(shown)
    assert shown[:100] == list(range(1, 101))
    assert shown[-100:] == list(range(9901, 10_001))
    assert 5000 in shown
    (gone,) = [o for o in omitted if o.count]
    assert gone.count == 10_000 - len(shown)
    assert (gone.first_line, gone.last_line) == (shown[shown.index(5000) - 1] + 1, 9900)
    # What is not kept is not even written out.
    assert sorted(rendered) == shown
    assert sum(f.size for f in files) < 21_000


def test_a_low_estimate_does_not_break_the_budget(tmp_path: Path) -> None:
    blocks = [Block(n, 1, lambda n=n: (f"agent http:{n} {'x' * 1000}",)) for n in range(1, 1001)]  # type: ignore[misc]
    files, text, omitted = staged(tmp_path, blocks, 20_000)
    assert sum(f.size for f in files) < 23_000
    assert text[-1].startswith("agent http:1000 ")
    assert sum(o.count for o in omitted) == 1000 - len(text)


def test_a_line_end_inside_a_line_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="line end"):
        write_lines(tmp_path, "x.txt", ["a\nb"])


def test_no_file_is_written_twice(tmp_path: Path) -> None:
    write_lines(tmp_path, "x.txt", ["a"])
    with pytest.raises(FileExistsError):
        write_lines(tmp_path, "x.txt", ["b"])
