"""Secrets told by what stands around them, and by the pointer that leads to them."""

from __future__ import annotations

from typing import Any

import pytest

from clawjudge.traces.secret_members import telling_name, telling_names

FORM = {
    "fields": [{"name": "password", "value": "x"}, {"name": "city", "value": "Rome"}],
    "login": {"pwd": {"value": 1}},
}


@pytest.mark.parametrize(
    ("pointer", "name"),
    [
        ("/fields/0/value", "password"),
        ("/fields/1/value", "value"),
        ("/fields/0/name", "name"),
        ("/login/pwd/value", "pwd"),
        ("/login/pwd", "pwd"),
        ("/login", "login"),
        ("/no/such/place", "no"),
        ("", ""),
    ],
)
def test_name_that_tells_what_a_pointer_leads_to(pointer: str, name: str) -> None:
    assert telling_name(FORM, pointer) == name


@pytest.mark.parametrize(
    ("members", "names"),
    [
        ({"password": "x", "user": "a"}, ["password", ""]),
        ({"name": "password", "value": "x", "id": "pw1"}, ["", "password", ""]),
        ({"target": {"type": "password"}, "value": "x", "url": "u"}, ["", "password", ""]),
        ({"a=1&password": "x"}, [""]),
        ({"name": "city", "value": "Rome"}, ["", ""]),
    ],
)
def test_members(members: dict[str, Any], names: list[str]) -> None:
    assert telling_names(list(members.items())) == names


def test_members_of_an_object_with_a_secret_name() -> None:
    assert telling_names([("value", "x"), ("label", "Password")], "password") == ["password", ""]
