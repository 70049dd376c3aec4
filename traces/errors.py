"""Errors of the traces package.

    TraceError
    ├── InvalidRun        the path is not a run folder, or a part of it may not be read
    ├── UnsafePath        a file or link would lead outside the run folder
    ├── InvalidTask       a task definition that cannot be used
    ├── InvalidInput      another file or folder that the user named cannot be used
    └── HubError          a dataset on the Hugging Face Hub cannot be fetched

A damaged line, frame or file inside a valid run is not an error: it becomes a `Problem` and reading goes on.
"""


class TraceError(Exception):
    """Base of every error raised on purpose by `clawjudge.traces`; the message names the file and the remedy."""


class InvalidRun(TraceError):
    """The path holds no run that can be read."""


class UnsafePath(TraceError):
    """A path taken from a run or a task would leave its folder."""


class InvalidInput(TraceError):
    """A file or folder that the user named cannot be used."""


class InvalidTask(TraceError):
    """A task definition that fails validation."""


class HubError(TraceError):
    """A dataset on the Hugging Face Hub that is not there, not open to the user, or out of reach."""
