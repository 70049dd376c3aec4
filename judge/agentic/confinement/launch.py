"""Becomes the sub-agent's program: started by the SDK in its place, it drops our environment and ends with us.

    python -I -S launch.py SPECIFICATION [ARGUMENT...]

SPECIFICATION is a JSON file with `argv` and `env`, in a folder that only we can read. Uses nothing but the standard
library, so that it starts at once.
"""

import ctypes
import json
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(specification: str, *arguments: str) -> None:
    with open(specification, encoding="utf-8") as file:  # noqa: PTH123 (pathlib would double the time this takes)
        wanted = json.load(file)
    # Kept across the exec. If we were orphaned before this line, the parent is another one already.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != wanted["parent"]:
        sys.exit("launch.py: the judge is gone")
    os.execve(wanted["argv"][0], [*wanted["argv"], *arguments], wanted["env"])


if __name__ == "__main__":
    main(*sys.argv[1:])
