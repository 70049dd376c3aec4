"""The tables of the verdict store, and how a store of an older version becomes one of this version.

`PRAGMA user_version` is the number of steps of `MIGRATIONS` that a file has been through. A step that was released is
never edited: a change of the tables is a new step at the end.
"""

from __future__ import annotations

import sqlite3

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # Append-only, and the database sees to it. `document` is JSON with all that is not searched by.
        """
        CREATE TABLE verdicts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL,
            run TEXT NOT NULL,
            judge TEXT NOT NULL,
            model TEXT,
            task_id TEXT,
            outcome TEXT NOT NULL,
            reason_code TEXT NOT NULL,
            origin TEXT NOT NULL,
            final INTEGER NOT NULL,
            judged_at TEXT NOT NULL,
            cost_usd REAL NOT NULL,
            document TEXT NOT NULL
        )
        """,
        "CREATE INDEX verdicts_by_key ON verdicts (key, id)",
        "CREATE INDEX verdicts_by_run ON verdicts (run, judge, id)",
        """
        CREATE TRIGGER verdicts_are_not_changed BEFORE UPDATE ON verdicts
        BEGIN SELECT RAISE(ABORT, 'the history of verdicts is append-only'); END
        """,
        """
        CREATE TRIGGER verdicts_are_not_deleted BEFORE DELETE ON verdicts
        BEGIN SELECT RAISE(ABORT, 'the history of verdicts is append-only'); END
        """,
        # Who is asking for a key just now. `owner` names a lock file; see `claims.py`.
        "CREATE TABLE claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID",
        # What a bundle is: the revision it was pulled at, and what else belongs to all its verdicts.
        "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    ),
)

VERSION = len(MIGRATIONS)


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a store to this version: each step whole or not at all, however many processes open it at once."""
    while version_of(connection) < VERSION:
        connection.execute("BEGIN IMMEDIATE")
        try:
            reached = version_of(connection)
            if reached < VERSION:
                for statement in MIGRATIONS[reached]:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {reached + 1}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
