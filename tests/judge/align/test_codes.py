"""Codes with digits: which blanks and dashes in them mean nothing, and which tell two codes apart."""

from __future__ import annotations

import pytest

from clawjudge.judge.align.codes import same_code


@pytest.mark.parametrize(
    ("reference", "agent", "same"),
    [
        ("m5s 2h7", "m5s2h7", True),
        ("m5s 2h7", "m5s2h8", False),
        ("ls1 4ab", "ls14ab", True),
        ("rx 100", "rx100", True),
        ("rx 100", "rx 100 0", False),
        ("rx 100", "rx 101", False),
        ("12 / 2027", "12/2027", True),
        ("12 / 2027", "12/2028", False),
        ("4519 8734 2460 4532", "4519873424604532", True),
        ("4519 8734 2460 4532", "4519873424604533", False),
        ("12 345", "12345", None),
        ("123 45", "12345", True),
        ("1234 5678", "12345678", True),
        ("123 4567", "1234567", None),
        ("de89 3704 0044 0532 0130 00", "de89370400440532013000", True),
        ("a 1 b 2", "a1b2", True),
        ("12345-678", "12345678", True),
        ("100-0001", "1000001", True),
        ("m5s-2h7", "m5s2h7", True),
        ("10-20", "1020", False),
        ("2027-0503", "20270503", None),
        ("1234-567-8901", "12345678901", True),
        ("ab-12", "ab12", None),
        ("-5", "5", False),
        ("abc def", "abcdef", False),
        ("rx 1" + "0" * 60, "rx1" + "0" * 60, False),
    ],
)
def test_codes(reference: str, agent: str, same: bool | None) -> None:
    assert same_code(reference, agent) is same
    assert same_code(agent, reference) is same
