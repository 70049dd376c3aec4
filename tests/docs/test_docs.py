"""Documents are true: their commands run, their links lead somewhere, the README shows what is really printed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from clawjudge.judge.cli.main import COMMANDS
from clawjudge.judge.models.failures import FailureCode
from clawjudge.judge.offline.judge import _FAIL_REASONS
from clawjudge.judge.reply import ReplyProblem

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
CLAWJUDGE = Path(sys.executable).parent / "clawjudge"


def _commands() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            found += [
                (page.name, line[2:].split("  #")[0]) for line in block.splitlines() if line.startswith("$ clawjudge")
            ]
    return found


@pytest.mark.parametrize(("page", "command"), _commands(), ids=lambda text: text[:60])
def test_a_command_of_the_documents_runs(page: str, command: str, tmp_path: Path) -> None:
    written = ("verdicts.json", "scores")
    arguments = [str(tmp_path / a) if a.endswith(written) else a for a in shlex.split(command)[1:]]
    done = subprocess.run([CLAWJUDGE, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{page}: {command}\n{done.stderr}"
    assert done.stdout or "-o" in arguments


def test_the_readme_shows_what_is_printed() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    command, shown = re.findall(r"\$ (clawjudge evaluate .*)\n((?:.+\n)+?)```", text)[0]
    done = subprocess.run([CLAWJUDGE, *shlex.split(command)[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == shown


def test_the_python_of_the_readme_runs() -> None:
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[0]
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "wrong-quantity fail /body/cart/items/0/quantity" in done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not missing


def test_the_picture_fetches_nothing() -> None:
    picture = (ROOT / "docs" / "verdict.svg").read_text(encoding="utf-8")
    assert "FAIL" in picture
    assert not re.findall(r"""(?:href|src|url)\s*[=(]\s*["']?https?:""", picture)


def test_every_normalisation_that_is_described_exists() -> None:
    page = (ROOT / "docs" / "offline-judge.md").read_text(encoding="utf-8")
    rows = page.partition("| name | the values are the same but for |")[2].partition("\n\n")[0]
    names = {name for row in rows.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "judge" / "align").glob("*.py"))
    assert {"as_instructed", "list_order", "token"} <= names
    assert sorted(name for name in names if f'"{name}"' not in sources) == []


def test_every_reason_code_is_explained() -> None:
    page = (ROOT / "docs" / "output.md").read_text(encoding="utf-8").partition("## Reason codes")[2]
    explained = set(re.findall(r"`(\w+)`", page))
    codes = {*get_args(FailureCode), *get_args(ReplyProblem), *_FAIL_REASONS.values()}
    for source in (ROOT / "judge" / "offline" / "judge.py", ROOT / "judge" / "agentic" / "assemble.py"):
        codes |= set(re.findall(r'"(?:pass|fail|unjudged)",\s+"(\w+_\w+)"', source.read_text(encoding="utf-8")))
        codes |= set(re.findall(r'return "(\w+_\w+)"', source.read_text(encoding="utf-8")))
    codes -= {"", "reason_code"}
    assert len(codes) > 25
    assert sorted(codes - explained) == []


def test_the_readme_names_every_extra_and_every_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert [name for name in (*extras, *COMMANDS) if f"| `{name}` |" not in readme] == []


def test_the_map_for_agents_names_every_room_of_the_judge() -> None:
    rooms = {path.parent.name for path in (ROOT / "judge").glob("*/__init__.py")}
    text = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    assert sorted(room for room in rooms if f"`{room}/`" not in text) == []
