"""Screenshots from an untrusted folder: what is listed, what is decoded, what counts as new."""

from __future__ import annotations

import os
import struct
import zlib
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest

from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.screenshots import (
    MAX_SIDE,
    Screenshot,
    decode,
    encode_jpeg,
    image_size,
    list_screenshots,
    probe_screenshot,
    read_bytes,
    same_picture,
    thumbnail,
)

T = 1_796_023_385_066


def page(text: str = "", shade: int = 240, size: tuple[int, int] = (540, 960)) -> np.ndarray:
    picture = np.full((*size, 3), shade, np.uint8)
    cv2.rectangle(picture, (0, 0), (size[1], 60), (120, 60, 30), -1)
    cv2.putText(picture, text, (100, 300), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 1)
    return picture


def save(path: Path, picture: np.ndarray) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(cv2.imencode(path.suffix, picture)[1].tobytes())
    return path


def listed(run: Path) -> tuple[list[Screenshot], ProblemLog]:
    problems = ProblemLog()
    return list_screenshots(run / "data" / "screenshots", run, problems), problems


def codes(problems: ProblemLog) -> dict[str, int]:
    assert all(problem.layer == "screenshots" for problem in problems)
    counts: Counter[str] = Counter()
    for (_, _, code), count in problems.counts.items():
        counts[code] += count
    return dict(counts)


def test_times_come_from_names_and_order_the_list(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "screenshots"
    for name in (f"{T + 10}.png", f"{T}.jpg", "1796023380.webp", "step_10.png", "step_2.png", "0000000001.png"):
        save(folder / name, page())
    shots, problems = listed(tmp_path)
    assert [(shot.file.rpartition("/")[2], shot.t_ms) for shot in shots] == [
        ("1796023380.webp", 1_796_023_380_000),
        (f"{T}.jpg", T),
        (f"{T + 10}.png", T + 10),
        ("0000000001.png", None),
        ("step_2.png", None),
        ("step_10.png", None),
    ]
    assert shots[0].file == "data/screenshots/1796023380.webp"
    assert all(shot.size == (tmp_path / shot.file).stat().st_size for shot in shots)
    assert not problems


def test_a_missing_folder_is_an_empty_list(tmp_path: Path) -> None:
    assert listed(tmp_path)[0] == []


def test_links_out_of_the_run_are_refused_and_other_files_counted(tmp_path: Path) -> None:
    outside = save(tmp_path / "secret" / "secret.png", page())
    run = tmp_path / "run"
    folder = run / "data" / "screenshots"
    save(folder / f"{T}.png", page())
    (folder / f"{T + 1}.png").symlink_to(outside)
    (folder / f"{T + 2}.png").symlink_to(f"{T}.png")  # inside: allowed
    (folder / f"{T + 3}.png").symlink_to("nowhere.png")
    (folder / "notes.txt").write_text("x")
    (folder / "sub.png").mkdir()
    os.mkfifo(folder / f"{T + 4}.png")
    shots, problems = listed(run)
    assert [shot.t_ms for shot in shots] == [T, T + 2]
    assert codes(problems) == {"unsafe_path": 1, "screenshot_unreadable": 1, "not_a_screenshot": 3}


def test_a_linked_folder_out_of_the_run_is_refused(tmp_path: Path) -> None:
    save(tmp_path / "secret" / f"{T}.png", page())
    run = tmp_path / "run"
    (run / "data").mkdir(parents=True)
    (run / "data" / "screenshots").symlink_to(tmp_path / "secret")
    shots, problems = listed(run)
    assert shots == []
    assert codes(problems) == {"unsafe_path": 1}


def decoded(shots: list[Screenshot], run: Path, problems: ProblemLog) -> list[Screenshot]:
    """Those of `shots` that can be decoded."""
    raws = ((shot, read_bytes(shot, run, problems)) for shot in shots)
    return [shot for shot, raw in raws if raw is not None and decode(raw, shot.file, problems) is not None]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("Quantity 1", "Quantity 1", True), ("Quantity 1", "Quantity 2", False), ("Quantity 1", "Quantity 1.", False)],
)
def test_small_changes_make_another_picture(one: str, other: str, same: bool) -> None:
    grey = [cv2.cvtColor(page(text), cv2.COLOR_BGR2GRAY) for text in (one, other)]
    assert same_picture(thumbnail(grey[0]), thumbnail(grey[1])) is same


PNG = cv2.imencode(".png", page())[1].tobytes()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"not a picture", "not a PNG"),
        (b"<html>" + PNG, "not a PNG"),
        (PNG[:-30], "cut short"),
        (PNG[:100], "cut short"),
        (PNG[:20], "not a PNG"),
        (PNG[:17] + b"\xff" + PNG[18:], "header is damaged"),
        (PNG[:1] + b"\0" + PNG[2:], "not a PNG"),
        (cv2.imencode(".webp", page())[1].tobytes()[:-30], "cut short"),
    ],
)
def test_what_is_no_whole_picture_is_named_without_decoding_it(tmp_path: Path, content: bytes, said: str) -> None:
    folder = tmp_path / "data" / "screenshots"
    save(folder / f"{T}.png", page())
    (folder / f"{T + 1}.png").write_bytes(content)
    shots, problems = listed(tmp_path)
    assert [probe_screenshot(shot, tmp_path, problems) for shot in shots] == [True, False]
    assert codes(problems) == {"screenshot_undecodable": 1}
    assert said in next(iter(problems)).message


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp"])
def test_whole_pictures_pass_the_probe(tmp_path: Path, suffix: str) -> None:
    save(tmp_path / "data" / "screenshots" / f"{T}{suffix}", page("x"))
    shots, problems = listed(tmp_path)
    assert [probe_screenshot(shot, tmp_path, problems) for shot in shots] == [True]
    assert not problems


def bomb(width: int, height: int) -> bytes:
    """A PNG that says it is huge."""
    body = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", 13) + body + struct.pack(">I", zlib.crc32(body))
        + b"\0\0\0\0IEND\xaeB`\x82"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "screenshot_undecodable"),
        (b"not a picture", "screenshot_undecodable"),
        (cv2.imencode(".png", page())[1].tobytes()[:-30], "screenshot_undecodable"),
        (cv2.imencode(".jpg", page())[1].tobytes()[:200], "screenshot_undecodable"),
        (bomb(100_000, 100_000), "screenshot_too_large"),
        (bomb(0, 10), "screenshot_undecodable"),
        (cv2.imencode(".bmp", page())[1].tobytes(), "screenshot_undecodable"),  # only PNG, JPEG, WebP are decoded
    ],
)
def test_what_cannot_or_should_not_be_decoded_is_reported(tmp_path: Path, content: bytes, code: str) -> None:
    folder = tmp_path / "data" / "screenshots"
    save(folder / f"{T}.png", page())
    (folder / f"{T + 1}.png").write_bytes(content)
    (folder / f"{T + 2}.png").write_bytes(content)
    shots, problems = listed(tmp_path)
    assert [shot.t_ms for shot in decoded(shots, tmp_path, problems)] == [T]
    assert codes(problems) == {code: 2}


def test_flipped_bytes_inside_a_png(tmp_path: Path) -> None:
    path = save(tmp_path / "data" / "screenshots" / f"{T}.png", page("x"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    shots, problems = listed(tmp_path)
    assert decoded(shots, tmp_path, problems) == []
    assert codes(problems) == {"screenshot_undecodable": 1}


@pytest.mark.parametrize(("suffix", "options"), [(".png", []), (".jpg", []), (".webp", []), (".webp", [64, 50])])
def test_sizes_are_read_from_headers(suffix: str, options: list[int]) -> None:
    raw = cv2.imencode(suffix, page(size=(123, 457)), options)[1].tobytes()
    assert image_size(raw) == (457, 123)
    assert all(image_size(raw[:size]) in (None, (457, 123)) for size in range(60))


def test_a_changed_or_removed_file_is_a_problem_not_an_error(tmp_path: Path) -> None:
    path = save(tmp_path / "data" / "screenshots" / f"{T}.png", page())
    shots, problems = listed(tmp_path)
    path.unlink()
    assert decoded(shots, tmp_path, problems) == []
    assert codes(problems) == {"screenshot_unreadable": 1}


def test_jpegs_fit_a_judge() -> None:
    assert image_size(encode_jpeg(page(size=(1080, 1920)))) == (MAX_SIDE, 882)
    assert image_size(encode_jpeg(page(size=(600, 300)))) == (300, 600)
