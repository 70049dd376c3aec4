"""Secrets in the evidence: one redactor for both runs, whose tokens are numbered in the order of their appearance.

Numbers instead of keyed hashes: the staged bytes are the same on every machine and at every time, and nothing that
leaves the machine can be tried against guesses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clawjudge.judge.case import Case
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.redaction import Redactor

_LEARNT_BYTES = 500_000


class EvidenceRedactor(Redactor):
    """A redactor that knows the secrets of a case before the first of them is met."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        self._numbered: dict[str, str] = {}
        for value, name in _marked(case):
            self.learn(value, name)

    def token(self, secret: str, kind: str) -> str:
        """The token of a secret: its kind, and the place at which it was first met, in as many digits as a hash has."""
        made = super().token(secret, kind)
        if made not in self._numbered:
            self._numbered[made] = f"{made.partition(':')[0]}:{len(self._numbered) + 1:012x}]"
        return self._numbered[made]

    def text(self, text: str) -> str:
        """`text` without secrets."""
        redacted: str = self.redact(text)
        return redacted


def _marked(case: Case) -> Iterator[tuple[Any, str]]:
    """Where secrets stand beside a name that marks them: what the task gives, what was sent and what was entered."""
    for document in case.sources.documents:
        yield document.value, ""
    # How long this may take is bounded; what is staged is redacted in any case, only free text may then name a secret
    # that nothing marks there.
    left = _LEARNT_BYTES
    runs: list[RunDigest] = [case.agent, *([case.reference] if case.reference is not None else [])]
    for run in runs:
        for request in [*run.commits, *reversed(run.changes)]:
            left -= request.size
            if left > 0:
                yield request.headers, "headers"
                yield request.payload().value, ""
        for step in run.steps:
            if step.value is not None and step.element is not None:
                for name in step.names:
                    yield step.value, name
