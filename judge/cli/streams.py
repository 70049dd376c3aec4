"""What every command does the same way: exit codes, results on standard output, notices on standard error."""

from __future__ import annotations

import enum
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from clawjudge.judge.show.terminal import plain_lines


class Exit(enum.IntEnum):
    """Exit codes of every command."""

    DONE = 0
    GATE_FAILED = 1
    USAGE = 2
    UNJUDGED = 3
    INVALID_INPUT = 4
    NOTHING_MATCHED = 5
    BUDGET_REACHED = 6
    INTERNAL = 70
    INTERRUPTED = 130


_ORDER = (
    Exit.INTERRUPTED,
    Exit.INTERNAL,
    Exit.USAGE,
    Exit.INVALID_INPUT,
    Exit.NOTHING_MATCHED,
    Exit.BUDGET_REACHED,
    # A gate was asked for; that some runs are unjudged is news all the same, and stands in the result.
    Exit.GATE_FAILED,
    Exit.UNJUDGED,
    Exit.DONE,
)


class NothingMatched(Exception):
    """The input is there, but holds nothing to work on."""


def gravest(codes: Iterable[Exit]) -> Exit:
    """The one code that a command ends with when several apply."""
    return min([*codes, Exit.DONE], key=_ORDER.index)


def notice(text: str) -> None:
    """Something the user should know, on standard error."""
    click.echo(plain_lines(text), err=True)


def emit(text: str | bytes, output: Path | None = None) -> None:
    """A document, on standard output or whole into the file `output`.

    A reader that goes away early (`| head`) is no error, and does not change how the command ends.
    """
    if output is not None:
        from clawjudge.traces.atomic import write_atomically

        write_atomically(output, text)
        notice(f"wrote {output}")
        return
    # Documents are UTF-8 wherever they go: what they quote must not depend on the language of a terminal.
    _write(text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text)


def show(text: str) -> None:
    """A screen for people, on standard output, in signs that it can take."""
    from clawjudge.judge.show.encoding import encode, stdout_encoding

    _write(encode(text, stdout_encoding()))


def _write(raw: bytes) -> None:
    try:
        sys.stdout.flush()
        click.echo(raw, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
    except OSError as error:
        silence_stdout()
        raise OSError(error.errno, f"cannot be written to: {error.strerror}", "standard output") from error


def silence_stdout() -> None:
    """Send what is still buffered nowhere, so that Python does not complain when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def output_file(_: click.Context, __: click.Parameter, value: Path | None) -> Path | None:
    """Callback of `-o`: `-` is standard output, as everywhere."""
    return None if value == Path("-") else value


def partial_of(output: Path) -> Path:
    """Where the results of an interrupted batch go, so that a complete file of an earlier one stays."""
    return output.with_name(f"{output.stem}.partial{output.suffix}")


def check_output(output: Path | None) -> None:
    """Refuse an `-o` that cannot be written, or that would replace a part of a recording. Raises `click.UsageError`."""
    if output is None:
        return
    if output.is_dir():
        raise click.UsageError(f"-o {output}: is a folder; name a file")
    if not output.absolute().parent.is_dir():
        raise click.UsageError(f"-o {output}: the folder does not exist; create it first")
    from clawjudge.traces.files import LAYER_FILES, PRIOR_VERDICT_FILES, RUN_FILES, is_run_folder

    recorded = {*LAYER_FILES.values(), *RUN_FILES.values(), *PRIOR_VERDICT_FILES}
    parents = output.absolute().parents
    if output.exists() and (output.is_symlink() or not output.is_file()):
        # Replacing a device, a pipe or a link would destroy it; the shell's redirection writes through it.
        raise click.UsageError(f"-o {output}: is no regular file; name a file, or redirect standard output")
    part_of_a_run = output.exists() and any(is_run_folder(folder) for folder in parents[:4])
    if part_of_a_run or (output.name in recorded and any(is_run_folder(folder) for folder in parents[:2])):
        raise click.UsageError(
            f"-o {output}: is a file of a recorded run, and inputs are never changed; name another file"
        )
