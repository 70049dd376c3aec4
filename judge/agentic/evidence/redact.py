"""Secrets in the evidence: one redactor for both runs, whose tokens are numbered in the order of their appearance.

Numbers instead of keyed hashes: the staged bytes are the same on every machine, and nothing that leaves it can be tried
against guesses.
"""

from __future__ import annotations

from typing import Any

from clawjudge.traces.secrets import mask, scrub


class EvidenceRedactor:
    """Redacts values of a case for the evidence."""

    def redact(self, value: Any, name: str = "") -> Any:
        """`value` of a field called `name`, without secrets."""
        return mask(value, name)

    def text(self, text: str) -> str:
        return scrub(text)
