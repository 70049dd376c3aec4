"""Public rows and rows in files."""

from __future__ import annotations

from pathlib import Path

import pytest
from clawbench.eval.reproduce import PUBLISHED_V2_HERMES

from clawjudge.judge.store.published import InvalidRow, find_row, published_rows


def test_the_public_rows_are_clawbenchs() -> None:
    for name, (intercepted, lenient, strict, n) in PUBLISHED_V2_HERMES.items():
        row = find_row(name)
        assert row.n == n
        counts = (row.intercepted, row.lenient, row.strict)
        # ClawBench rounds to one digit, twice a little off: 57 of 130 is 43.846 %, printed as 43.9.
        shares = [100 * (count or 0) / n for count in counts]
        assert shares == pytest.approx([intercepted, lenient, strict], abs=0.06)
    assert {name for row in published_rows() for name in (row.model, *row.aliases)} >= set(PUBLISHED_V2_HERMES)


def test_a_public_row_says_where_it_is_from() -> None:
    row = find_row("glm-5.1")
    assert "clawbench-eval 0.11.0" in row.source
    assert (row.date, row.judge_model, row.harness, row.dataset) == ("2026-10-05", "deepseek-v4-pro", "hermes", "v2")


def test_a_row_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "row.json"
    file.write_text('{"model": "m", "n": 10, "lenient": 3}')
    row = find_row(str(file))
    assert (row.model, row.n, row.lenient, row.strict, row.source) == ("m", 10, 3, None, str(file))


def test_a_row_of_a_leaderboard(tmp_path: Path) -> None:
    file = tmp_path / "row.csv"
    file.write_text("model,harness,dataset,passed,total,pass_rate,wall_hours\nglm-5.1,hermes,v2,24,130,18.46,11.35\n")
    row = find_row(str(file), "strict")
    assert (row.model, row.n, row.strict, row.lenient, row.harness) == ("glm-5.1", 130, 24, None, "hermes")
    with pytest.raises(InvalidRow, match="which rubric it counts; name one with --rubric"):
        find_row(str(file))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("r.json", "{", "a row is "),
        ("r.json", "[]", "Expected `object`"),
        ("r.json", '{"model": "m", "n": "x"}', "Expected `int`"),
        ("r.json", '{"model": "m", "n": 10}', "counts of runs up to n"),
        ("r.json", '{"model": "m", "n": 10, "strict": 11}', "counts of runs up to n"),
        ("r.json", '{"model": "m", "n": 10, "strict": -1}', "counts of runs up to n"),
        ("r.json", '{"model": "m", "n": 10, "strict": 3, "intercepted": 2}', "more runs passed than"),
        ("r.csv", "model\nx\n", "needs the columns"),
        ("r.csv", "passed,total,pass_rate\n24,130,17.7\n", "says 17.7 %, and 24 of 130 is not that"),
        ("r.csv", "passed,total,pass_rate\n1,2,50\n1,2,50\n", "holds 2 rows"),
        ("r.csv", "passed,total,pass_rate\n0,0,0\n", "is not that"),
    ],
)
def test_a_row_that_cannot_be_used(name: str, content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InvalidRow, match=said):
        find_row(str(tmp_path / name), "strict")


def test_an_unknown_row_names_the_known_ones() -> None:
    with pytest.raises(InvalidRow, match=r"'gpt-9' is no file, and no public row; there are: claude-opus-4-7, gpt-5.5"):
        find_row("gpt-9")
