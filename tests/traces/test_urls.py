"""URLs: sites, hosts, and which two addresses are one endpoint."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.traces.urls import endpoint, host, is_web, path, registrable, same_site


@pytest.mark.parametrize(
    ("url", "name", "place"),
    [
        ("https://Shop.Test/a/b?c=d#e", "shop.test", "/a/b"),
        ("http://shop.test:8080", "shop.test", ""),
        ("http://user:pw@shop.test/", "shop.test", "/"),
        ("http://shop.test./x", "shop.test", "/x"),
        ("http://[::1]:80/x", "::1", "/x"),
        ("http://[broken/x", "", ""),
        ("http://a\u2100b.test/x", "", ""),
        ("about:blank", "", "blank"),
        ("data:text/html,x", "", "text/html,x"),
        ("", "", ""),
    ],
)
def test_host_and_path(url: str, name: str, place: str) -> None:
    assert (host(url), path(url)) == (name, place)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.test", True),
        ("HTTPS://a.test", True),
        ("chrome-error://chromewebdata/", False),
        ("about:blank", False),
        ("data:text/html,http://a.test", False),
        ("httpx://a.test", False),
        ("", False),
    ],
)
def test_is_web(url: str, expected: bool) -> None:
    assert is_web(url) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("shop.example.com", "example.com"),
        ("example.com", "example.com"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("www.example.com.au", "example.com.au"),
        ("example.co.uk", "example.co.uk"),
        ("www.hp.de", "hp.de"),
        ("app.box.io", "box.io"),
        ("m.vk.ru", "vk.ru"),
        ("t.co", "t.co"),
        ("localhost", "localhost"),
        ("192.168.0.1", "192.168.0.1"),
        ("::1", "::1"),
        ("", ""),
    ],
)
def test_registrable(name: str, expected: str) -> None:
    assert registrable(name) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("shop.example.com", "api.example.com", True),
        ("a.com", "b.com", False),
        ("shop.example.co.uk", "api.example.co.uk", True),
        ("one.co.uk", "two.co.uk", False),
        ("www.hp.de", "api.hp.de", True),
        ("10.0.0.1", "192.168.0.1", False),
        ("127.0.0.1", "127.0.0.1", True),
        ("evil-example.com", "example.com", False),
        ("", "", False),
        ("", "a.com", False),
    ],
)
def test_same_site(first: str, second: str, expected: bool) -> None:
    assert same_site(first, second) is expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.test/orders/123", "a.test/orders/{id}"),
        ("http://a.test/orders/123/items/7?x=1", "a.test/orders/{id}/items/{id}"),
        ("http://a.test/o/550e8400-e29b-41d4-a716-446655440000", "a.test/o/{id}"),
        ("http://a.test/o/deadbeef01", "a.test/o/{id}"),
        ("http://a.test/carts/s_ed36ccfc7cf069ec", "a.test/carts/{id}"),
        ("http://a.test/intents/pi-3Nxyz12345", "a.test/intents/{id}"),
        ("http://a.test/s/aZ19bQ7xKw2LmN0p", "a.test/s/{id}"),
        ("http://a.test/orders/", "a.test/orders"),
        ("http://a.test/", "a.test"),
        ("http://a.test/api/v3/orders", "a.test/api/v3/orders"),
        # Words, however they are joined, are names: these are different operations.
        ("http://a.test/account/order-confirmation", "a.test/account/order-confirmation"),
        ("http://a.test/my-bookings", "a.test/my-bookings"),
        ("http://a.test/new_password", "a.test/new_password"),
        ("http://a.test/p/trail-mug", "a.test/p/trail-mug"),
    ],
)
def test_endpoint(url: str, expected: str) -> None:
    assert endpoint(url) == expected


@given(st.text(max_size=60) | st.text(alphabet="/:[]@.a1%-_\u2100", max_size=60).map("http://".__add__))
def test_no_address_breaks_anything(url: str) -> None:
    assert isinstance(endpoint(url), str)
    assert same_site(host(url), host(url)) is bool(host(url))
