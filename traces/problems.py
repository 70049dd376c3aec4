"""What went wrong while reading, collected instead of raised, so that nothing is dropped in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

EXAMPLES_PER_CODE = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """One defect of a recording."""

    code: str
    """Stable identifier, for example `bad_json`, `truncated_line`, `recording_unplayable`."""
    layer: str
    """`video`, `screenshots`, `http`, `actions`, `messages`, `task`, `meta` or `interception`."""
    file: str
    """Path below the run folder."""
    message: str
    line: int | None = None
    """Line number from 1, for line-based files."""


@dataclass(slots=True)
class ProblemLog:
    """Counts every problem and keeps the first examples of each kind, so a damaged 600 MB file is cheap to report."""

    examples: list[Problem] = field(default_factory=list)
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """(layer, file, code) to the number of occurrences."""

    def add(self, code: str, layer: str, file: str, message: str, line: int | None = None) -> None:
        key = (layer, file, code)
        self.counts[key] += 1
        if self.counts[key] <= EXAMPLES_PER_CODE:
            self.examples.append(Problem(code, layer, file, message, line))

    def forget(self, layer: str, file: str) -> None:
        """Drop what is known of one file, so that reading it a second time does not count its problems twice."""
        self.examples = [p for p in self.examples if (p.layer, p.file) != (layer, file)]
        for key in [k for k in self.counts if k[:2] == (layer, file)]:
            del self.counts[key]

    def of(self, layer: str) -> list[Problem]:
        return [p for p in self.examples if p.layer == layer]

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.examples)

    def __len__(self) -> int:
        return sum(self.counts.values())
