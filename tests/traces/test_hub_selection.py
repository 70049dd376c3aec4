"""What is fetched for whom, and names that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from clawjudge.traces.hub_selection import WANTS, Refused, RemoteFile, Wants, select


def chosen(paths: list[str], wants: Wants, folder: Path) -> list[str]:
    return [
        file.path
        for file in select((RemoteFile(path, 1, "") for path in paths), wants, folder)
        if isinstance(file, RemoteFile)
    ]


RUN = [
    "b/m/r/data/actions.jsonl",
    "b/m/r/data/agent-messages.jsonl",
    "b/m/r/data/agent-stdout.log",
    "b/m/r/data/interception.json",
    "b/m/r/data/judge.json",
    "b/m/r/data/judge_llm.json",
    "b/m/r/data/recording.mp4",
    "b/m/r/data/requests.jsonl",
    "b/m/r/data/screenshots/1.png",
    "b/m/r/eval-schema.json",
    "b/m/r/run-meta.json",
    "b/m/r/task.json",
]


def test_each_judge_gets_what_it_reads_and_no_more(tmp_path: Path) -> None:
    numbers = {
        wants: [Path(path).name for path in chosen([*RUN, "README.md", "x/1.png"], wants, tmp_path)] for wants in WANTS
    }
    verdicts, small = ["judge.json", "judge_llm.json"], ["eval-schema.json", "run-meta.json", "task.json"]
    assert numbers["request"] == ["interception.json", *verdicts, "requests.jsonl", *small]
    assert set(numbers["offline"]) - set(numbers["request"]) == {"actions.jsonl", "agent-messages.jsonl"}
    assert set(numbers["agentic"]) - set(numbers["offline"]) == {"recording.mp4", "1.png"}
    assert set(numbers["all"]) - set(numbers["agentic"]) == {"agent-stdout.log", "README.md"}


@pytest.mark.parametrize(
    "path",
    [
        "a/.git/task.json",
        ".env/task.json",
        "a/AGENTS.md/task.json",
        "a\u202e/task.json",
        "a/\ud800/task.json",
        "x" * 300 + "/task.json",
    ],
)
def test_a_harmful_path_is_refused_with_its_reason(path: str, tmp_path: Path) -> None:
    [found] = select([RemoteFile(path, 1, "")], "request", tmp_path)
    assert isinstance(found, Refused)
    assert found.path == path
    assert found.reason


def test_names_that_some_disks_cannot_tell_apart(tmp_path: Path) -> None:
    paths = [
        "Stra\u00dfe/task.json",
        "STRASSE/task.json",
        "e\u0301/task.json",
        "\u00e9/task.json",
        "same/task.json",
        "same/task.json",
    ]
    found = list(select((RemoteFile(path, 1, "") for path in paths), "request", tmp_path))
    assert [isinstance(file, Refused) for file in found] == [False, True, False, True, False, False]
