"""Makes `scripted` importable by the tests beside it, and generates their corpora."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # tests are no package, and a test module cannot import its neighbour otherwise

MakeCorpus = Callable[..., Path]


@pytest.fixture(scope="session")
def make_corpus(tmp_path_factory: pytest.TempPathFactory) -> MakeCorpus:
    """`make_corpus(scenario, ..., salt="first")`: the folder of these scenarios (all if none is named), made once."""
    made: dict[tuple[str, ...], Path] = {}

    def make(*scenarios: str, salt: str = "first") -> Path:
        key = (salt, *scenarios)
        if key not in made:
            out = tmp_path_factory.mktemp("corpus")
            command = [sys.executable, str(HERE / "generate.py"), str(out), *scenarios, "--salt", salt]
            subprocess.run(command, check=True, capture_output=True, text=True)
            made[key] = out
        return made[key]

    return make
