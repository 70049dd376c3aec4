"""The benchmark runs, on small sizes. What it measures here means nothing, so no figure is tested."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1] / "scripts" / "bench"


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(BENCH), *arguments], capture_output=True, text=True, check=False)


def test_every_figure_is_there_and_the_generated_run_is_judged(tmp_path: Path) -> None:
    done = bench("--size-mb", "2", "--runs", "1", "--format", "json", "--work", str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    rows = {row["name"]: row for row in json.loads(done.stdout)["measurements"]}
    assert len(rows) == 14
    assert all(row["value"] is not None and row["value"] > 0 for row in rows.values()), rows
    # The order, with the wrong quantity, stands near the end of the log.
    assert rows["evaluate, 2 MB of requests, peak RSS"]["note"].startswith("fail (wrong_value)")

    logs = {path.stat().st_size: path for path in tmp_path.glob("run-*/requests.jsonl")}
    size, large = max(logs.items())
    assert abs(size - 2_000_000) < 100_000
    lines = large.read_text("utf-8").splitlines()
    posts = sum('"method": "POST"' in line for line in lines)
    assert 0.08 < posts / len(lines) < 0.16
    assert max(len(line) for line in lines) > 500_000
    assert [n for n, line in enumerate(lines) if "/api/orders" in line] == [len(lines) - 21]


def test_help_has_examples_and_wrong_arguments_are_refused(tmp_path: Path) -> None:
    assert "scripts/bench --format json" in bench("--help").stdout
    for arguments in (["--corpus", str(tmp_path / "none")], ["--size-mb", "0"], ["--work", str(BENCH.parent)]):
        done = bench(*arguments)
        assert (done.returncode, done.stdout) == (4, "")
        assert done.stderr.count("\n") == 1


def test_the_benchmark_of_rescore_explains_itself() -> None:
    script = BENCH.with_name("bench_rescore")
    done = subprocess.run([sys.executable, script, "--help"], capture_output=True, text=True, check=True)
    assert "ClawBench" in done.stdout
