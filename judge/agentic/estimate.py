"""What judging would cost, before anybody is asked: from the evidence as it would be staged, and a list of prices."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from clawjudge.judge.agentic.evidence.stage import stage
from clawjudge.judge.agentic.prompt import build_prompt
from clawjudge.judge.agentic.settings import Settings
from clawjudge.judge.align.sources import Document
from clawjudge.judge.evaluate import read_case
from clawjudge.judge.fence import Fence
from clawjudge.judge.models.prices import Price, dated, price_of, tokens_of
from clawjudge.judge.pairing import Pairing
from clawjudge.judge.show.terminal import plain
from clawjudge.judge.verdict import Verdict

PROGRAM_TOKENS = 4000
"""What the program adds to each conversation: its own words and the tools."""
PICTURE_TOKENS = 1600
ANSWER_TOKENS = 2500
_LOW_SHARE, _LOW_TURNS, _LOW_PICTURES = 0.15, 6, 2
_HIGH_SHARE, _HIGH_TURNS, _HIGH_PICTURES = 1.0, 30, 12
_TURN_TOKENS = 150
"""What the model writes for one tool call."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Of one run: tokens read anew, read from the cache, and written, at the least and at the most that is likely."""

    run: str
    problem: str = ""
    low: tuple[int, int, int] = (0, 0, 0)
    high: tuple[int, int, int] = (0, 0, 0)


def estimate(pairing: Pairing, settings: Settings, persona: list[Document]) -> Estimate:
    """Stage the evidence, measure it and throw it away."""
    case = read_case(pairing, persona)
    if isinstance(case, Verdict):
        return Estimate(pairing.run, f"{case.reason_code}: {case.justification}")
    if case.reference is None or case.task is None:
        return Estimate(pairing.run, "no reference" if case.task else "no task")
    with tempfile.TemporaryDirectory(prefix="clawjudge-evidence-") as folder:
        manifest = stage(case, Path(folder) / "evidence", settings.layers)
        prompt = build_prompt(manifest, settings.rubric, Fence())
        fixed = PROGRAM_TOKENS + tokens_of(prompt.system) + tokens_of(prompt.case)
        text = sum(file.size for file in manifest.files if file.lines is not None)
        pictures = sum(file.lines is None for file in manifest.files)
    low = _taken(fixed, text * _LOW_SHARE, min(pictures, _LOW_PICTURES), _LOW_TURNS)
    high = _taken(fixed, text * _HIGH_SHARE, min(pictures, _HIGH_PICTURES), _HIGH_TURNS)
    return Estimate(pairing.run, "", low, high)


def _taken(fixed: int, characters: float, pictures: int, turns: int) -> tuple[int, int, int]:
    """Every turn reads what came before from the cache, and what the last tool call brought anew."""
    read = tokens_of("x" * int(characters)) + pictures * PICTURE_TOKENS
    grown = fixed + read
    return grown, int(turns * (fixed + grown) / 2), ANSWER_TOKENS + turns * _TURN_TOKENS


def plan(settings: Settings, estimates: list[Estimate]) -> str:
    """For people: one line per run, and what all of them come to."""
    price = price_of(settings.model)
    lines = [f"would judge {len(estimates)} runs with {settings.model}, nothing was asked:"]
    answers = settings.samples * (2 if settings.supervise else 1)
    total = [0.0, 0.0]
    for one in estimates:
        if one.problem:
            lines.append(f"  {plain(one.run)}  cannot be judged: {plain(one.problem)}")
            continue
        tokens = f"{sum(one.low) // 1000}k to {sum(one.high) // 1000}k tokens"
        costs = [_cost(price, taken) * answers for taken in (one.low, one.high)] if price else []
        total = [sum(pair) for pair in zip(total, costs, strict=True)] if costs else total
        lines.append(f"  {plain(one.run)}  {tokens} per answer{_between(costs)}")
    if answers > 1:
        lines.append(f"up to {answers} answers per run")
    if price is None:
        lines.append(f"the price of {settings.model} is not known here; --max-cost still holds")
    else:
        lines.append(
            f"about{_between(total).removeprefix(',')} altogether, by prices of {dated()}; --max-cost sets a cap"
        )
    return "\n".join(lines) + "\n"


def _cost(price: Price, taken: tuple[int, int, int]) -> float:
    fresh, cached, written = taken
    # Writing into the provider's cache costs a quarter more than reading.
    return (fresh * price.read * 1.25 + cached * price.cached + written * price.written) / 1e6


def _between(costs: list[float]) -> str:
    return f", {costs[0]:.2f} to {costs[1]:.2f} USD" if costs else ""
