from __future__ import annotations

import pytest

from clawjudge.traces.repeated_keys import lines_with_repeated_keys, repeats_a_key


@pytest.mark.parametrize(
    ("raw", "repeats"),
    [
        (b'{"a": 1, "a": 2}', True),
        (b'[{"b": {"a": 1, "c": 0, "a": "1"}}]', True),
        (b'{"a": 1, "\\u0061": 2}', True),
        (b'{"a": 2, "a": 1, "a": 2}', True),
        (b'{"a": 1, "a": 1}', False),
        (b'{"a": {"b": 1}, "c": {"b": 2}}', False),
        (b'{"a": 1, "a": 2', False),
        (b"[" * 100_000, False),
        (b'{"\xff": 1, "\xff": 2}', True),
    ],
)
def test_a_key_with_two_values(raw, repeats):
    assert repeats_a_key(raw) is repeats


def test_only_the_lines_that_were_asked_for(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_bytes(b'{"a":1,"a":2}\n{"a":1}\n{"a":1,"a":2}\n')
    assert lines_with_repeated_keys(log, {2, 3, 9}) == {3}
    assert lines_with_repeated_keys(tmp_path / "none", {1}) == frozenset()
