"""Reports of `clawjudge evaluate`, as it writes them, read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from clawjudge.judge.cli.main import main
from clawjudge.judge.store.reports import InvalidReport, read_report

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "food-order"


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_what_evaluate_wrote_is_read(form: str, tmp_path: Path) -> None:
    file = tmp_path / f"report.{form}"
    main(["evaluate", "--agent-trace", str(EXAMPLES), "--format", form, "-o", str(file)])
    found = {one.run: one.outcome for one in read_report(file)}
    assert found["right-order"] == "pass"
    assert found["wrong-quantity"] == "fail"
    assert {one.judge for one in read_report(file)} == {"offline" if form == "json" else ""}


def test_a_binary_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidReport, match=r"x\.json: is no report of clawjudge evaluate"):
        read_report(tmp_path / "x.json")
