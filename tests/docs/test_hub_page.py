"""The commands of docs/hub.md, against a local server that holds both public datasets in their layouts."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.servers.hub import Dataset, HubServer, serve_hub

ROOT = Path(__file__).resolve().parents[2]
CLAWJUDGE = Path(sys.executable).parent / "clawjudge"


def _v1() -> Dataset:
    """One folder for each run, at the top."""
    dataset = Dataset()
    runs = ["001-daily-life-food-uber-eats-claude-opus-4-6-20260329-110845", "002-travel-human-20260401-120000"]
    files = {f"{run}/run-meta.json": b'{"task_id": 1}' for run in runs}
    files |= {
        f"{run}/data/{name}": b"" for run in runs for name in ("actions.jsonl", "requests.jsonl", "recording.mp4")
    }
    dataset.commit(files)
    return dataset


def _v2() -> Dataset:
    """Batches of models of runs; the runs have no run-meta.json."""
    dataset = Dataset()
    places = ["batch-20260509-202734/gpt-5.5", "batch-aligned-20260520/glm-5.1__hermes"]
    runs = [f"{place}/hermes-v2-{n}-shop-{place[-4:]}-20260520-{n}" for place in places for n in (1, 2)]
    dataset.commit({f"{run}/data/{name}": b"{}" for run in runs for name in ("interception.json", "judge.json")})
    return dataset


def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "hub.md").read_text("utf-8")
    commands = [line for block in re.findall(r"```shell\n(.*?)```", page, re.DOTALL) for line in block.splitlines()]
    assert len(commands) == 4
    datasets = {"NAIL-Group/ClawBenchV1Trace": _v1(), "TIGER-Lab/ClawBenchV2Trace": _v2()}
    with serve_hub(HubServer(datasets)) as hub:
        environment = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "hf")}
        printed = [_run(command, tmp_path, environment) for command in commands]
    assert printed[0] == "ClawBenchV2Trace/batch-aligned-20260520/glm-5.1__hermes\n"
    assert printed[1].count("hermes-v2-") == 2
    assert printed[3].count("uber-eats") == 1


def _run(command: str, folder: Path, environment: dict[str, str]) -> str:
    arguments = shlex.split(command)
    assert arguments[0] == "clawjudge"
    done = subprocess.run([CLAWJUDGE, *arguments[1:]], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        pytest.fail(f"{command}\n{done.stderr}")
    return done.stdout
