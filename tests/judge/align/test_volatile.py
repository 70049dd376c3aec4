"""Which values are noise by their shape, and which look like noise and are not."""

from __future__ import annotations

import base64
import random
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.judge.align.volatile import shape

START = 1_796_000_000_123
RUN = (START, START + 300_000)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("3f2b8c1e-9d4a-4e6f-8a7b-0c1d2e3f4a5b", "uuid"),
        ("{3F2B8C1E-9D4A-4E6F-8A7B-0C1D2E3F4A5B}", "uuid"),
        ("s_98671ebcc1e7dcf3", "token"),
        ("sess-a8f3k29dk1", "token"),
        ("cart_1796024159", "token"),
        ("0f272a1050e0e3749ece339e", "token"),
        ("9b2c4d1e", "token"),
        ("dGhpcyBpcyBhIHRva2VuIG9mIDMyIGJ5dGVzIQ9f3kZ1x8Qm2==", "token"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c", "token"),
        (START // 1000 + 60, "timestamp"),
        (f"{START // 1000 + 60}.417", "timestamp"),
        (START + 5000, "timestamp"),
        (START * 1000 + 17, "timestamp"),
        (START * 1_000_000 + 17, "timestamp"),
        ("2026-11-29T12:14:23.417Z", "timestamp"),
        ("2026-11-29T07:14:23-05:00", "timestamp"),
        ("2026-11-29 12:14:23", "timestamp"),
    ],
)
def test_noise_is_known_by_its_shape(value: Any, kind: str) -> None:
    assert shape(value, RUN) == kind


@pytest.mark.parametrize(
    "value",
    [
        # things that people choose
        "2026-11-29T14:00:00",
        "2026-11-29T14:00:00.000Z",
        "2026-11-29T14:30:00-05:00",
        "2026-12-14T14:00:31",
        "slot:2026-12-14T14:00",
        "2026-11-29",
        (START // 60_000 + 10) * 60_000,
        (START // 60_000 + 10) * 60,
        1_765_720_800,
        # money, cards, phones, accounts
        "4111111111111111",
        4111111111111111,
        "4111 1111 1111 1111",
        "4165550134",
        "+14165550134",
        "DE89370400440532013000",
        "19.99",
        1999,
        "M5S2H7",
        # names, words, catalogue numbers
        "baan-siam-kitchen",
        "senior-data-engineer-2026",
        "SamsungGalaxyS24Ultra256GB",
        "iphone15promax256gb",
        "A320-200-seat-12C",
        "SKU-123456",
        "HTL-884213",
        "room-204deluxe",
        "cafe2026",
        "14dec2026",
        "ff8c00",
        "1e90ff",
        "deadbeef",
        "SAVE2026",
        "no peanuts",
        "https://shop.test/p/a8f3k29dk1x7",
        "/p/a8f3k29dk1x7q2w9",
        "Alex Green",
        "",
        None,
        True,
        ["3f2b8c1e-9d4a-4e6f-8a7b-0c1d2e3f4a5b"],
        "x" * 5000,
    ],
)
def test_what_could_mean_something_is_no_noise(value: Any) -> None:
    assert shape(value, RUN) is None


def test_a_number_is_a_time_only_around_the_run() -> None:
    assert shape(START + 5000, None) is None
    assert shape(START + 5 * 24 * 3600 * 1000, RUN) is None
    assert shape("2026-11-29T12:14:23.417Z", (0, 1)) is None


@given(st.uuids())
def test_every_uuid_is_noise(value: uuid.UUID) -> None:
    assert shape(str(value), RUN) == "uuid"


def test_nearly_all_random_tokens_are_noise() -> None:
    rng = random.Random(7)
    tokens = [rng.randbytes(16).hex() for _ in range(200)]
    tokens += [base64.b64encode(rng.randbytes(24)).decode() for _ in range(200)]
    missed = [token for token in tokens if shape(token, RUN) is None]
    assert len(missed) < 40, missed[:5]


@given(st.text(max_size=60))
def test_no_text_raises(text: str) -> None:
    assert shape(text, RUN) in ("uuid", "token", "timestamp", None)
