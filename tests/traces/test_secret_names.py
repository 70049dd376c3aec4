"""Names of fields: secrets in many spellings and languages are known, look-alikes are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.traces.secret_names import is_shown, keeps, secret_kind


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("password", "pass Pass user_pass userPass pass2 new-pass pass_confirm dbPass txtPassword mysqlpasswd clave"),
        ("pin", "pin PIN card_pin pin2 newPin confirm-pin"),
        ("one-time-code", "otp otp_code smsOtp totp 2fa_code verification_code Einmalcode 验证码 인증번호"),
        ("national-id", "ssn SSN user_ssn socialSecurityNumber codice_fiscale personnummer cpf 身份证号"),
        (
            "token",
            "auth x-auth auth_header token sessionid session_id sessionKey connect.sid PHPSESSID",
        ),
        (
            "secret",
            "jwt csrf csrf_token X-CSRF-Token _xsrf csrfmiddleware_token credentials apiKey client-secret 密钥",
        ),
        ("security-code", "cvc cvc2 CVV2 cardCvc security_code Prüfnummer"),
        ("card", "card_number cardNumber cardNo cc card Kartennummer 卡号"),
        ("cookie", "cookie Set-Cookie cookies"),
    ],
)
def test_secret_names(kind: str, names: str) -> None:
    assert {name: secret_kind(name) for name in names.split()} == dict.fromkeys(names.split(), kind)


@pytest.mark.parametrize(
    "name",
    [
        "passenger",
        "passengers",
        "compass",
        "pinterest",
        "authors",
        "author",
        "shipping",
        "season_pass",
        "boarding_pass_type",
        "passport",
        "map_pin",
        "pincode",
        "pin_code",
        "spinner",
        "opinion",
        "token_count",
        "max_tokens_used",
        "session",
        "workshop_session",
        "tokenizer",
        "cardinal",
        "discard",
        "postcard",
        "cookie_consent",
        "accept_cookies",
        "keyboard",
        "monkey",
        "keynote",
        "key",
        "order_key",
        "secretary",
        "sidebar",
        "side",
        "authenticity",
        "authority",
        "work_authorization",
        "nothing",
        "hotpot",
        "cpfx",
        "4711",
        "12",
    ],
)
def test_look_alikes(name: str) -> None:
    assert secret_kind(name) is None


@pytest.mark.parametrize(
    ("kind", "value", "kept"),
    [
        ("password", "x", True),
        ("password", "", False),
        ("password", "null", False),
        ("pin", "4711", True),
        ("pin", "red", False),
        ("pin", "51.5, -0.12", False),
        ("token", "abc123", True),
        ("token", "2", False),
        ("token", "keynote", False),
        ("token", "a very long sentence", False),
        ("one-time-code", "123 456", True),
        ("one-time-code", "sent", False),
        ("national-id", "078-05-1120", True),
        ("card", "4111 11", True),
        ("card", "1111", False),
        ("card", "Visa", False),
        ("security-code", "847", True),
        ("security-code", "three digits", False),
    ],
)
def test_values_that_keep_the_promise(kind: str, value: str, kept: bool) -> None:
    assert keeps(kind, value) is kept  # type: ignore[arg-type]


@given(st.text())
def test_any_name_is_answered(name: str) -> None:
    assert secret_kind(name) is None or isinstance(secret_kind(name), str)


@pytest.mark.parametrize("shown", ["•••", "•••• 1111", "[credential]", "[password:0123456789ab]", "[key]"])
def test_what_stands_in_place_of_secrets(shown: str) -> None:
    assert is_shown(shown)
    assert secret_kind(shown) is None
