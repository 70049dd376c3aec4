"""The one place that talks to the Hugging Face Hub, through `huggingface_hub`, which retries and waits when told to."""

from __future__ import annotations

import hashlib
import logging
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from clawjudge.traces.errors import HubError
from clawjudge.traces.hub_selection import RemoteFile

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_COMMIT = re.compile(r"[0-9a-f]{40}")
_BLOCK = 1024 * 1024


class HubDataset:
    """One dataset on the Hub at `HF_ENDPOINT`. Every error is a `HubError` that says what to do."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._api = _api()

    @property
    def endpoint(self) -> str:
        """The address of the Hub, without a user name or password."""
        parts = urlsplit(self._api.endpoint)
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))

    def commit(self, revision: str | None) -> str:
        """The commit, 40 digits, that a branch, tag or shortened commit stands for now."""
        with _in_our_words(self.name, revision):
            # Without `expand` the answer lists every file of the dataset.
            info = self._api.dataset_info(self.name, revision=revision, expand=["sha"])
        if not isinstance(info.sha, str) or not _COMMIT.fullmatch(info.sha):
            raise HubError(f"{self.endpoint}: does not say which commit {self.name} is at; is HF_ENDPOINT a Hub?")
        return info.sha

    def files(self, commit: str, path: str) -> Iterator[RemoteFile]:
        """The files below `path` at `commit`, streamed page by page."""
        with _in_our_words(self.name, commit, path):
            entries = self._api.list_repo_tree(
                self.name, path or None, recursive=True, revision=commit, repo_type="dataset"
            )
            for entry in _well_formed(entries, self.endpoint):
                size = getattr(entry, "size", None)
                if not isinstance(size, int) or size < 0 or not isinstance(entry.path, str):
                    continue  # a folder, or nonsense
                lfs = getattr(entry, "lfs", None)
                yield RemoteFile(entry.path, size, str(lfs.sha256 if lfs else getattr(entry, "blob_id", "")))

    def fetch(self, commit: str, file: RemoteFile, folder: Path) -> Path:
        """Download `file` below `folder` and return where it is; its content is what the commit says."""
        with _in_our_words(self.name, commit, file.path):
            place = Path(
                self._api.hf_hub_download(
                    self.name,
                    file.path,
                    repo_type="dataset",
                    revision=commit,
                    local_dir=folder,
                    tqdm_class=_silent_bar(),
                )
            )
        if not _holds(place, file):
            place.unlink()
            raise HubError(f"{self.name}: {file.path!r} arrived damaged; run the same command again")
        return place


def parse_source(source: str) -> tuple[str, str | None, str]:
    """Dataset, revision (None if not given) and path below it of `hf://datasets/ORG/NAME[@REV]/PATH`.

    Raises `HubError` for anything else.
    """
    _require_client()
    from huggingface_hub import parse_hf_uri
    from huggingface_hub.errors import HfUriError

    shape = "hf://datasets/ORG/NAME[@REVISION][/PATH]"
    try:
        uri = parse_hf_uri(source)
    except HfUriError as error:
        raise HubError(f"{source!r} is no place on the Hub; write {shape}") from error
    if uri.type != "dataset":
        raise HubError(f"{source!r} is a {uri.type}, not a dataset; write {shape}")
    path = uri.path_in_repo.strip("/")
    if any(part in ("", ".", "..") for part in path.split("/")) and path:
        raise HubError(f"{source!r}: the path may not hold '.' or '..'; write {shape}")
    return uri.id, uri.revision, path


def _well_formed(entries: Iterable[Any], endpoint: str) -> Iterator[Any]:
    try:
        yield from entries
    except (KeyError, TypeError, ValueError) as error:
        raise HubError(f"{endpoint}: answers with something that is no list of files; is HF_ENDPOINT a Hub?") from error


def _require_client() -> None:
    try:
        import huggingface_hub  # noqa: F401
    except ImportError as error:
        raise HubError("sources on the Hub need huggingface_hub: pip install 'clawjudge[hub]'") from error


def _api() -> HfApi:
    _require_client()
    from huggingface_hub import HfApi

    # Read now and not when huggingface_hub was imported, so that a program may set it.
    return HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None, library_name="clawjudge")


def _silent_bar() -> type[Any]:
    """A progress bar that shows nothing; how far a pull is, is told by whoever asked for it."""
    from huggingface_hub.utils.tqdm import tqdm

    class Silent(tqdm):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **{**kwargs, "disable": True})  # type: ignore[no-untyped-call]

    return Silent


def _holds(place: Path, file: RemoteFile) -> bool:
    """Whether `place` holds the content that the commit names. A digest of an unknown kind proves nothing."""
    if place.stat().st_size != file.size:
        return False
    if len(file.digest) == 64:
        digest = hashlib.sha256()
    elif len(file.digest) == 40:
        digest = hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    else:
        return True
    with place.open("rb") as content:
        while block := content.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest() == file.digest


@contextmanager
def _in_our_words(name: str, revision: str | None, path: str = "") -> Iterator[None]:
    """Turns whatever the client raises into a `HubError`."""
    from httpx2 import HTTPError
    from huggingface_hub import errors

    at = f"hf://datasets/{name}" + (f"@{revision}" if revision else "")
    log_in = "check the name; if it is private, log in with `hf auth login` or set HF_TOKEN"
    try:
        yield
    except errors.GatedRepoError as error:
        raise HubError(f"{at}: its owner must grant you access; ask for it on its page on the Hub") from error
    except errors.RepositoryNotFoundError as error:
        raise HubError(f"{at}: there is no such dataset, or it is not open to you; {log_in}") from error
    except errors.RevisionNotFoundError as error:
        raise HubError(f"{at}: the dataset has no such branch, tag or commit") from error
    except errors.RemoteEntryNotFoundError as error:
        raise HubError(f"{at}: holds nothing at {path!r}") from error
    except errors.OfflineModeIsEnabled as error:
        raise HubError(f"{at}: is not on this computer yet, and HF_HUB_OFFLINE forbids fetching it") from error
    except errors.HFValidationError as error:
        raise HubError(f"{at}: is no name of a dataset; write ORG/NAME") from error
    except (HTTPError, OSError) as error:  # among them HfHubHTTPError and LocalEntryNotFoundError
        raise HubError(f"{at}: {_trouble(error)}") from error


def _trouble(error: BaseException) -> str:
    """What went wrong on the way, without addresses: those of large files carry signatures."""
    from huggingface_hub import errors

    cause: BaseException = error
    while isinstance(cause, errors.LocalEntryNotFoundError) and cause.__cause__ is not None:
        cause = cause.__cause__
    logging.getLogger(__name__).debug("the Hub: %s", type(cause).__name__)
    if isinstance(cause, errors.OfflineModeIsEnabled):
        return "is not on this computer yet, and HF_HUB_OFFLINE forbids fetching it"
    if isinstance(cause, errors.HfHubHTTPError):
        status = cause.response.status_code
        if status == 401:
            return "the Hub does not accept your token; log in with `hf auth login` or set HF_TOKEN"
        if status == 429:
            return "the Hub asks for fewer requests; run the same command again later, it goes on where it stopped"
        return f"the Hub answered {status}; run the same command again, it goes on where it stopped"
    if isinstance(cause, OSError) and cause.errno is not None and not isinstance(cause, ConnectionError):
        return f"cannot be written ({cause.strerror})"
    return f"the Hub could not be reached ({type(cause).__name__}); run the same command again when it can"
