"""Bundles on the Hugging Face Hub, brought into a local folder: `hf://datasets/ORG/NAME[@REVISION][/PATH]`.

A folder holds one dataset at one commit, which `.clawjudge/source.json` names. Files arrive in a side folder and are
moved into place only when they are whole and are what the commit says; so whatever is in place is done, and a pull that
was stopped goes on with the rest. Files in place are never replaced: verdict files may have been written since.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from clawjudge.traces.errors import HubError
from clawjudge.traces.hub_client import HubDataset, parse_source
from clawjudge.traces.hub_queue import fetch_all
from clawjudge.traces.hub_record import PullRecord, SourceRecord, read_record, write_record
from clawjudge.traces.hub_selection import Refused, RemoteFile, Wants, select
from clawjudge.traces.paths import inside

SCHEME = "hf://"
INCOMING = "incoming"
"""Below `.clawjudge`: where files arrive."""
_SPARE_BYTES = 64 * 1024 * 1024
"""Left free on the disk; file systems and other programs need some."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a pull is."""

    files: int
    files_total: int
    bytes: int
    bytes_total: int


@dataclass(frozen=True, slots=True)
class Pulled:
    """What a pull did."""

    bundle: Path
    """The folder of runs: the path of the source, below `folder`."""
    folder: Path
    dataset: str
    commit: str
    n_files: int
    n_fetched: int
    """Files that were not there before."""
    n_bytes: int
    refused: tuple[Refused, ...]
    notices: tuple[str, ...]


def is_hub_source(source: str) -> bool:
    return source.startswith(SCHEME)


def pull(
    source: str,
    wants: Wants = "request",
    folder: Path | None = None,
    *,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Pulled:
    """Bring the files of `source` that `wants` needs into `folder` (default: the dataset's name, here).

    A folder stays at its first commit, also where a branch has moved since; then a notice says so. Raises `HubError` if
    anything of it cannot be fetched, after everything else was.
    """
    name, revision, path = parse_source(source)
    folder = Path(name.partition("/")[2]) if folder is None else folder
    known = read_record(folder)
    if known is None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise HubError(f"{folder}: is in use, and not by a dataset of the Hub; name another folder with -o")
    if known is not None and known.dataset != name:
        raise HubError(f"{folder}: holds the dataset {known.dataset}; name another folder with -o")
    dataset = HubDataset(name)
    commit, notices = _choose_commit(dataset, revision, known, folder)
    done = None if known is None else known.covering(path, wants)
    if done is not None and (folder / path).is_dir():
        return Pulled(inside(folder, path), folder, name, commit, done.n_files, 0, done.n_bytes, done.refused, notices)
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        record = read_record(folder) or SourceRecord(dataset.endpoint, name, revision, commit, ())
        write_record(folder, record)
        return _Pull(dataset, commit, path, wants, folder, notices, on_progress).run(record)


def _choose_commit(
    dataset: HubDataset, revision: str | None, known: SourceRecord | None, folder: Path
) -> tuple[str, tuple[str, ...]]:
    """The commit to take files from: that of the folder, if it has one."""
    if known is None:
        return dataset.commit(revision), ()
    if revision is not None and known.commit.startswith(revision) and len(revision) >= 7:
        return known.commit, ()
    try:
        now = dataset.commit(revision)
    except HubError as error:
        if revision in (None, known.revision):
            return known.commit, (f"{folder} stays at commit {known.commit[:12]}, unchecked: {error}",)
        raise
    if now == known.commit:
        return known.commit, ()
    if revision not in (None, known.revision):
        raise HubError(
            f"{folder}: holds commit {known.commit[:12]}, and {revision} is {now[:12]}; name another folder with -o"
        )
    said = (
        f"{folder} stays at commit {known.commit[:12]}; the dataset is at {now[:12]} now, for which name another folder"
    )
    return known.commit, (said,)


@dataclass(frozen=True, slots=True)
class _Pull:
    """One part of a dataset on its way into a folder."""

    dataset: HubDataset
    commit: str
    path: str
    wants: Wants
    folder: Path
    notices: tuple[str, ...]
    on_progress: Callable[[Progress], None]

    def run(self, record: SourceRecord) -> Pulled:
        files, refused = self._list()
        missing = [file for file in files if not inside(self.folder, file.path).is_file()]
        total, needed = sum(file.size for file in files), sum(file.size for file in missing)
        _require_space(self.folder, needed)
        part = PullRecord(self.path, self.wants, len(files), total, complete=False, refused=refused)
        write_record(self.folder, record.with_pull(part))
        failures = self._fetch(missing, Progress(len(files) - len(missing), len(files), total - needed, total))
        if failures:
            others = f"; and {len(failures) - 1} more" if len(failures) > 1 else ""
            raise HubError(f"{len(failures)} of {len(files)} files could not be fetched: {failures[0]}{others}")
        write_record(self.folder, record.with_pull(part.as_complete()))
        bundle = inside(self.folder, self.path)
        counts = (len(files), len(missing), total)
        return Pulled(bundle, self.folder, self.dataset.name, self.commit, *counts, refused, self.notices)

    def _list(self) -> tuple[list[RemoteFile], tuple[Refused, ...]]:
        files: list[RemoteFile] = []
        refused: list[Refused] = []
        for entry in select(self.dataset.files(self.commit, self.path), self.wants, self.folder):
            if isinstance(entry, Refused):
                refused.append(entry)
            else:
                files.append(entry)
                self.on_progress(Progress(0, len(files), 0, 0))
        if not files:
            place = f"hf://datasets/{self.dataset.name}@{self.commit[:12]}"
            raise HubError(f"{place}: holds no file of a recorded run at {self.path or '/'!r}")
        return files, tuple(refused)

    def _fetch(self, missing: list[RemoteFile], start: Progress) -> list[Exception]:
        """Fetch what is missing, and return what went wrong."""
        incoming = self.folder / ".clawjudge" / INCOMING
        # What a killed pull left there is no longer of use.
        shutil.rmtree(incoming, ignore_errors=True)

        def fetch(file: RemoteFile) -> None:
            arrived = self.dataset.fetch(self.commit, file, incoming)
            place = inside(self.folder, file.path)
            place.parent.mkdir(parents=True, exist_ok=True)
            arrived.replace(place)

        def tell_again() -> None:
            self.on_progress(now)

        now = start
        failures: list[Exception] = []
        self.on_progress(now)
        try:
            for file, error in fetch_all(missing, fetch, tell_again):
                if error is not None:
                    failures.append(error)
                    continue
                now = replace(now, files=now.files + 1, bytes=now.bytes + file.size)
                self.on_progress(now)
        finally:
            shutil.rmtree(incoming, ignore_errors=True)
        return failures


def _require_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if needed + _SPARE_BYTES > free:
        raise HubError(
            f"{folder}: {_size(needed)} are to be fetched, and the disk has {_size(free)} free; make room, "
            "or name a part of the dataset"
        )


def _size(number: int) -> str:
    return f"{number / 1e9:,.1f} GB" if number >= 1e9 else f"{number / 1e6:,.1f} MB"


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One pull at a time in one folder; a second one waits."""
    place = folder / ".clawjudge"
    place.mkdir(exist_ok=True)
    handle = os.open(place / "pull.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
