"""Which files of a dataset on the Hub are fetched: those that a judge reads, under names that do no harm."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal, get_args

from clawjudge.traces.errors import UnsafePath
from clawjudge.traces.files import LAYER_FILES, PRIOR_VERDICT_FILES, RUN_FILES
from clawjudge.traces.paths import inside
from clawjudge.traces.screenshots import SUFFIXES

Wants = Literal["request", "offline", "agentic", "all"]
"""For whom files are fetched: the request judges, the offline judge, the agentic judge, or every file. Each brings what
the ones before it bring, and more."""
WANTS: tuple[Wants, ...] = get_args(Wants)

_REQUEST = {*RUN_FILES.values(), *PRIOR_VERDICT_FILES, LAYER_FILES["interception"], LAYER_FILES["http"]}
_OFFLINE = {*_REQUEST, LAYER_FILES["actions"], LAYER_FILES["messages"]}
_AGENTIC = {*_OFFLINE, LAYER_FILES["video"]}
_NAMES = {"request": _REQUEST, "offline": _OFFLINE, "agentic": _AGENTIC}
_PICTURES = LAYER_FILES["screenshots"]

_INSTRUCTIONS = {"claude.md", "claude.local.md", "agents.md", "gemini.md", "copilot-instructions.md", "skill.md"}
"""Files that coding agents obey where they find them. A recording has no use for one."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a dataset, at one commit."""

    path: str
    """Below the dataset, with forward slashes; hostile until `select` has let it through."""
    size: int
    digest: str
    """SHA-256 of the content for large files (64 digits), else git's SHA-1 of the blob (40 digits)."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that is wanted by its name, and not fetched because of its path."""

    path: str
    reason: str


def select(listing: Iterable[RemoteFile], wants: Wants, folder: Path) -> Iterator[RemoteFile | Refused]:
    """The files of `listing` that `wants` needs, and those of them that may not be written below `folder`.

    Of two paths that differ only in case or in the form of their characters, the first is taken: on some disks the
    second would replace it.
    """
    taken: dict[str, str] = {}
    for file in listing:
        if not _wanted(file.path, wants):
            continue
        reason = _harm(file.path, folder)
        if reason is None:
            folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", file.path).casefold())
            other = taken.setdefault(folded, file.path)
            reason = None if other == file.path else f"on some disks it is the same file as {other!r}"
        yield file if reason is None else Refused(file.path, reason)


def _wanted(path: str, wants: Wants) -> bool:
    pure = PurePosixPath(path)
    if wants == "all":
        return not any(part.startswith(".") and part.strip(".") for part in pure.parts)
    if pure.name in _NAMES[wants]:
        return True
    return wants == "agentic" and pure.parent.name == _PICTURES and pure.suffix.lower() in SUFFIXES


def _harm(path: str, folder: Path) -> str | None:
    """Why `path` may not be written below `folder`; None if it may."""
    if any(not character.isprintable() for character in path) or "\\" in path:
        return "its name holds characters that file names should not hold"
    try:
        inside(folder, path)
    except UnsafePath as error:
        return str(error)
    parts = path.split("/")
    if any(part in ("", ".") for part in parts):
        return "its path is not in the plain form"
    if any(part.startswith(".") for part in parts):
        return "hidden files and folders are not fetched"
    if any(part.casefold() in _INSTRUCTIONS for part in parts):
        return "instructions for coding agents are not fetched"
    return None
