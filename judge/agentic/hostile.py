"""Text of a recording that speaks to whoever judges it. It is evidence of its own presence and of nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clawjudge.judge.citation import at
from clawjudge.judge.verdict import Citation
from clawjudge.traces.errors import UnsafePath
from clawjudge.traces.jsonl import decode_tolerant, line_at
from clawjudge.traces.lexicon import mention_then
from clawjudge.traces.meta import MAX_DOCUMENT_BYTES
from clawjudge.traces.paths import inside
from clawjudge.traces.pointers import flatten

# What a program would write as a verdict. No form or page of a shop has it.
_VERDICT = re.compile(
    r"[\"']?(?:outcome|verdict|match|judg(?:e)?ment)[\"']?\s*[:=]\s*[\"']?(?:pass(?:ed)?|fail(?:ed)?|true|false)\b",
    re.I,
)
# Orders that make sense only to whoever reads a recording under instructions.
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^\n]{0,40}"
    r"\b(?:rubrics?|(?:previous|prior|above|your|all) (?:\w+ )?(?:rules|instructions?))\b"
    r"|\b(?:answer|respond|reply|output|return|mark|judge|grade|score|rate)\b[^\n]{0,40}\b(?-i:PASS(?:ED)?)\b",
    re.I,
)
_FENCE = re.compile(r"</?quoted-|===\s*(?:end|begin) of (?:evidence|quotation|recording)", re.I)


def is_addressed_to_the_judge(text: str) -> bool:
    """Whether a text tells a judge what to decide, shows a verdict of its own, or imitates our marks."""
    return bool(mention_then("judge", "approval", text) or any(p.search(text) for p in (_VERDICT, _ORDER, _FENCE)))


def speaks_to_the_judge(citation: Citation, runs: Mapping[str, Path]) -> bool:
    """Whether the whole value that is cited from does so, not only the words quoted.

    Pictures cannot be read here; that they prove nothing alone is for the check of the answer.
    """
    if citation.layer in ("screenshots", "video"):
        return False
    value, name = _cited(citation, runs), (citation.pointer or "").rsplit("/", 1)[-1]
    if value is None:
        return is_addressed_to_the_judge(citation.quote)
    leaves = list(flatten(value)) if isinstance(value, dict | list) else [("", value)]
    if citation.pointer is None:
        # A whole line is cited by words of one or several of its values.
        leaves = [(where, leaf) for where, leaf in leaves if _share(str(leaf), citation.quote)]
    return any(is_addressed_to_the_judge(f"{(where.rsplit('/', 1)[-1] or name)}: {leaf}") for where, leaf in leaves)


def _share(leaf: str, quote: str) -> bool:
    return bool(leaf) and (quote in leaf or leaf in quote)


def _cited(citation: Citation, runs: Mapping[str, Path]) -> Any:
    """The value at the place of a citation that holds, or None."""
    try:
        path = inside(runs[citation.run], citation.file)
        if citation.line is None and path.stat().st_size > MAX_DOCUMENT_BYTES:
            return None
        raw = path.read_bytes() if citation.line is None else line_at(path, citation.line)
        document = decode_tolerant((raw or b"").strip().removeprefix(b"\xef\xbb\xbf"))[0]
        return document if citation.pointer is None else at(document, citation.pointer)
    except (UnsafePath, OSError, ValueError, KeyError, IndexError, TypeError, RecursionError):
        return None
