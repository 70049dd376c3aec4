"""A folder of runs for the commands."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def runs(tmp_path, make_run) -> Path:
    """One run that passes, one that fails and one that cannot be judged."""
    folder = tmp_path / "runs"
    make_run(folder / "reference", human=True)
    make_run(folder / "right")
    make_run(folder / "wrong", {"quantity": 3})
    make_run(folder / "unclear", None)
    return folder
