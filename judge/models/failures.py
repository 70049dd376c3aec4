"""Why a model gave no answer: whether asking again may help, and whether anybody else need be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FailureCode = Literal[
    "judge_unauthorised",
    "judge_unpaid",
    "judge_not_found",
    "judge_rejected_request",
    "judge_rate_limited",
    "judge_unavailable",
    "judge_timeout",
    "judge_damaged_answer",
]

# What the person who reads the verdict can do about it.
REMEDIES: dict[FailureCode, str] = {
    "judge_unauthorised": "check the key of the judge model",
    "judge_unpaid": "check the balance of the account of the judge model",
    "judge_not_found": "check the name and the address of the judge model",
    "judge_rejected_request": "the provider did not accept this request",
    "judge_rate_limited": "run again later, or with a lower --concurrency",
    "judge_unavailable": "run again when the provider is back",
    "judge_timeout": "run again later, or with a longer --deadline",
    "judge_damaged_answer": "run again later",
}
_BY_STATUS: dict[int, FailureCode] = {
    401: "judge_unauthorised",
    402: "judge_unpaid",
    403: "judge_unauthorised",
    404: "judge_not_found",
    408: "judge_timeout",
    409: "judge_unavailable",
    425: "judge_unavailable",
    429: "judge_rate_limited",
}
_HOPELESS: frozenset[FailureCode] = frozenset({"judge_unauthorised", "judge_unpaid", "judge_not_found"})


@dataclass
class ModelFailure(Exception):
    """One call that failed, or a whole ask that was given up."""

    code: FailureCode
    message: str
    """What the provider said, without keys, one line."""
    retry_after: float | None = None
    """Seconds to wait, where the provider said so."""
    calls: int = 0
    """Requests that were sent before it was given up."""

    def __str__(self) -> str:
        return f"{self.message}; {REMEDIES[self.code]}"

    @property
    def may_pass(self) -> bool:
        """Whether the same call may succeed a little later."""
        return self.code not in _HOPELESS and self.code != "judge_rejected_request"

    @property
    def hopeless(self) -> bool:
        """Whether every other call to this model would fail the same way."""
        return self.code in _HOPELESS

    @property
    def is_outage(self) -> bool:
        """Whether the judge could not be asked, as opposed to: did not take this very request."""
        return self.code != "judge_rejected_request"


def code_of_status(status: int) -> FailureCode:
    """What an HTTP status says. A status that asks for nothing else is the request's own fault if it is 4xx."""
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "judge_unavailable" if status >= 500 else "judge_rejected_request"
