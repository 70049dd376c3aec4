"""The body parser: by Content-Type, by shape, and from what ClawBench's recorder made of a body."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.traces.payload import parse_body, query_pairs, query_value
from clawjudge.traces.pointers import flatten, resolve

SHARED = Path(os.environ.get("CLAWJUDGE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
FORM = "application/x-www-form-urlencoded"
needs_corpus = pytest.mark.skipif(
    not (SHARED / "corpus" / "dev").is_dir(), reason=f"no corpus in {SHARED}; set CLAWJUDGE_SHARED"
)


def typed(content_type: str) -> dict[str, str]:
    return {"cOnTent-tyPe": content_type} if content_type else {}


def recorded(text: str) -> Any:
    """What ClawBench's recorder stores for a body: JSON if it parses, else whatever `parse_qs` finds, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        found = parse_qs(text, keep_blank_values=True)
        return {name: values[0] if len(values) == 1 else values for name, values in found.items()} or text


def multipart_text(*parts: tuple[str, str], boundary: str = "----WebKitFormBoundaryX") -> str:
    written = "".join(
        f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n" for head, content in parts
    )
    return f"{written}--{boundary}--\r\n"


BODIES: list[tuple[str, Any, str, Any]] = [
    ("", None, "none", None),
    ("application/json", "", "none", None),
    ("application/json", '{"a": 1}', "json", {"a": 1}),
    ("application/json; charset=utf-8", b'\xef\xbb\xbf{"a": "\xc3\xa9"}', "json", {"a": "é"}),
    ("application/vnd.api+json", "[1, 2]", "json", [1, 2]),
    ("application/x-amz-json-1.1", "{}", "json", {}),
    ("application/json", "5", "json", 5),
    (FORM, "a=1&b=&a=2&c", "form", {"a": ["1", "2"], "b": "", "c": ""}),
    (FORM, "q=caf%C3%A9+au+lait", "form", {"q": "café au lait"}),
    (FORM + "; charset=UTF-8", b"x%5By%5D=1", "form", {"x[y]": "1"}),
    ("text/plain;charset=UTF-8", '{"e": "view"}', "json", {"e": "view"}),
    ("text/plain", "hello world", "text", "hello world"),
    ("text/plain", "a=1&b=2", "text", "a=1&b=2"),
    ("text/plain", "12", "text", "12"),
    ("text/xml", '<a x="1"/>', "text", '<a x="1"/>'),
    ("application/soap+xml", "<a>b=c&amp;d</a>", "text", "<a>b=c&amp;d</a>"),
    ("application/graphql", "mutation { buy }", "graphql", {"query": "mutation { buy }"}),
    ("application/octet-stream", b"\x00\x01", "binary", None),
    ("image/png", b"\x89PNG", "binary", None),
    ("application/grpc-web+proto", b"\x00", "binary", None),
    ("", b"\xff\xfe\x00", "binary", None),
    ("", '{"a": 1}', "json", {"a": 1}),
    ("", "a=1&b=2", "form", {"a": "1", "b": "2"}),
    ("", "token=abc==", "form", {"token": "abc=="}),
    ("", "a = b, roughly", "text", "a = b, roughly"),
    ("", "just words", "text", "just words"),
    ("application/csp-report", '{"a": {}}', "json", {"a": {}}),
    ("multipart/form-data; boundary=X", multipart_text(('name="q"', "2"), boundary="X"), "multipart", {"q": "2"}),
    ("", multipart_text(('name="q"', "2")), "multipart", {"q": "2"}),
]


@pytest.mark.parametrize(("content_type", "body", "kind", "value"), BODIES)
def test_content_type_decides_then_shape(content_type: str, body: Any, kind: str, value: Any) -> None:
    payload = parse_body(body, typed(content_type))
    assert (payload.kind, payload.value, payload.problems) == (
        kind,
        value,
        ("boundary_guessed",) if "----WebKit" in str(body) else (),
    )
    assert payload.parser.startswith("guess-") == (content_type in ("", "application/csp-report") and body is not None)
    if body is not None:
        assert payload.raw == (body if isinstance(body, bytes) else body.encode())


DEFECTS = [
    ("application/json", '{"a": 1}{"a": 2}', "text", '{"a": 1}{"a": 2}', "several_json_documents"),
    ("text/plain", '{"a": 1}\n{"a": 2}', "text", '{"a": 1}\n{"a": 2}', "several_json_documents"),
    ("application/json", '{"a": ', "text", '{"a": ', "bad_json"),
    ("", "[oops", "text", "[oops", "bad_json"),
    ("application/json", "[" * 100_000, "text", "[" * 100_000, "nested_too_deeply"),
    ("application/json", '{"qty": 2, "qty": 9}', "json", {"qty": 9}, "duplicate_key"),
    ("application/json", b'{"a": "\xff"}', "json", {"a": "\ufffd"}, "bad_charset"),
    (FORM, "a=%ff", "form", {"a": "\ufffd"}, "bad_percent_encoding"),
    (FORM, '{"a": 1}', "json", {"a": 1}, "content_type_mismatch"),
    ("multipart/form-data; boundary=X", "no parts here", "text", "no parts here", "bad_multipart"),
    ("text/plain; charset=unicode_escape", b"\xff", "text", "\ufffd", "bad_charset"),
]


@pytest.mark.parametrize(("content_type", "body", "kind", "value", "problem"), DEFECTS)
def test_defects_are_named_and_the_body_kept(content_type: str, body: Any, kind: str, value: Any, problem: str) -> None:
    payload = parse_body(body, typed(content_type))
    assert (payload.kind, payload.value) == (kind, value)
    assert problem in payload.problems


def test_compressed_bodies_are_not_guessed_at() -> None:
    payload = parse_body(b"\x1f\x8b\x08", {"Content-Type": "application/json", "Content-Encoding": "gzip"})
    assert (payload.kind, payload.problems) == ("binary", ("compressed",))


GRAPHQL = [
    ({"query": "mutation Buy { buy }", "variables": {"n": 1}}, True),
    ({"query": "  # note\n{ me { id } }"}, True),
    ({"operationName": "Buy", "variables": {}}, True),
    ({"extensions": {"persistedQuery": {"sha256Hash": "x"}}}, True),
    ([{"operationName": "A"}, {"query": "query B { b }"}], True),
    ({"query": "red shoes"}, False),
    ([{"operationName": "A"}, {"b": 1}], False),
    ([], False),
    ({"operationName": None, "query": 1}, False),
]


@pytest.mark.parametrize(("value", "graphql"), GRAPHQL)
def test_graphql_is_recognised_and_kept_as_sent(value: Any, graphql: bool) -> None:
    for body in (json.dumps(value), value):
        payload = parse_body(body, typed("application/json"))
        assert (payload.kind, payload.value) == ("graphql" if graphql else "json", value)


def test_multipart_keeps_repeated_names_and_describes_files() -> None:
    text = multipart_text(
        ('name="tag"', "a"),
        ('name="tag"', "b"),
        ('name="note"', "two\r\nlines -- & = ü"),
        ('name="cv"; filename="my cv.pdf"\r\nContent-Type: application/pdf', "%PDF"),
        ('name="none"; filename=""\r\nContent-Type: application/octet-stream', ""),
    )
    payload = parse_body(text.encode(), typed("multipart/form-data; boundary=----WebKitFormBoundaryX"))
    assert payload.problems == ()
    assert payload.value == {
        "tag": ["a", "b"],
        "note": "two\r\nlines -- & = ü",
        "cv": {
            "filename": "my cv.pdf",
            "content_type": "application/pdf",
            "size": 4,
            "sha256": hashlib.sha256(b"%PDF").hexdigest(),
        },
        "none": {
            "filename": "",
            "content_type": "application/octet-stream",
            "size": 0,
            "sha256": hashlib.sha256(b"").hexdigest(),
        },
    }


def test_damaged_multipart_keeps_the_parts_before_the_damage() -> None:
    text = multipart_text(('name="qty"', "2"), ('name="note"', "x" * 200))
    payload = parse_body(text[:200], typed("multipart/form-data; boundary=----WebKitFormBoundaryX"))
    assert payload.value["qty"] == "2"
    assert "multipart_damaged" in payload.problems


def test_newlines_changed_by_a_tool_are_put_right() -> None:
    payload = parse_body(multipart_text(('name="qty"', "2")).replace("\r\n", "\n"), {})
    assert payload.value == {"qty": "2"}
    assert "newlines_changed" in payload.problems


RECORDED_MULTIPART = [
    [('name="qty"', "2")],
    [('name="qty"', "2"), ('name="note"', "salt & pepper & more"), ('name="last"', "x=y")],
    [('name="a"', ""), ('name="url"', "https://x.test/?a=1&b=2")],
    [('name="t"', "a"), ('name="t"', "b & c"), ('name="t"', "d & c")],
]


@pytest.mark.parametrize("parts", RECORDED_MULTIPART)
@pytest.mark.parametrize("content_type", ["multipart/form-data; boundary=----WebKitFormBoundaryX", ""])
def test_multipart_cut_by_the_recorder_is_joined_again(parts: list[tuple[str, str]], content_type: str) -> None:
    text = multipart_text(*parts)
    stored = recorded(text)
    assert isinstance(stored, dict)
    payload = parse_body(stored, typed(content_type))
    assert payload.kind == "multipart"
    assert payload.value == parse_body(text, {}).value
    assert "lossy_recovery" in payload.problems
    assert payload.raw is None


def test_multipart_pieces_may_be_lists_and_in_another_order() -> None:
    stored = {" pepper": "", **recorded(multipart_text(('name="note"', "salt")))}
    payload = parse_body(stored, {})
    assert payload.kind == "multipart"
    doubled = {name: [value] for name, value in recorded(multipart_text(('name="qty"', "2"))).items()}
    assert parse_body(doubled, {}).value == {"qty": "2"}


RECORDED = [
    (FORM, "a=1&a=2&b=", "form", {"a": ["1", "2"], "b": ""}),
    ("application/json", '{"a": "1"}', "json", {"a": "1"}),
    ("application/json", '{"a": "1"}{"b": "2"}', "text", '{"a": "1"}{"b": "2"}'),
    ("text/plain", '{"e": "view", "w": 5}', "json", {"e": "view", "w": 5}),
    ("text/plain", "hello world", "text", "hello world"),
    ("", "hello world", "text", "hello world"),
    ("text/plain", "a=1&b=2", "undecided", {"a": "1", "b": "2"}),
    ("", "a=1&b=2", "undecided", {"a": "1", "b": "2"}),
    ("text/xml", '<a x="1"/>', "text", '<a x="1"/>'),
    ("", '<a x="1"/>', "text", '<a x="1"/>'),
    ("application/graphql", "query Q { a(b: 1) }", "graphql", {"query": "query Q { a(b: 1) }"}),
    ("", '{"operationName": "Buy"}', "graphql", {"operationName": "Buy"}),
    ("application/octet-stream", "\x00=1", "binary", None),
    ("", "[]", "json", []),
    ("", "{}", "json", {}),
]


@pytest.mark.parametrize(("content_type", "sent", "kind", "value"), RECORDED)
def test_bodies_as_the_recorder_stored_them(content_type: str, sent: str, kind: str, value: Any) -> None:
    payload = parse_body(recorded(sent), typed(content_type))
    assert (payload.kind, payload.value) == (kind, value)
    assert payload.parser.startswith("recorded-")


QUERIES = [
    ("https://a.test/x?b=&a=1&a=2#?c=3", [("b", ""), ("a", "1"), ("a", "2")], {"b": "", "a": ["1", "2"]}),
    ("https://a.test/x", [], {}),
    ("https://a.test/#/route?x=1", [], {}),
    ("http://[broken?a=%41+b", [("a", "A b")], {"a": "A b"}),
]


@pytest.mark.parametrize(("url", "pairs", "value"), QUERIES)
def test_query(url: str, pairs: list[tuple[str, str]], value: dict[str, Any]) -> None:
    assert query_pairs(url) == pairs
    assert query_value(url) == value


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
HEADERS = st.dictionaries(
    st.sampled_from(["Content-Type", "content-encoding", "x"]),
    st.text()
    | st.sampled_from(
        [
            "application/json",
            FORM,
            "text/plain",
            "multipart/form-data; boundary=X",
            "text/xml; charset=utf-16",
            "image/png",
        ]
    ),
)
LOOSE_TEXT = st.text(st.characters(codec=None), max_size=60) | st.lists(
    st.sampled_from(
        ["--X\r\n", "--X--", "Content-Disposition: form-data; name=", '"a"', "\r\n", "&", "=", "{", "}", "é", "%f"]
    )
).map("".join)


@given(LOOSE_TEXT | LOOSE_TEXT.map(recorded) | st.binary() | JSON, HEADERS)
def test_no_body_raises(body: Any, headers: dict[str, str]) -> None:
    payload = parse_body(body, headers)
    assert all(isinstance(pointer, str) for pointer, _ in flatten(payload.value))


@given(JSON)
def test_flatten_and_resolve_agree(value: Any) -> None:
    leaves = list(flatten(value))
    assert leaves
    assert len({pointer for pointer, _ in leaves}) == len(leaves)
    for pointer, leaf in leaves:
        assert resolve(value, pointer) is leaf
    assert [(f"/p{pointer}", leaf) for pointer, leaf in leaves] == list(flatten(value, "/p"))


FIELDS = st.dictionaries(
    st.from_regex(r"[a-z]{1,6}", fullmatch=True), st.text("abc xyz.,-é\n", max_size=20), min_size=1
)


@given(FIELDS)
def test_live_and_recorded_multipart_give_the_same_fields(fields: dict[str, str]) -> None:
    text = multipart_text(*((f'name="{name}"', value) for name, value in fields.items()))
    assert parse_body(text, {}).value == parse_body(recorded(text), {}).value == fields


def test_pointers_escape_and_report_bad_ones() -> None:
    value = {"a/b": {"m~n": [1, {"": 2}]}, "empty": {}}
    assert list(flatten(value)) == [("/a~1b/m~0n/0", 1), ("/a~1b/m~0n/1/", 2), ("/empty", {})]
    for pointer in (
        "a",
        "/x",
        "/a~1b/m~0n/01",
        "/a~1b/m~0n/-",
        "/a~1b/m~0n/2",
        "/a~1b/m~0n/0/0",
        "/a~1b/m~0n/" + "9" * 9999,
    ):
        with pytest.raises(KeyError):
            resolve(value, pointer)


def test_deep_nesting_does_not_crash() -> None:
    value: Any = "leaf"
    for _ in range(2000):
        value = [{"k": value}]
    ((pointer, leaf),) = flatten(value)
    assert leaf == "leaf"
    assert resolve(value, pointer) == "leaf"
    assert parse_body(value, {}).kind == "json"


def requests(scenario: str = "*") -> Iterator[tuple[Path, dict[str, Any]]]:
    for file in sorted((SHARED / "corpus" / "dev").glob(f"{scenario}/**/requests.jsonl")):
        for line in file.read_text("utf-8").split("\n"):
            if line:
                yield file, json.loads(line)


@needs_corpus
def test_every_corpus_body_parses_by_its_type() -> None:
    kinds = {
        "application/json": "json",
        "text/plain": "json",
        FORM: "form",
        "multipart/form-data": "multipart",
        "": "none",
    }
    seen = 0
    for file, request in requests():
        content_type = request["headers"].get("Content-Type", "").partition(";")[0]
        assert parse_body(request["body"], request["headers"]).kind == kinds[content_type], (file, request["url"])
        seen += 1
    assert seen > 900


@needs_corpus
def test_corpus_multipart_has_the_form_fields_and_the_file() -> None:
    forms = [
        parse_body(request["body"], request["headers"]).value
        for _, request in requests("job-application")
        if request["headers"].get("Content-Type", "").startswith("multipart/")
    ]
    assert len(forms) == 8
    for form in forms:
        assert {"job_id", "first_name", "last_name", "email", "start_date"} <= form.keys()
        assert form.get("resume", {"filename": "alex_green_resume.pdf"})["filename"] == "alex_green_resume.pdf"
    sizes = [form["resume"]["size"] for form in forms if "resume" in form]
    assert len(sizes) == 7
    assert all(size > 600 for size in sizes)
