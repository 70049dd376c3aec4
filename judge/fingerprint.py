"""Who judged: enough to know whether two verdicts may be compared or one reused. Never a secret, never a path."""

from __future__ import annotations

import functools
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from clawjudge.judge.verdict import Fingerprint
from clawjudge.rubrics.load import Rubric


@functools.cache
def tool_version() -> str:
    try:
        return version("clawjudge")
    except PackageNotFoundError:
        return "0+unknown"


def fingerprint(judge: str, rubric: Rubric, model: str | None = None, **parameters: Any) -> Fingerprint:
    return Fingerprint(
        judge=judge,
        version=tool_version(),
        rubric=rubric.id,
        rubric_version=rubric.version,
        rubric_sha256=rubric.sha256,
        model=model,
        parameters=parameters,
    )
