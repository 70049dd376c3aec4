"""Paths from a trace: none leads out of its folder, whatever it is called."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawjudge.traces.errors import UnsafePath
from clawjudge.traces.paths import inside


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with an outside to lead to."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("s")
    folder = tmp_path / "run"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "a.png").write_bytes(b"a")
    return folder


@pytest.mark.parametrize(
    "relative",
    [
        "data/a.png",
        "data//a.png",
        "./data/./a.png",
        "data\\a.png",
        "not/there",
        "~",
        "~/x",
        "$HOME/x",
        "...",
        "a/.../b",
        "..a/b..",
        "ab:c",
        "résumé – 履歴書.pdf",
        "a b\tc",
        "con",
        "x" * 255,
        "%2e%2e/x",
    ],
)
def test_harmless_name_stays_below_the_folder(run: Path, relative: str) -> None:
    assert inside(run, relative) == run / relative.replace("\\", "/")


@pytest.mark.parametrize(
    "relative",
    [
        "..",
        "../outside/secret",
        "data/../../outside/secret",
        "data/..",
        "..\\outside\\secret",
        "data\\..\\..\\x",
        "/etc/passwd",
        "//host/share",
        "\\\\host\\share\\x",
        "\\etc\\passwd",
        "C:\\Windows\\x",
        "C:x",
        "c:/x",
        "a:b",
        "a\0b",
        "\0",
        "../" * 500 + "etc/passwd",
        "\ud83d.png",
        "x" * 256,
        "é" * 128,
        "a/" * 3000 + "b",
        "x" * 100_000,
    ],
)
def test_hostile_name_is_refused_by_name(run: Path, relative: str) -> None:
    with pytest.raises(UnsafePath) as refused:
        inside(run, relative)
    message = str(refused.value)
    assert len(message) < 1000
    assert message.isprintable()


def test_message_cannot_drive_a_terminal(run: Path) -> None:
    with pytest.raises(UnsafePath) as refused:
        inside(run, "../\x1b]0;owned\x07\x1b[2J\u202e")
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("out", "../outside/secret"),
        ("out", "/etc/passwd"),
        ("folder", "../outside"),
        ("root", "/"),
        ("out", "data/../../outside/secret"),
        ("proc", "/proc/self/root/etc/passwd"),
        ("gone", "../outside/not-there"),
    ],
)
def test_link_that_leads_out_is_refused(run: Path, link: str, target: str) -> None:
    (run / link).symlink_to(target)
    with pytest.raises(UnsafePath, match="leads outside"):
        inside(run, link)


def test_link_on_the_way_is_refused(run: Path) -> None:
    (run / "way").symlink_to("../outside")
    with pytest.raises(UnsafePath, match="leads outside"):
        inside(run, "way/secret")


def test_chain_of_links_is_followed_to_its_end(run: Path) -> None:
    (run / "one").symlink_to("two")
    (run / "two").symlink_to("data")
    assert inside(run, "one/a.png").read_bytes() == b"a"
    (run / "two").unlink()
    (run / "two").symlink_to("three")
    (run / "three").symlink_to("../outside")
    with pytest.raises(UnsafePath, match="leads outside"):
        inside(run, "one/secret")


@pytest.mark.parametrize("names", [["a"], ["a", "b"], ["a", "b", "c"]])
def test_loop_of_links_is_refused(run: Path, names: list[str]) -> None:
    for name, following in zip(names, [*names[1:], names[0]], strict=True):
        (run / name).symlink_to(following)
    with pytest.raises(UnsafePath, match="cannot be followed"):
        inside(run, "a")
    with pytest.raises(UnsafePath, match="cannot be followed"):
        inside(run, "a/below")


def test_link_inside_the_run_is_allowed(run: Path) -> None:
    (run / "latest.png").symlink_to("data/a.png")
    assert inside(run, "latest.png").read_bytes() == b"a"
    (run / "absolute.png").symlink_to(run / "data" / "a.png")
    assert inside(run, "absolute.png").read_bytes() == b"a"


def test_folder_may_itself_be_reached_by_a_link(run: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(run)
    assert inside(tmp_path / "alias", "data/a.png").read_bytes() == b"a"


def test_name_of_a_sibling_is_no_way_in(run: Path) -> None:
    (run.parent / "run-2").mkdir()
    (run / "near").symlink_to("../run-2")
    with pytest.raises(UnsafePath, match="leads outside"):
        inside(run, "near")


part = st.sampled_from(["..", ".", "", "a", "link", "loop", "data", "~", "C:", "\0", "\ud800", "x" * 300, "/", "\\"])


@given(st.text(max_size=40) | st.lists(part, max_size=6).map("/".join) | st.lists(part, max_size=6).map("\\".join))
@settings(max_examples=400)
def test_whatever_comes_back_is_below_the_folder(tmp_path_factory: pytest.TempPathFactory, relative: str) -> None:
    folder = tmp_path_factory.getbasetemp() / "hostile"
    if not folder.exists():
        (folder / "data").mkdir(parents=True)
        (folder / "link").symlink_to("/")
        (folder / "loop").symlink_to("loop")
    try:
        found = inside(folder, relative)
    except UnsafePath:
        return
    assert os.path.realpath(found).startswith(os.path.realpath(folder))
    assert not found.is_dir() or found in (folder, folder / "data")
