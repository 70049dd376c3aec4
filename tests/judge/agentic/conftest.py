"""A judge that is run for real, with the real program in its sandbox, against a scripted model."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # `servers`
sys.path.insert(0, str(Path(__file__).parent))  # `play`; tests are no package


@pytest.fixture(autouse=True)
def _no_key_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may reach a real model, whatever the environment holds."""
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
