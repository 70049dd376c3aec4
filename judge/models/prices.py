"""What a model costs. `prices.json` is dated; a price that the user gives comes first, and an unknown one is None."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from importlib.resources import files

from clawjudge.judge.models.conversation import Tokens

BATCH_SHARE = 0.5
"""Of the price, for what is sent as a batch."""
CHARACTERS_PER_TOKEN = 3.0
"""Few, so that an estimate is rather too high than too low."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    read: float
    written: float
    cached: float

    def of(self, tokens: Tokens, share: float = 1.0) -> float:
        fresh = max(tokens.read - tokens.cached, 0)
        dollars = fresh * self.read + tokens.cached * self.cached + tokens.written * self.written
        return round(dollars * share / 1e6, 9)


def price_of(name: str) -> Price | None:
    """The listed price of a model; None if it is not known. A dated name has the price of the name without its date."""
    plain = re.sub(r"[-@](?:20\d{6}|20\d\d-\d\d-\d\d|latest)$", "", name.rpartition("/")[2].lower())
    found = _table()["models"].get(plain)
    return Price(found[0], found[1], found[2]) if found else None


def dated() -> str:
    """The day on which the list was made."""
    return str(_table()["dated"])


def tokens_of(text: str) -> int:
    """About how many tokens a text takes; rather more than fewer."""
    return int(len(text.encode("utf-8", "replace")) / CHARACTERS_PER_TOKEN) + 1


def parse_price(text: str) -> Price:
    """`INPUT,OUTPUT` or `INPUT,OUTPUT,CACHED`. Raises ValueError."""
    parts = text.split(",")
    if len(parts) not in (2, 3) or not all(re.fullmatch(r"\s*\d+(\.\d+)?\s*", part, re.ASCII) for part in parts):
        raise ValueError(f"{text!r}: write INPUT,OUTPUT in US dollars per million tokens, for example 2,10")
    numbers = [float(part) for part in parts]
    return Price(numbers[0], numbers[1], numbers[2] if len(numbers) == 3 else numbers[0])


@functools.cache
def _table() -> dict[str, dict[str, list[float]]]:
    table: dict[str, dict[str, list[float]]] = json.loads(
        files("clawjudge.judge.models").joinpath("prices.json").read_text("utf-8")
    )
    return table
