"""What users install: the built wheel in a clean environment, away from the repository.

A mistake in the packaging can build a wheel without code and without an error, so nothing less is a test.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UV = shutil.which("uv", path=sysconfig.get_path("scripts")) or shutil.which("uv")
FOLDERS = ["interceptor", "judge", "rubrics", "runner", "traces"]
KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
EXAMPLES = ROOT / "examples" / "food-order"

pytestmark = [
    pytest.mark.slow,
    # One worker: the wheel is built and installed once.
    pytest.mark.xdist_group("wheel"),
    pytest.mark.skipif(UV is None, reason="no uv; scripts/setup puts it into .venv"),
]


def run(*command: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    left_out = ("VIRTUAL_ENV", "PYTHONPATH", *KEYS)
    environment = {name: value for name, value in os.environ.items() if name not in left_out} | variables
    return subprocess.run([str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True)


def must(*command: str | Path, cwd: Path) -> str:
    done = run(*command, cwd=cwd)
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@dataclass
class Installed:
    """A clean environment that holds the wheel and what it depends on."""

    sdist: Path
    wheel: Path
    environment: Path

    @property
    def command(self) -> Path:
        return self.environment / "bin" / "clawjudge"

    @property
    def site_packages(self) -> Path:
        return next(self.environment.glob("lib/python*/site-packages"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    assert UV is not None
    here = tmp_path_factory.mktemp("wheel")
    dist, environment = here / "dist", here / "clean"
    # The wheel is built from the sdist, as it would be by anybody who has no wheel.
    must(UV, "build", "--quiet", "--out-dir", dist, ROOT, cwd=here)
    [wheel], [sdist] = list(dist.glob("*.whl")), list(dist.glob("*.tar.gz"))
    must(UV, "venv", "--quiet", "--python", sys.executable, environment, cwd=here)
    # The locked versions: what is tested here is the wheel, not today's state of the package index.
    locked = ("export", "--quiet", "--frozen", "--no-dev", "--no-emit-project", "--no-hashes", "--directory", ROOT)
    (here / "locked.txt").write_text(must(UV, *locked, cwd=here))
    python = environment / "bin" / "python"
    must(UV, "pip", "install", "--quiet", "--python", python, "-c", here / "locked.txt", wheel, cwd=here)
    return Installed(sdist, wheel, environment)


def sources() -> set[str]:
    """Every file of ours that a user needs, as git or a fresh checkout would have it."""
    found = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file())
    return {str(path.relative_to(ROOT)) for path in found if path.suffix in (".py", ".json", ".typed")}


def test_wheel_holds_every_source_and_puts_one_name_at_the_top(installed: Installed) -> None:
    names = set(zipfile.ZipFile(installed.wheel).namelist())
    assert {f"clawjudge/{name}" for name in sources()} <= names
    assert {name.split("/")[0] for name in names} == {"clawjudge", installed.wheel.name.split("-py3")[0] + ".dist-info"}
    assert "clawjudge/__init__.py" not in names


def test_wheel_holds_its_data_and_licence(installed: Installed) -> None:
    names = set(zipfile.ZipFile(installed.wheel).namelist())
    assert {"clawjudge/traces/lexicon.json", "clawjudge/rubrics/v1-agentic.json"} <= names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert not any(name.endswith((".env", ".pyc")) for name in names)


def test_sdist_holds_the_folders_under_their_own_names(installed: Installed) -> None:
    with tarfile.open(installed.sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert sources() <= names
    assert not any(name.startswith(".src") for name in names)


def test_installing_adds_one_top_level_name(installed: Installed) -> None:
    record = next(installed.site_packages.glob("clawjudge-*.dist-info/RECORD")).read_text()
    tops = {line.split("/")[0] for line in record.splitlines() if not line.startswith("../")}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"clawjudge"}
    assert not [folder for folder in FOLDERS if (installed.site_packages / folder).exists()]


def test_installed_command_prints_its_help(installed: Installed, tmp_path: Path) -> None:
    assert "evaluate" in must(installed.command, "--help", cwd=tmp_path)


def test_installed_data_is_found(installed: Installed, tmp_path: Path) -> None:
    program = (
        "from clawjudge.rubrics.load import load_rubric, rubric_ids\n"
        "from clawjudge.traces.lexicon import mention\n"
        "import clawjudge.judge\n"
        "print([len(load_rubric(name).rules) for name in rubric_ids()], clawjudge.judge.__file__)\n"
    )
    shown = must(installed.environment / "bin" / "python", "-c", program, cwd=tmp_path)
    assert shown.startswith("[9, 1, 1]")
    assert str(installed.environment) in shown


@pytest.mark.parametrize(
    ("run_name", "outcome"), [("right-order", "pass"), ("wrong-quantity", "fail"), ("phone-wall", "pass")]
)
def test_installed_command_judges_the_examples(
    installed: Installed, tmp_path: Path, run_name: str, outcome: str
) -> None:
    shown = must(
        installed.command,
        "evaluate",
        *("--agent-trace", EXAMPLES / run_name, "--reference-trace", EXAMPLES / "reference", "--format", "json"),
        cwd=tmp_path,
    )
    [verdict] = json.loads(shown)["verdicts"]
    assert verdict["outcome"] == outcome


def test_a_clean_environment_has_no_extra(installed: Installed, tmp_path: Path) -> None:
    """What the tests below rest on."""
    program = "import importlib.util as u; print([n for n in ('claude_agent_sdk', 'anthropic') if u.find_spec(n)])"
    assert must(installed.environment / "bin" / "python", "-c", program, cwd=tmp_path) == "[]\n"


@pytest.mark.parametrize("more", [[], ["--limit", "2"], ["--dry-run"], ["--format", "json"]], ids=" ".join)
def test_installed_command_judges_the_folder_of_the_demo(installed: Installed, tmp_path: Path, more: list[str]) -> None:
    shown = must(installed.command, "evaluate", "--agent-trace", EXAMPLES, *more, cwd=tmp_path)
    assert "phone-wall" in shown
    assert ("wrong-quantity" in shown) is (more != ["--limit", "2"])


def test_a_key_without_the_sdk_leaves_the_offline_judge(installed: Installed, tmp_path: Path) -> None:
    arguments = ("evaluate", "--agent-trace", EXAMPLES, "--limit", "1")
    done = run(installed.command, *arguments, cwd=tmp_path, ANTHROPIC_API_KEY="not a real key")
    assert done.returncode == 0
    assert "pip install 'clawjudge[agentic]'" in done.stdout + done.stderr
    asked = run(installed.command, *arguments, "--judge", "agentic", cwd=tmp_path, ANTHROPIC_API_KEY="not a real key")
    assert asked.returncode == 4
    assert "pip install 'clawjudge[agentic]'" in asked.stderr


@pytest.mark.skipif(shutil.which("git") is None, reason="no git to say which files are the repository's")
def test_the_demo_runs_in_a_fresh_copy(tmp_path: Path) -> None:
    listed = must("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists() or (ROOT / name).is_symlink():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name, follow_symlinks=False)
    shown = must(tmp_path / "scripts" / "demo", cwd=Path("/"))
    assert "1 fail" in shown
    assert "FAIL" in shown
    assert not list((tmp_path / ".venv").glob("lib/python*/site-packages/claude_agent_sdk"))
