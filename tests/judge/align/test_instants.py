"""One instant in two zones, and times that only share a clock."""

from __future__ import annotations

from typing import Any

import pytest

from clawjudge.judge.align.instants import is_timed, same_instant_scopes
from clawjudge.traces.pointers import flatten

NINE = {"start": "2027-05-03T09:00:00Z", "end": "2027-05-03T10:00:00Z"}


@pytest.mark.parametrize(
    ("reference", "agent", "scopes"),
    [
        ({"body": NINE}, {"body": {"start": "2027-05-03T11:00:00+02:00", "end": "2027-05-03T12:00+02:00"}}, {"/body"}),
        ({"body": NINE}, {"body": {"start": "2027-05-03T11:00:00+02:00", "end": "2027-05-03T12:00+01:00"}}, set()),
        ({"body": NINE}, {"body": {"start": "2027-05-03T11:00:00+02:00"}}, set()),
        ({"body": NINE}, {"body": {"start": "2027-05-03T09:00:00", "end": "2027-05-03T10:00:00"}}, set()),
        (
            {"body": {"start": "2027-05-03T09:00", "zone": "UTC"}},
            {"body": {"start": "2027-05-03T05:00", "zone": "America/Toronto"}},
            {"/body"},
        ),
        (
            {"body": {"start": "2027-05-03T09:00", "zone": "UTC"}},
            {"body": {"start": "2027-05-03T09:00", "zone": "America/Toronto"}},
            set(),
        ),
        (
            {"body": {"zone": "UTC", "slot": {"at": "2027-05-03T09:00"}}},
            {"body": {"zone": "America/Toronto", "slot": {"at": "2027-05-03T05:00"}}},
            {"/body/slot"},
        ),
        ({"body": {"slot": NINE}}, {"body": {"other": NINE}}, set()),
        ({"body": {"at": "2027-05-03T09:00"}}, {"body": {"at": "2027-05-03T10:00"}}, set()),
        ({"body": {"x": "y"}}, {"body": {"x": "y"}}, set()),
    ],
)  # fmt: skip
def test_scopes_of_one_instant(reference: dict[str, Any], agent: dict[str, Any], scopes: set[str]) -> None:
    assert same_instant_scopes(dict(flatten(reference)), dict(flatten(agent))) == scopes


@pytest.mark.parametrize(
    ("value", "timed"),
    [("2027-05-03T09:00", True), ("Europe/Berlin", True), ("Berlin wall", False), ("", False), (7, False)],
)
def test_times_and_zones(value: Any, timed: bool) -> None:
    assert is_timed(value) is timed
