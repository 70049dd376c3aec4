"""Values that differ between any two runs and mean nothing: tokens, ids, timestamps, one-time codes.

They are known by their shape and by comparison. Both runs must hold a value of the same shape; a token that names
something the agent chose (it stands in the address of a page that was opened, or inside a list of things) is no noise,
whatever its shape. The name of a field alone decides nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any

from clawjudge.judge.align import moments
from clawjudge.traces.clock import plausible
from clawjudge.traces.secrets import is_card_number

_UUID = re.compile(r"^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$", re.IGNORECASE)
_HEX = re.compile(r"^(?=.*\d)(?=.*[a-f])[0-9a-f]{8,}$", re.IGNORECASE)
_PREFIXED = re.compile(r"^[A-Za-z]{1,12}[_\-.:](?=.*\d)[0-9A-Za-z]{6,}$")
_JWT = re.compile(r"^[\w-]{10,}\.[\w-]{10,}\.[\w-]*$")
_OPAQUE = re.compile(r"^(?=.*\d)(?=.*[A-Za-z])[\w+/=.:-]{16,}$")
_MILLISECONDS = 1000
_AROUND_THE_RUN_MS = 15 * 60 * 1000
_MIN_ENTROPY_BITS = 2.8


def shape(value: Any, run_times: tuple[int, int] | None) -> str | None:
    """`uuid`, `token`, `timestamp`, or None for a value that could mean something.

    `run_times` is the first and last epoch ms of the run; a number is a timestamp only if it lies around them.
    """
    if isinstance(value, bool) or value is None or isinstance(value, dict | list):
        return None
    text = str(value).strip()
    if _is_timestamp(text, run_times):
        return "timestamp"
    if is_card_number(text) or " " in text or len(text) > 4000:
        return None
    if _UUID.match(text):
        return "uuid"
    if _HEX.match(text) or _JWT.match(text):
        return "token"
    if _PREFIXED.match(text) and _entropy(re.split(r"[_\-.:]", text, maxsplit=1)[1]) >= 2.2:
        return "token"
    if _OPAQUE.match(text) and _entropy(text) >= _MIN_ENTROPY_BITS and not _wordy(text):
        return "token"
    return None


def _is_timestamp(text: str, run_times: tuple[int, int] | None) -> bool:
    if run_times is None:
        return False
    low, high = run_times[0] - _AROUND_THE_RUN_MS, run_times[1] + _AROUND_THE_RUN_MS
    if re.fullmatch(r"\d{10}(\.\d+)?|\d{13}|\d{16}|\d{19}", text):
        whole = text.split(".")[0]
        t_ms = int(whole) * _MILLISECONDS if len(whole) == 10 else int(whole) // 10 ** (len(whole) - 13)
        return low <= t_ms <= high and plausible(t_ms)
    when = moments.instant(text, moments.zone("UTC"))
    return when is not None and low <= when.timestamp() * _MILLISECONDS <= high


def _entropy(text: str) -> float:
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values()) if text else 0.0


def _wordy(text: str) -> bool:
    """Identifiers made of words (`senior-data-engineer-2026`) are names, not tokens."""
    runs = re.findall(r"[A-Za-z]{4,}", text)
    return sum(map(len, runs)) > len(text) * 0.5 and all(r.islower() or r.istitle() or r.isupper() for r in runs)
