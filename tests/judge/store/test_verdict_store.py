"""The verdict store: nothing is overwritten, nothing stored is lost, and two processes do not ask twice."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clawjudge.judge.fingerprint import fingerprint
from clawjudge.judge.store.key import KeyParts, differences
from clawjudge.judge.store.records import Usage, VerdictRecord, now
from clawjudge.judge.store.schema import MIGRATIONS, VERSION, version_of
from clawjudge.judge.store.verdict_store import FILE, FOLDER, StoreError, VerdictStore
from clawjudge.judge.verdict import Outcome, Stage1, Verdict
from clawjudge.rubrics.load import load_rubric

PARTS = KeyParts(judge="request-strict", model="anthropic:m", parameters={"max_tokens": 800}, evidence_sha256="e1")


def record(run: str = "a", outcome: Outcome = "pass", parts: KeyParts = PARTS, final: bool = True) -> VerdictRecord:
    verdict = Verdict(
        run=run,
        task_id="7",
        outcome=outcome,
        reason_code="judged",
        justification="It does what was asked.",
        stage1=Stage1(status="intercepted", commits=1),
        intercepted=True,
        cost_usd=0.25,
    )
    mark = fingerprint("request-strict", load_rubric("v1-agentic"), "anthropic:m", max_tokens=800)
    usage = Usage(calls=2, input_tokens=900, cached_tokens=100, output_tokens=40, seconds=1.5)
    return VerdictRecord(run, parts, mark, verdict, "judged", final, ('{"match": true}',), usage, now())


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    given = record()
    with VerdictStore.open(tmp_path) as store:
        assert store.latest(given.key) is None
        number = store.put(given)
    with VerdictStore.open(tmp_path) as store:
        found = store.latest(given.key)
        assert found is not None
        assert (found.id, found.run, found.parts, found.verdict) == (number, given.run, given.parts, given.verdict)
        assert (found.fingerprint, found.replies, found.usage) == (given.fingerprint, given.replies, given.usage)
        assert (found.origin, found.final, found.judged_at) == ("judged", True, given.judged_at)


def test_the_history_keeps_every_verdict_in_order(tmp_path: Path) -> None:
    other = KeyParts(judge="offline")
    with VerdictStore.open(tmp_path) as store:
        for one in (record("a", "fail"), record("b"), record("a", "pass"), record("a", "fail", other)):
            store.put(one)
        assert [(r.run, r.verdict.outcome) for r in store] == [
            ("a", "fail"),
            ("b", "pass"),
            ("a", "pass"),
            ("a", "fail"),
        ]
        assert [r.id for r in store.history(run="a", judge="request-strict")] == [1, 3]
        latest = store.current("a", "request-strict", "anthropic:m")
        assert latest is not None
        assert latest.verdict.outcome == "pass"
        assert store.current("a", "request-strict", "openai:m") is None
        assert len(store) == 4


@pytest.mark.parametrize("statement", ["UPDATE verdicts SET outcome = 'pass'", "DELETE FROM verdicts"])
def test_the_database_itself_refuses_to_change_the_history(tmp_path: Path, statement: str) -> None:
    with VerdictStore.open(tmp_path) as store:
        store.put(record(outcome="fail"))
        raw = sqlite3.connect(store.path)
        with contextlib.closing(raw), pytest.raises(sqlite3.IntegrityError, match="append-only"):
            raw.execute(statement)


@pytest.mark.parametrize(
    "change",
    [
        {"judge": "request-lenient"},
        {"model": "anthropic:n"},
        {"parameters": {"max_tokens": 801}},
        {"prompt_sha256": "p"},
        {"rubric_sha256": "r"},
        {"instruction_sha256": "i"},
        {"evidence_sha256": "e2"},
        {"parser_version": "2"},
        {"import_id": "x"},
    ],
)
def test_every_part_makes_another_key(change: dict[str, object]) -> None:
    values = {name: getattr(PARTS, name) for name in PARTS.__dataclass_fields__}
    other = KeyParts(**{**values, **change})
    assert other.key != PARTS.key
    assert differences(PARTS, other) == tuple(change)
    assert KeyParts(**values).key == PARTS.key


def test_a_claim_keeps_others_away_until_it_is_given_back(tmp_path: Path) -> None:
    with VerdictStore.open(tmp_path) as one, VerdictStore.open(tmp_path) as other:
        assert one.claim(PARTS.key, 60) == "mine"
        assert one.claim(PARTS.key, 60) == "mine"
        assert other.claim(PARTS.key, 60) == "theirs"
        one.release(PARTS.key)
        assert other.claim(PARTS.key, 60) == "mine"
        other.put(record())
        assert one.claim(PARTS.key, 60) == "answered"
        assert one.claim(PARTS.key, 60, after=1) == "mine"


def test_a_verdict_that_is_not_final_is_no_answer(tmp_path: Path) -> None:
    with VerdictStore.open(tmp_path) as store:
        store.put(record(outcome="unjudged", final=False))
        assert store.claim(PARTS.key, 60) == "mine"


def test_a_claim_ends_with_its_time_and_with_its_owner(tmp_path: Path) -> None:
    with VerdictStore.open(tmp_path) as one:
        with VerdictStore.open(tmp_path) as other:
            assert other.claim("late", -1) == "mine"
            assert one.claim("late", 60) == "mine"
            assert other.claim("closed", 600) == "mine"
        assert one.claim("closed", 60) == "mine"


_CHILD = """
import sys, time
from pathlib import Path
from clawjudge.judge.store.verdict_store import VerdictStore
store = VerdictStore.open(Path(sys.argv[1]))
print(store.claim("k", 3600), flush=True)
time.sleep(60)
"""


def test_the_claims_of_a_killed_process_are_free_at_once(tmp_path: Path) -> None:
    with VerdictStore.open(tmp_path) as store:
        child = subprocess.Popen([sys.executable, "-c", _CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "mine\n"
            assert store.claim("k", 60) == "theirs"
        finally:
            child.send_signal(signal.SIGKILL)
            child.communicate()
        assert store.claim("k", 60) == "mine"
    assert list((tmp_path / FOLDER / "owners").iterdir()) == []


_WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_verdict_store import KeyParts, VerdictStore, record
with VerdictStore.open(Path(sys.argv[1])) as store:
    for number in range(10**6):
        parts = KeyParts(judge="j", evidence_sha256=f"{sys.argv[3]} {number}")
        if store.claim(parts.key, 60) == "mine":
            store.put(record(f"{sys.argv[3]}/{number}", parts=parts))
            print(number, flush=True)
"""


def test_what_was_put_outlives_a_kill(tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", _WRITER, str(tmp_path), str(Path(__file__).parent)]
    children = [subprocess.Popen([*arguments, name], stdout=subprocess.PIPE, text=True) for name in ("a", "b")]
    said: list[int] = []
    try:
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "0\n"
        time.sleep(0.5)
    finally:
        for child in children:
            child.kill()
            said.append(max(map(int, child.communicate()[0].split()), default=0))
    with VerdictStore.open(tmp_path) as store:
        runs = [r.run for r in store]
    for name, last in zip(("a", "b"), said, strict=True):
        mine = [run for run in runs if run.startswith(name)]
        assert mine == [f"{name}/{number}" for number in range(len(mine))]
        assert len(mine) > last


def test_a_store_of_an_older_version_is_brought_forward(tmp_path: Path) -> None:
    with VerdictStore.open(tmp_path) as store:
        store.put(record())
        path = store.path
    with contextlib.closing(sqlite3.connect(path)) as raw:
        assert version_of(raw) == VERSION == len(MIGRATIONS)
    # A file on which no step was done yet, as after a crash between making it and the first step.
    empty = tmp_path / "empty"
    (empty / FOLDER).mkdir(parents=True)
    sqlite3.connect(empty / FOLDER / FILE).close()
    with VerdictStore.open(empty) as store:
        assert store.put(record()) == 1


def test_a_later_version_is_refused(tmp_path: Path) -> None:
    with VerdictStore.open(tmp_path) as store:
        path = store.path
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.execute(f"PRAGMA user_version = {VERSION + 1}")
    for opened in (VerdictStore.open, VerdictStore.read):
        with pytest.raises(StoreError, match="later version of clawjudge"):
            opened(tmp_path)


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / FILE).write_text("not a database at all, but longer than a header of one\n" * 20)
    for opened in (VerdictStore.open, VerdictStore.read):
        with pytest.raises(StoreError, match=r"verdicts\.sqlite: .*move it away"):
            opened(tmp_path)


def test_a_full_disk_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    with VerdictStore.open(tmp_path) as store:
        store.put(record())
        store._connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(StoreError, match="make room on the disk"):
            store.put_all(record(f"{n}") for n in range(200))
        assert [r.run for r in store] == ["a"]
        store._connection.execute("PRAGMA max_page_count = 1000000")
        assert store.put(record("b")) > 1


def test_reading_needs_no_right_to_write(tmp_path: Path) -> None:
    assert VerdictStore.read(tmp_path) is None
    with VerdictStore.open(tmp_path) as store:
        store.put(record())
    folder = tmp_path / FOLDER
    folder.chmod(0o555)
    try:
        with VerdictStore.read(tmp_path) as store:  # type: ignore[union-attr]
            assert [r.run for r in store] == ["a"]
            with pytest.raises(StoreError, match="opened for reading"):
                store.claim("k", 1)
    finally:
        folder.chmod(0o755)


def test_texts_of_a_trace_are_kept_whatever_they_hold(tmp_path: Path) -> None:
    odd = record("run-\udcff'; DROP TABLE verdicts; --")
    with VerdictStore.open(tmp_path) as store:
        store.put(odd)
        found = store.current(odd.run, "request-strict")
        assert found is not None
        assert "DROP TABLE" in found.run


def test_facts_about_a_bundle(tmp_path: Path) -> None:
    with VerdictStore.open(tmp_path) as store:
        assert store.fact("source") is None
        store.set_fact("source", {"revision": "abc"})
        store.set_fact("source", {"revision": "def"})
        assert store.fact("source") == {"revision": "def"}
