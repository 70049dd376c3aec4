"""The verdict store: one SQLite file per bundle, an append-only history, safe with several processes at once.

with VerdictStore.open(bundle) as store:
    if store.latest(key) is None and store.claim(key, seconds=600) == "mine":
        store.put(record)

Every `put` is one transaction. A process that is killed loses what it had not put yet, and nothing else; its claims are
free at once.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from clawjudge.judge.store.key import KeyParts
from clawjudge.judge.store.owner import Owner
from clawjudge.judge.store.records import Outline, Usage, VerdictRecord
from clawjudge.judge.store.schema import VERSION, migrate, version_of
from clawjudge.judge.verdict import Fingerprint, Verdict, writable
from clawjudge.traces.errors import InvalidInput

FOLDER = ".clawjudge"
FILE = "verdicts.sqlite"
Claim = Literal["mine", "theirs", "answered"]

_WAIT_SECONDS = 30.0
_OUTLINE = (
    "run, task_id, outcome, reason_code, json_extract(document, '$.verdict.justification'),"
    " json_extract(document, '$.verdict.intercepted'), judge, model, judged_at, origin, final, cost_usd, id,"
    " json_extract(document, '$.parts')"
)
_COLUMNS = "id, key, run, origin, final, judged_at, document"


class StoreError(InvalidInput):
    """A store that cannot be used, with the file and what to do about it."""


class VerdictStore:
    """All verdicts on the runs of one bundle, in the order in which they were given."""

    def __init__(self, path: Path, connection: sqlite3.Connection, owner: Owner | None) -> None:
        self.path = path
        self._connection = connection
        self._owner = owner

    @classmethod
    def open(cls, home: Path) -> Self:
        """The store in the folder `home` (a bundle, or where `--out` says), made if there is none.

        Raises `StoreError` if the file is none of ours, damaged, or of a later version.
        """
        folder = home / FOLDER
        path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{folder}: cannot be made: {error.strerror}; where the bundle may not be written to, give --out DIR"
            ) from error
        with _explained(path):
            connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
            try:
                _require_known(connection, path)
                connection.execute("PRAGMA journal_mode = WAL")
                # A commit outlives the process that made it; only a power cut may take back the last ones.
                connection.execute("PRAGMA synchronous = NORMAL")
                migrate(connection)
            except BaseException:
                connection.close()
                raise
        try:
            return cls(path, connection, Owner(folder / "owners"))
        except OSError as error:
            connection.close()
            raise StoreError(f"{folder}: cannot be written to: {error.strerror}") from error

    @classmethod
    def read(cls, home: Path) -> Self | None:
        """The store in `home` for reading only, a folder that may not be written to included; None if there is none."""
        path = home / FOLDER / FILE
        if not path.is_file():
            return None
        try:
            return cls._read(path, "mode=ro")
        except sqlite3.OperationalError:
            # SQLite wants to write beside a store to share it; where it cannot, nobody else can either.
            with _explained(path):
                return cls._read(path, "immutable=1")
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{path}: {error}; move it away to start a new one") from error

    @classmethod
    def empty(cls) -> Self:
        """A store that holds nothing and keeps nothing, for looking at a bundle without leaving a trace."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        migrate(connection)
        return cls(Path(":memory:"), connection, None)

    @classmethod
    def _read(cls, path: Path, how: str) -> Self:
        uri = f"{path.absolute().as_uri()}?{how}"
        connection = sqlite3.connect(uri, uri=True, timeout=_WAIT_SECONDS, isolation_level=None)
        try:
            _require_known(connection, path)
            if version_of(connection) < VERSION:
                raise StoreError(f"{path}: is of an older version; open it once with a command that writes")
        except BaseException:
            connection.close()
            raise
        return cls(path, connection, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back all claims of this process and close the file."""
        if self._owner is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("DELETE FROM claims WHERE owner = ?", (self._owner.name,))
            self._owner.close()
            self._owner = None
        self._connection.close()

    def put(self, record: VerdictRecord) -> int:
        """Add one verdict and give back the claim on its key. Returns its id."""
        return self.put_all([record])[0]

    def put_all(self, records: Iterable[VerdictRecord]) -> list[int]:
        """Add verdicts in one transaction, all or none. Returns their ids."""
        with self._transaction() as connection:
            ids = []
            for record in records:
                done = connection.execute(
                    "INSERT INTO verdicts (key, run, judge, model, task_id, outcome, reason_code, origin, final,"
                    " judged_at, cost_usd, document) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    _row(record),
                )
                ids.append(int(done.lastrowid or 0))
                if self._owner is not None:
                    connection.execute("DELETE FROM claims WHERE key = ? AND owner = ?", (record.key, self._owner.name))
            return ids

    def latest(self, key: str) -> VerdictRecord | None:
        """The last verdict under `key`, whatever run it was given for: equal keys, equal evidence."""
        return next(self._select("WHERE key = ? ORDER BY id DESC LIMIT 1", (key,)), None)

    def current(self, run: str, judge: str, model: str | None = None) -> VerdictRecord | None:
        """The last verdict of a judge on one run, under whatever key; of that model only, if one is named."""
        named = ("", ()) if model is None else (" AND model = ?", (model,))
        return next(
            self._select(
                f"WHERE run = ? AND judge = ?{named[0]} ORDER BY id DESC LIMIT 1", (_text(run), judge, *named[1])
            ),
            None,
        )

    def history(
        self, *, run: str | None = None, judge: str | None = None, model: str | None = None, key: str | None = None
    ) -> Iterator[VerdictRecord]:
        """Verdicts from the first to the last, of these only; read one by one."""
        asked = {"run": run, "judge": judge, "model": model, "key": key}
        given = {name: _text(value) for name, value in asked.items() if value is not None}
        where = f"WHERE {' AND '.join(f'{name} = ?' for name in given)}" if given else ""
        return self._select(f"{where} ORDER BY id", tuple(given.values()))

    def __iter__(self) -> Iterator[VerdictRecord]:
        return self.history()

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM verdicts").fetchone()[0])

    def outlines(self, *, run: str | None = None, judge: str | None = None) -> Iterator[Outline]:
        """As `history`, without evidence: many times faster."""
        asked = {"run": run, "judge": judge}
        given = {name: _text(value) for name, value in asked.items() if value is not None}
        where = f"WHERE {' AND '.join(f'{name} = ?' for name in given)}" if given else ""
        with _explained(self.path):
            for row in self._connection.execute(
                f"SELECT {_OUTLINE} FROM verdicts {where} ORDER BY id", [*given.values()]
            ):
                yield _outline(row)

    def judges(self) -> list[tuple[str, str | None]]:
        """Every judge with every model that gave a verdict."""
        with _explained(self.path):
            return self._connection.execute(
                "SELECT DISTINCT judge, model FROM verdicts ORDER BY judge, model"
            ).fetchall()

    def claim(self, key: str, seconds: float, after: int = 0) -> Claim:
        """Say that this process is about to ask for `key`, for at most `seconds`.

        `mine`: go on. `theirs`: another living process is asking; look again later. `answered`: a final verdict with an
        id above `after` is there. Raises `StoreError` on a store opened for reading.
        """
        if self._owner is None:
            raise StoreError(f"{self.path}: was opened for reading")
        with self._transaction() as connection:
            if connection.execute(
                "SELECT 1 FROM verdicts WHERE key = ? AND final AND id > ? LIMIT 1", (key, after)
            ).fetchone():
                return "answered"
            held = connection.execute("SELECT owner, until FROM claims WHERE key = ?", (key,)).fetchone()
            # Wall-clock time, because the other process may run on another machine; the lock is what usually tells.
            if held and held[0] != self._owner.name and held[1] > time.time() and self._owner.is_alive(held[0]):
                return "theirs"
            connection.execute("REPLACE INTO claims VALUES (?, ?, ?)", (key, self._owner.name, time.time() + seconds))
            return "mine"

    def release(self, key: str) -> None:
        """Give back a claim of this process without a verdict."""
        if self._owner is not None:
            self._connection.execute("DELETE FROM claims WHERE key = ? AND owner = ?", (key, self._owner.name))

    def fact(self, name: str) -> Any:
        """A fact about the whole bundle (a JSON value), or None."""
        found = self._connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return json.loads(found[0]) if found else None

    def set_fact(self, name: str, value: Any) -> None:
        with self._transaction() as connection:
            connection.execute("REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value, sort_keys=True)))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with _explained(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # Where the disk is full SQLite has rolled back already.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _select(self, tail: str, values: tuple[Any, ...]) -> Iterator[VerdictRecord]:
        with _explained(self.path):
            for row in self._connection.execute(f"SELECT {_COLUMNS} FROM verdicts {tail}", values):
                yield _record(row)


def _require_known(connection: sqlite3.Connection, path: Path) -> None:
    found = version_of(connection)
    if found > VERSION:
        raise StoreError(
            f"{path}: was written by a later version of clawjudge (store version {found}, this one knows {VERSION}); "
            "upgrade clawjudge"
        )


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Whatever SQLite says, with the file and the remedy."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        remedy = {
            "SQLITE_FULL": "make room on the disk and run again; what was stored is kept",
            "SQLITE_BUSY": "another process keeps it locked; run again when that one is done",
            "SQLITE_READONLY": "it may not be written to; give --out DIR",
            "SQLITE_CANTOPEN": "check the folder and its permissions, or give --out DIR",
            "SQLITE_IOERR": "check the disk and run again; what was stored is kept",
        }
        name = getattr(error, "sqlite_errorname", "") or ""
        said = next((text for code, text in remedy.items() if name.startswith(code)), "move it away to start a new one")
        raise StoreError(f"{path}: {error}; {said}") from error


def _text(value: str) -> str:
    """A text that SQLite takes: file names may hold bytes that are no UTF-8, which Python keeps as lone surrogates."""
    return value.encode("utf-8", "backslashreplace").decode()


def _row(record: VerdictRecord) -> tuple[Any, ...]:
    document = {
        "parts": asdict(record.parts),
        "fingerprint": record.fingerprint.model_dump(mode="json"),
        "verdict": record.verdict.model_dump(mode="json"),
        "replies": writable(list(record.replies)),
        "usage": asdict(record.usage),
    }
    verdict = record.verdict
    return (
        record.key,
        _text(record.run),
        record.parts.judge,
        record.parts.model,
        verdict.task_id,
        verdict.outcome,
        verdict.reason_code,
        record.origin,
        record.final,
        record.judged_at,
        verdict.cost_usd,
        json.dumps(document, ensure_ascii=False, separators=(",", ":")),
    )


def _record(row: tuple[Any, ...]) -> VerdictRecord:
    number, _, run, origin, final, judged_at, text = row
    document = json.loads(text)
    return VerdictRecord(
        run=run,
        parts=KeyParts(**document["parts"]),
        fingerprint=Fingerprint(**document["fingerprint"]),
        verdict=Verdict(**document["verdict"]),
        origin=origin,
        final=bool(final),
        replies=tuple(document["replies"]),
        usage=Usage(**document["usage"]),
        judged_at=judged_at,
        id=number,
    )


def _outline(row: tuple[Any, ...]) -> Outline:
    run, task_id, outcome, code, why, intercepted, judge, model, judged_at, origin, final, cost, number, parts = row
    return Outline(
        run=run,
        task_id=task_id,
        outcome=outcome,
        reason_code=code,
        justification=why,
        intercepted=None if intercepted is None else bool(intercepted),
        judge=judge,
        model=model,
        judged_at=judged_at,
        origin=origin,
        final=bool(final),
        cost_usd=cost,
        id=number,
        parts=KeyParts(**json.loads(parts)) if origin == "judged" else None,
    )
