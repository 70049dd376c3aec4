"""The request matcher, one table per constraint; section 4 of the user asks gave many of the rows."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.traces.matcher import Match, match_request
from clawjudge.traces.payload import Payload, parse_body
from clawjudge.traces.task import EvalSchema, load_task

SHARED = Path(os.environ.get("CLAWJUDGE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
ORDER = r"shop\.test/api/order"
HIT = Match(True, True, "matched")


def match(pattern: str, url: str, **schema: Any) -> Match:
    return match_request(EvalSchema(url_pattern=pattern, **schema), "POST", url, None)


URLS = [
    (ORDER, "https://shop.test/api/order", "matched"),
    (ORDER, "https://www.shop.test/api/orders?x=1", "matched"),
    (ORDER, "https://shop.test:8443/api/order", "url"),
    (r"shop\.test(:\d+)?/api/order", "https://shop.test:8443/api/order", "matched"),
    (ORDER, "https://ads.test/?u=https://shop.test/api/order", "url_in_query"),
    (ORDER, "https://ads.test/?u=https%3A%2F%2Fshop.test/api/order", "url_in_query"),
    (ORDER, "https://ads.test/#https://shop.test/api/order", "url"),
    (ORDER, "https://shop.test/api/order#part", "matched"),
    (ORDER, "https://shop.test/api/order?back=https://shop.test/api/order", "matched"),
    (".*" + ORDER, "https://ads.test/?u=https://shop.test/api/order", "url_in_query"),
    ("^https?://.*" + ORDER, "https://ads.test/?u=https://shop.test/api/order", "url_in_query"),
    ("(?=.*shop)", "https://ads.test/?u=https://shop.test/api/order", "url_in_query"),
    (".*" + ORDER, "https://shop.test/api/order?u=https://shop.test/api/order", "matched"),
    ("^https://" + ORDER + "$", "https://shop.test/api/order", "matched"),
    ("api/events$", "https://shop.test/api/events", "matched"),
    ("api/events$", "https://shop.test/api/events?x=1", "url"),
    ("api/events$", "https://shop.test/api/events#x", "matched"),
    ("order$", "https://shop.test/order?next=order", "url_in_query"),
    (r"gql\?op=Buy", "https://shop.test/gql?op=Buy", "matched"),
    (r"gql\?op=Buy", "https://shop.test/gql?op=Look", "url"),
    (r"\?action=pay", "https://shop.test/x?action=pay", "matched"),
    (r"\?action=pay", "https://ads.test/?u=https://shop.test/x?action=pay", "url_in_query"),
    ("action=pay", "https://shop.test/x?action=pay", "url_in_query"),
    (r"shop\.test/graphql.*op=Buy", "https://shop.test/graphql?op=Buy&from=/graphql?op=Buy", "matched"),
    (r"lookup/90210(?:\?|$)", "https://shop.test/lookup/90210?type=A", "matched"),
    (r"shop\.test", "https://shop.test@evil.test/api", "url"),
    (r"evil\.test/api", "https://user:pw@evil.test/api", "matched"),
    (r"shop\.test", "data:text/html,https://shop.test", "url"),
    (r"shop\.test", "/api/shop.test", "url"),
    (r"shop\.test", "", "url"),
]


@pytest.mark.parametrize(("pattern", "url", "reason"), URLS)
def test_url(pattern: str, url: str, reason: str) -> None:
    answer = match(pattern, url)
    assert (answer.reason, answer.matched, answer.applicable) == (reason, reason == "matched", True)


METHODS = [
    ("POST", "post", True),
    ("POST", "GET", False),
    (None, "DELETE", True),
    (("PUT", "PATCH"), "patch", True),
    (("PUT", "PATCH"), "POST", False),
]


@pytest.mark.parametrize(("wanted", "method", "matched"), METHODS)
def test_method(wanted: Any, method: str, matched: bool) -> None:
    answer = match_request(EvalSchema(url_pattern=ORDER, method=wanted), method, "https://shop.test/api/order", None)
    assert answer == (HIT if matched else Match(False, True, "method", "/method"))


PARAMS = [
    ({"tag": "a"}, "tag=a&tag=b", True),
    ({"tag": "b"}, "tag=a&tag=b", True),
    ({"tag": "c"}, "tag=a&tag=b", False),
    ({"tag": ["b", "a"]}, "tag=a&tag=b&tag=c", True),
    ({"tag": ["a", "a"]}, "tag=a&tag=b", False),
    ({"tag": ["a", "a"]}, "tag=a&tag=a", True),
    ({"tag": ["a"]}, "tag=a", True),
    ({"tag": []}, "tag=a", True),
    ({"tag": ""}, "tag=", True),
    ({"tag": ""}, "tag", True),
    ({"tag": ""}, "other=1", False),
    ({"qty": 2}, "qty=2", True),
    ({"qty": 2}, "qty=2.0", True),
    ({"qty": 2}, "qty=02", False),
    ({"ok": True}, "ok=true", True),
    ({"ok": True}, "ok=1", False),
    ({"a": "1", "b": "2"}, "b=2&a=1&c=3", True),
    ({"a": "1", "b": "2"}, "a=1", False),
    ({"a": {"b": "1"}}, "a=1", False),
    ({}, "", True),
]


@pytest.mark.parametrize(("params", "query", "matched"), PARAMS)
def test_params(params: dict[str, Any], query: str, matched: bool) -> None:
    answer = match(ORDER, f"https://shop.test/api/order?{query}", params=params)
    assert (answer.matched, answer.reason) == (matched, "matched" if matched else "params")


BODIES = [
    ({"a": 1}, {"a": 1, "b": 2}, True),
    ({"a": 1}, {"b": 1}, False),
    ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 1, "d": 2}, "e": 3}}, True),
    ({"a": {"b": 1}}, {"a": 1}, False),
    ({"a": "1"}, {"a": 1}, True),
    ({"a": 1}, {"a": "1"}, True),
    ({"a": 1}, {"a": 1.0}, True),
    ({"a": 0.1}, {"a": "0.10"}, True),
    ({"a": 1e3}, {"a": "1000"}, True),
    ({"a": "1"}, {"a": "1.0"}, False),
    ({"a": 1}, {"a": True}, False),
    ({"a": True}, {"a": 1}, False),
    ({"a": 0}, {"a": False}, False),
    ({"a": True}, {"a": True}, True),
    ({"a": True}, {"a": "true"}, False),
    ({"a": None}, {"a": None}, True),
    ({"a": None}, {}, False),
    ({"a": None}, {"a": ""}, False),
    ({"a": ""}, {"a": None}, False),
    ({"a": {}}, {"a": {"b": 1}}, True),
    ({"a": []}, {"a": [1]}, True),
    ({"a": []}, {"a": "x"}, False),
    ({"a": [1, 2]}, {"a": [2, 3, 1]}, True),
    ({"a": [1, 1]}, {"a": [1, 2]}, False),
    ({"a": [1, 1]}, {"a": [1, "1"]}, True),
    ({"a": [{}, {"x": 1}]}, {"a": [{"x": 1}, {"y": 2}]}, True),
    ({"a": [{}, {"x": 1}, {}]}, {"a": [{"x": 1}, {"y": 2}, {"z": 3}]}, True),
    ({"a": [{}, {"x": 1}]}, {"a": [{"x": 1}]}, False),
    ({"a": 1}, {"a": [1]}, False),
    ({"a": "x"}, {"a": "X"}, False),
    ({"a": 1}, [{"a": 2}, {"a": 1}], True),
    ({"a": 1, "b": 1}, [{"a": 1}, {"b": 1}], False),
    ({"a": 1}, [], False),
]


@pytest.mark.parametrize(("constraint", "body", "matched"), BODIES)
def test_json_body(constraint: dict[str, Any], body: Any, matched: bool) -> None:
    schema = EvalSchema(url_pattern=ORDER, body=constraint)
    for sent in (body, json.dumps(body)):
        payload = parse_body(sent, {"Content-Type": "application/json"})
        answer = match_request(schema, "POST", "https://shop.test/api/order", payload)
        assert (answer.matched, answer.reason) == (matched, "matched" if matched else "body")


FORMS = [
    ({"ok": True}, "ok=true", True),
    ({"ok": True}, "ok=1", False),
    ({"ok": False}, "ok=false", True),
    ({"qty": 2}, "qty=2", True),
    ({"tag": "b"}, "tag=a&tag=b", True),
    ({"tag": ["b"]}, "tag=b", True),
    ({"tag": ["b", "b"]}, "tag=b", False),
    ({"a": "x y"}, "a=x+y", True),
]


@pytest.mark.parametrize(("constraint", "body", "matched"), FORMS)
def test_form_body(constraint: dict[str, Any], body: str, matched: bool) -> None:
    schema = EvalSchema(url_pattern=ORDER, body=constraint)
    answer = match_request(schema, "POST", "https://shop.test/api/order", parse_body(body, FORM))
    assert answer.matched is matched


def test_file_parts_can_be_constrained() -> None:
    part = '--X\r\nContent-Disposition: form-data; name="cv"; filename="cv.pdf"\r\n\r\n%PDF\r\n--X--\r\n'
    schema = EvalSchema(url_pattern=ORDER, body={"cv": {"filename": "cv.pdf", "size": 4}})
    assert match_request(schema, "POST", "https://shop.test/api/order", parse_body(part, {})) == HIT


def test_graphql_batch_needs_one_operation_that_meets_all() -> None:
    batch = [{"operationName": "Track"}, {"operationName": "Buy", "variables": {"qty": 2}}]
    payload = parse_body(json.dumps(batch), {"Content-Type": "application/json"})
    assert payload.kind == "graphql"
    for constraint, matched in [
        ({"operationName": "Buy", "variables": {"qty": 2}}, True),
        ({"operationName": "Track", "variables": {"qty": 2}}, False),
    ]:
        schema = EvalSchema(url_pattern=ORDER, body=constraint)
        assert match_request(schema, "POST", "https://shop.test/api/order", payload).matched is matched


UNKNOWN_BODIES: list[Payload | None] = [
    None,
    parse_body(None, {}),
    parse_body("", {}),
    parse_body("hello world", {"Content-Type": "text/plain"}),
    parse_body(b"\x00", {}),
    parse_body('{"a": 1}{"a": 1}', {"Content-Type": "application/json"}),
]


@pytest.mark.parametrize("payload", UNKNOWN_BODIES)
def test_an_unknown_body_is_said_to_be_missing(payload: Payload | None) -> None:
    schema = EvalSchema(url_pattern=ORDER, body={"a": 1})
    answer = match_request(schema, "POST", "https://shop.test/api/order", payload)
    assert answer == Match(False, True, "body_missing", "/body")
    unconstrained = EvalSchema(url_pattern=ORDER, body={})
    assert match_request(unconstrained, "POST", "https://shop.test/api/order", payload) == HIT


def test_the_first_failing_constraint_is_named() -> None:
    schema = EvalSchema(url_pattern=ORDER, method="POST", params={"p": ["1", "2"]}, body={"a": {"b/c": [1, 2]}})
    body = parse_body({"a": {"b/c": [1, 3]}}, {})
    url = "https://shop.test/api/order"
    assert match_request(schema, "GET", "https://x.test", body).pointer == "/method"
    assert match_request(schema, "POST", "https://x.test", body).pointer == "/url_pattern"
    assert match_request(schema, "POST", url, body).pointer == "/params/p"
    assert match_request(schema, "POST", f"{url}?p=1", body).pointer == "/params/p/1"
    assert match_request(schema, "POST", f"{url}?p=2&p=1", body).pointer == "/body/a/b~1c/1"


@pytest.mark.parametrize("pattern", ["__PLACEHOLDER_WILL_NOT_MATCH__", "(?!)", "$^"])
def test_a_sentinel_is_not_applicable(pattern: str) -> None:
    answer = match(pattern, f"https://shop.test/{pattern}")
    assert answer == Match(False, False, "never_matches", "/url_pattern")


SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text("a1.", max_size=3)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "c/~"]), TREES, max_size=3)
ANY_URL = st.text(st.characters(codec=None)) | st.lists(
    st.sampled_from(["https://", "shop.test", "/api/order", "?", "#", "&", "=", "u", "@", "a=1", ":", "[", "%"])
).map("".join)
PATTERNS = st.sampled_from([ORDER, ".*", "^https://", r"\?a=1", "order$", ".*order", "(?=u)", "", "x*", "$"])


@given(PATTERNS, OBJECTS, OBJECTS, st.text(), ANY_URL, TREES | st.text() | st.binary())
def test_no_request_raises(
    pattern: str, params: dict[str, Any], body: dict[str, Any], method: str, url: str, sent: Any
) -> None:
    schema = EvalSchema(url_pattern=pattern or "a", params=params, body=body)
    for payload in (None, parse_body(sent, {}), parse_body(sent, FORM)):
        answer = match_request(schema, method, url, payload)
        assert answer.matched == (answer.reason == "matched") == (answer.pointer is None)


@given(PATTERNS, ANY_URL)
def test_never_looser_than_a_search_over_the_whole_url(pattern: str, url: str) -> None:
    schema = EvalSchema(url_pattern=pattern or "a")
    if "@" not in url and match_request(schema, "GET", url, None).matched:
        assert schema.pattern.search(url.partition("#")[0]) is not None


@pytest.mark.parametrize("pattern", ["(a+)+$", r"^https://shop\.test/(a|a)*$"])
def test_an_endless_pattern_is_undecided_never_a_match(pattern: str) -> None:
    answer = match_request(EvalSchema(url_pattern=pattern), "POST", f"https://shop.test/{'a' * 3000}!", None)
    assert answer == Match(False, True, "too_slow", "/url_pattern")
    assert answer.undecided
    assert not match_request(EvalSchema(url_pattern=pattern), "POST", "https://shop.test/", None).undecided


def without_nan(tree: Any) -> bool:
    return "nan" not in repr(tree) and "inf" not in repr(tree)


def turned(tree: Any) -> Any:
    """The same tree with the keys of every object the other way round, and lists reversed."""
    if isinstance(tree, dict):
        return {key: turned(tree[key]) for key in reversed(tree)}
    return [turned(item) for item in reversed(tree)] if isinstance(tree, list) else tree


@given(OBJECTS.filter(bool).filter(without_nan))
def test_an_object_meets_itself_in_any_order(tree: dict[str, Any]) -> None:
    schema = EvalSchema(url_pattern=ORDER, body=tree)
    payload = Payload("json", turned(tree), None, "json")
    assert match_request(schema, "POST", "https://shop.test/api/order", payload) == HIT


@given(OBJECTS, OBJECTS)
def test_order_changes_no_answer(constraint: dict[str, Any], body: dict[str, Any]) -> None:
    answers = {
        match_request(
            EvalSchema(url_pattern=ORDER, body=wanted),
            "POST",
            "https://shop.test/api/order",
            Payload("json", sent, None, ""),
        ).matched
        for wanted in (constraint, turned(constraint))
        for sent in (body, turned(body))
    }
    assert len(answers) == 1


@pytest.mark.skipif(not (SHARED / "corpus" / "dev").is_dir(), reason=f"no corpus in {SHARED}; set CLAWJUDGE_SHARED")
def test_the_corpus_is_matched_where_it_was_intercepted() -> None:
    runs = 0
    for file in sorted((SHARED / "corpus" / "dev").glob("*/*/task.json")):
        schema = load_task(file).eval_schema
        data = file.parent / "data" if (file.parent / "data").is_dir() else file.parent
        interception = json.loads((data / "interception.json").read_text("utf-8"))
        requests = [json.loads(line) for line in (data / "requests.jsonl").read_text("utf-8").split("\n") if line]
        hits = [
            request["url"]
            for request in requests
            if match_request(
                schema, request["method"], request["url"], parse_body(request["body"], request["headers"])
            ).matched
        ]
        assert bool(hits) == interception["intercepted"], file
        if hits:
            blocked = interception["request"]
            assert hits[0] == blocked["url"], file
            assert match_request(schema, blocked["method"], blocked["url"], parse_body(blocked["body"], {})) == HIT
        runs += 1
    assert runs == 91
