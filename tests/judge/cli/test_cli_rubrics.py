from __future__ import annotations

import json

from clawjudge.judge.cli.main import main
from clawjudge.rubrics.load import load_rubric, rubric_ids


def test_list_names_every_rubric(capsys):
    assert main(["rubrics", "list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[::2]] == rubric_ids()
    assert main(["rubrics", "list", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rubrics"]
    assert [row["sha256"] for row in rows] == [load_rubric(rubric_id).sha256 for rubric_id in rubric_ids()]


def test_show_has_every_rule(capsys):
    rubric = load_rubric("v1-agentic")
    assert main(["rubrics", "show", "v1-agentic"]) == 0
    out = capsys.readouterr().out
    assert rubric.sha256 in out
    for rule in rubric.rules:
        assert f"{rule.id} {rule.title}" in out
        assert rule.text in out
    assert main(["rubrics", "show", "v1-agentic", "--format", "json"]) == 0
    assert [rule["id"] for rule in json.loads(capsys.readouterr().out)["rules"]] == [rule.id for rule in rubric.rules]


def test_an_unknown_rubric_is_a_usage_error_that_lists_them(capsys):
    assert main(["rubrics", "show", "v9"]) == 2
    assert "v1-agentic" in capsys.readouterr().err


def test_the_list_fits_a_narrow_terminal(capsys):
    assert main(["rubrics", "list"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
