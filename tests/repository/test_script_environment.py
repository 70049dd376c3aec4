"""Scripts started by hand with another Python run in the project's environment."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["bench", "score_corpus", "picture"])
def test_without_an_environment_the_remedy_is_said(tmp_path: Path, name: str) -> None:
    (tmp_path / "scripts").mkdir()
    for file in (name, "environment.py"):
        shutil.copy(ROOT / "scripts" / file, tmp_path / "scripts")
    script = str(tmp_path / "scripts" / name)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr == f"{name}: the project's environment is missing; run scripts/setup first\n"
