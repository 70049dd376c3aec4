"""No property test may fail because the machine is busy."""

from __future__ import annotations

from hypothesis import settings


def test_no_example_has_a_deadline() -> None:
    assert settings().deadline is None
    assert settings(max_examples=7).deadline is None
