"""What one citation may cost: a line is parsed once, and of an endless text only the beginning is looked at."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from clawjudge.judge import citation as module
from clawjudge.judge.align.sources import Document, TaskSources
from clawjudge.judge.citation import CitationCheck
from clawjudge.judge.offline.report import public_value
from clawjudge.judge.verdict import Citation


def cited(pointer: str, quote: str, line: int = 1) -> Citation:
    return Citation(layer="http", file="requests.jsonl", line=line, pointer=pointer, quote=quote)


def written(root: Path, *bodies: Any) -> CitationCheck:
    rows = [{"url": "https://shop.test/?q=1", "method": "POST", "headers": {}, "body": body} for body in bodies]
    (root / "requests.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return CitationCheck({"agent": root})


def test_a_body_is_parsed_once_for_all_its_citations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check = written(tmp_path, json.dumps({f"k{i}": f"v{i}" for i in range(1000)}))
    parsed = []
    real = module._body
    monkeypatch.setattr(module, "_body", lambda part: parsed.append(1) or real(part))
    assert all(check.verify(cited(f"/body/k{i}", f"v{i}")).verified for i in range(50))
    assert not check.verify(cited("/body/k1", "v2")).verified
    assert check.verify(cited("/params/q", "1")).verified
    assert len(parsed) == 1


def test_what_is_kept_is_bounded(tmp_path: Path) -> None:
    check = written(tmp_path, *({"a": i} for i in range(200)))
    assert all(check.verify(cited("/body/a", str(i), i + 1)).verified for i in range(200))
    assert check.verify(cited("/body/a", "0")).verified
    assert len(check._documents) <= 16


def test_an_endless_text_costs_little(tmp_path: Path) -> None:
    check = written(tmp_path, {"note": "start " + "lorem ipsum " * 2_000_000})
    started = time.process_time()
    assert check.verify(cited("/body/note", "start lorem")).verified
    assert not check.verify(cited("/body/note", "finish")).verified
    assert time.process_time() - started < 10


def test_a_verdict_is_no_copy_of_an_endless_value() -> None:
    shown = public_value("lorem ipsum " * 100_000)
    assert len(shown) < 70_000
    assert shown.endswith("… (1200000 characters)")
    assert public_value("Pad Thai") == "Pad Thai"


def test_a_text_too_long_for_every_comparison_binds_to_the_letter() -> None:
    text = "lorem ipsum " * 100_000
    sources = TaskSources("Send it.", [Document("extra_info", "letter.json", {"letter": text})])
    started = time.process_time()
    assert [bound.quote for bound in sources.bind(text, "/letter")] == ["/letter"]
    assert sources.bind(text + "!", "/letter") == []
    assert time.process_time() - started < 2
