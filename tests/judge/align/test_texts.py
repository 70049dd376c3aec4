"""Forms of one text, and beside each a text that only looks like one."""

from __future__ import annotations

import pytest

from clawjudge.judge.align import texts


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("plain", "plain"),
        ("cafe\u0301", "café"),
        ("“don’t” – ok", '"don\'t" - ok'),
        ("ＡＢＣ１", "ABC1"),
        ("a\u00a0b\u200bc\ufeff", "a bc"),
        ("5²", "5²"),
        ("①", "①"),
        ("½", "½"),
        ("👨\u200d👩", "👨\u200d👩"),
    ],
)
def test_unicode_form(text: str, form: str) -> None:
    assert texts.unicode_form(text) == form


def test_the_loose_form_also_takes_what_only_looks_alike() -> None:
    assert texts.loose_form("5²①") == "521"
    assert texts.loose_form("👨\u200d👩") == "👨👩"
    assert texts.loose_form("ABC") == "abc"


@pytest.mark.parametrize(
    ("text", "mail"),
    [("a@b.test", True), ("a@b", False), ("a b@c.test", False), ("a@b.test, c@d.test", False), ("a@@b.test", False)],
)
def test_is_email(text: str, mail: bool) -> None:
    assert texts.is_email(text) is mail


def test_white_space() -> None:
    assert texts.white_space("  a \n\t b\u3000") == "a b"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a%20b", "a b", True),
        ("a%20b", "a c", False),
        ("a+b", "a b", None),
        ("a%2Bb", "a b", False),
        ("a%2Bb", "a+b", True),
        ("a b", "a  b", False),
    ],
)
def test_url_text(one: str, other: str, same: bool | None) -> None:
    assert texts.same_url_text(one, other) is same
    assert texts.same_url_text(other, one) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("<p>Hi <b>you</b></p>", "hi you", False),
        ("<p>Hi <b>you</b></p>", "Hi you", True),
        ("Tom &amp; Ann", "Tom & Ann", True),
        ("<p>Hi</p>", "<div>Hi</div>", None),
        ("<p>Hi</p>", "<p>Ho</p>", False),
        ("a < b > c", "a c", False),
        ("<script>x</script>", "x", False),
        ("<br>", "", False),
    ],
)
def test_markup(one: str, other: str, same: bool | None) -> None:
    assert texts.same_markup(one, other) is same
    assert texts.same_markup(other, one) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("baan-siam-kitchen", "Baan Siam Kitchen", True),
        ("baan-siam-kitchen", "Baan Siam", False),
        ("cafe_noir", "Café Noir", True),
        ("1-2-cup", "1.2 cup", None),
        ("a-5", "a -5", None),
        ("a-b", "a + b", False),
        ("c", "C++", False),
    ],
)
def test_slug(one: str, other: str, same: bool | None) -> None:
    assert texts.same_slug(one, other) is same
    assert texts.same_slug(other, one) is same


def test_a_slug_is_made_of_short_names_only() -> None:
    assert texts.slug("Baan Siam!") == "baan-siam"
    assert texts.slug("12 34") == ""
    assert texts.slug("long " * 20) == ""


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ("Hello, world!", "hello world", "punctuation"),
        ("Ann Lee", "Lee, Ann", "word_order"),
        ("Ann Lee", "Ann Leo", None),
        ("Ann Ann Lee", "Ann Lee Lee", None),
        ("1, 2", "1 2", None),
        ("Ann " * 25, "Ann " * 24 + "Lee", None),
        (("Ann Lee " * 12).strip(), ("Lee Ann " * 12).strip(), None),
    ],
)
def test_words(one: str, other: str, words: str | None) -> None:
    assert texts.same_words(one, other) == words
    assert texts.same_words(other, one) == words


@pytest.mark.parametrize(
    ("one", "other", "short"),
    [
        ("ON", "Ontario", True),
        ("Ontario", "Oregon", False),
        ("OT", "Ontario", True),
        ("NO", "Ontario", False),
        ("664 Spadina Ave", "664 Spadina Avenue", True),
        ("665 Spadina Ave", "664 Spadina Avenue", False),
        ("U.S.", "United States", True),
        ("on", "Ontario", False),
        ("ABCDE", "Abcde Fghij", False),
        ("A", "A" * 61, False),
    ],
)
def test_abbreviates(one: str, other: str, short: bool) -> None:
    assert texts.abbreviates(one, other) is short
    assert texts.abbreviates(other, one) is short
