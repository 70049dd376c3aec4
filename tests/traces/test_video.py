"""Every way in which a recording is found broken in practice, on small real files."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.video import VideoInfo, probe_video
from clawjudge.traces.video_frames import VideoFrame, frames_at

FPS, FRAMES, GROUP = 15, 60, 15
SHARED = Path(os.environ.get("CLAWJUDGE_SHARED") or Path(__file__).parents[2].parent / "shared")


def levels(number: int) -> tuple[int, int]:
    """The two grey levels that say which frame this is."""
    return 30 + number % 8 * 25, 30 + number // 8 * 25


def record(
    path: Path,
    *,
    ticks: Sequence[int] = range(FRAMES),
    codec: str = "libx264",
    container: str = "mp4",
    flags: str = "frag_keyframe+empty_moov+default_base_moof",
    options: dict[str, str] | None = None,
) -> Path:
    """Film numbered frames, one fragment per group of pictures; `ticks` are times in frames."""
    muxing = {"movflags": flags} if container == "mp4" else {}
    with av.open(str(path), "w", format=container, options=muxing) as out:
        stream = out.add_stream(codec, rate=FPS)
        stream.width, stream.height, stream.pix_fmt, stream.gop_size = 320, 180, "yuv420p", GROUP
        if codec == "libx264":
            stream.options = options or {"preset": "ultrafast", "tune": "zerolatency", "profile": "baseline"}
        else:
            stream.options = {"deadline": "realtime", "cpu-used": "8", "lag-in-frames": "0"}
        for number, tick in enumerate(ticks):
            picture = np.empty((180, 320, 3), np.uint8)
            picture[:90, :160], picture[90:, :160] = levels(number)
            picture[:, 160:] = np.random.default_rng(number).integers(0, 255, (180, 160, 1), np.uint8)
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = tick, Fraction(1, FPS)
            for packet in stream.encode(frame):
                out.mux(packet)
        for packet in stream.encode():
            out.mux(packet)
    return path


def boxes(data: bytes) -> list[tuple[int, int, bytes]]:
    found, at = [], 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        found.append((at, length, kind))
        at += length
    return found


def box(data: bytes, kind: bytes, number: int) -> tuple[int, int]:
    return [(at, length) for at, length, name in boxes(data) if name == kind][number]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return record(tmp_path_factory.mktemp("video") / "recording.mp4").read_bytes()


def look(path: Path, times: Sequence[int]) -> tuple[VideoInfo, dict[int, VideoFrame], ProblemLog]:
    problems = ProblemLog()
    info = probe_video(path, "data/recording.mp4", problems)
    assert info is not None
    return info, dict(frames_at(path, times, info, "data/recording.mp4", problems)), problems


def codes(problems: ProblemLog) -> set[str]:
    assert all(problem.layer == "video" and problem.file == "data/recording.mp4" for problem in problems)
    return {code for _, _, code in problems.counts}


def ms(number: int) -> int:
    return round(number * 1000 / FPS)


def shows(frame: VideoFrame, number: int) -> bool:
    picture, (upper, lower) = frame.bgr(), levels(number)
    return abs(float(picture[:80, 20:140].mean()) - upper) < 10 > abs(float(picture[100:, 20:140].mean()) - lower)


def test_complete_recording(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "recording.mp4"
    path.write_bytes(whole)
    info, frames, problems = look(path, [2000, -1, 0, 66, 67, 1500, 999_999, 1500])
    assert (info.width, info.height, info.codec, info.frames) == (320, 180, "h264", FRAMES)
    assert (info.first_pts_ms, info.last_pts_ms, info.duration_ms) == (0, ms(FRAMES - 1), 4000)
    assert info.complete
    assert not info.variable_rate
    assert info.keyframes_ms == (0, 1000, 2000, 3000)
    assert list(frames) == [0, 66, 67, 1500, 2000, 999_999]
    for time, number in {0: 0, 66: 0, 67: 1, 1500: 22, 2000: 30, 999_999: 59}.items():
        assert frames[time].pts_ms == ms(number)
        assert frames[time].index == number
        assert shows(frames[time], number)
        assert not frames[time].damaged
    assert not problems
    assert path.read_bytes() == whole


def test_every_frame_is_found_at_its_own_time_and_just_before_the_next(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "recording.mp4"
    path.write_bytes(whole)
    times = [time for number in range(FRAMES) for time in (ms(number), ms(number + 1) - 1)]
    _, frames, _ = look(path, times)
    assert all(shows(frames[ms(n)], n) and shows(frames[ms(n + 1) - 1], n) for n in range(FRAMES))


def test_cut_inside_media_data_keeps_the_frames_before_the_cut(tmp_path: Path, whole: bytes) -> None:
    at, length = box(whole, b"mdat", 2)
    path = tmp_path / "recording.mp4"
    path.write_bytes(whole[: at + length // 2])
    info, frames, problems = look(path, [ms(29), ms(32), 9000])
    assert not info.complete
    assert 30 < info.frames < 45
    assert shows(frames[ms(29)], 29)
    assert shows(frames[ms(32)], 32)
    assert frames[9000].damaged  # its packet is the one that was cut
    assert codes(problems) <= {"recording_truncated", "frame_corrupt", "frame_undecodable"}
    assert "recording_truncated" in codes(problems)


@pytest.mark.parametrize("kept", [552, 5, 8, 40])
def test_cut_inside_a_fragment_header_keeps_all_earlier_fragments(tmp_path: Path, whole: bytes, kept: int) -> None:
    at, length = box(whole, b"moof", 2)
    data = whole[: at + min(kept, length - 1)]
    path = tmp_path / "recording.mp4"
    path.write_bytes(data)
    info, frames, problems = look(path, [0, 99_999])
    assert info.frames == 30
    assert info.duration_ms == 2000
    assert not info.complete
    assert shows(frames[99_999], 29)
    assert codes(problems) == {"recording_truncated"}
    assert path.read_bytes() == data


def test_cut_in_the_first_media_data(tmp_path: Path, whole: bytes) -> None:
    at, length = box(whole, b"mdat", 0)
    path = tmp_path / "recording.mp4"
    path.write_bytes(whole[: at + length // 2])
    info, frames, problems = look(path, [0])
    assert 0 < info.frames < 15
    assert shows(frames[0], 0)
    assert codes(problems) == {"recording_truncated"}


def test_flipped_bytes_damage_one_group_of_pictures_only(tmp_path: Path, whole: bytes) -> None:
    at, length = box(whole, b"mdat", 1)
    data = bytearray(whole)
    for place in range(at + length // 2, at + length // 2 + 20):
        data[place] ^= 0xFF
    path = tmp_path / "recording.mp4"
    path.write_bytes(data)
    info, frames, problems = look(path, [ms(n) for n in range(FRAMES)])
    assert info.frames == FRAMES
    assert all(shows(frames[ms(n)], n) for n in [*range(15), *range(30, FRAMES)])
    assert not any(frames[ms(n)].damaged for n in [*range(15), *range(30, FRAMES)])
    assert frames[ms(29)].damaged
    assert codes(problems) <= {"frame_undecodable", "frame_corrupt"}
    assert problems


def test_zeroed_media_data_is_reported_and_what_it_hides_is_marked(tmp_path: Path, whole: bytes) -> None:
    at, length = box(whole, b"mdat", 1)
    data = bytearray(whole)
    data[at + length // 2 : at + length] = bytes(length - length // 2)
    path = tmp_path / "recording.mp4"
    path.write_bytes(data)
    info, frames, problems = look(path, [ms(16), ms(28), ms(30)])
    assert info.frames == FRAMES
    assert shows(frames[ms(16)], 16)
    assert not frames[ms(16)].damaged
    assert frames[ms(28)].pts_ms < ms(28)
    assert frames[ms(28)].damaged
    assert shows(frames[ms(30)], 30)
    assert not frames[ms(30)].damaged
    assert problems.counts["video", "data/recording.mp4", "frame_undecodable"] > 3


def test_an_undecodable_group_falls_back_to_the_last_good_frame_before_it(tmp_path: Path, whole: bytes) -> None:
    at, length = box(whole, b"mdat", 2)
    data = bytearray(whole)
    data[at + 8 : at + length] = bytes(length - 8)
    path = tmp_path / "recording.mp4"
    path.write_bytes(data)
    _, frames, problems = look(path, [2500, 3000])  # the group before 2500 is not asked for
    assert shows(frames[2500], 29)
    assert frames[2500].damaged
    assert shows(frames[3000], 45)
    assert problems.counts["video", "data/recording.mp4", "frame_undecodable"] == 15  # not counted twice


def test_a_missing_fragment_leaves_the_times_right(tmp_path: Path, whole: bytes) -> None:
    begin, _ = box(whole, b"moof", 1)
    at, length = box(whole, b"mdat", 1)
    path = tmp_path / "recording.mp4"
    path.write_bytes(whole[:begin] + whole[at + length :])
    info, frames, problems = look(path, [1500, 2000, ms(50)])
    assert info.frames == 45
    assert info.duration_ms == 4000
    assert info.variable_rate
    assert not info.complete
    assert shows(frames[1500], 14)
    assert frames[1500].pts_ms == ms(14)
    assert shows(frames[2000], 30)
    assert shows(frames[ms(50)], 50)
    assert codes(problems) == {"recording_fragment_missing"}


def header_only(data: bytes, kind: bytes) -> bytes:
    at, length = box(data, kind, 0)
    return data[: at + length]


def without_index(data: bytes) -> bytes:
    at, length = box(data, b"moov", 0)
    return data[:at] + data[at + length :]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda data: b"", "recording_empty"),
        (without_index, "recording_no_moov"),
        (lambda data: header_only(data, b"ftyp"), "recording_no_moov"),
        (lambda data: header_only(data, b"moov"), "recording_no_frames"),
        (lambda data: header_only(data, b"moov")[:-40], "recording_no_moov"),
        (lambda data: bytes(range(256)) * 20, "recording_unplayable"),
        (lambda data: b"\0" * 4096, "recording_unplayable"),
        (lambda data: b"\0\0", "recording_unplayable"),
        (lambda data: b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", "recording_unplayable"),
        (lambda data: b"\x1a\x45\xdf\xa3", "recording_unplayable"),
        (lambda data: b"\x1a\x45\xdf\xa3" + b"\0" * 300, "recording_unplayable"),
        (lambda data: header_only(data, b"ftyp") + b"\0\0\0\x40moov" + b"\xff" * 56, "recording_no_frames"),
    ],
)
def test_a_file_without_any_frame_has_a_named_reason(
    tmp_path: Path, whole: bytes, make: Callable[[bytes], bytes], code: str
) -> None:
    path = tmp_path / "recording.mp4"
    path.write_bytes(make(whole))
    problems = ProblemLog()
    assert probe_video(path, "data/recording.mp4", problems) is None
    assert codes(problems) == {code}


def test_a_missing_file_a_folder_and_a_fifo_are_no_recordings(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for name in ("missing", ".", "fifo"):
        problems = ProblemLog()
        assert probe_video(tmp_path / name, "data/recording.mp4", problems) is None
        assert codes(problems) == {"recording_unplayable"}


def test_variable_rate_goes_by_time_stamps(tmp_path: Path) -> None:
    ticks = [0, 1, 2, 40, 41, 130, 300, 301, 450]
    info, frames, problems = look(record(tmp_path / "recording.mp4", ticks=ticks), [ms(39), ms(129), ms(299), ms(449)])
    assert info.variable_rate
    assert info.last_pts_ms == 30_000
    for time, number in {ms(39): 2, ms(129): 4, ms(299): 5, ms(449): 7}.items():
        assert frames[time].pts_ms == ms(ticks[number])
        assert shows(frames[time], number)
    assert not problems


@pytest.mark.parametrize("codec", ["libvpx", "libvpx-vp9"])
def test_webm(tmp_path: Path, codec: str) -> None:
    try:
        av.codec.Codec(codec, "w")
    except ValueError:
        pytest.skip(f"this PyAV has no {codec} encoder")
    path = record(tmp_path / "recording.webm", codec=codec, container="webm")
    info, frames, problems = look(path, [0, 1500, 9000])
    assert info.frames == FRAMES
    assert info.codec in ("vp8", "vp9")
    assert info.complete
    assert not info.variable_rate
    assert shows(frames[1500], 22)
    assert shows(frames[9000], 59)
    assert not problems

    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    info, frames, problems = look(path, [0, 9000])
    assert not info.complete
    assert 0 < info.frames < FRAMES
    assert shows(frames[0], 0)
    assert "recording_truncated" in codes(problems)


def test_reordered_frames_and_a_plain_mp4(tmp_path: Path) -> None:
    path = record(
        tmp_path / "recording.mp4", flags="faststart", options={"preset": "fast", "x264-params": "bframes=3:b-adapt=0"}
    )
    info, frames, problems = look(path, [ms(n) for n in range(FRAMES)])
    assert info.frames == FRAMES
    assert not info.variable_rate
    assert all(shows(frames[ms(n)], n) and frames[ms(n)].pts_ms == ms(n) for n in range(FRAMES))
    assert not problems


def test_a_plain_mp4_whose_writer_was_killed_has_no_index(tmp_path: Path) -> None:
    path = record(tmp_path / "recording.mp4", flags="0")
    data = path.read_bytes()
    path.write_bytes(data[: box(data, b"moov", 0)[0]])
    problems = ProblemLog()
    assert probe_video(path, "data/recording.mp4", problems) is None
    assert codes(problems) == {"recording_no_moov"}


def test_a_frame_gives_grey_and_jpeg(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "recording.mp4"
    path.write_bytes(whole)
    _, frames, _ = look(path, [1000])
    thumb = frames[1000].thumb()
    assert thumb.shape == (90, 160)
    assert abs(float(thumb[:40, 10:70].mean()) - levels(15)[0]) < 5  # full range, like a screenshot
    assert frames[1000].jpeg().startswith(b"\xff\xd8")


def test_cutting_anywhere_never_raises(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "recording.mp4"
    for size in range(0, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:size])
        problems = ProblemLog()
        info = probe_video(path, "data/recording.mp4", problems)
        assert problems
        if info is not None:
            assert not info.complete
            list(frames_at(path, [0, 2000, 4000], info, "data/recording.mp4", problems))


def test_noise_anywhere_never_raises(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "recording.mp4"
    random = np.random.default_rng(7)
    for _ in range(60):
        data = bytearray(whole)
        for place in random.integers(0, len(whole), 30):
            data[int(place)] = int(random.integers(0, 256))
        path.write_bytes(data)
        problems = ProblemLog()
        info = probe_video(path, "data/recording.mp4", problems)
        if info is None:
            assert problems
            continue
        answers = list(frames_at(path, [0, 2000, 4000], info, "data/recording.mp4", problems))
        assert all(frame.pts_ms <= time for time, frame in answers)


@pytest.mark.parametrize(
    ("run", "size"), [("food-order/pass-exact", (1920, 1080)), ("food-order/reference", (1280, 720))]
)
def test_corpus_recordings(run: str, size: tuple[int, int]) -> None:
    path = SHARED / "corpus" / "dev" / run / "data" / "recording.mp4"
    if not path.is_file():
        pytest.skip(f"{path} is not here; set CLAWJUDGE_SHARED to the folder that holds corpus/")
    info, frames, problems = look(path, [0, 5000, 10_000])
    assert (info.width, info.height) == size
    assert info.complete
    assert [0 <= time - frame.pts_ms < 200 for time, frame in frames.items()] == [True] * 3
    assert not problems
