"""`clawjudge traces pull`, as users start it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.servers.hub import Dataset, HubServer, serve_hub

CLAWJUDGE = Path(sys.executable).parent / "clawjudge"
SOURCE = "hf://datasets/lab/traces"


@pytest.fixture
def hub() -> Iterator[HubServer]:
    dataset = Dataset()
    dataset.commit(
        {f"batch/{run}/data/{name}": b"{}" for run in ("a", "b") for name in ("interception.json", "recording.mp4")}
    )
    with serve_hub(HubServer({"lab/traces": dataset})) as server:
        yield server


def run(hub: HubServer, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "hf"), "HF_TOKEN": "hf_secret"}
    return subprocess.run(
        [CLAWJUDGE, "traces", "pull", *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True
    )


def test_the_folder_is_the_result(hub: HubServer, tmp_path: Path) -> None:
    done = run(hub, tmp_path, f"{SOURCE}/batch")
    assert (done.returncode, done.stdout) == (0, "traces/batch\n")
    assert done.stderr.endswith("2 files fetched, 0 already there, 0.0 MB in all\n")
    assert sorted(path.name for path in (tmp_path / "traces/batch").rglob("*.*")) == ["interception.json"] * 2


def test_json(hub: HubServer, tmp_path: Path) -> None:
    hub.datasets["lab/traces"].extra_entries = [{"type": "file", "oid": "", "size": 1, "path": "../task.json"}]
    done = run(hub, tmp_path, SOURCE, "-o", "here", "--for", "all", "--format", "json")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    commit = hub.datasets["lab/traces"].branches["main"]
    assert (document["bundle"], document["commit"], document["n_files"]) == ("here", commit, 4)
    assert [refused["path"] for refused in document["refused"]] == ["../task.json"]
    assert "not fetched: '../task.json': " in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["hf://datasets/lab/none"], 4, "no such dataset, or it is not open to you"),
        (["https://example.com/x"], 4, "is no place on the Hub; write hf://datasets/ORG/NAME"),
        ([SOURCE, "--for", "video"], 2, "'video' is not one of"),
        ([SOURCE, "-o", "file"], 2, "is a file"),
    ],
)
def test_errors(hub: HubServer, tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    (tmp_path / "file").touch()
    done = run(hub, tmp_path, *arguments)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert "hf_secret" not in done.stderr


def test_interrupted_at_once_and_resumed(hub: HubServer, tmp_path: Path) -> None:
    hub.datasets["lab/traces"].commit({f"r{i}/run-meta.json": b"{}" for i in range(200)})
    hub.latency = 0.1
    environment = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "hf")}
    process = subprocess.Popen(
        [CLAWJUDGE, "traces", "pull", SOURCE], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True
    )
    while not list(tmp_path.glob("traces/r*/run-meta.json")):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    assert "interrupted" in process.communicate()[1]
    assert time.monotonic() - begun < 1.5
    assert process.returncode == 130
    hub.latency = 0
    assert run(hub, tmp_path, SOURCE).returncode == 0
    assert len(list(tmp_path.glob("traces/r*/run-meta.json"))) == 200
    assert len(hub.fetched()) <= 200 + 8


def test_evaluate_takes_runs_on_the_hub(hub: HubServer, tmp_path: Path) -> None:
    examples = Path(__file__).resolve().parents[3] / "examples" / "food-order"
    files = {path.relative_to(examples).as_posix(): path.read_bytes() for path in examples.rglob("*") if path.is_file()}
    hub.datasets["lab/traces"].commit(files)
    line = ["--agent-trace", f"{SOURCE}/wrong-quantity", "--reference-trace", f"{SOURCE}/reference"]
    environment = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "hf")}
    command = [CLAWJUDGE, "evaluate", *line, "--judge", "offline", "--format", "json"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    [verdict] = json.loads(done.stdout)["verdicts"]
    assert (verdict["outcome"], verdict["failing_field"]) == ("fail", "/body/cart/items/0/quantity")
    assert sorted(path.name for path in (tmp_path / "traces").iterdir() if path.name[0] != ".") == [
        "reference",
        "wrong-quantity",
    ]
