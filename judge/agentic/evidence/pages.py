"""Long layers as files that a model can page through: of a size that one reading shows whole, with their own names.

Of a layer that is too large, the beginning and the end are kept, with what must not be missing in between; what is left
out is counted. Memory is bounded by what is kept.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

PAGE_BYTES = 40_000
"""A program that reads a file for a model refuses or cuts what is much larger."""
PAGE_LINES = 400


@dataclass(frozen=True, slots=True)
class StagedFile:
    """One file of the evidence folder."""

    name: str
    """Below the folder; ours."""
    sha256: str
    """Of its bytes."""
    size: int
    lines: int | None = None
    """None for pictures."""
    run: str = ""
    layer: str = ""
    """The layer of the recording that it was made from; empty for what belongs to the case as a whole."""
    first_line: int | None = None
    last_line: int | None = None
    """Lines of the layer's file that it covers."""
    identity: str = ""
    """What the evidence hash takes instead of the bytes: encoders of pictures differ between machines."""


@dataclass(slots=True)
class Omission:
    """Something of a layer that is not in the evidence, and how much of it."""

    run: str
    layer: str
    what: str
    count: int = 0
    size: int = 0
    """Bytes or characters, as `what` says."""
    first_line: int | None = None
    last_line: int | None = None

    def add(self, size: int, line: int | None = None, count: int = 1) -> None:
        self.count += count
        self.size += size
        if line is not None:
            self.first_line = line if self.first_line is None else min(line, self.first_line)
            self.last_line = line if self.last_line is None else max(line, self.last_line)


@dataclass(slots=True)
class Omissions:
    """What was left out, summed up by run, layer and kind."""

    kinds: dict[tuple[str, str, str], Omission] = field(default_factory=dict)

    def of(self, run: str, layer: str, what: str) -> Omission:
        key = (run, layer, what)
        if key not in self.kinds:
            self.kinds[key] = Omission(run, layer, what)
        return self.kinds[key]

    def __iter__(self) -> Iterator[Omission]:
        return iter(sorted(self.kinds.values(), key=lambda o: (o.run, o.layer, o.what)))


@dataclass(frozen=True, slots=True)
class Block:
    """What one line of a layer becomes. It is written out only if it is kept: most of a long layer is not."""

    line: int
    estimate: int
    """About how many bytes the lines will have."""
    render: Callable[[], tuple[str, ...]]
    keep: bool = False
    """Whether it stays however long the layer is."""

    @classmethod
    def rendered(cls, line: int, lines: tuple[str, ...], keep: bool = False) -> Block:
        return cls(line, _size(lines), lambda: lines, keep)


def _size(lines: Iterable[str]) -> int:
    return sum(len(line.encode("utf-8", "backslashreplace")) + 1 for line in lines)


class LayerPages:
    """Writes the blocks of one layer of one run, in order, as numbered files."""

    def __init__(self, folder: Path, run: str, layer: str, budget: int, omitted: Omissions) -> None:
        self._folder, self._run, self._layer = folder, run, layer
        self._omitted = omitted.of(run, layer, "lines in the middle, about so many bytes")
        self._half = budget // 2
        self._head_left = self._kept_left = self._half
        self._kept: list[tuple[int, tuple[str, ...]]] = []
        self._tail: deque[Block] = deque()
        self._tail_bytes = 0
        self._page: list[str] = []
        self._page_bytes = 0
        self._span: tuple[int, int] | None = None
        self.files: list[StagedFile] = []

    def add(self, block: Block) -> None:
        if not self._tail and self._head_left > 0:
            lines = block.render()
            self._head_left -= _size(lines)
            self._write(block.line, lines)
            return
        self._tail.append(block)
        self._tail_bytes += block.estimate
        while self._tail_bytes > self._half and len(self._tail) > 1:
            dropped = self._tail.popleft()
            self._tail_bytes -= dropped.estimate
            self._let_go(dropped)

    def _let_go(self, block: Block) -> None:
        if block.keep and self._kept_left > 0:
            lines = block.render()
            self._kept_left -= _size(lines)
            self._kept.append((block.line, lines))
        else:
            self._omitted.add(block.estimate, block.line)

    def close(self) -> list[StagedFile]:
        """Write what is held back; the files in order."""
        end: deque[tuple[int, tuple[str, ...]]] = deque()
        left = self._half
        while self._tail:
            block = self._tail.pop()
            # An estimate may have been too low: the end counts, so it is filled from there.
            if left > 0:
                lines = block.render()
                left -= _size(lines)
                end.appendleft((block.line, lines))
            else:
                self._let_go(block)
        for line, lines in (*sorted(self._kept, key=lambda kept: kept[0]), *end):
            self._write(line, lines)
        self._flush()
        return self.files

    def _write(self, line: int, lines: tuple[str, ...]) -> None:
        for text in lines:
            size = _size((text,))
            if self._page and (self._page_bytes + size > PAGE_BYTES or len(self._page) >= PAGE_LINES):
                self._flush()
            self._page.append(text)
            self._page_bytes += size
            first = self._span[0] if self._span else line
            self._span = (first, line)

    def _flush(self) -> None:
        if not self._page:
            return
        name = f"{self._run}/{self._layer}-{len(self.files) + 1:04}.txt"
        first, last = self._span or (None, None)
        made = write_lines(self._folder, name, self._page, self._run, self._layer)
        self.files.append(
            StagedFile(made.name, made.sha256, made.size, made.lines, self._run, self._layer, first, last)
        )
        self._page, self._page_bytes, self._span = [], 0, None


def write_lines(folder: Path, name: str, lines: list[str], run: str = "", layer: str = "") -> StagedFile:
    """One text file of the evidence. Raises `ValueError` for a line that holds a line end."""
    if any("\n" in line or "\r" in line for line in lines):
        raise ValueError(f"{name}: a line holds a line end")
    return write_bytes(folder, name, "".join(f"{line}\n" for line in lines).encode(), len(lines), run, layer)


def write_bytes(
    folder: Path,
    name: str,
    content: bytes,
    lines: int | None = None,
    run: str = "",
    layer: str = "",
    identity: str = "",
) -> StagedFile:
    """One file of the evidence; the manifest, written last, makes the folder whole."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    with path.open("xb") as file:
        file.write(content)
    digest = hashlib.sha256(content).hexdigest()
    return StagedFile(name, digest, len(content), lines, run, layer, identity=identity)
