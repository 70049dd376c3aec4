"""A citation counts only if the recording holds what it quotes, where it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawjudge.judge.citation import MAX_QUOTE, CitationCheck, at, quote, says, shown
from clawjudge.judge.verdict import Citation

CARD = "4111111111111111"
ORDER = {
    "url": "https://shop.test/api/orders?coupon=SAVE10&tag=a&tag=b",
    "method": "POST",
    "headers": {"Content-Type": "application/json"},
    "body": {
        "name": "Pad Thai",
        "count": 12,
        "gift": True,
        "none": None,
        "card": CARD,
        "password": "hunter2hunter2",
        "inner": '{"deep": {"n": 7}}',
        "寿司": "特上寿司二人前",
    },
}
MULTIPART = '--xx\r\nContent-Disposition: form-data; name="qty"\r\n\r\n2\r\n--xx--\r\n'


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    data = folder / "data"
    data.mkdir(parents=True)
    (folder / "run-meta.json").write_text('{"model": "scripted"}')
    form = {**ORDER, "headers": {"Content-Type": "application/x-www-form-urlencoded"}, "body": "qty=2&name=Pad+Thai"}
    parts = {**ORDER, "headers": {"Content-Type": "multipart/form-data; boundary=xx"}, "body": MULTIPART}
    lines: list[bytes] = [json.dumps(line).encode() for line in (ORDER, form, parts)]
    lines.append(b'{"url": "https://shop.test/\xff\xfe", "note": "caf\xe9 table"}')
    lines.append(b"{broken")
    lines.append(b"\xef\xbb\xbf" + json.dumps({"text": "after a mark", "list": [1, 2, 3]}).encode() + b"\r")
    lines.append(b'{"a": ' * 3000 + b"1" + b"}" * 3000)
    (data / "requests.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    (data / "agent-messages.jsonl").write_text(json.dumps({"role": "assistant", "text": 'I sent "count": 12'}) + "\n")
    (data / "interception.json").write_text(json.dumps({"intercepted": True, "request": ORDER}))
    return folder


def check(run: Path, /, **fields: Any) -> bool:
    citation = Citation(**{"layer": "http", "file": "data/requests.jsonl", "line": 1, **fields})
    return CitationCheck({"agent": run}).verify(citation).verified


@pytest.mark.parametrize(
    ("line", "pointer", "quotation"),
    [
        (1, "/method", "POST"),
        (1, "/url", "https://shop.test/api/orders?coupon=SAVE10&tag=a&tag=b"),
        (1, "/url", "coupon=SAVE10"),
        (1, "/params/coupon", "SAVE10"),
        (1, "/params/tag/1", "b"),
        (1, "/body/name", "Pad Thai"),
        (1, "/body/name", "Thai"),
        (1, "/body/count", "12"),
        (1, "/body/gift", "true"),
        (1, "/body/none", "null"),
        (1, "/body/inner/deep/n", "7"),
        (1, "/body/寿司", "寿司"),
        (1, "/body/card", "•••• 1111"),
        (1, "/body/password", "•••"),
        (1, "", '"name": "Pad Thai", "count": 12'),
        (1, "", '"name":"Pad Thai","count":12'),
        (2, "/body/qty", "2"),
        (2, "/body/name", "Pad Thai"),
        (3, "/body/qty", "2"),
        (4, "/note", "caf\ufffd table"),
        (6, "/text", "after a mark"),
        (6, "/list", "[1, 2, 3]"),
    ],
)
def test_what_stands_there_is_confirmed(run: Path, line: int, pointer: str, quotation: str) -> None:
    assert check(run, line=line, pointer=pointer or None, quote=quotation)


@pytest.mark.parametrize(
    ("line", "pointer", "quotation"),
    [
        (1, "/body/name", "Pad Thai x2"),
        (1, "/body/name", "pad thai"),
        (1, "/body/name", "ad Tha"),
        (1, "/body/name", "ad Thai"),
        (1, "/body/name", "Pad Tha"),
        (1, "/body/name", ""),
        (1, "/body/name", " "),
        (1, "/body/count", "2"),
        (1, "/body/count", "1"),
        (1, "/body/count", "12.0"),
        (1, "/body/gift", "false"),
        (1, "/body/gift", "rue"),
        (1, "/body/card", CARD),
        (1, "/body/password", "hunter2hunter2"),
        (1, "", "hunter2hunter2"),
        (1, "", CARD),
        (1, "", ","),
        (1, "", ""),
        (1, "/body/missing", "null"),
        (1, "/body/name/0", "P"),
        (1, "body/name", "Pad Thai"),
        (1, "/body/name~2", "Pad Thai"),
        (1, "/params/tag/01", "b"),
        (1, "/params/tag/-1", "b"),
        (2, "/body/qty", "3"),
        (5, "/broken", "broken"),
        (5, "", "broken"),
        (7, "/a", "1"),
        (8, "/method", "POST"),
        (99999, "/method", "POST"),
        (0, "/method", "POST"),
        (-1, "/method", "POST"),
        (None, "/method", "POST"),
    ],
)
def test_what_does_not_stand_there_is_not(run: Path, line: int | None, pointer: str, quotation: str) -> None:
    assert not check(run, line=line, pointer=pointer or None, quote=quotation)


@pytest.mark.parametrize("pointer", ["/request/body/name", "/request/url", "/intercepted", "/request/params/coupon"])
def test_the_nested_interception_can_be_cited(run: Path, pointer: str) -> None:
    words = {"/request/body/name": "Pad Thai", "/request/url": "shop.test", "/intercepted": "true"}
    quotation = words.get(pointer, "SAVE10")
    where = {"layer": "interception", "file": "data/interception.json", "line": None}
    assert check(run, **where, pointer=pointer, quote=quotation)
    assert not check(run, **where, pointer=pointer, quote="something else")


def test_the_flat_interception_can_be_cited(run: Path) -> None:
    (run / "data/interception.json").write_text("\ufeff" + json.dumps({**ORDER, "intercepted": True}))
    where = {"layer": "interception", "file": "data/interception.json", "line": None}
    assert check(run, **where, pointer="/body/name", quote="Pad Thai")
    assert check(run, **where, pointer="/params/coupon", quote="SAVE10")
    assert not check(run, **where, pointer="/request/body/name", quote="Pad Thai")


def test_a_body_cut_by_the_recorder_is_cited_as_it_was_parsed(run: Path) -> None:
    cut = {"--xx\r\nContent-Disposition: form-data; name": '"qty"\r\n\r\n2\r\n--xx--\r\n'}
    line = {**ORDER, "headers": {"content-type": "multipart/form-data; boundary=xx"}, "body": cut}
    (run / "data/requests.jsonl").write_text(json.dumps(line) + "\n")
    assert check(run, pointer="/body/qty", quote="2")
    assert not check(run, pointer="/body/qty", quote="3")


def test_what_an_agent_says_is_no_request(run: Path) -> None:
    said = {"file": "data/agent-messages.jsonl", "pointer": "/text", "quote": '"count": 12'}
    assert check(run, layer="messages", **said)
    assert not check(run, layer="http", **said)
    assert not check(run, layer="interception", **{**said, "line": None})
    assert not check(run, layer="meta", **said)


@pytest.mark.parametrize(
    "file",
    [
        "../secret.json",
        "/etc/passwd",
        "data/../../secret.json",
        "out/requests.jsonl",
        "C:\\requests.jsonl",
        "a\0b",
        "x" * 5000,
        "",
        "data",
    ],
)
def test_no_path_leads_out_or_astray(run: Path, file: str) -> None:
    outside = run.parent / "elsewhere"
    outside.mkdir()
    (run.parent / "secret.json").write_text('{"method": "POST"}')
    (outside / "requests.jsonl").write_text('{"method": "POST"}\n')
    (run / "out").symlink_to(outside)
    for layer in ("http", "task", "meta"):
        assert not check(run, layer=layer, file=file, pointer="/method", quote="POST")
        assert not check(run, layer=layer, file=file, line=None, pointer="/method", quote="POST")


def test_a_run_that_was_not_given_confirms_nothing(run: Path) -> None:
    assert not check(run, run="reference", pointer="/method", quote="POST")


def test_a_judge_cannot_confirm_its_own_citation(run: Path) -> None:
    assert not check(run, pointer="/method", quote="GET", verified=True)


def test_one_check_may_be_asked_again(run: Path) -> None:
    both = CitationCheck({"agent": run, "reference": run})
    right = Citation(layer="http", file="data/requests.jsonl", line=1, pointer="/method", quote="POST")
    for whose in ("agent", "reference"):
        assert both.verify(right.model_copy(update={"run": whose})).verified
        assert not both.verify(right.model_copy(update={"run": whose, "quote": "PUT"})).verified


def test_the_meta_data_can_be_cited(run: Path) -> None:
    assert check(run, layer="meta", file="run-meta.json", line=None, pointer="/model", quote="scripted")
    assert not check(run, layer="meta", file="data/interception.json", line=None, pointer="/intercepted", quote="true")


def test_a_picture_must_be_one(run: Path) -> None:
    shots = run / "data/screenshots"
    shots.mkdir()
    (shots / "1.png").write_text("no picture")
    assert not check(run, layer="screenshots", file="data/screenshots/1.png", line=None)
    assert not check(run, layer="screenshots", file="data/screenshots/2.png", line=None)


def test_secrets_are_masked_wherever_they_stand() -> None:
    text = shown({"card": {"number": CARD, "cvv": "123"}, "logins": [{"password": "hunter2"}], "n": 5})
    assert CARD not in text
    assert "123" not in text.replace("•••• 1111", "")
    assert "hunter2" not in text
    assert '"n": 5' in text


def test_a_quotation_is_short_and_holds() -> None:
    long = "word " * 200
    assert len(quote(long)) == MAX_QUOTE
    assert says(long, quote(long))
    assert says("x" * 500, quote("x" * 500))
    assert not says("abcdef", "abc")


def test_a_pointer_into_a_request_reads_the_parsed_body() -> None:
    assert at({"url": "https://x.test/?a=1", "body": '{"b": 2}'}, "/body/b") == 2
    assert at({"url": "https://x.test/?a=1"}, "/params/a") == "1"
    assert at({"body": {"b": 2}}, "/body/b") == 2
    with pytest.raises(KeyError):
        at([1], "/url")


scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=30)


@given(st.recursive(scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=4), v, max_size=3)))
def test_every_value_says_its_own_quotation(value: Any) -> None:
    assert says(value, shown(value))
