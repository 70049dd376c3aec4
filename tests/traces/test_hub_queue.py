"""Many files, a few workers."""

from __future__ import annotations

import threading
import time

import pytest

from clawjudge.traces import hub_queue
from clawjudge.traces.errors import HubError
from clawjudge.traces.hub_queue import WORKERS, fetch_all
from clawjudge.traces.hub_selection import RemoteFile

FILES = [RemoteFile(str(number), 1, "") for number in range(50)]


def test_all_files_are_fetched_by_no_more_workers_than_allowed() -> None:
    busy, most, lock = 0, 0, threading.Lock()

    def fetch(file: RemoteFile) -> None:
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
        time.sleep(0.002)
        with lock:
            busy -= 1

    assert sorted(int(file.path) for file, _ in fetch_all(FILES, fetch)) == list(range(50))
    assert most == WORKERS


def test_one_failure_does_not_stop_the_others() -> None:
    def fetch(file: RemoteFile) -> None:
        if file.path == "7":
            raise HubError("no")

    answers = dict(fetch_all(FILES, fetch))
    assert [file.path for file, error in answers.items() if error] == ["7"]
    assert len(answers) == 50


def test_a_mistake_of_ours_is_not_swallowed() -> None:
    def fetch(file: RemoteFile) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(fetch_all(FILES, fetch))


def test_whoever_stops_asking_does_not_wait() -> None:
    started = []

    def fetch(file: RemoteFile) -> None:
        started.append(file)
        time.sleep(0 if file.path == "0" else 1)

    begun = time.monotonic()
    answers = fetch_all(FILES, fetch)
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert time.monotonic() - begun < 0.5
    time.sleep(1.5)
    assert len(started) <= WORKERS + 1


def test_a_long_wait_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_queue, "_PATIENCE", 0.05)
    told: list[int] = []
    done = list(fetch_all(FILES[:1], lambda file: time.sleep(0.3), lambda: told.append(1)))
    assert len(done) == 1
    assert 2 <= len(told) <= 6
