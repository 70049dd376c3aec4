"""`.clawjudge/source.json`: from which dataset and commit the files of a folder came."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from clawjudge.traces.atomic import write_atomically
from clawjudge.traces.errors import HubError
from clawjudge.traces.hub_selection import WANTS, Refused, Wants

RECORD_FILE = ".clawjudge/source.json"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class PullRecord:
    """One part of the dataset, and for whom its files were fetched."""

    path: str
    wants: Wants
    n_files: int
    n_bytes: int
    complete: bool
    refused: tuple[Refused, ...] = ()

    def covers(self, path: str, wants: Wants) -> bool:
        above = self.path == "" or path == self.path or path.startswith(f"{self.path}/")
        return above and WANTS.index(self.wants) >= WANTS.index(wants)

    def as_complete(self) -> PullRecord:
        return replace(self, complete=True)


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """Where a folder's files came from."""

    endpoint: str
    dataset: str
    revision: str | None
    """The branch, tag or commit that was asked for; None for the dataset's own default."""
    commit: str
    pulls: tuple[PullRecord, ...]
    schema_version: int = SCHEMA_VERSION

    def covering(self, path: str, wants: Wants) -> PullRecord | None:
        """A finished pull that brought everything which `wants` needs at `path`."""
        return next((pull for pull in self.pulls if pull.complete and pull.covers(path, wants)), None)

    def with_pull(self, pull: PullRecord) -> SourceRecord:
        others = [kept for kept in self.pulls if (kept.path, kept.wants) != (pull.path, pull.wants)]
        return replace(self, pulls=tuple(sorted([*others, pull], key=lambda one: (one.path, one.wants))))


def source_of(bundle: Path) -> str | None:
    """The source of a bundle that was pulled, at its commit: `hf://datasets/ORG/NAME@COMMIT/PATH`; None for any other.

    Raises `HubError` for a record that cannot be used.
    """
    place = bundle.resolve()
    for folder in (place, *place.parents):
        record = read_record(folder)
        if record is not None:
            path = place.relative_to(folder).as_posix()
            return f"hf://datasets/{record.dataset}@{record.commit}" + ("" if path == "." else f"/{path}")
    return None


def read_record(folder: Path) -> SourceRecord | None:
    """The record of `folder`, None if it has none. Raises `HubError` for one that cannot be used."""
    file = folder / RECORD_FILE
    try:
        raw = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise HubError(f"{file}: cannot be read ({error.strerror})") from error
    try:
        record = msgspec.json.decode(raw, type=SourceRecord)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise HubError(f"{file}: cannot be used ({error}); pull into another folder") from error
    if record.schema_version != SCHEMA_VERSION:
        raise HubError(f"{file}: was written by another version of clawjudge; pull into another folder")
    return record


def write_record(folder: Path, record: SourceRecord) -> None:
    file = folder / RECORD_FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")
