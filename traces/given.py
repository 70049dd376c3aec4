"""Files that a user names on the command line: read whole, if they are regular files of a sensible size."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from clawjudge.traces.errors import InvalidInput


def read_given(path: Path, limit: int) -> bytes:
    """The content of `path`. A pipe, a device or a folder is refused at once instead of being waited for.

    Raises `InvalidInput` for what is no regular file, has more than `limit` bytes, or cannot be read.
    """
    try:
        # Looked at before it is opened, because opening a pipe waits for a writer.
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise InvalidInput(f"{path}: is {_kind(mode)}; name a regular file")
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            raw = file.read(limit + 1)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}; check the path and its permissions") from error
    if len(raw) > limit:
        raise InvalidInput(f"{path}: is larger than {limit // (1024 * 1024)} MB; is it the right file?")
    return raw


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device or a socket"
