"""The benchmark of the agentic judge runs. What it measures here means nothing, so no figure is tested."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[1] / "scripts" / "bench_agentic"


@pytest.mark.slow
def test_every_figure_is_there() -> None:
    command = [sys.executable, str(BENCH), "--runs", "1", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["measurements"]
    without = [row for row in rows if row["name"].endswith("without the sandbox")]
    assert len(without) == 3
    assert all(row["value"] > 0 for row in without)
    assert subprocess.run([sys.executable, str(BENCH), "--runs", "0"], capture_output=True).returncode == 4
