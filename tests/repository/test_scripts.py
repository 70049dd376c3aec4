"""Scripts can be run, parse, and refuse what they do not know."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(path for path in [*(ROOT / "scripts").iterdir(), *(ROOT / ".ci").iterdir()] if path.is_file())
# What stands in modules is imported by the scripts, and is none itself.
SCRIPTS = [path for path in SCRIPTS if path.suffix != ".py"]
SHELL = [path for path in SCRIPTS if path.read_bytes().startswith(b"#!/usr/bin/env bash\n")]


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", SCRIPTS, ids=shown)
def test_script_is_executable_and_names_its_interpreter(path: Path) -> None:
    assert os.access(path, os.X_OK)
    assert path.read_bytes().startswith((b"#!/usr/bin/env bash\n", b"#!/usr/bin/env python3\n"))


@pytest.mark.parametrize("path", SHELL, ids=shown)
def test_shell_script_parses_and_stops_at_errors(path: Path) -> None:
    done = subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\nset -euo pipefail\n" in path.read_text("utf-8")


def test_the_scripts_that_the_documents_name_exist() -> None:
    assert {"setup", "demo", "test", "check"} <= {path.name for path in SHELL}
    assert ROOT / ".ci" / "run" in SHELL


def test_setup_refuses_an_unknown_option() -> None:
    done = subprocess.run([str(ROOT / "scripts" / "setup"), "--no-such"], cwd="/", capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage: scripts/setup [--runtime]" in done.stderr


def test_setup_says_what_to_do_about_a_checkout_without_links(tmp_path: Path) -> None:
    script = tmp_path / "scripts" / "setup"
    script.parent.mkdir()
    script.write_bytes((ROOT / "scripts" / "setup").read_bytes())
    script.chmod(0o755)
    link = tmp_path / ".src" / "clawjudge" / "judge"
    link.parent.mkdir(parents=True)
    link.write_text("../../judge")
    done = subprocess.run([str(script)], cwd="/", capture_output=True, text=True)
    assert done.returncode == 1
    assert ".src/clawjudge/judge is not a link" in done.stderr
    assert "git config core.symlinks true" in done.stderr
