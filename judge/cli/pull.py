"""`clawjudge traces pull`."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clawjudge.judge.cli.streams import Exit, emit, notice, show

if TYPE_CHECKING:
    from clawjudge.traces.hub import Progress, Pulled
    from clawjudge.traces.hub_selection import Wants

_QUIET_SECONDS = 10.0
_SHOWN_REFUSALS = 10


@click.command(
    epilog="""\b
Examples:
  What the request judges need of one model's runs, into ./ClawBenchV2Trace:
    clawjudge traces pull hf://datasets/TIGER-Lab/ClawBenchV2Trace/batch-aligned-20260520/glm-5.1__hermes
  Everything that the agentic judge looks at, at a commit:
    clawjudge traces pull hf://datasets/NAIL-Group/ClawBenchV1Trace@f1570c0 --for agentic -o v1

\b
Exit codes: 0 done, 2 usage, 4 the source is missing, closed or out of reach, or the disk is too small,
130 interrupted. After 4 and 130 the same command goes on where it stopped.
"""
)
@click.argument("source", metavar="hf://datasets/ORG/NAME[@REVISION][/PATH]")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where to put it. Default: a folder with the dataset's name, here.",
)
@click.option(
    "--for",
    "wants",
    type=click.Choice(["request", "offline", "agentic", "all"]),
    default="request",
    show_default=True,
    help="Fetch what this judge reads: no pictures for request and offline, no logs but for all.",
)
@click.option(
    "--format", "form", type=click.Choice(["human", "json"]), default="human", show_default=True, help="What to print."
)
def pull(source: str, folder: Path | None, wants: Wants, form: str) -> Exit:
    """Bring recorded runs from a dataset on the Hugging Face Hub into a local folder.

    The folder stays at the commit that it was begun with, which .clawjudge/source.json in it names. HF_ENDPOINT and
    HF_TOKEN are read as the Hub's own tools read them.
    """
    pulled = pull_with_progress(source, wants, folder)
    if form == "json":
        from clawjudge.judge.show.documents import dumps

        emit(dumps({"schema_version": 1, **_document(pulled)}, indent=2) + "\n")
    else:
        show(f"{pulled.bundle}\n")
    return Exit.DONE


def as_source(_: click.Context, __: click.Parameter, value: str | None) -> str | Path | None:
    """Callback of options that take a path or a place on the Hub; the latter, as a path, would lose a slash."""
    return value if value is None or _on_the_hub(value) else Path(value)


def local_folder(source: str | Path, wants: Wants) -> Path:
    """The local folder that `source` names: a path as it is; a source on the Hub is pulled first, and that is told."""
    return pull_with_progress(str(source), wants, None).bundle if _on_the_hub(source) else Path(source)


def _on_the_hub(source: str | Path) -> bool:
    from clawjudge.traces.hub import is_hub_source

    return isinstance(source, str) and is_hub_source(source)


def pull_with_progress(source: str, wants: Wants, folder: Path | None) -> Pulled:
    """Pull, and tell on standard error how far it is and what a user should know."""
    from clawjudge.traces.hub import pull as pull_source

    # The client's own warnings show addresses with signatures; what they say comes back as an error.
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    with _progress() as tell:
        pulled = pull_source(source, wants, folder, on_progress=tell)
    for said in pulled.notices:
        notice(said)
    for refused in pulled.refused[:_SHOWN_REFUSALS]:
        notice(f"not fetched: {refused.path!r}: {refused.reason}")
    if len(pulled.refused) > _SHOWN_REFUSALS:
        notice(f"not fetched: {len(pulled.refused) - _SHOWN_REFUSALS} more such files; --format json names them")
    already = pulled.n_files - pulled.n_fetched
    notice(
        f"{pulled.dataset} at {pulled.commit[:12]}: {pulled.n_fetched} files fetched, {already} already there, "
        f"{pulled.n_bytes / 1e6:,.1f} MB in all"
    )
    return pulled


def _document(pulled: Pulled) -> dict[str, Any]:
    return {
        "bundle": str(pulled.bundle),
        "folder": str(pulled.folder),
        "dataset": pulled.dataset,
        "commit": pulled.commit,
        "n_files": pulled.n_files,
        "n_fetched": pulled.n_fetched,
        "n_bytes": pulled.n_bytes,
        "refused": [{"path": refused.path, "reason": refused.reason} for refused in pulled.refused],
        "notices": list(pulled.notices),
    }


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
    """A bar on a terminal, else a line now and then."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("listing", total=None)

            def show(now: Progress) -> None:
                said = f"{now.files} of {now.files_total} files" if now.bytes_total else f"listing: {now.files_total}"
                bar.update(task, description=said, completed=now.bytes, total=now.bytes_total or None)

            yield show
    else:
        yield _occasional_lines()


def _occasional_lines() -> Callable[[Progress], None]:
    last = time.monotonic()

    def tell(now: Progress) -> None:
        nonlocal last
        if time.monotonic() - last > _QUIET_SECONDS:
            last = time.monotonic()
            if now.bytes_total:
                done = f"{now.bytes / 1e6:,.1f} of {now.bytes_total / 1e6:,.1f} MB"
                notice(f"fetched {now.files} of {now.files_total} files, {done}")
            else:
                notice(f"listing: {now.files_total} files so far")

    return tell
