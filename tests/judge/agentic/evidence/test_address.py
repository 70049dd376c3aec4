"""Addresses: read back as written, and refused with the forms that there are."""

from __future__ import annotations

import pytest

from clawjudge.judge.agentic.evidence.address import Address, seconds


@pytest.mark.parametrize(
    "text",
    [
        "agent http:12",
        "reference http:12 /body/items/0/qty",
        "agent actions:1 /target/textContent",
        "agent messages:999",
        "agent interception",
        "reference interception /request/body/a~1b",
        "task",
        "task /instruction",
        "pictures/004-agent-after.jpg",
        "sheets/001.jpg",
        "agent screen @12.3s",
        "reference screen @-0.5s",
    ],
)
def test_an_address_is_read_back_as_written(text: str) -> None:
    assert str(Address.parse(text)) == text
    assert str(Address.parse(f"  {text}\n")) == text


def test_a_pointer_may_be_given_as_the_evidence_shows_it() -> None:
    said = Address.parse('agent http:3 "/body/caf\\u00e9 \\"x\\"":')
    assert (said.layer, said.line, said.pointer) == ("http", 3, '/body/café "x"')


@pytest.mark.parametrize(
    "text",
    [
        "",
        "http:12",
        "Agent http:12",
        "agent http:0",
        "agent http:-1",
        "agent http:1e3",
        "agent video:3",
        "agent http:12 body",
        'agent http:12 "/body',
        'agent http:12 "body"',
        "pictures/../task.json",
        "pictures/CLAUDE.md",
        "/etc/passwd",
        "agent screen @nan s",
        "agent screen @99999999999s",
        "task\x00",
        "agent http:" + "9" * 5000,
    ],
)
def test_everything_else_is_refused_with_the_forms_there_are(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"an address is written as in the evidence files|which begins with a slash"
    ) as refused:
        Address.parse(text)
    assert len(str(refused.value)) < 800


def test_seconds_are_counted_from_the_beginning() -> None:
    assert [seconds(t) for t in (0, 12_345, -80)] == ["0.0s", "12.3s", "-0.1s"]
