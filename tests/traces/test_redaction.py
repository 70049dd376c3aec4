"""The Redactor: a planted secret is gone wherever it stood, equal secrets stay equal, everything else stays."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote_plus, urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clawjudge.traces.redaction import Redactor

TOKEN = re.compile(r"\[[a-z-]+:[0-9a-f]{12}\]")
SALT = b"sixteen bytes..!"
ORDINARY: dict[str, Any] = {
    "name": "Alex Green",
    "email": "alex.green@shop.test",
    "phone": "+1 416 555 0123",
    "address": {"street": "12 Main St", "postal_code": "M5S 2H7", "country": "CA"},
    "passenger": "Alex Green",
    "compass": "north-1234",
    "pinterest": "https://pin.test/alex/123456",
    "authors": ["A. Writer", "B. Editor 2024"],
    "shipping": "express",
    "discount_code": "SAVE10",
    "order": 2024123456780001,
    "t": 1796024327.25,
    "season_pass": "Adult 2 days",
    "pin_code": "560001",
    "gift": True,
    "note": None,
    "items": [{"sku": "trail-mug-blue-350ml", "qty": 2}],
    "text": "Deliver at 18:30: ring twice; key = value, see https://shop.test/a?color=blue&size=M#top",
}


def secrets_of_any_kind() -> st.SearchStrategy[str]:
    letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ"
    return st.builds(
        lambda a, n, b: f"{a}{n:04}{b}", st.text(letters, min_size=4), st.integers(0, 9999), st.text(letters + "-_.~")
    ).filter(lambda s: len(s) >= 8 and s[-1].isalnum())


def places(secret: str, name: str) -> list[Any]:
    """The secret in everything a trace may hold it in."""
    document = {"user": "alex", "login": {name: secret}, "n": 1}
    part = 'Content-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    form = urlencode({"user": "alex", name: secret, "x": "1"})
    return [
        document,
        {name: {"value": secret}},
        {name: [secret, secret]},
        {"fields": [{"name": name, "value": secret}]},
        {"label": name, "text": secret},
        [[name, secret], ["user", "alex"]],
        {"type": "input", "target": {"tagName": "INPUT", "name": name}, "value": secret},
        json.dumps(document),
        json.dumps(document, indent=2),
        json.dumps(document).encode(),
        json.dumps({"body": json.dumps(document)}),
        json.dumps({"body": json.dumps({"inner": json.dumps(document)})}),
        json.dumps(document)[:-3],
        form,
        f"https://shop.test/login?{form}",
        f"see https://shop.test/cb#{name}={secret}",
        f"payload={quote_plus(json.dumps(document))}&v=1",
        "--B\r\n" + part.format("user", "alex") + "--B\r\n" + part.format(name, secret) + "--B--\r\n",
        {"--B\r\nContent-Disposition: form-data; name": f'"{name}"\r\n\r\n{secret}\r\n--B--\r\n'},
        f"The form says {name}: {secret}, then I press Sign in.",
        f"{name} is {secret}",
        f'- textbox "{name}" [ref=e12]: {secret}',
        f'<input value="{secret}" class="wide" name="{name}">',
        f"run --{name} {secret}",
        {f"{name}={secret}": 1},
    ]


@given(
    secrets_of_any_kind(),
    st.sampled_from(["password", "user_pass", "Pass", "pwd", "clientSecret", "api_key", "access_token", "csrf_token"]),
)
def test_a_planted_secret_is_never_found_afterwards(secret: str, name: str) -> None:
    redactor = Redactor()
    for place in places(secret, name):
        redacted = redactor.redact(place)
        assert secret not in repr(redacted), place
        assert TOKEN.search(repr(redacted)), place
        assert "alex" in repr(redacted) or "alex" not in repr(place)
        assert redactor.redact(redacted) == redacted
    tokens = set(TOKEN.findall(repr([redactor.redact(place) for place in places(secret, name)])))
    assert len(tokens) == 1


@given(st.sampled_from(["4111111111111111", "378282246310005"]), st.sampled_from(["", " ", "-", ",", "_", "/", "%20"]))
def test_a_card_is_never_found_afterwards_and_its_token_is_one(card: str, separator: str) -> None:
    redactor = Redactor()
    groups = [card[:4], card[4:10], card[10:]] if len(card) == 15 else [card[i : i + 4] for i in range(0, 16, 4)]
    written = separator.join(groups)
    for place in ({"number": written}, {written: 1}, f"paid with {written}.", f"card={written}&exp=12/28", int(card)):
        redacted = repr(redactor.redact(place))
        assert written not in redacted
        assert redactor.token(card, "card") in redacted


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        ({"headers": {"Cookie": "sid=Abc123; consent=all"}}, "Abc123"),
        ({"headers": [["set-cookie", "sid=Abc123; Path=/; HttpOnly"]]}, "Abc123"),
        ({"headers": [{"name": "Cookie", "value": "sid=Abc123"}]}, "Abc123"),
        ({"cookies": [{"name": "whatever", "value": "Abc123", "domain": "x.test"}]}, "Abc123"),
        ({"cookies": {"whatever": "Abc123"}}, "Abc123"),
        ("curl -H 'Cookie: a=1; b=Abc123' https://x.test/", "Abc123"),
        ({"Authorization": "Basic dXNlcjpwYXNzd29yZA=="}, "dXNlcjpwYXNzd29yZA"),
        ({"X-Auth-Token": "Abc123"}, "Abc123"),
        ("GET https://alex:Abc123@shop.test/", "Abc123"),
        ("-----BEGIN RSA PRIVATE KEY-----\nAbc123\n-----END RSA PRIVATE KEY-----", "Abc123"),
        ({"key": "-----BEGIN PRIVATE KEY-----\\nAbc123"}, "Abc123"),
        ({"type": "keydown", "target": {"type": "password"}, "key": "Q", "code": "KeyQ"}, "Q"),
        ({"credentials": {"login": "alex", "word": "Abc123"}}, "Abc123"),
        (["password", "Abc123"], "Abc123"),
        ({"ssn": "078-05-1120"}, "078-05-1120"),
        ({"pin": 4711}, "4711"),
        ({"otp": "123456"}, "123456"),
    ],
)
def test_other_places_of_secrets(value: Any, secret: str) -> None:
    redacted = Redactor().redact(value)
    assert secret not in repr(redacted)
    assert "alex" in repr(redacted) or "alex" not in repr(value)


@pytest.mark.parametrize("spelling", [ORDINARY, json.dumps(ORDINARY), json.dumps(ORDINARY, indent=1).encode()])
def test_what_is_no_secret_is_unchanged(spelling: Any) -> None:
    assert Redactor().redact(spelling) == spelling


WORDS = st.sampled_from(
    [
        "order",
        "two",
        "mugs",
        "for",
        "Alex",
        "at",
        "18:30,",
        "table",
        "4;",
        "colour=blue",
        "&",
        "size:",
        "M",
        "(Toronto)",
        "#12",
        "50",
        "%",
        "off",
    ]
)
TREES = st.recursive(
    st.none() | st.booleans() | st.integers(-9999, 9999) | st.floats(-1e6, 1e6) | st.lists(WORDS).map(" ".join),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(sorted(ORDINARY)), inner, max_size=4),
    max_leaves=20,
)


@given(TREES, st.sampled_from([None, 2]))
def test_ordinary_trees_are_unchanged_and_json_keeps_its_spelling(tree: Any, indent: int | None) -> None:
    assert Redactor().redact(tree) == tree
    text = json.dumps(tree, indent=indent)
    assert Redactor().redact(text) == text


def test_json_text_keeps_its_spelling_around_a_secret() -> None:
    text = '{"price": 1.50,\t"big": 1e400, "password" : "x\\u0041", "é": "\\u00e9", "dup": 1, "dup": 2}'
    redacted = Redactor(SALT).redact(text)
    assert TOKEN.sub("T", redacted) == text.replace("x\\u0041", "T")
    assert Redactor(SALT).token("xA", "password") in redacted


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.just("password"), inner, max_size=3),
    max_leaves=8,
)


@given(ANYTHING, st.text(max_size=20))
@example("password=[x", "")
@example("a%20b=%FF%FE&token=%00", "")
@example(b"\xff\xfepassword=x", "")
@example("\ud800password: \udfff1", "")
@example({"password": {"password": {"a": ["b", {"c": 1}]}}}, "cookie")
def test_nothing_breaks_it_and_redacting_twice_changes_nothing(value: Any, name: str) -> None:
    redactor = Redactor()
    once = redactor.redact(value, name)
    assert redactor.redact(once, name) == once


@given(st.text("password=: \"'\\{}[],%&;-\n<>1aX", max_size=60))
def test_text_made_of_syntax_is_stable(text: str) -> None:
    redactor = Redactor()
    once = redactor.redact(text)
    assert redactor.redact(once) == once


def test_equal_secrets_have_one_token_and_others_another() -> None:
    agent, reference = {"password": "Maple-4417"}, {"login": {"pwd": "Maple-4417"}}
    redactor = Redactor()
    assert redactor.redact(agent)["password"] == redactor.redact(reference)["login"]["pwd"]
    assert redactor.redact({"password": "Maple-4418"}) != redactor.redact(agent)
    assert (
        redactor.redact("Authorization: Bearer abc123def456ghi")[-13:] == redactor.token("abc123def456ghi", "x")[-13:]
    )


def test_tokens_need_the_salt() -> None:
    assert Redactor(SALT).redact({"pin": "4711"}) == Redactor(SALT).redact({"pin": "4711"})
    assert Redactor().redact({"pin": "4711"}) != Redactor().redact({"pin": "4711"})
    with pytest.raises(ValueError, match="16 bytes"):
        Redactor(b"short")


def test_learnt_secrets_are_found_where_nothing_marks_them() -> None:
    redactor = Redactor()
    told = {"persona": {"email": "alex@shop.test", "password": "Maple-Heron-4417"}}
    redactor.learn(told)
    said = redactor.redact("I typed Maple-Heron-4417 into the second box")
    assert said == f"I typed {redactor.redact(told)['persona']['password']} into the second box"


def test_ordinary_words_are_not_learnt() -> None:
    redactor = Redactor()
    redactor.learn({"password": "secret", "pin": "1234", "token": "abcdefgh"})
    for text in ("a secret garden", "order 1234"):
        assert redactor.redact(text) == text


def test_lines_are_redacted_one_by_one_and_only_when_asked_for() -> None:
    asked = []

    def lines() -> Any:
        for line in (b'{"password":"x","n":1}\n', b"\xff{broken password=hunter2\n", b"\n"):
            asked.append(line)
            yield line

    out = Redactor(SALT).lines(lines())
    assert TOKEN.sub("T", next(out).decode()) == '{"password":"T","n":1}\n'
    assert len(asked) == 1
    second = next(out)
    assert second.startswith(b"\xff{broken password=[password:")
    assert b"hunter2" not in second
    assert next(out) == b"\n"


def test_inputs_stay_as_they_are() -> None:
    value = {"user": {"password": "x"}}
    Redactor().redact(value)
    assert value == {"user": {"password": "x"}}


def test_depth_without_end_is_hidden() -> None:
    value: Any = "4111111111111111"
    for _ in range(900):
        value = {"a": value}
    assert "4111" not in str(Redactor().redact(value))
    assert "hunter2" not in Redactor().redact('{"a":' * 5000 + '{"password":"hunter2"}' + "}" * 5000)
