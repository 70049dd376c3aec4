"""Numbers, amounts, phone numbers and countries by themselves."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.judge.align.quantities import (
    country_code,
    number,
    readings,
    same_amount,
    same_number,
    same_phone,
    same_unit,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", "5"),
        (" +5 ", "5"),
        ("-5.25", "-5.25"),
        (".5", "0.5"),
        ("1,234", "1234"),
        ("1.234.567", "1234567"),
        ("1 234,50", "1234.50"),
        ("1\u00a0234", "1234"),
        ("1'234.5", "1234.5"),
        ("12,34,567", "1234567"),
        ("1,5", "1.5"),
        ("0", "0"),
        ("0.07", "0.07"),
        ("1e-07", "1e-07"),
        ("1e+22", "1e+22"),
    ],
)
def test_a_number_is_read(text: str, value: str) -> None:
    assert number(text) == Decimal(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "007",
        "-01",
        "1e3",
        "12e4",
        "1,2,3",
        "12,345,6",
        "1.2.3",
        "1,234,5",
        "1.234.567.8",
        "0x10",
        "1_000",
        "nan",
        "Infinity",
        "5%",
        "$5",
        "½",
        "²",
        "1-2",
        "--5",
        "9" * 41,
        "1 2",
        "12 34",
    ],
)
def test_what_is_no_single_number_is_not_read(text: str) -> None:
    assert number(text) is None


def test_a_lone_group_of_three_has_two_readings() -> None:
    assert readings("1.234") == readings("1,234") == {Decimal("1.234"), Decimal(1234)}
    assert readings("0.234") == {Decimal("0.234")}
    assert readings("1.23") == {Decimal("1.23")}


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("1,234", "1234", True),
        ("1.50", "1.5", True),
        ("1.500", "+1.500", True),
        ("1.500", "1.5", None),
        ("1.500", "1500", None),
        ("007", "7", None),
        ("007", "07", None),
        ("007", "8", False),
        ("07", "7.0", False),
        ("5", "6", False),
        ("5", "five", False),
    ],
)
def test_numbers_are_compared(first: str, second: str, same: bool | None) -> None:
    assert same_number(first, second) is same
    assert same_number(second, first) is same


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("$15.50", "15.5", True),
        ("15,50 €", "EUR 15.50", True),
        ("£5", "5 gbp", True),
        ("¥500", "500 JPY", True),
        ("¥500", "500 CNY", True),
        ("R$ 5", "BRL 5", True),
        ("5 zł", "PLN 5", True),
        ("Rs. 500", "₹500", True),
        ("$5", "CAD 5", True),
        ("$5", "EUR 5", False),
        ("CA$5", "US$5", False),
        ("5", "5", False),
        ("5 l", "5", False),
        ("3 cup", "3", False),
        ("5 TOP", "5", True),
        ("5 top", "5", False),
        ("K5", "5", False),
        ("$5 CAD", "5", False),
        ("$1.234", "$1234", None),
        ("$1.50", "$1.05", False),
    ],
)
def test_amounts_are_compared_with_their_currency(first: str, second: str, same: bool | None) -> None:
    assert same_amount(first, second) is same
    assert same_amount(second, first) is same


def test_a_unit_on_one_side_leaves_it_open() -> None:
    assert same_unit("5 kg", "5") is None
    assert same_unit("5%", "5.0") is None
    assert same_unit("5 kg", "6") is False
    assert same_unit("5 kg", "5 lb") is False
    assert same_unit("5", "5") is False


@pytest.mark.parametrize(
    ("first", "second", "region", "same"),
    [
        ("+1 416 555 0134", "416-555-0134", "CA", True),
        ("+1 416 555 0134", "416-555-0134", None, True),
        ("0044 20 7946 0018", "+442079460018", "CA", True),
        ("020 7946 0018", "+44 20 7946 0018", "GB", True),
        ("030 901820", "+49 30 901820", "DE", True),
        ("4165550134", "4165550134", "CA", True),
        ("416 555 0134", "416 555 0135", "CA", False),
        ("416 555 0134", "+44 416 555 0134", "CA", None),
        ("020 7946 0018", "+44 20 7946 0018", None, None),
        ("4165550134", "14165550134", "CA", None),
        ("+14165550134", "+524165550134", "CA", False),
        ("0416 555 0134", "416 555 0134", "CA", False),
        ("192.168.10.1", "192168101", "DE", False),
        ("1.2345678", "12345678", "DE", False),
        ("-12345678", "12345678", "DE", False),
        ("12345", "1 23 45", "CA", False),
        ("+1 416 555 0134 ext 5", "+1 416 555 0134", "CA", False),
        ("+999999999999", "999999999999", "CA", False),
    ],
)
def test_phone_numbers_need_one_country(first: str, second: str, region: str | None, same: bool | None) -> None:
    assert same_phone(first, second, region) is same
    assert same_phone(second, first, region) is same


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Canada", "CA"),
        ("kanada", "CA"),
        ("カナダ", "CA"),
        ("de", "DE"),
        ("Deutschland", "DE"),
        ("U.S.", "US"),
        ("UK", "GB"),
    ],
)
def test_countries_have_codes(text: str, code: str) -> None:
    assert country_code(text) == code


def test_a_province_is_no_country() -> None:
    assert country_code("Ontario") is None


@given(st.decimals(-(10**9), 10**9, allow_nan=False, places=2))
def test_grouping_never_changes_a_number(value: Decimal) -> None:
    english = f"{value:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    assert number(english) == number(german) == value
    assert same_number(english, german) is True


@given(st.text(max_size=45), st.text(max_size=45), st.sampled_from([None, "CA", "DE", "ZZ"]))
def test_no_text_raises(first: str, second: str, region: str | None) -> None:
    answers = [same_number(first, second), same_amount(first, second), same_phone(first, second, region)]
    assert set(answers) <= {True, False, None}
