"""Pulling from a Hub: the real client against a local server that serves datasets as the Hub does."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.hub import Dataset, HubServer, serve_hub

from clawjudge.traces.errors import HubError
from clawjudge.traces.hub import Progress, pull

SOURCE = "hf://datasets/lab/traces"


def run_files(run: str, *, flat: bool = False, size: int = 3000) -> dict[str, bytes]:
    """One run as the public datasets hold it; the request log is large enough for the store."""
    data = f"{run}/" if flat else f"{run}/data/"
    return {
        f"{run}/run-meta.json": b'{"task_id": 1}',
        f"{run}/.sync_complete": b"",
        f"{data}interception.json": b'{"intercepted": true}',
        f"{data}judge.json": b'{"match": true}',
        f"{data}requests.jsonl": (run.encode() + b"\n") * size,
        f"{data}actions.jsonl": b"{}\n",
        f"{data}agent-messages.jsonl": b"{}\n",
        f"{data}recording.mp4": b"v" * 50_000,
        f"{data}screenshots/1796000000123.png": b"p" * 5000,
        f"{data}agent-stdout.log": b"log",
    }


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    monkeypatch.chdir(tmp_path)
    with serve_hub(HubServer({"lab/traces": Dataset()})) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HF_TOKEN", "hf_secret")
        yield server


def names(folder: Path) -> set[str]:
    found = set()
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".clawjudge"]
        found |= {(Path(place) / name).relative_to(folder).as_posix() for name in files}
    return found


def record(folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((folder / ".clawjudge" / "source.json").read_text())
    return value


def test_only_what_the_request_judges_need_is_fetched(hub: HubServer) -> None:
    commit = hub.datasets["lab/traces"].commit({"README.md": b"#", **run_files("b/m/r1"), **run_files("r2", flat=True)})
    pulled = pull(SOURCE)
    assert pulled.bundle == Path("traces")
    assert names(pulled.bundle) == {
        *(f"b/m/r1/{name}" for name in ("run-meta.json", "data/interception.json", "data/judge.json")),
        *(f"r2/{name}" for name in ("run-meta.json", "interception.json", "judge.json", "requests.jsonl")),
        "b/m/r1/data/requests.jsonl",
    }
    assert not any("mp4" in path or "png" in path for path in hub.fetched())
    assert (pulled.bundle / "r2/requests.jsonl").read_bytes() == b"r2\n" * 3000
    kept = record(pulled.folder)
    assert (kept["dataset"], kept["commit"], kept["endpoint"]) == ("lab/traces", commit, hub.url)
    assert kept["pulls"] == [
        {"path": "", "wants": "request", "n_files": 8, "n_bytes": pulled.n_bytes, "complete": True, "refused": []}
    ]


@pytest.mark.parametrize(
    ("wants", "last"),
    [("offline", "agent-messages.jsonl"), ("agentic", "1796000000123.png"), ("all", "agent-stdout.log")],
)
def test_other_judges_get_more(hub: HubServer, wants: Any, last: str) -> None:
    hub.datasets["lab/traces"].commit(run_files("r"))
    found = {Path(name).name for name in names(pull(SOURCE, wants).bundle)}
    order = ["agent-messages.jsonl", "recording.mp4", "1796000000123.png", "agent-stdout.log"]
    assert found.intersection(order) == set(order[: order.index(last) + 1])
    assert ".sync_complete" not in found


def test_a_part_of_the_dataset_at_a_revision(hub: HubServer) -> None:
    dataset = hub.datasets["lab/traces"]
    first = dataset.commit({**run_files("b1/gpt/r"), **run_files("b1/glm/r")}, branch="release")
    dataset.commit(run_files("b2/r"))
    pulled = pull(f"{SOURCE}@release/b1/glm", folder=Path("here"))
    assert (pulled.bundle, pulled.commit) == (Path("here/b1/glm"), first)
    assert {name.split("/")[1] for name in names(Path("here"))} == {"glm"}
    again = pull(f"{SOURCE}@{first[:8]}/b1/gpt", folder=Path("here"))
    assert (again.commit, again.n_fetched) == (first, 4)


def test_the_listing_is_read_page_by_page(hub: HubServer) -> None:
    hub.page_size = 7
    hub.datasets["lab/traces"].commit({k: v for i in range(10) for k, v in run_files(f"r{i}").items()})
    assert pull(SOURCE).n_files == 40
    assert sum("/tree/" in request.path for request in hub.seen) > 10


def test_a_second_pull_asks_for_no_file(hub: HubServer) -> None:
    hub.datasets["lab/traces"].commit(run_files("r"))
    pull(SOURCE, "agentic")
    hub.seen.clear()
    pulled = pull(f"{SOURCE}/r", "request")
    assert (pulled.bundle, pulled.n_fetched) == (Path("traces/r"), 0)
    assert not hub.fetched()
    assert not any("/tree/" in request.path for request in hub.seen)


def test_verdict_files_written_since_are_kept(hub: HubServer) -> None:
    hub.datasets["lab/traces"].commit(run_files("r"))
    ours = pull(SOURCE).bundle / "r/data/judge.json"
    ours.write_text('{"match": false}')
    pull(SOURCE, "agentic")
    assert ours.read_text() == '{"match": false}'


def test_the_token_goes_to_the_hub_only(hub: HubServer) -> None:
    hub.datasets["lab/traces"].commit(run_files("r"))
    hub.datasets["lab/traces"].token = "hf_secret"
    pull(SOURCE)
    sent = {(request.server, request.authorization) for request in hub.seen if "agent-harnesses" not in request.path}
    assert sent == {("hub", "Bearer hf_secret"), ("store", "")}
    assert "hf_secret" not in (Path("traces") / ".clawjudge" / "source.json").read_text()


def test_an_address_with_a_password_is_not_recorded(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.datasets["lab/traces"].commit(run_files("r"))
    monkeypatch.setenv("HF_ENDPOINT", hub.url.replace("//", "//me:geheim@"))
    monkeypatch.delenv("HF_TOKEN")
    pull(SOURCE)
    assert record(Path("traces"))["endpoint"] == hub.url


def test_a_cut_connection_goes_on_where_it_broke(hub: HubServer) -> None:
    video = bytes(range(256)) * 48_000
    hub.datasets["lab/traces"].commit({**run_files("r"), "r/data/recording.mp4": video})
    hub.cut_after["r/data/recording.mp4"] = 11_000_000
    pull(SOURCE, "agentic")
    ranges = [request.range for request in hub.seen if request.server == "store" and "mp4" in request.path]
    # The client keeps blocks of 10 MB.
    assert ranges == ["", f"bytes={10 * 1024 * 1024}-"]
    assert Path("traces/r/data/recording.mp4").read_bytes() == video


@pytest.mark.slow
def test_too_many_requests_are_waited_for(hub: HubServer) -> None:
    hub.datasets["lab/traces"].commit({k: v for i in range(6) for k, v in run_files(f"r{i}").items()})
    hub.requests_per_second = 20
    assert pull(SOURCE).n_fetched == 24
    # One refused request for each worker and second at most: nobody hammers.
    assert len(hub.seen) < 2 * 24 + 6 + 10 + 8 * 4


def test_a_damaged_file_is_not_taken(hub: HubServer) -> None:
    hub.datasets["lab/traces"].commit({**run_files("r1"), **run_files("r2")})
    hub.corrupt = {"r1/data/interception.json", "r2/data/requests.jsonl"}
    with pytest.raises(HubError, match=r"2 of 8 files could not be fetched: .* arrived damaged"):
        pull(SOURCE)
    assert len(names(Path("traces"))) == 6
    assert record(Path("traces"))["pulls"][0]["complete"] is False
    hub.corrupt = set()
    assert pull(SOURCE).n_fetched == 2


def test_a_file_that_the_hub_cannot_send_does_not_stop_the_others(hub: HubServer) -> None:
    hub.datasets["lab/traces"].commit({**run_files("r1"), **run_files("r2")})
    hub.broken = {"r1/run-meta.json"}
    with pytest.raises(HubError, match=r"1 of 8 files could not be fetched: .*answered 500"):
        pull(SOURCE)
    assert len(names(Path("traces"))) == 7


def test_a_folder_stays_at_its_commit(hub: HubServer) -> None:
    dataset = hub.datasets["lab/traces"]
    first = dataset.commit(run_files("r"))
    pull(SOURCE)
    second = dataset.commit({**run_files("r"), "r/data/requests.jsonl": b"other" * 1000})
    pulled = pull(SOURCE, "agentic")
    assert pulled.commit == first
    assert f"stays at commit {first[:12]}; the dataset is at {second[:12]} now" in pulled.notices[0]
    assert Path("traces/r/data/requests.jsonl").read_bytes() == b"r\n" * 3000
    with pytest.raises(HubError, match=f"holds commit {first[:12]}, and {second[:8]} is {second[:12]}"):
        pull(f"{SOURCE}@{second[:8]}")
    assert pull(f"{SOURCE}@{second[:8]}", folder=Path("new")).commit == second


def test_a_branch_that_moves_during_a_pull_does_not_mix_commits(hub: HubServer) -> None:
    dataset = hub.datasets["lab/traces"]
    first = dataset.commit(run_files("r"))

    def move(progress: Progress) -> None:
        if len(dataset.commits) == 1:
            dataset.commit({**run_files("r"), "r/data/requests.jsonl": b"other" * 1000})

    assert pull(SOURCE, on_progress=move).commit == first
    assert Path("traces/r/data/requests.jsonl").read_bytes() == b"r\n" * 3000


HOSTILE = [
    "../escaped/run-meta.json",
    "/tmp/clawjudge-absolute/run-meta.json",
    "r/../../run-meta.json",
    "r/.clawjudge/judge.json",
    "R/run-meta.json",
    "r//run-meta.json",
    "r\\..\\..\\x/run-meta.json",
    "r/\x1b[31m/run-meta.json",
    "C:/x/run-meta.json",
]


def test_hostile_names_are_named_and_not_written(hub: HubServer, tmp_path: Path) -> None:
    dataset = hub.datasets["lab/traces"]
    dataset.commit({**run_files("r"), "r/CLAUDE.md": b"obey", "r/.claude/settings.json": b"{}"})
    dataset.extra_entries = [{"type": "file", "oid": "0" * 40, "size": 3, "path": path} for path in HOSTILE]
    pulled = pull(SOURCE, "all", Path("in/here"))
    assert {refused.path for refused in pulled.refused} == {*HOSTILE, "r/CLAUDE.md"} - {"r/.clawjudge/judge.json"}
    assert not any("CLAUDE" in path or "claude" in path for path in hub.fetched())
    assert {path.name for path in tmp_path.iterdir()} == {"in"}
    assert {path.name for path in (tmp_path / "in").iterdir()} == {"here"}
    assert names(Path("in/here")) == {name for name in run_files("r") if "sync" not in name}
    assert not Path("/tmp/clawjudge-absolute").exists()


def test_a_link_in_the_folder_is_not_followed_out_of_it(hub: HubServer, tmp_path: Path) -> None:
    dataset = hub.datasets["lab/traces"]
    dataset.commit({**run_files("r1"), **run_files("r2")})
    pull(f"{SOURCE}/r1", folder=Path("here"))
    (tmp_path / "outside").mkdir()
    Path("here/r2").symlink_to(tmp_path / "outside")
    pulled = pull(SOURCE, folder=Path("here"))
    assert {refused.path.split("/")[0] for refused in pulled.refused} == {"r2"}
    assert not list((tmp_path / "outside").iterdir())


def test_a_disk_that_is_too_small_is_noticed_first(hub: HubServer) -> None:
    dataset = hub.datasets["lab/traces"]
    dataset.commit(run_files("r"))
    dataset.extra_entries = [{"type": "file", "oid": "0" * 40, "size": 10**17, "path": "r9/run-meta.json"}]
    with pytest.raises(HubError, match=r"100,000,000\.0 GB are to be fetched, and the disk has .* free; make room"):
        pull(SOURCE)
    assert not hub.fetched()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("hf://datasets/lab/nothing", "no such dataset, or it is not open to you; .*HF_TOKEN"),
        ("hf://datasets/lab/traces@v9", "@v9: the dataset has no such branch, tag or commit"),
        ("hf://datasets/lab/traces/none", "holds nothing at 'none'"),
        ("hf://datasets/lab/traces/docs", "holds no file of a recorded run at 'docs'"),
        ("hf://lab/traces", "is a model, not a dataset; write hf://datasets/"),
        ("hf://datasets/lab", "is no place on the Hub; write hf://datasets/"),
        ("hf://datasets/lab/traces/../x", "may not hold '.' or '..'"),
    ],
)
def test_what_cannot_be_had_is_said(hub: HubServer, source: str, said: str) -> None:
    hub.datasets["lab/traces"].commit({**run_files("r"), "docs/a.md": b"#"})
    with pytest.raises(HubError, match=said) as caught:
        pull(source)
    assert "hf_secret" not in str(caught.value)


def test_a_private_dataset_needs_the_token(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.datasets["lab/traces"].commit(run_files("r"))
    hub.datasets["lab/traces"].token = "hf_other"
    with pytest.raises(HubError, match="not open to you"):
        pull(SOURCE)
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    assert pull(SOURCE).n_fetched == 4


def test_a_folder_in_use_is_left_alone(hub: HubServer) -> None:
    hub.datasets["lab/traces"].commit(run_files("r"))
    Path("traces/r").mkdir(parents=True)
    Path("traces/r/run-meta.json").write_text("mine")
    with pytest.raises(HubError, match="is in use, and not by a dataset of the Hub"):
        pull(SOURCE)
    assert names(Path("traces")) == {"r/run-meta.json"}


def test_a_folder_holds_one_dataset(hub: HubServer) -> None:
    hub.datasets["lab/other"] = Dataset()
    hub.datasets["lab/other"].commit(run_files("r"))
    hub.datasets["lab/traces"].commit(run_files("r"))
    pull(SOURCE, folder=Path("here"))
    with pytest.raises(HubError, match="here: holds the dataset lab/traces"):
        pull("hf://datasets/lab/other", folder=Path("here"))


def test_a_finished_pull_needs_no_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with serve_hub(HubServer({"lab/traces": Dataset()})) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        server.datasets["lab/traces"].commit(run_files("r"))
        pull(SOURCE)
    pulled = pull(SOURCE)
    assert (pulled.n_files, pulled.n_fetched) == (4, 0)
    assert "unchecked: hf://datasets/lab/traces: the Hub could not be reached" in pulled.notices[0]
    with pytest.raises(HubError, match="could not be reached"):
        pull(SOURCE, folder=Path("elsewhere"))


PULL = "import sys; from pathlib import Path; from clawjudge.traces.hub import pull; pull(sys.argv[1])"


def _start(hub: HubServer, tmp_path: Path, code: str = PULL, **more: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "HF_HOME": str(tmp_path / "hf"), **more}
    return subprocess.Popen(
        [sys.executable, "-c", code, SOURCE], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.slow
def test_a_killed_pull_goes_on_with_the_rest(hub: HubServer, tmp_path: Path) -> None:
    files = {path: content for i in range(30) for path, content in run_files(f"r{i}").items()}
    hub.datasets["lab/traces"].commit(files)
    hub.latency = 0.02
    killed = 0
    for _ in range(20):
        before = len(names(Path("traces")))
        process = _start(hub, tmp_path)
        while process.poll() is None and len(names(Path("traces"))) < before + 15:
            time.sleep(0.01)
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += 1
    assert killed >= 3
    process.communicate()
    assert process.returncode == 0
    wanted = ("run-meta.json", "interception.json", "judge.json", "requests.jsonl")
    expected = {path: content for path, content in files.items() if path.endswith(wanted)}
    assert {name: (Path("traces") / name).read_bytes() for name in names(Path("traces"))} == expected
    assert not (Path("traces") / ".clawjudge" / "incoming").exists()
    # Only what was under way at a kill is fetched twice.
    assert len(hub.fetched()) <= len(expected) + 8 * killed


def test_two_pulls_at_once_both_end_well(hub: HubServer, tmp_path: Path) -> None:
    hub.datasets["lab/traces"].commit({k: v for i in range(20) for k, v in run_files(f"r{i}").items()})
    hub.latency = 0.01
    both = [_start(hub, tmp_path), _start(hub, tmp_path)]
    assert [(process.communicate()[1], process.returncode) for process in both] == [("", 0), ("", 0)]
    assert len(hub.fetched()) == len(names(Path("traces"))) == 80


def test_offline_is_respected(hub: HubServer, tmp_path: Path) -> None:
    hub.datasets["lab/traces"].commit(run_files("r"))
    process = _start(hub, tmp_path, HF_HUB_OFFLINE="1")
    assert "HF_HUB_OFFLINE forbids fetching it" in process.communicate()[1]
    assert not hub.seen


def test_it_says_what_is_missing_without_the_client(tmp_path: Path) -> None:
    code = "import sys; sys.modules['huggingface_hub'] = None\n" + PULL
    done = subprocess.run([sys.executable, "-c", code, SOURCE], cwd=tmp_path, capture_output=True, text=True)
    assert "HubError: sources on the Hub need huggingface_hub: pip install 'clawjudge[hub]'" in done.stderr


def test_every_file_is_what_the_commit_says(hub: HubServer) -> None:
    files = run_files("r", size=200_000)
    hub.datasets["lab/traces"].commit(files)
    bundle = pull(SOURCE, "agentic").bundle
    digests = {name: hashlib.sha256((bundle / name).read_bytes()).hexdigest() for name in names(bundle)}
    assert digests == {name: hashlib.sha256(files[name]).hexdigest() for name in digests}
