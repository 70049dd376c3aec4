"""The evidence folder of a case: what is in it, and that a judge's citation leads back to the recording."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clawjudge.judge.agentic.evidence.manifest import Manifest, UnknownPlace
from clawjudge.judge.agentic.evidence.stage import stage
from clawjudge.judge.case import Case, build_case
from clawjudge.judge.citation import CitationCheck
from clawjudge.traces.errors import InvalidInput
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).resolve().parents[4] / "examples" / "food-order"


@pytest.fixture(scope="module")
def case() -> Case:
    return build_case(Trace(EXAMPLES / "wrong-quantity"), Trace(EXAMPLES / "reference"))


@pytest.fixture(scope="module")
def staged(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    return stage(case, tmp_path_factory.mktemp("evidence"), ["http", "actions", "messages", "screenshots"])


def test_the_manifest_lists_every_file_and_nothing_else(staged: Manifest) -> None:
    document = json.loads((staged.folder / "manifest.json").read_text())
    listed = {file["name"]: file for file in document["files"]}
    there = {str(path.relative_to(staged.folder)) for path in staged.folder.rglob("*") if path.is_file()}
    assert there == {*listed, "manifest.json"}
    for name, file in listed.items():
        raw = (staged.folder / name).read_bytes()
        assert hashlib.sha256(raw).hexdigest() == file["sha256"]
        assert len(raw) == file["bytes"]
        if "lines" in file:
            assert raw.count(b"\n") == file["lines"]


@pytest.mark.parametrize(
    ("address", "quotation"),
    [
        ("agent http:14 /body/cart/items/0/quantity", "1"),
        ('agent http:14 "/body/cart/items/0/quantity":', "1"),
        ("reference http:14 /body/cart/items/0/quantity", "2"),
        ("agent http:14", "http://noodlerun.test/api/v3/orders"),
        ("agent interception /intercepted", "true"),
        ("agent actions:140", "Place order"),
        ("agent messages:5", "First I'll read the user's personal info."),
        ("agent messages:6", '"nationality": "Canadian"'),
        ("agent messages:6", '\\"nationality\\": \\"Canadian\\"'),
        ("task /instruction", "two Pad Thai"),
    ],
)
def test_what_is_cited_as_the_evidence_names_it_holds_in_the_recording(
    case: Case, staged: Manifest, address: str, quotation: str
) -> None:
    citation = staged.to_citation(address, quotation)
    assert CitationCheck(case.folders).verify(citation).verified, citation


@pytest.fixture
def with_secrets(tmp_path: Path) -> tuple[Case, Manifest]:
    """A run in which a card and a password were entered, with the same card in both runs."""
    typed = {"type": "change", "timestamp": 1796023452100, "url": "http://noodlerun.test/checkout"}
    entered = [
        typed | {"target": {"tagName": "INPUT", "id": "user-password"}, "value": SECRETS[0]},
        typed | {"target": {"tagName": "INPUT", "id": "card-number"}, "value": SECRETS[1]},
    ]
    sent = {
        "timestamp": 1796023450.0,
        "method": "POST",
        "url": f"http://noodlerun.test/login?access_token={SECRETS[2]}",
    }
    sent |= {
        "headers": {"Cookie": f"sid={SECRETS[3]}", "Authorization": f"Bearer {SECRETS[4]}"},
        "resource_type": "XHR",
    }
    sent |= {"body": {"user": "alex", "password": SECRETS[0], "card": SECRETS[1]}}
    said = {
        "type": "message",
        "message": {"role": "assistant", "content": [{"type": "text", "text": f"I typed {SECRETS[0]}"}]},
    }
    for name in ("agent", "reference"):
        run = tmp_path / name
        shutil.copytree(EXAMPLES / {"agent": "wrong-quantity"}.get(name, name), run)
        actions = next(run.rglob("actions.jsonl"))
        requests = next(run.rglob("requests.jsonl"))
        actions.write_text(actions.read_text() + "".join(json.dumps(line) + "\n" for line in entered))
        requests.write_text(json.dumps(sent) + "\n" + requests.read_text())
    messages = tmp_path / "agent" / "agent-messages.jsonl"
    messages.write_text(messages.read_text() + json.dumps(said) + "\n")
    case = build_case(Trace(tmp_path / "agent"), Trace(tmp_path / "reference"))
    return case, stage(case, tmp_path / "evidence", ["http", "actions", "messages"])


SECRETS = (
    "Maple-Syrup-4417",
    "4519873424604532",
    "tok_9f8e7d6c5b4a39281",
    "s3ss10n-0a1b2c3d4e5f",
    "abcDEF123456ghiJKL789",
)


def test_no_secret_is_staged_and_equal_ones_stay_equal(with_secrets: tuple[Case, Manifest]) -> None:
    _, manifest = with_secrets
    for path in manifest.folder.rglob("*"):
        text = path.read_text("utf-8") if path.is_file() else ""
        assert [secret for secret in SECRETS if secret in text] == [], path
    lines = [
        (manifest.folder / run / "http-0001.txt").read_text("utf-8").splitlines() for run in ("agent", "reference")
    ]
    tokens = [
        {line.partition(" ")[2] for line in run if "/body/password" in line or "/body/card" in line} for run in lines
    ]
    assert tokens[0] == tokens[1]
    assert all(re.search(r"\[(password|card):[0-9a-f]{12}\]", line) for line in tokens[0])
    assert len(tokens[0]) == 2


def test_the_same_case_gives_the_same_bytes(with_secrets: tuple[Case, Manifest], tmp_path: Path) -> None:
    case, manifest = with_secrets
    again = stage(case, tmp_path / "again", ["messages", "actions", "http"])
    assert again.evidence_sha256 == manifest.evidence_sha256
    assert again.document() == manifest.document()


def test_the_hash_does_not_hang_on_the_process(staged: Manifest) -> None:
    code = (
        "import sys, tempfile; from pathlib import Path\n"
        "from clawjudge.judge.agentic.evidence.stage import stage\n"
        "from clawjudge.judge.case import build_case\n"
        "from clawjudge.traces.trace import Trace\n"
        "case = build_case(Trace(Path(sys.argv[1])), Trace(Path(sys.argv[2])))\n"
        "layers = ['http', 'actions', 'messages', 'screenshots']\n"
        "print(stage(case, Path(tempfile.mkdtemp(dir=sys.argv[3])), layers).evidence_sha256)\n"
    )
    runs = [str(EXAMPLES / "wrong-quantity"), str(EXAMPLES / "reference"), str(staged.folder.parent)]
    for seed in ("1", "2"):
        command = [sys.executable, "-c", code, *runs]
        env = {**os.environ, "PYTHONHASHSEED": seed, "TZ": "Asia/Tokyo", "LC_ALL": "C"}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
        assert done.stdout.strip() == staged.evidence_sha256


def test_a_folder_that_is_not_empty_or_lies_in_a_run_is_refused(case: Case, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    for folder in (tmp_path, EXAMPLES / "reference" / "evidence"):
        with pytest.raises(InvalidInput, match="give"):
            stage(case, folder)
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]
    assert not (EXAMPLES / "reference" / "evidence").exists()


def test_where_a_run_lies_and_who_drove_it_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    hashes = set()
    runs = (tmp_path / "label-is-fail", tmp_path / "elsewhere" / "label-is-pass", Path("label-is-unknown"))
    for number, run in enumerate(runs):
        shutil.copytree(EXAMPLES / "wrong-quantity", run)
        # Damage of every kind whose report may name the place where it lies.
        (run / "screenshots" / "link.png").symlink_to("/etc/passwd")
        (run / "screenshots" / "empty.png").touch()
        (run / "my-info").symlink_to("/etc")
        (run / "data").mkdir()
        (run / "data" / "recording.mp4").symlink_to(tmp_path / "nothing.mp4")
        (run / "recording.mp4").unlink()
        (run / "task.json").write_text('{"instruction": 1, "eval_schema": {"url_pattern": "("}}')
        requests = run / "requests.jsonl"
        requests.write_bytes(b"not json\n" + requests.read_bytes() + b'{"cut')
        manifest = stage(build_case(Trace(run), Trace(EXAMPLES / "reference")), tmp_path / f"out-{number}")
        for path in manifest.folder.rglob("*"):
            text = path.read_bytes() if path.is_file() else b""
            for told in (b"label-is", str(tmp_path).encode(), b"scripted-alpha", b"openclaw", b"/etc"):
                assert told not in text, (path, told)
        hashes.add(manifest.evidence_sha256)
        assert "unsafe_path" in (manifest.folder / "facts.json").read_text()
    assert len(hashes) == 1


@pytest.mark.parametrize(
    "address", ["agent actions:141 /value", "agent actions:141", "agent http:1 /body/password", "agent messages:35"]
)
def test_a_secret_is_cited_by_its_token_and_never_quoted(with_secrets: tuple[Case, Manifest], address: str) -> None:
    case, manifest = with_secrets
    (token,) = set(re.findall(r"\[password:[0-9a-f]{12}\]", (manifest.folder / "agent/actions-0001.txt").read_text()))
    citation = manifest.to_citation(address, token)
    assert CitationCheck(case.folders).verify(citation).verified, citation
    assert SECRETS[0] not in citation.quote
    assert citation.line == int(re.findall(r":(\d+)", address)[0])


def test_a_line_of_many_megabytes_is_looked_up_in_seconds(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(EXAMPLES / "wrong-quantity", run)
    sent = {"timestamp": 1796023450.0, "method": "POST", "url": "http://noodlerun.test/upload", "headers": {}}
    sent |= {"body": {"blob": "0123456789 abcdef " * 1_000_000, "name": "menu"}, "resource_type": "XHR"}
    (run / "requests.jsonl").write_text((run / "requests.jsonl").read_text() + json.dumps(sent) + "\n")
    case = build_case(Trace(run), Trace(EXAMPLES / "reference"))
    began = time.process_time()
    manifest = stage(case, tmp_path / "out", ["http", "actions"])
    assert manifest.to_citation("agent http:15 /body/name", "menu").line == 15
    with pytest.raises(UnknownPlace, match="does not stand"):
        manifest.to_citation("agent http:15", "no such words")
    assert time.process_time() - began < 12
    assert manifest.size < 300_000


@pytest.mark.parametrize(
    ("address", "quotation"),
    [
        ("agent http:14 /body/cart/items/0/quantity", "2"),
        ("agent http:14 /body/cart/nothing", "2"),
        ("agent http:15 /url", "x"),
        ("agent http:14", ""),
        ("agent video:3", "x"),
        ("http:14", "x"),
        ("agent http:14 body", "x"),
        ("../../etc/passwd", "root"),
        ("pictures/999-agent-after.jpg", ""),
        ("task /instruction", "three Pad Thai"),
        ("x" * 10_000, ""),
    ],
)
def test_what_does_not_stand_there_is_refused_with_a_reason(staged: Manifest, address: str, quotation: str) -> None:
    with pytest.raises(UnknownPlace) as refused:
        staged.to_citation(address, quotation)
    assert len(str(refused.value)) < 1000
