"""Is the process that holds a claim still alive? It locks a file of its own, and the kernel frees the lock at its end.

A process number would not do: numbers are used again, and mean nothing in another container on the same files.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
from pathlib import Path


class Owner:
    """One user of a store. `close` when done; killed at any moment, its claims are free at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)
        self.name = secrets.token_hex(8)
        self._path = folder / f"{self.name}.lock"
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        fcntl.flock(self._handle, fcntl.LOCK_EX)

    def is_alive(self, name: str) -> bool:
        """Whether the owner of that name still runs. The lock file of one that does not is removed."""
        if name == self.name:
            return True
        path = self._folder / f"{name}.lock"
        try:
            handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        else:
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
            return False
        finally:
            os.close(handle)

    def close(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        os.close(self._handle)
