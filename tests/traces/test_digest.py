"""What judges need of a run: the commits, the changes, the contradictions, and a bounded memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from shop_run import NOW, ORDER, SHOP, load, make, page, press, read, schema, sent

from clawjudge.traces.digest import digest, is_captcha

# Commits


def test_commits_are_found_by_the_one_matcher(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        schema(body={"kind": "order"}),
        http=[
            sent(body='{"kind": "order", "qty": 2}'),
            sent(body='{"kind": "quote"}'),
            sent(f"{ORDER}/validate", body='{"kind": "order"}'),
            sent(method="PUT", body='{"kind": "order"}'),
            sent("http://other.test/?next=" + ORDER, body='{"kind": "order"}'),
            sent(method="post", body={"kind": "order"}),
            sent(body="kind=order", headers={"content-type": "application/x-www-form-urlencoded"}),
        ],
    )
    assert [event.line for event in found.commits] == [1, 6, 7]
    assert [step.line.line for step in found.steps if step.terminal] == [1, 6, 7]
    assert found.counts["http"] == 7


def test_commit_by_get(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        schema(r"shop\.test/rsvp", "GET", params={"going": "yes"}),
        http=[page(f"{SHOP}/rsvp?going=no"), page(f"{SHOP}/rsvp?going=yes&n=2"), page(f"{SHOP}/rsvp")],
    )
    assert [event.line for event in found.commits] == [2]
    assert [(s.kind, s.terminal) for s in found.steps] == [("navigate", False), ("request", True)]
    assert [event.line for event in found.queries] == [1, 2]


def test_commit_by_get_without_actions_is_one_step(tmp_path: Path) -> None:
    http = [page(f"{SHOP}/", 1), page(f"{SHOP}/rsvp?going=yes", 2)]
    found = read(tmp_path, schema(r"shop\.test/rsvp", "GET"), actions=[], http=http)
    assert [(s.kind, s.line.line) for s in found.steps] == [("navigate", 1), ("request", 2)]


def test_duplicate_commits_are_all_kept_in_order(tmp_path: Path) -> None:
    found = read(tmp_path, http=[sent(t=t, body={"qty": qty}) for t, qty in ((1, 9), (2, 2), (3, 2))])
    assert [event.payload().value for event in found.commits] == [{"qty": 9}, {"qty": 2}, {"qty": 2}]
    assert found.changes == found.commits


def test_commit_on_a_site_of_its_own_counts(tmp_path: Path) -> None:
    found = read(
        tmp_path, schema(r"pay\.test/orders"), http=[sent("http://pay.test/orders"), sent("http://pay.test/x")]
    )
    assert [event.line for event in found.commits] == [1]
    assert [event.line for event in found.changes] == [1]


def test_without_a_task_nothing_is_a_commit(tmp_path: Path) -> None:
    found = digest(make(tmp_path, actions=[load()], http=[sent()]), None)
    assert found.commits == []
    assert [event.line for event in found.changes] == [1]


def test_pattern_that_never_matches(tmp_path: Path) -> None:
    never = schema("__PLACEHOLDER_WILL_NOT_MATCH__")
    claim = {"intercepted": True, "request": {"url": ORDER, "method": "POST"}}
    found = read(tmp_path, never, http=[sent()], interception=claim)
    assert never.never_matches
    assert (found.commits, found.conflict) == ([], "")


# Changes


@pytest.mark.parametrize(
    "noise",
    [
        sent(f"{SHOP}/beacon", resource_type="Ping"),
        sent(f"{SHOP}/csp", resource_type="CSPViolationReport"),
        sent("http://telemetry.test/collect"),
        sent("http://shop.test.evil.test/"),
        sent(f"{SHOP}/asset.js", "GET", resource_type="Script"),
        sent(f"{SHOP}/api", "OPTIONS"),
    ],
)
def test_telemetry_makes_no_step(tmp_path: Path, noise: dict[str, Any]) -> None:
    found = read(tmp_path, http=[noise])
    assert found.changes == []
    assert [step.kind for step in found.steps] == ["navigate"]
    assert found.counts["http"] == 1


def test_changes_on_the_runs_own_sites(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        actions=[load(), load("http://mail.test/inbox"), load("chrome-error://x")],
        http=[sent(f"http://api.shop.test/cart/{n}", method) for n, method in enumerate(("PUT", "PATCH", "DELETE"))]
        + [sent("http://mail.test/read"), sent("http://ads.test/x")],
    )
    assert [event.line for event in found.changes] == [1, 2, 3, 4]
    assert found.sites == {"shop.test", "mail.test"}
    assert [name for name, _ in found.visits] == ["shop.test", "mail.test"]


def test_without_actions_the_documents_tell_the_sites(tmp_path: Path) -> None:
    found = read(tmp_path, actions=[], http=[sent("http://ads.test/x"), page(f"{SHOP}/"), sent(f"{SHOP}/cart")])
    assert found.sites == {"shop.test"}
    assert [event.line for event in found.changes] == [3]
    assert [step.kind for step in found.steps] == ["navigate", "request"]


def test_steps_are_in_order_of_time_over_all_layers(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        actions=[load(t=0), press("add", 1), press("buy", 5)],
        http=[page(f"{SHOP}/", -0.1), sent(t=5.1), sent(f"{SHOP}/cart", t=1.1)],
    )
    assert [step.target for step in found.steps] == [
        "shop.test",
        "button add add",
        "POST shop.test/cart",
        "button buy buy",
        "POST shop.test/api/orders",
    ]
    assert found.counts == {"http": 3, "actions": 3, "messages": 0}


@pytest.mark.parametrize("skew", [2, 7, -3])
def test_skew_of_the_page_clock_is_taken_out(tmp_path: Path, skew: float) -> None:
    actions = [load(f"{SHOP}/{n}", n * 10 + 0.1 + skew) for n in range(3)]
    found = read(
        tmp_path,
        actions=[*actions, press("buy", 25 + skew), press("after", 40 + skew)],
        http=[*(page(f"{SHOP}/{n}", n * 10) for n in range(3)), sent(t=25.5)],
    )
    assert abs(found.skew.offset_ms - skew * 1000) <= found.skew.uncertainty_ms
    assert [step.target for step in found.steps][-3:] == [
        "button buy buy",
        "POST shop.test/api/orders",
        "button after after",
    ]


# What interception.json claims

CLAIM = {"intercepted": True, "request": {"url": ORDER, "method": "POST", "body": {"qty": 2}}}


@pytest.mark.parametrize(
    ("claim", "http", "conflict", "commits"),
    [
        (CLAIM, [sent(body={"qty": 2})], "", 1),
        (CLAIM, [sent(body='{"qty": 2}')], "", 1),
        (CLAIM, [sent(body={"qty": 9}), sent(body={"qty": 2})], "", 2),
        # The log decides what the body was, but it must not say anything else.
        (CLAIM, [sent(body={"qty": 9})], "differ at /body/qty", 1),
        (CLAIM, [page(f"{SHOP}/")], "does not have", 0),
        # A body that one of the two did not record contradicts nothing.
        (CLAIM, [sent(body=None)], "", 1),
        ({**CLAIM, "request": {"url": ORDER, "method": "POST"}}, [sent(body={"qty": 9})], "", 1),
        # Without a log the claim is all there is.
        (CLAIM, [], "", 1),
        ({"url": ORDER, "method": "post", "body": {"qty": 2}}, [], "", 1),
        ({**CLAIM, "request": {"url": f"{SHOP}/draft", "method": "POST"}}, [], "does not match", 0),
        ({**CLAIM, "request": {"url": ORDER, "method": "GET"}}, [sent(body={"qty": 2})], "does not match", 1),
        # A recorder that blocks the terminal request, ended without a block and has one in its log all the same.
        ({"intercepted": False, "stop_reason": "time_limit"}, [sent(body={"qty": 2})], "nothing says was answered", 1),
        # No claim, no contradiction; the log still decides.
        ({"intercepted": False}, [sent(body={"qty": 2})], "", 1),
        ({"intercepted": "true", **{"request": CLAIM["request"]}}, [page(f"{SHOP}/")], "", 0),
        ({"intercepted": True}, [page(f"{SHOP}/")], "", 0),
        ([], [sent(body={"qty": 2})], "", 1),
    ],
)
def test_claim_of_a_block(tmp_path: Path, claim: Any, http: list[Any], conflict: str, commits: int) -> None:
    found = read(tmp_path, http=http, interception=claim)
    assert conflict in found.conflict
    assert bool(conflict) is bool(found.conflict)
    assert len(found.commits) == commits


# CAPTCHA


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://shop.test/captcha/image?id=1", True),
        ("https://www.google.com/recaptcha/api2/bframe?k=1", True),
        ("https://newassets.hcaptcha.com/captcha/v1/x", True),
        ("https://challenges.cloudflare.com/cdn-cgi/h/g/turnstile/if/" + "x" * 300, True),
        ("http://shop.test/turnstiles-for-sale", False),
        ("http://shop.test/captchalike.css", False),
        ("http://shop.test/", False),
    ],
)
def test_is_captcha(url: str, expected: bool) -> None:
    assert is_captcha(url) is expected


def test_scripts_of_a_captcha_service_are_no_challenge(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        http=[
            sent("https://www.google.com/recaptcha/api.js", "GET", 1, resource_type="Script"),
            sent("http://shop.test/captcha/new", "GET", 2, resource_type="Image"),
        ],
    )
    assert found.captcha_loads == [(NOW + 2) * 1000]
