"""Secrets in the evidence: one redactor for both runs, whose tokens are numbered in the order of their appearance.

Numbers instead of keyed hashes: the staged bytes are the same on every machine and at every time, and nothing that
leaves the machine can be tried against guesses.
"""

from __future__ import annotations

from clawjudge.judge.case import Case
from clawjudge.judge.known_secrets import marked
from clawjudge.traces.redaction import Redactor


class EvidenceRedactor(Redactor):
    """A redactor that knows the secrets of a case before the first of them is met."""

    def __init__(self, case: Case) -> None:
        super().__init__()
        self._numbered: dict[str, str] = {}
        for value, name in marked(case):
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
