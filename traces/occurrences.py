"""Whether a text stands anywhere in what was recorded of a run: one search through its line-based layers."""

from __future__ import annotations

import mmap
from pathlib import Path

from clawjudge.traces.trace import Trace

_SEARCHED = ("http", "actions", "messages")


class Occurrences:
    """Looks texts up in the raw bytes of a run's requests, actions and messages; answers are kept.

    Memory does not grow with the layers, which are mapped. After `limit` different texts it no longer searches and
    answers `True`, so that a request full of tokens cannot make a run take for ever: callers take `True` for the
    doubtful answer.
    """

    def __init__(self, trace: Trace, limit: int = 64) -> None:
        self._files = [trace.files.found[layer] for layer in _SEARCHED if trace.has(layer)]
        self._limit = limit
        self._known: dict[str, bool] = {}

    def hold(self, text: str) -> bool:
        """Whether `text` stands somewhere by itself, not as part of a longer run of letters and digits."""
        if text not in self._known:
            if len(self._known) >= self._limit:
                return True
            self._known[text] = any(_holds(path, text) for path in self._files)
        return self._known[text]


def _holds(path: Path, text: str) -> bool:
    wanted = text.encode("utf-8", "surrogatepass")
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            at = data.find(wanted)
            while at >= 0:
                end = at + len(wanted)
                if not (_is_letter(data[at - 1 : at] if at else b"") or _is_letter(data[end : end + 1])):
                    return True
                at = data.find(wanted, at + 1)
    except (OSError, ValueError):
        # An empty file cannot be mapped, and one that cannot be read is named by whoever reads the layer.
        return False
    return False


def _is_letter(byte: bytes) -> bool:
    return byte.isalnum()
