"""Values that an instruction lists in no order."""

from __future__ import annotations

import pytest

from clawjudge.judge.align.enumerations import is_directed, is_enumerated


@pytest.mark.parametrize(
    ("instruction", "value", "enumerated"),
    [
        ("Tag it with cycling, repair and tools", "cycling", True),
        ("Tag it with cycling, repair and tools", "repair", True),
        ("Tag it with cycling, repair and tools", "tools", True),
        ("Markiere „Rad“ und „Werkzeug“", "Werkzeug", True),
        ("选择红色、蓝色", "蓝色", True),
        ("Book a flight from YYZ to YUL", "YYZ", False),
        ("Book a flight from YYZ to YUL", "YUL", False),
        ("Book a flight from YYZ to YUL", "CDG", False),
        ("Drive from Andover", "over", False),
        ("Take red (and only red)", "blue", False),
    ],
)
def test_enumerated(instruction: str, value: str, enumerated: bool) -> None:
    assert is_enumerated(instruction, value) is enumerated


@pytest.mark.parametrize(
    ("instruction", "value", "directed"),
    [
        ("transfer $200 from Savings to Chequing", "Savings", True),
        ("transfer $200 from Savings to Chequing", "Chequing", True),
        ("fly Toronto → Lisbon", "Lisbon", True),
        ("von Wien nach Graz", "Graz", True),
        ("two Pad Thai and one Green Curry", "Pad Thai", False),
        ("two Pad Thai and one Green Curry", "Green Curry", False),
        ("a tomato", "mato", False),
    ],
)
def test_directed(instruction: str, value: str, directed: bool) -> None:
    assert is_directed(instruction, value) is directed
