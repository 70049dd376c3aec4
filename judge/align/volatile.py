"""Values that differ between any two runs and mean nothing: tokens, ids, timestamps, one-time codes.

They are known by their shape and by comparison. Both runs must hold a value of the same shape; a token that names
something the agent chose (it stands in the address of a page that was opened, or inside a list of things) is no noise,
whatever its shape. The name of a field alone decides nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import Any

from clawjudge.judge.align import moments
from clawjudge.traces.cards import is_card_number
from clawjudge.traces.clock import plausible

_UUID = re.compile(r"^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$", re.IGNORECASE)
_HEX = re.compile(r"^(?=.*\d)(?=.*[a-f])[0-9a-f]{8,}$", re.IGNORECASE)
_PREFIXED = re.compile(r"^[A-Za-z]{1,12}[_\-.:](?P<rest>(?=.*\d)[0-9A-Za-z]{6,})$")
_SHORT_HEX = re.compile(r"^[a-z]{0,4}[_-]?(?P<hex>(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,})$")
_COLOUR_OR_DAY = re.compile(r"^(?:[0-9a-f]{6}|\d{1,2}(?:dec|feb)\d{2,4})$")
_JWT = re.compile(r"^[\w-]{10,}\.[\w-]{10,}\.[\w-]*$")
_OPAQUE = re.compile(r"^(?=.*\d)(?=.*[A-Za-z])[\w+/=.:-]{16,}$")
_LONG_RUN = re.compile(r"[A-Za-z0-9+/=]{12,}")
_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}")
_SAYS_SOMETHING = re.compile(r"://|^/|\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}(?!\d)|^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$")
"""Addresses, days, times and account numbers are no tokens, however long they are."""
_MINUTE_MS = 60 * 1000
_AROUND_THE_RUN_MS = 36 * 3600 * 1000
_MIN_ENTROPY_BITS = 2.8
_MIN_SUFFIX_ENTROPY_BITS = 2.2
_SHORT_TOKEN = 16
_DIGITS_ALONE = 8


def shape(value: Any, run_times: tuple[int, int] | None) -> str | None:
    """`uuid`, `token`, `timestamp`, or None for a value that could mean something.

    `run_times` is the first and last epoch ms of the run; a number is a timestamp only if it lies around them.
    """
    if isinstance(value, bool) or value is None or isinstance(value, dict | list):
        return None
    text = str(value).strip()
    if _is_timestamp(text, run_times):
        return "timestamp"
    if is_card_number(text) or " " in text or len(text) > 4000 or _SAYS_SOMETHING.search(text):
        return None
    if _UUID.match(text):
        return "uuid"
    if _JWT.match(text) and _mixed(text):
        return "token"
    if _HEX.match(text) and (len(text) >= _SHORT_TOKEN or _mixed(text)):
        return "token"
    short = _SHORT_HEX.match(text)
    if short and _changes(short["hex"]) >= 2 and not _COLOUR_OR_DAY.match(text):
        return "token"
    prefixed = _PREFIXED.match(text)
    if prefixed and _is_suffix(prefixed["rest"]):
        return "token"
    if _OPAQUE.match(text) and _entropy(text) >= _MIN_ENTROPY_BITS and not _wordy(text):
        return "token" if any(_mixed(run) for run in _LONG_RUN.findall(text)) else None
    return None


def _is_timestamp(text: str, run_times: tuple[int, int] | None) -> bool:
    """A moment near the run, to the second. A whole minute is what people choose: a slot, a start, a deadline."""
    if run_times is None:
        return False
    t_ms = epoch_ms(text)
    if t_ms is None or t_ms % _MINUTE_MS == 0:
        return False
    return run_times[0] - _AROUND_THE_RUN_MS <= t_ms <= run_times[1] + _AROUND_THE_RUN_MS


def epoch_ms(value: Any) -> float | None:
    """The moment that a value names to the second, in epoch milliseconds; None for anything else."""
    text = str(value).strip()
    if re.fullmatch(r"\d{10}(\.\d+)?|\d{13}|\d{16}|\d{19}", text, re.ASCII):
        whole = text.split(".")[0]
        t_ms = int(float(text) * 1000) if len(whole) == 10 else int(whole) // 10 ** (len(whole) - 13)
        return t_ms if plausible(t_ms) else None
    when = moments.instant(text, moments.zone("UTC"))
    if when is None or (when.second, when.microsecond) == (0, 0):
        return None
    return when.timestamp() * 1000


def _is_suffix(text: str) -> bool:
    if text.isdigit() and len(text) < _DIGITS_ALONE:
        # A catalogue number: `SKU-123456`.
        return False
    return _entropy(text) >= _MIN_SUFFIX_ENTROPY_BITS and not _wordy(text)


def _mixed(text: str) -> bool:
    """Whether letters and digits change places often, as chance makes them and people do not."""
    return _changes(text) >= 3


def _changes(text: str) -> int:
    kinds = [c.isdigit() for c in text if c.isalnum()]
    return sum(a != b for a, b in pairwise(kinds))


def _entropy(text: str) -> float:
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values()) if text else 0.0


def _wordy(text: str) -> bool:
    """Identifiers made of words (`senior-data-engineer-2026`, `GalaxyS24Ultra`) are names, not tokens."""
    return sum(map(len, _WORD.findall(text))) > len(text) * 0.5
