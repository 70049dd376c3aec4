"""Screens for terminals without our signs: readable words, columns kept, nothing lost."""

from __future__ import annotations

import sys

import pytest

from clawjudge.judge.show.encoding import encode, stdout_encoding


def test_signs_become_words_and_columns_stay() -> None:
    screen = "✓ PASS       ✓     right   yes\n? UNJUDGED   –     other   no\n"
    first, second = encode(screen, "ascii").decode().splitlines()
    assert first == "ok PASS      ok    right   yes"
    assert second == "? UNJUDGED   -     other   no"
    assert first.index("right") == second.index("other")


def test_what_has_no_word_is_escaped_and_what_fits_is_kept() -> None:
    assert encode("日 ≠ é…", "ascii") == rb"\u65e5 != \xe9..."
    assert encode("é ✗", "latin-1") == "é no".encode("latin-1")
    assert encode("✓ 日", "utf-8").decode() == "✓ 日"
    assert encode("\ud800", "utf-8") == rb"\ud800"


@pytest.mark.parametrize(
    ("names", "plain"),
    [({"LC_ALL": "C"}, True), ({"LANG": "POSIX"}, True), ({"LANG": "C", "LC_ALL": "en_US.UTF-8"}, False), ({}, False),
     ({"LANG": "C.UTF-8"}, False)],
)  # fmt: skip
def test_the_language_of_the_terminal(monkeypatch: pytest.MonkeyPatch, names: dict[str, str], plain: bool) -> None:
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    assert stdout_encoding() == ("ascii" if plain else sys.stdout.encoding)
