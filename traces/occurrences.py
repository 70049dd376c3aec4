"""Whether a text stands anywhere in what was recorded of a run: one search through its line-based layers."""

from __future__ import annotations

import re
from pathlib import Path

from clawjudge.traces.trace import Trace

_CHUNK_BYTES = 1 << 20
_SEARCHED = ("http", "actions", "messages")


class Occurrences:
    """Looks texts up in the raw bytes of a run's requests, actions and messages; answers are kept.

    Memory does not grow with the layers. After `limit` different texts it no longer searches and
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
    if not wanted:
        return False
    alone = re.compile(rb"(?<![0-9A-Za-z])" + re.escape(wanted) + rb"(?![0-9A-Za-z])")
    rest, known = b"", 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                window = rest + chunk
                # What stands at the very end may go on in the next chunk, and is looked at again there.
                if any(found.end() < len(window) for found in alone.finditer(window, known)):
                    return True
                rest = window[-len(wanted) - 1 :]
                # The first byte is kept only for what comes after it.
                known = int(len(rest) > len(wanted))
    except OSError:
        # A file that cannot be read is named by whoever reads the layer.
        return False
    return alone.search(rest, known) is not None
