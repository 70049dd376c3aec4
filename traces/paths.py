"""Paths that come from a trace or a task are untrusted: they may not lead out of their folder."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

from clawjudge.traces.errors import UnsafePath

_MAX_BYTES = 4095
_MAX_NAME_BYTES = 255


def inside(folder: Path, relative: str) -> Path:
    """The file `relative` below `folder`.

    Raises `UnsafePath` for absolute paths, drive letters, `..`, names that no file system takes (NUL bytes, lone
    surrogates, endless names), and for a symbolic link anywhere on the way that ends outside `folder` or nowhere. The
    file need not exist.
    """
    # Names are hostile text: shown escaped and short.
    shown = repr(relative if len(relative) <= 200 else relative[:199] + "…")
    pure = PurePosixPath(relative.replace("\\", "/"))
    if "\0" in relative or pure.is_absolute() or PureWindowsPath(relative).drive or ".." in pure.parts:
        raise UnsafePath(f"{shown} would leave {folder}; use a path relative to that folder without '..'")
    try:
        names = [len(part.encode()) for part in pure.parts]
    except UnicodeEncodeError:
        raise UnsafePath(f"{shown} cannot be the name of a file; use valid Unicode") from None
    if max(names, default=0) > _MAX_NAME_BYTES or sum(names) + len(names) > _MAX_BYTES:
        raise UnsafePath(f"{shown} is too long for the name of a file")
    path = folder / pure
    try:
        contained = path.resolve().is_relative_to(folder.resolve())
    except (RuntimeError, OSError) as error:
        raise UnsafePath(f"{shown} below {folder} cannot be followed ({error}); copy the file in instead") from error
    if not contained:
        raise UnsafePath(f"{shown} below {folder} is a link that leads outside; copy the file in instead")
    return path
