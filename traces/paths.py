"""Paths that come from a trace or a task are untrusted: they may not lead out of their folder."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

from clawjudge.traces.errors import UnsafePath


def inside(folder: Path, relative: str) -> Path:
    """The file `relative` below `folder`.

    Raises `UnsafePath` for absolute paths, drive letters, `..`, NUL bytes, and for a symbolic link anywhere on the way
    that ends outside `folder`. The file need not exist.
    """
    pure = PurePosixPath(relative.replace("\\", "/"))
    if "\0" in relative or pure.is_absolute() or PureWindowsPath(relative).drive or ".." in pure.parts:
        raise UnsafePath(f"{relative!r} would leave {folder}; use a path relative to that folder without '..'")
    path = folder / pure
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UnsafePath(f"{path} is a link that leads outside {folder}; copy the file in instead")
    return path
