"""The commands of docs/verdict-store.md, on a bundle as a rescore leaves it."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.judge.store.bundles import Case, judged_bundle

ROOT = Path(__file__).resolve().parents[2]
CLAWJUDGE = Path(sys.executable).parent / "clawjudge"


def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    cases = [Case(f"m/v2-{i}-shop", i != 3, "fail" if i == 1 else "pass", task_id=i) for i in range(4)]
    bundle = judged_bundle(tmp_path / "runs", cases, "2026-11-29T10:00:00Z")
    (bundle / "m/v2-2-shop/judge.json").write_text(json.dumps({"match": False, "judge_model": "deepseek-v4-pro"}))
    row = {"model": "m", "n": 4, "intercepted": 3, "lenient": 3, "strict": 2}
    (tmp_path / "row.json").write_text(json.dumps(row))
    page = (ROOT / "docs" / "verdict-store.md").read_text("utf-8")
    commands = [line for block in re.findall(r"```shell\n(.*?)```", page, re.DOTALL) for line in block.splitlines()]
    assert len(commands) == 11
    for command in commands:
        arguments = shlex.split(command)
        done = subprocess.run([CLAWJUDGE, *arguments[1:]], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert done.stdout or "-o" in arguments
