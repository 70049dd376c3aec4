"""What a provider says in its headers about how much it will take, and how long to wait."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from clawjudge.judge.models.conversation import RateHeaders

MOST_SECONDS = 3600.0
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many more requests (or tokens) are allowed, and in how many seconds the count starts again."""

    remaining: int
    reset_seconds: float


def requests_left(headers: RateHeaders) -> Allowance | None:
    """Requests that may still be made (Anthropic's headers, or those of OpenAI and its likes)."""
    return _allowance(headers, "anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset") or (
        _allowance(headers, "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests")
    )


def tokens_left(headers: RateHeaders) -> Allowance | None:
    """Input tokens that may still be sent."""
    return (
        _allowance(headers, "anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset")
        or _allowance(headers, "anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset")
        or _allowance(headers, "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens")
    )


def retry_after(headers: RateHeaders) -> float | None:
    """Seconds that the provider asks to wait; None if it says nothing that can be understood."""
    in_ms = (headers.get("retry-after-ms") or "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", in_ms, re.ASCII):
        return min(float(in_ms) / 1000, MOST_SECONDS)
    said = (headers.get("retry-after") or "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", said, re.ASCII):
        return min(float(said), MOST_SECONDS)
    moment = _moment(said)
    return None if moment is None else _until(moment)


def _allowance(headers: RateHeaders, remaining: str, reset: str) -> Allowance | None:
    count = (headers.get(remaining) or "").strip()
    if not re.fullmatch(r"\d{1,12}", count, re.ASCII):
        return None
    return Allowance(int(count), _reset_seconds((headers.get(reset) or "").strip()))


def _reset_seconds(said: str) -> float:
    """`6m0s`, `250ms`, `12` (seconds), or a moment; a second where nothing can be understood."""
    if re.fullmatch(r"\d{1,9}(\.\d+)?", said, re.ASCII):
        return min(float(said), MOST_SECONDS)
    parts = _DURATION.fullmatch(said)
    if said and parts:
        hours, minutes, seconds, milliseconds = (float(part or 0) for part in parts.groups())
        return min(hours * 3600 + minutes * 60 + seconds + milliseconds / 1000, MOST_SECONDS)
    moment = _moment(said)
    return 1.0 if moment is None else _until(moment)


def _moment(said: str) -> datetime | None:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(said)
        except ValueError:
            continue
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


def _until(moment: datetime) -> float:
    return min(max((moment - datetime.now(UTC)).total_seconds(), 0.0), MOST_SECONDS)
