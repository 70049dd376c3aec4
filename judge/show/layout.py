"""Where a screen of text goes, and how it is laid out there. Rich is imported only when it is needed."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

PIPE_WIDTH = 100
MIN_WIDTH = 40

Part = str | tuple[str, str]
"""A piece of text, or one with its style."""


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph of text."""

    parts: tuple[Part, ...]
    indent: int = 0
    cut: bool = False
    """On a terminal, cut it at the width instead of wrapping it."""


def line(*parts: Part, indent: int = 0, cut: bool = False) -> Line:
    return Line(parts, indent, cut)


def heading(title: str) -> Line:
    """The title of a section, with an empty line before it."""
    return Line(("\n", (title, "bold")))


def count(n: int, word: str) -> str:
    """`1 run`, `2 runs`."""
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def table(*, columns: int) -> Table:
    """A table without lines, its first column narrow for a mark."""
    from rich.table import Table

    made = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    made.add_column(width=3)
    for _ in range(columns - 1):
        made.add_column(overflow="fold")
    return made


def cell(content: str, style: str = "", cut: bool = False) -> Text:
    """A cell that is folded, or with `cut` kept on its line and cut where the column is too narrow for it."""
    from rich.text import Text

    return Text(content, style=style, no_wrap=cut, overflow="ellipsis" if cut else "fold")


@dataclass(frozen=True, slots=True)
class Screen:
    """What a text is laid out for."""

    width: int = PIPE_WIDTH
    is_terminal: bool = False
    """On a terminal, lines are wrapped or cut to the width; in a pipe or a file they stay whole, and only tables are
    fitted to it."""
    has_colour: bool = False

    @classmethod
    def of_stdout(cls) -> Screen:
        """The terminal that standard output is, or else a pipe."""
        if not sys.stdout.isatty():
            return cls()
        colour = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(max(shutil.get_terminal_size((PIPE_WIDTH, 24)).columns, MIN_WIDTH), True, colour)

    def render(self, parts: Iterable[Line | Table]) -> str:
        """Lines and tables as text, without spaces at the ends of lines; the only escape sequences are our colours."""
        from rich.console import Console

        sink = io.StringIO()
        console = Console(
            file=sink,
            width=self.width,
            force_terminal=self.has_colour,
            color_system="standard" if self.has_colour else None,
            legacy_windows=False,
            markup=False,
            highlight=False,
            emoji=False,
        )
        for part in parts:
            whole = isinstance(part, Line) and not self.is_terminal
            console.print(self._laid_out(part) if isinstance(part, Line) else part, soft_wrap=whole)
        return "".join(line.rstrip() + "\n" for line in sink.getvalue().split("\n")[:-1])

    def _laid_out(self, part: Line) -> Any:
        from rich.padding import Padding
        from rich.text import Text

        content = Text()
        for piece in part.parts:
            content.append(*((piece,) if isinstance(piece, str) else piece))
        if not self.is_terminal or not content:
            return Text(" " * part.indent) + content
        if part.cut:
            content.truncate(self.width - part.indent, overflow="ellipsis")
        return Padding(content, (0, 0, 0, part.indent), expand=False)
