"""Scripts that were started outside the project's environment start themselves again inside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ENVIRONMENT = Path(__file__).resolve().parents[1] / ".venv"


def enter() -> None:
    """Goes on only inside the environment that `scripts/setup` makes; elsewhere the script is started anew there."""
    if Path(sys.prefix).resolve() == ENVIRONMENT.resolve():
        return
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        sys.exit(f"{Path(sys.argv[0]).name}: the project's environment is missing; run scripts/setup first")
    os.execv(python, [str(python), *sys.argv])
