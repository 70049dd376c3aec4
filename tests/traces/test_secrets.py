"""Secrets: real cards are known, ordinary numbers and words are left alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.traces.cards import is_card_number
from clawjudge.traces.secrets import mask, scrub

# Numbers that the networks and payment providers publish for tests.
CARDS = [
    "4111111111111111",
    "4242424242424242",
    "4012888888881881",
    "4519873424604532",
    "4222222222222",
    "5555555555554444",
    "5105105105105100",
    "2223003122003222",
    "2720999999999996",
    "378282246310005",
    "371449635398431",
    "6011111111111117",
    "6011000990139424",
    "6445644564456445",
    "6759649826438453",
    "6304000000000000",
    "6799990100000000019",
    "5018000000000009",
    "30569309025904",
    "38520000023237",
    "3530111333300000",
    "6200000000000005",
    "2200000000000004",
]

NO_CARDS: list[Any] = [
    "4111111111111112",  # check digit
    "411111111111111",  # one digit short
    "41111111111111111",
    "1796024327866",  # epoch ms
    "1796024327",
    "1796024327866123",  # epoch us
    "2000000000008",  # passes the check, but no issuer begins so
    "7992739871300003",
    "9780306406157",  # ISBN
    "4006381333931",  # EAN with the check digit of an EAN
    "+1 416 555 0123",
    "+44 20 7946 0958",
    "0049 30 901820 1234",
    "2024-1234-5678-0001",
    "112-3456789-1234567",  # order number
    "0000000000000000",
    "4444444444444444444444",
    "",
    " ",
    None,
    True,
    4111111111111111.0,
    10**400,
    -4111111111111111,
]


def grouped(card: str, separator: str) -> str:
    sizes = (4, 6, 5) if len(card) == 15 else (4, 6, 4) if len(card) == 14 else (4, 4, 4, 4, 3)
    parts, rest = [], card
    for size in sizes:
        if rest:
            parts.append(rest[:size])
            rest = rest[size:]
    return separator.join(parts)


@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("separator", ["", " ", "-"])
def test_card(card: str, separator: str) -> None:
    written = grouped(card, separator)
    assert is_card_number(written)
    assert is_card_number(f" {written} ")
    assert mask(written) == f"•••• {card[-4:]}"
    assert is_card_number(int(card))
    assert mask(int(card)) == f"•••• {card[-4:]}"


@pytest.mark.parametrize("value", NO_CARDS, ids=lambda value: repr(value)[:24])
def test_no_card(value: Any) -> None:
    assert not is_card_number(value)
    assert mask(value) == value


@pytest.mark.parametrize(
    "value", ["4111 1111 1111 1111 12", "4111  1111  1111  1111", "x4111111111111111", "4111111111111111.0"]
)
def test_value_around_a_card_is_no_card_and_still_hides_it(value: str) -> None:
    assert not is_card_number(value)
    assert mask(value) == re.sub("4111 *1111 *1111 *1111", "•••• 1111", value)


def test_list_is_no_card_and_still_hides_it() -> None:
    assert not is_card_number([4111111111111111])
    assert mask([4111111111111111]) == ["•••• 1111"]


@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize("separator", ["", " ", "-"])
@pytest.mark.parametrize(
    "text",
    ["{}", "Card {} was declined.", "card={}&exp=12/28", "{} 12/28 847", "{} 12 28", "2 x {}", '{{"n":"{}"}}', "({})"],
)
def test_card_inside_text(card: str, separator: str, text: str) -> None:
    written = grouped(card, separator)
    shown = scrub(text.format(written))
    assert written not in shown
    assert shown == text.format(f"•••• {card[-4:]}")


def test_number_too_long_to_be_written_is_no_card() -> None:
    assert not is_card_number(10**5000)
    assert mask(10**5000, "password") in (10**5000, "•••")


def test_every_card_of_a_text_is_hidden() -> None:
    shown = scrub("4111 1111 1111 1111, 378282246310005; 4111.1111.1111.1111 5555\u00a05555\u00a05555\u00a04444")
    assert shown == "•••• 1111, •••• 0005; •••• 1111 •••• 4444"


@pytest.mark.parametrize(
    "text",
    [
        "Order 2024 1234 5678 0001 of 2026-12-14",
        "Call +1 416 555 0123 or 416 555 0199",
        "at 1796024327866, took 12.5 s",
        "0.4111111111111111",
        "1.4111111111111111111111111",
        "41111111111111111111111111",
        "10.0.0.1 and 192.168.100.200",
        "12 34 56 78 90 12 34 56",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "M5S 2H7, Unit 1208, $1,299.00",
    ],
)
def test_ordinary_numbers_stay(text: str) -> None:
    assert scrub(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abc123def456ghi789", "Authorization: [credential]"),
        ("authorization: bearer ABCDEF123456", "authorization: [credential]"),
        ("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "[credential]"),
        ("basic dXNlcjpwYXNzd29yZA==", "[credential]"),
        ("key sk-proj-abcdefgh12345678", "key [credential]"),
        ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "[credential]"),
        ("pk_test_TYooMQauvdEDq54NiTphI7jx", "[credential]"),
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "[credential]"),
        ("github_pat_11ABCDEFG0123456789_abc", "[credential]"),
        ("hf_abcdefghijklmno1234", "[credential]"),
        ("xoxb-1234567890-abcdefgh", "[credential]"),
        ("AKIAIOSFODNN7EXAMPLE", "[credential]"),
        ("AIzaSyA-1234567890abcdefghijklmnopqrstu", "[credential]"),
        ("t=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def_123;", "t=[credential];"),
        ("https://alex:hunter2@shop.test/a", "https://[credential]@shop.test/a"),
    ],
)
def test_credentials_are_scrubbed(text: str, shown: str) -> None:
    assert scrub(text) == shown
    assert mask(text, "note") == shown
    assert scrub(f"before {text} after") == f"before {shown} after"


@pytest.mark.parametrize(
    "text",
    [
        "Basic information about you",
        "basic troubleshooting guide",
        "The bearer acknowledges-everything herein",
        "skateboarding and skeletonization",
        "skin-care-products-for-dry-skin",
        "ski-mountaineering-2026",
        "hf-radio-equipment-2026",
        "sk-learn-for-everybody",
        "pkwaramaturenbrett123456",
        "AKIAlike words",
        "http://shop.test:8080/a@b",
        "mail alex.green@shop.test now",
        "trail-mug-blue-350ml",
        "eyJust.a.word",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert scrub(text) == text


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "Password",
        "userPassword",
        "user_password",
        "new-password",
        "password2",
        "passwordConfirm",
        "confirmpassword",
        "PASSWD",
        "pwd",
        "user[password]",
        "passphrase",
        "Passwort",
        "Kennwort wiederholen",
        "mot de passe",
        "contraseña",
        "senha",
        "wachtwoord",
        "lösenord",
        "adgangskode",
        "salasana",
        "hasło",
        "heslo",
        "şifre",
        "пароль",
        "密码",
        "密碼を入力",
        "パスワード",
        "비밀번호",
        "รหัสผ่าน",
        "mật khẩu",
        "كلمة المرور",
        "api_key",
        "clientSecret",
        "access_token",
    ],
)
def test_secret_by_the_name_of_its_field(name: str) -> None:
    assert mask("Maple-Heron-4417", name) == "•••"
    assert mask(12345678, name) == "•••"
    assert mask(1.5, name) == "•••"
    assert mask("", name) == ""
    assert mask(None, name) is None
    assert mask(True, name) is True


@pytest.mark.parametrize(
    "name",
    [
        "cvv",
        "CVC",
        "cvv2",
        "card_cvc",
        "cardCvv",
        "ccCVV",
        "security_code",
        "securityCode",
        "security code",
        "card-code",
        "verification_value",
        "csc",
        "Kartenprüfnummer",
        "cryptogramme",
        "código de seguridad",
        "セキュリティコード",
        "安全码",
    ],
)
def test_security_code_by_the_name_of_its_field(name: str) -> None:
    assert mask("847", name) == "•••"
    assert mask(847, name) == "•••"
    assert mask("a whole sentence", name) == "a whole sentence"


@pytest.mark.parametrize(
    "name",
    [
        "name",
        "address",
        "promo_code",
        "postal_code",
        "compass",
        "passenger",
        "passport_name",
        "bypass",
        "work_authorization",
        "discount",
        "code",
        "token_count",
        "cards",
        "keyboard",
        "secretary",
        "",
    ],
)
@pytest.mark.parametrize(
    "value", ["847", "yes", "M5S 2H7", "Alex Green", 2, 1.5, "2026-12-14", "alex@shop.test", False]
)
def test_ordinary_values_stay(name: str, value: Any) -> None:
    assert mask(value, name) == value
    assert type(mask(value, name)) is type(value)


def test_what_is_inside_a_value_is_masked_by_its_own_name() -> None:
    value = {"user": {"password": "x", "name": "Alex"}, "cards": [{"number": "4111111111111111", "cvc": "847"}]}
    assert mask(value) == {
        "user": {"password": "•••", "name": "Alex"},
        "cards": [{"number": "•••• 1111", "cvc": "•••"}],
    }
    assert mask(["a", "b"], "password") == ["•••", "•••"]
    assert value["user"] == {"password": "x", "name": "Alex"}


def test_depth_without_end_is_hidden() -> None:
    value: Any = "4111111111111111"
    for _ in range(900):
        value = [value]
    assert "4111" not in str(mask(value))


def test_long_text_takes_linear_time() -> None:
    for text in ("4 " * 200_000, "4111 " * 80_000, "bearer " * 60_000, "eyJ" * 100_000, "://a:" * 60_000):
        assert len(scrub(text)) > 1000


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text(), max_size=3), st.text())
def test_nothing_breaks_the_mask(value: Any, name: str) -> None:
    shown = mask(value, name)
    again = mask(shown, name)
    assert repr(again) == repr(shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("card 4519 8734 2460 4532 exp 09/28 cvv 847", "card •••• 4532 exp 09/28 cvv •••"),
        ("4519873424604532, CVC2 847, PIN 4821", "•••• 4532, CVC2 •••, PIN •••"),
        ("card •••• 4532 cvv 847", "card •••• 4532 cvv •••"),
        ("card •••• 4532 cvv ••• for unit 1208", "card •••• 4532 cvv ••• for unit 1208"),
        ("pin 4821 to the board in room 300", "pin 4821 to the board in room 300"),
    ],
)
def test_codes_beside_a_card_need_no_sign_between(text, shown):
    assert scrub(text) == shown


def test_a_token_may_name_its_scheme():
    assert mask({"auth": "Bearer abc.def.ghi123", "note": "Bearer of good news"}) == {
        "auth": "•••",
        "note": "Bearer of good news",
    }
