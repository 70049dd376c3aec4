"""Files are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.tmp$")


def write_atomically(path: Path, content: bytes | str) -> None:
    """Replace `path` by `content`; a crash at any moment leaves the old file or the new one, never a part.

    The mode is that of the file that is replaced, or for a new file what the umask allows. Text is written as UTF-8; a
    lone surrogate, which recordings can hold and UTF-8 cannot, becomes its escape.
    """
    raw = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    # The name is cut so that it stays legal beside a `path` of the longest legal name.
    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}.tmp")
    # Opened by number and not by `tempfile`: so the kernel applies the umask, which other threads may rely on.
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            _keep_mode(path, handle)
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        raise


def sweep(folder: Path, names: Iterable[str]) -> None:
    """Remove what writes of the files `names` in `folder` left behind when they were killed.

    For callers that know that nobody is writing these files just now.
    """
    begun = tuple(f".{name[:40]}." for name in names)
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        left = [entry.path for entry in entries if entry.name.startswith(begun) and _TEMPORARY.search(entry.name)]
        for path in left:
            Path(path).unlink(missing_ok=True)


def _keep_mode(path: Path, handle: int) -> None:
    """Gives the new file the permissions of the regular file that it will replace, if there is one."""
    with contextlib.suppress(FileNotFoundError):
        old = path.lstat().st_mode
        if stat.S_ISREG(old):
            os.fchmod(handle, stat.S_IMODE(old))
