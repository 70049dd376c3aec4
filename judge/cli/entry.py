"""Where the installed command begins: until the program is there, and once it is done, Ctrl-C ends it without a word.

This module imports next to nothing, so that an interrupt finds it ready within the first thousandths of a second.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

_INTERRUPTED = 130


def run() -> None:
    """Entry point of the command `clawjudge`."""
    signal.signal(signal.SIGINT, _leave)
    _open_standard_streams()
    from clawjudge.judge.cli import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        main.run()
    except KeyboardInterrupt:
        # Between two lines of ours, where nothing is left to be saved.
        sys.exit(_INTERRUPTED)
    finally:
        signal.signal(signal.SIGINT, _leave)


def _leave(_: int, __: FrameType | None) -> None:
    os._exit(_INTERRUPTED)


def _open_standard_streams() -> None:
    """Gives a stream that was closed by the caller (`>&-`) a place to go; else the next file opened would be taken."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8")
