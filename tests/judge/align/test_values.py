"""Values that are the same in spite of how they look, values that only look the same, and values nobody can tell."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.judge.align.values import Comparison, compare, is_empty, truth, verbatim

SAME: list[tuple[Any, Any, str]] = [
    # letters and spaces
    ("Zoë", "Zoe\u0308", "unicode"),
    ("Ｔｏｋｙｏ", "Tokyo", "unicode"),
    ("ﬁlter", "filter", "unicode"),
    ("１２", "12", "unicode"),
    ("a\u00a0b", "a b", "unicode"),
    ("a\u200bb", "ab", "unicode"),
    ("\u200eAlex\u200f", "Alex", "unicode"),
    ("\u2068Alex\u2069", "Alex", "unicode"),
    ("co\u00adop", "coop", "unicode"),
    ("❤️", "❤", "unicode"),
    ("Don’t", "Don't", "unicode"),
    ("a – b", "a - b", "unicode"),
    ("  Alex ", "Alex", "white_space"),
    ("a\r\nb", "a\nb", "white_space"),
    ("Alex\tGreen", "Alex Green", "white_space"),
    ("Toronto", "TORONTO", "case"),
    ("Straße", "STRASSE", "case"),
    ("Alex.Green@Mail.Test", "alex.green@mail.test", "case"),
    # numbers and money
    (5, "5", "type"),
    (5, 5.0, "number"),
    ("5.00", 5, "number"),
    ("1,000", "1000", "number"),
    ("1'000", "1000", "number"),
    ("1\u202f234,5", "1234.5", "number"),
    ("1.234.567", "1234567", "number"),
    ("1,00,000", "100000", "number"),
    ("0,5", "0.5", "number"),
    ("−5", "-5", "unicode"),
    ("١٢", "12", "number"),
    (1e22, "10000000000000000000000", "number"),
    ("1 234,50 €", "€1.234,50", "currency"),
    ("$15.50", "15.5 USD", "currency"),
    ("15.50", "$15.50", "currency"),
    ("$5", "US$5", "currency"),
    ("C$5", "CA$5", "currency"),
    ("-$5", "-5 USD", "currency"),
    ("20 kr", "SEK 20", "currency"),
    ("two", "2", "number_word"),
    ("twenty-one", "21", "number_word"),
    ("zwei", "2", "number_word"),
    ("vingt", 20, "number_word"),
    # codes
    ("M5S 2H7", "m5s2h7", "digit_grouping"),
    ("M5S2H7", "M5S-2H7", "digit_grouping"),
    ("SW1A 1AA", "SW1A1AA", "digit_grouping"),
    ("EC1A 1BB", "ec1a1bb", "digit_grouping"),
    ("1012 AB", "1012AB", "digit_grouping"),
    ("114 55", "11455", "digit_grouping"),
    ("94107-1234", "941071234", "digit_grouping"),
    ("4111 1111 1111 1111", "4111-1111-1111-1111", "digit_grouping"),
    ("DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "digit_grouping"),
    ("iPhone 15", "iphone15", "digit_grouping"),
    ("12 / 28", "12/28", "digit_grouping"),
    # days and times
    ("14 December 2026", "2026-12-14", "date_time"),
    ("December 14, 2026", "2026-12-14", "date_time"),
    ("14. Dezember 2026", "2026-12-14", "date_time"),
    ("14 décembre 2026", "2026-12-14", "date_time"),
    ("14 de diciembre de 2026", "2026-12-14", "date_time"),
    ("14 de dezembro de 2026", "14.12.2026", "date_time"),
    ("14 dicembre 2026", "12/14/2026", "date_time"),
    ("20261214", "2026-12-14", "date_time"),
    ("14 grudnia 2026", "2026/12/14", "date_time"),
    ("14 декабря 2026 г.", "2026-12-14", "date_time"),
    ("2026年12月14日", "2026-12-14", "date_time"),
    ("2026년 12월 14일", "2026-12-14", "date_time"),
    ("Monday, 14 December 2026", "2026-12-14", "date_time"),
    ("14-Dec-2026", "14/12/2026", "date_time"),
    ("2 pm", "14:00", "date_time"),
    ("2:00 p.m.", "14:00:00", "date_time"),
    ("12 AM", "00:00", "date_time"),
    ("12:00 PM", "12 pm", "date_time"),
    ("14 Uhr", "14:00", "date_time"),
    ("14h30", "2:30 PM", "date_time"),
    ("02:00", "2 AM", "date_time"),
    ("2026-12-14T14:00:00-05:00", "2026-12-14T19:00:00Z", "date_time"),
    ("14 December 2026 2 pm", "2026-12-14T14:00", "date_time"),
    ("2026-12-14T00:00:00.000Z", "2026-12-14", "date_time"),
    ("Mon Dec 14 2026 14:00:00 GMT-0500 (Eastern Standard Time)", "2026-12-14T19:00:00Z", "date_time"),
    ("09/28", "2028-09", "date_time"),
    ("09 / 2028", "9/28", "date_time"),
    # people, places, answers
    ("+1 (416) 555-0134", "4165550134", "phone_number"),
    ("416.555.0134", "416-555-0134", "phone_number"),
    ("001 416 555 0134", "+14165550134", "phone_number"),
    ("CA", "Canada", "country"),
    ("Kanada", "Canada", "country"),
    ("USA", "United States", "country"),
    ("UK", "GB", "country"),
    (True, "yes", "boolean"),
    (True, "on", "boolean"),
    (True, 1, "boolean"),
    (False, "0", "boolean"),
    ("true", "on", "boolean"),
    ("yes", "1", "boolean"),
    ("ja", "true", "boolean"),
    ("Baan Siam Kitchen", "baan-siam-kitchen", "slug"),
    ("Café Rosa", "cafe_rosa", "slug"),
    ("100%", "100%25", "url_encoding"),
    ("C++", "C%2B%2B", "url_encoding"),
    ("a b", "a%20b", "url_encoding"),
    ("<p>Hello</p>", "Hello", "markup"),
    ("Fish &amp; Chips", "Fish & Chips", "markup"),
    (None, "", "empty"),
    ([], None, "empty"),
    ("  ", {}, "empty"),
]

DIFFERENT: list[tuple[Any, Any]] = [
    ("+1 416 555 0134", "+44 416 555 0134"),
    ("0416 555 0134", "416 555 0134"),
    ("10.0.0.1", "1001"),
    ("$5", "€5"),
    ("USD 5", "CAD 5"),
    ("A$5", "C$5"),
    ("$5", "-$5"),
    ("-5", "5"),
    ("5%", "50%"),
    ("5%", "0.05"),
    ("5 kg", "5 lb"),
    ("B12", "12"),
    ("1.5", "15"),
    ("12,34", "1234"),
    ("1-5", "15"),
    ("5 x 10", "510"),
    ("12e4", "120000"),
    (12345678901234567890, "12345678901234567891"),
    ("10", "1O"),
    ("0", "O"),
    ("no", "No. 5"),
    ("Team A", "Team B"),
    ("👍", "👎"),
    ("👍", "👍🏽"),
    ("ı", "i"),
    ("DE89370400440532013000", "DE89370400440532013001"),
    ("2026-12-14", "2027-12-14"),
    # One field is written in one way, so other digits are another day.
    ("01/02/2027", "02/01/2027"),
    ("December 14, 2026", "December 14, 2027"),
    ("December 14, 2026 2 pm", "December 14, 2026 3 pm"),
    ("14 December 2026 in Rome", "14 December 2026 in Paris"),
    ("12:00 AM", "12:00 PM"),
    ("00:00", "12:00 PM"),
    ("14:00:30", "14:00"),
    ("2026-11-01T01:30:00-05:00", "2026-11-01T01:30:00-04:00"),
    ("2026-12-14T14:00Z", "2026-12-14T14:00+01:00"),
    ("Europe/London", "UTC"),
    ("America/New_York", "+01:00"),
    ("3/4", "0.75"),
    ("a.b@mail.test", "ab@mail.test"),
    ("a-b@mail.test", "a.b@mail.test"),
    ("a <not> b", "a b"),
    ("if a<b and c>d", "if a d"),
    ("x <b>y</b>", "x y z"),
    ("3 cups", "3 CUP"),
    (True, "no"),
    (True, 2),
    (1, 2.0),
    ("", False),
    (0, None),
    ([1, 2], [2, 1]),
    ([1], [True]),
    ({"a": 1}, {"a": True}),
    ("abc", "abd"),
]

PERHAPS: list[tuple[Any, Any, str]] = [
    ("C++", "C#", "punctuation"),
    ("C", "C++", "url_encoding"),
    ("1.234", "1,234", "number"),
    ("1.000", "1000", "number"),
    ("1.000", "1", "number"),
    ("$1.234", "$1,234", "currency"),
    ("007", "7", "number"),
    ("05", "5", "number"),
    ("01/02/2027", "01-02-2027", "date_time"),
    ("01/02/2027", "2.1.2027", "date_time"),
    ("05/12/2026", "2026-12-05", "date_time"),
    ("26-12-14", "2026-12-14", "date_time"),
    ("12/28", "28/12", "date_time"),
    ("10/20", "10-20", "date_time"),
    ("12.20", "12/20", "date_time"),
    ("2:00", "2:00 PM", "date_time"),
    ("2:00", "14:00", "date_time"),
    ("12:00 AM", "12:00", "date_time"),
    ("2026-12-14T14:00", "2026-12-14", "date_time"),
    ("14 December 2026, 10:00", "14 December 2026", "date_time"),
    ("Tuesday 14 December 2026", "14 December 2026", "date_time"),
    ("2026-12-14T14:00", "2026-12-14T19:00Z", "date_time"),
    ("America/New_York", "-05:00", "date_time"),
    ("Asia/Calcutta", "Asia/Kolkata", "date_time"),
    ("1 5", "15", "digit_grouping"),
    ("Flat 1 2", "Flat 12", "digit_grouping"),
    ("1 1/2", "11/2", "digit_grouping"),
    ("123-45-6789", "123456789", "digit_grouping"),
    ("4165550134", "14165550134", "phone_number"),
    ("020 7946 0018", "+44 20 7946 0018", "phone_number"),
    ("no", "Norway", "country"),
    ("ON", "yes", "boolean"),
    ("ON", "Ontario", "abbreviation"),
    ("M", "Male", "abbreviation"),
    ("5%", "5", "unit"),
    ("5 kg", "5", "unit"),
    ("once", "11", "number_word"),
    ("09/28", "2809", "month_and_year"),
    ("5 mW", "5 MW", "case"),
    ("50 MB/s", "50 Mb/s", "case"),
    (["Normal", "Normal"], "Normal", "wrapped"),
    ([4], 4, "wrapped"),
    ("09/2028", "202809", "month_and_year"),
    ("a+b", "a b", "url_encoding"),
    ('see <a href="https://other.test">here</a>', "see here", "markup"),
    ("1.2 cup", "1-2-cup", "slug"),
    ("<b>x</b>", "<i>x</i>", "markup"),
    ("5²", "52", "look_alike"),
    ("x①", "x1", "look_alike"),
    ("👨\u200d👩\u200d👧", "👨👩👧", "look_alike"),
    ("a\u202eb", "ab", "look_alike"),
    ("Alex Green", "Green, Alex", "word_order"),
    ("from Paris to Rome", "from Rome to Paris", "word_order"),
    ("café", "cafe", "punctuation"),
    ("Hello!", "Hello?", "punctuation"),
    ("İstanbul", "istanbul", "punctuation"),
    ("no", "No.", "punctuation"),
    ("http://shop.test/B", "http://shop.test/b", "case"),
    ("aBcDeF12", "abcdef12", "case"),
]


@pytest.mark.parametrize(("reference", "agent", "rule"), SAME)
def test_the_same_value_in_two_ways_is_equal(reference: Any, agent: Any, rule: str) -> None:
    assert compare(reference, agent, "CA") == Comparison(True, (rule,))
    assert compare(agent, reference, "CA") == Comparison(True, (rule,))


@pytest.mark.parametrize(("reference", "agent"), DIFFERENT)
def test_different_values_are_different(reference: Any, agent: Any) -> None:
    assert compare(reference, agent, "CA") == Comparison(False)
    assert compare(agent, reference, "CA") == Comparison(False)


@pytest.mark.parametrize(("reference", "agent", "rule"), PERHAPS)
def test_what_can_be_read_both_ways_is_left_open(reference: Any, agent: Any, rule: str) -> None:
    assert compare(reference, agent, "CA") == Comparison(None, (rule,))
    assert compare(agent, reference, "CA") == Comparison(None, (rule,))


def test_a_date_is_not_read_as_a_phone_number() -> None:
    assert compare("10-12-2026", "10.12.2026", "DE") == Comparison(None, ("date_time",))


def test_two_rules_that_were_needed_are_both_named() -> None:
    assert compare("Zoe\u0308  Lang", "zoë lang").normalisations == ("unicode", "white_space", "case")


def test_a_long_text_that_differs_in_one_comma_is_left_open() -> None:
    text = "The coffee is great, the filter cap is flimsy, and it took a week to come to my door in Toronto. " * 3
    assert compare(text, text.replace("great,", "great")).equal is None
    assert compare(text, text.replace("great", "good")).equal is False


@pytest.mark.parametrize(
    ("reference", "agent", "same"),
    [
        ("Great coffee.", "Great coffee. ", True),
        ("Zoë", "Zoe\u0308", True),
        ("a\r\nb", "a\nb", True),
        ("Great coffee.", "great coffee.", False),
        ("a  b", "a b", False),
        ("Don’t", "Don't", False),
    ],
)
def test_to_the_letter_means_to_the_letter(reference: str, agent: str, same: bool) -> None:
    assert verbatim(reference, agent) is same


@pytest.mark.parametrize("value", [None, "", " \n", [], {}])
def test_nothing_entered_is_empty(value: Any) -> None:
    assert is_empty(value)


@pytest.mark.parametrize("value", [0, False, "0", [""], {"a": None}])
def test_zero_and_false_are_not_empty(value: Any) -> None:
    assert not is_empty(value)


def test_other_numbers_than_one_and_zero_have_no_truth() -> None:
    assert [truth(v) for v in (1, 0, 2, "1", "2", "Да", "maybe", None)] == [
        True, False, None, True, None, True, None, None,
    ]  # fmt: skip


def test_thousands_of_unlike_texts_are_compared_in_a_second() -> None:
    compare("warm", "up")
    begin = time.process_time()
    for n in range(2000):
        compare(f"item number {n}", f"another thing {n + 1}")
    assert time.process_time() - begin < 4


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(max_size=12),
    st.text(st.sampled_from("0123456789 .,-/:+$€%apmTZkM()"), max_size=14),
    st.dates().map(str),
    st.datetimes().map(lambda d: d.isoformat()),
    st.sampled_from([row[0] for row in SAME] + [row[1] for row in PERHAPS]),
)
values = st.recursive(scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=3), v, max_size=3))


@given(values)
def test_every_value_equals_itself(value: Any) -> None:
    assert compare(value, value).equal is True


@given(values, values)
def test_it_does_not_matter_which_side_is_which(first: Any, second: Any) -> None:
    assert compare(first, second).equal == compare(second, first).equal


@given(st.text(max_size=40), st.sampled_from([" ", "\n", "\t ", "\u00a0", "\ufeff"]))
def test_white_space_around_a_text_means_nothing(text: str, blank: str) -> None:
    assert compare(text, blank + text + blank).equal is True


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_different_whole_numbers_are_never_equal(first: int, second: int) -> None:
    assert bool(compare(first, str(second)).equal) == (first == second)


@given(st.dates(), st.dates())
def test_different_days_are_never_equal(first: Any, second: Any) -> None:
    written = f"{second:%d %B} {second.year:04}"
    assert bool(compare(first.isoformat(), written).equal) == (first == second)
