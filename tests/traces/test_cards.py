"""Card numbers inside text: found in any grouping, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from clawjudge.traces.cards import card_spans

CARD = "4111111111111111"


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in card_spans(text)]


@pytest.mark.parametrize(
    "separator", ["", " ", "-", ",", "_", "/", ".", ":", "|", " - ", ", ", "%20", "%2D", "+", "\u00a0"]
)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8])
def test_any_grouping(separator: str, size: int) -> None:
    written = separator.join(CARD[i : i + size] for i in range(0, 16, size))
    assert found(f"paid with {written}.") == [written]
    assert found(written) == [written]


@pytest.mark.parametrize(
    "text",
    [
        "4111,1111-1111/1111",  # four numbers, not one
        "43.651070,-79.347015",
        "41111111 1111 1111",
        "0.4111111111111111",
        "4111 1111 1111 1112",
        "2026-12-14 10:30:00.123",
        "12 34 56 78 90 12 34 56",
        "10.0.0.1,192.168.100.200",
        "+44 20 7946 0958",
        "",
    ],
)
def test_no_card(text: str) -> None:
    assert found(text) == []


def test_cards_beside_other_numbers() -> None:
    assert found("2 x 4111/1111/1111/1111/12/28 and 378282246310005;847") == ["4111/1111/1111/1111", "378282246310005"]
