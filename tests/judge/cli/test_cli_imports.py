"""What a command line imports: nobody waits for what it does not use, or needs an extra that it does not use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXTRAS = ("claude_agent_sdk", "anthropic", "openai", "yaml", "huggingface_hub", "pyarrow")
HEAVY = ("cv2", "numpy", "babel", "rapidfuzz", "phonenumbers")
_PROGRAM = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name in REFUSED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
REFUSED = sys.argv[1].split(",")
if REFUSED != [""]:
    sys.meta_path.insert(0, Refuse())
from clawjudge.judge.cli.main import main
code = main(sys.argv[2:])
print("imported:", *sys.modules, file=sys.stderr)
sys.exit(code)
"""


def clawjudge(*arguments: object, without: tuple[str, ...] = (), **variables: str) -> tuple[int, str, set[str]]:
    """Exit code, what was said, and the modules that were imported on the way."""
    keys = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
    environment = {name: value for name, value in os.environ.items() if name not in keys} | variables
    command = [sys.executable, "-c", _PROGRAM, ",".join(without), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    said, _, imported = done.stderr.partition("imported:")
    return done.returncode, done.stdout + said, set(imported.split())


@pytest.mark.parametrize("more", [[], ["--limit", "1"], ["--dry-run"], ["--judge", "offline"]], ids=" ".join)
def test_the_offline_judge_needs_no_extra(runs: Path, more: list[str]) -> None:
    code, said, imported = clawjudge("evaluate", "--agent-trace", runs, *more, without=EXTRAS)
    assert code in (0, 3)
    assert "error" not in said
    assert not imported & set(EXTRAS)


def test_the_offline_judge_imports_no_extra_that_is_there(runs: Path) -> None:
    _, _, imported = clawjudge("evaluate", "--agent-trace", runs / "right")
    assert not imported & set(EXTRAS)
    assert not {name for name in imported if name.startswith("clawjudge.judge.agentic.") and "credentials" not in name}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--agent-trace", "/no/such"], 4, "/no/such: no such folder"),
        (["--agent-trace", "RUN", "--reference-trace", "/no/such"], 4, "/no/such: no such folder"),
        (["--agent-trace", "RUN", "--judge", "agentic"], 4, "needs a key: set ANTHROPIC_API_KEY"),
        (["--agent-trace", "RUN", "--judge", "request-strict"], 2, "no key; set ANTHROPIC_API_KEY"),
        (["--agent-trace", "RUN", "--model", "other"], 2, "--model is for the agentic judge"),
    ],
)
def test_a_wrong_command_line_is_answered_before_anything_heavy(
    runs: Path, arguments: list[str], code: int, said: str
) -> None:
    run = str(runs / "right")
    ended, answer, imported = clawjudge("evaluate", *(run if part == "RUN" else part for part in arguments))
    assert ended == code
    assert said in answer
    assert not imported & {*HEAVY, *EXTRAS}
