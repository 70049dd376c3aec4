"""A few workers that fetch many files; stopping leaves at once."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence

from clawjudge.traces.errors import TraceError
from clawjudge.traces.hub_selection import RemoteFile

WORKERS = 8
"""Files under way at once: enough to hide the Hub's latency, few enough to stay below its limits."""

_PATIENCE = 5.0

_Answer = tuple[RemoteFile, Exception | None]


def fetch_all(
    files: Sequence[RemoteFile], fetch: Callable[[RemoteFile], None], on_wait: Callable[[], None] = lambda: None
) -> Iterator[tuple[RemoteFile, TraceError | OSError | None]]:
    """Every file with its error, as they are done, in no fixed order.

    The workers are daemon threads: whoever stops asking (Ctrl-C) need not wait for the files under way. `on_wait` is
    called every few seconds in which nothing is done, for a Hub that asks for patience must not look like a hang.
    """
    waiting: queue.SimpleQueue[RemoteFile] = queue.SimpleQueue()
    answers: queue.SimpleQueue[_Answer] = queue.SimpleQueue()
    for file in files:
        waiting.put(file)
    stop = threading.Event()
    for _ in range(min(WORKERS, len(files))):
        threading.Thread(target=_work, args=(waiting, answers, fetch, stop), daemon=True).start()
    try:
        for _ in files:
            file, error = _next(answers, on_wait)
            if error is not None and not isinstance(error, TraceError | OSError):
                raise error
            yield file, error
    finally:
        stop.set()


def _next(answers: queue.SimpleQueue[_Answer], on_wait: Callable[[], None]) -> _Answer:
    while True:
        try:
            return answers.get(timeout=_PATIENCE)
        except queue.Empty:
            on_wait()


def _work(
    waiting: queue.SimpleQueue[RemoteFile],
    answers: queue.SimpleQueue[_Answer],
    fetch: Callable[[RemoteFile], None],
    stop: threading.Event,
) -> None:
    while not stop.is_set():
        try:
            file = waiting.get_nowait()
        except queue.Empty:
            return
        try:
            fetch(file)
        except Exception as error:  # noqa: BLE001 (it is raised again where it can be handled)
            answers.put((file, error))
        else:
            answers.put((file, None))
