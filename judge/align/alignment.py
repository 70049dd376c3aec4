"""Global alignment of two runs' steps with gaps (Needleman and Wunsch 1970), anchored on the terminal request.

A pair scores by how alike its targets are; its value decides whether it is a `match` or a `variant`. A step of the
agent that finds no partner in order, but stands elsewhere in the reference, is paired as reordered; a stretch of extra
steps that comes back to the page where it started is a detour. Neither is a fault: the reference is a witness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import urlsplit

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.process import cdist

from clawjudge.traces import urls
from clawjudge.traces.steps import Step

PairStatus = Literal["match", "variant", "missing", "extra"]

GAP_COST = 0.05
THRESHOLD = 0.55
"""Steps less alike than this are not the same step."""
ANCHOR_BONUS = 1000.0
REORDER_THRESHOLD = 0.9

_KIND_FAMILIES = {"click": "press", "submit": "press", "fill": "enter", "select": "enter", "upload": "enter"}


@dataclass(frozen=True, slots=True)
class StepPair:
    """A step of the agent and the step of the reference that it answers to."""

    status: PairStatus
    agent: int | None
    """Index into the agent's steps; None for `missing`."""
    reference: int | None
    similarity: float
    """0 to 1; 0 where there is no partner."""
    reason: str
    reordered: bool = False
    detour: bool = False


@dataclass(frozen=True, slots=True)
class Alignment:
    """All steps of both runs, in the order of the agent's run with missing steps where they would have been."""

    pairs: tuple[StepPair, ...]
    counts: dict[str, int] = field(default_factory=dict)

    def partner_of_reference(self, index: int) -> StepPair | None:
        return next((p for p in self.pairs if p.reference == index), None)


def align(agent: list[Step], reference: list[Step], same_value: Callable[[str, str], bool]) -> Alignment:
    """Align two runs. `same_value(reference, agent)` says whether two entered values are the same."""
    if agent and reference:
        scores = similarity_matrix(agent, reference)
        path = _best_path(scores, agent, reference)
    else:
        scores = np.zeros((len(agent), len(reference)), dtype=np.float32)
        path = [(i, None) for i in range(len(agent))] + [(None, j) for j in range(len(reference))]
    pairs = [_pair(i, j, scores, agent, reference, same_value) for i, j in path]
    pairs = _mark_detours(_join_reordered(pairs, scores, agent, reference, same_value), agent)
    return _counted(pairs)


def vary(alignment: Alignment, reasons: Mapping[int, str]) -> Alignment:
    """The alignment with these steps of the agent (index to reason) as variants: a closer look found them to differ."""
    return _counted(
        replace(pair, status="variant", reason=reasons[pair.agent])
        if pair.status == "match" and pair.agent is not None and pair.agent in reasons
        else pair
        for pair in alignment.pairs
    )


def _counted(pairs: Iterable[StepPair]) -> Alignment:
    kept = tuple(pairs)
    counts = {status: sum(p.status == status for p in kept) for status in ("match", "variant", "missing", "extra")}
    return Alignment(kept, counts)


def similarity_matrix(agent: list[Step], reference: list[Step]) -> np.ndarray:
    """Likeness of every pair of steps, 0 to 1, agent by reference. Only distinct descriptions are compared."""
    left, left_index = _distinct([_describe(s) for s in agent])
    right, right_index = _distinct([_describe(s) for s in reference])
    words = cdist([d[1] for d in left], [d[1] for d in right], scorer=fuzz.ratio, dtype=np.float32) / 100
    places = cdist([d[2] for d in left], [d[2] for d in right], scorer=fuzz.ratio, dtype=np.float32) / 100
    families = np.array([[a[0] == b[0] for b in right] for a in left], dtype=np.float32)
    unique = families * (0.75 * words + 0.25 * places)
    whole: np.ndarray = unique[np.ix_(left_index, right_index)]
    return whole


def _distinct(items: list[tuple[str, str, str]]) -> tuple[list[tuple[str, str, str]], list[int]]:
    order: dict[tuple[str, str, str], int] = {}
    return_index = [order.setdefault(item, len(order)) for item in items]
    return list(order), return_index


def _describe(step: Step) -> tuple[str, str, str]:
    """(family of kinds, target, place): what two steps must share to be the same step."""
    family = _KIND_FAMILIES.get(step.kind, step.kind)
    if step.kind == "navigate":
        return family, step.target, _query_keys(step.url)
    if step.kind == "request":
        return f"request {step.method}", step.target, step.target
    return family, step.target, urls.path(step.url) if "://" in step.url else step.url


def _query_keys(url: str) -> str:
    try:
        return "&".join(sorted(part.split("=")[0] for part in urlsplit(url).query.split("&")))
    except ValueError:
        return ""


def _best_path(scores: np.ndarray, agent: list[Step], reference: list[Step]) -> list[tuple[int | None, int | None]]:
    """The path with the highest total, row by row; the running maximum takes care of gaps within a row."""
    gains = np.where(scores >= THRESHOLD, scores - THRESHOLD + 0.2, -np.inf).astype(np.float32)
    anchors = np.ix_([s.terminal for s in agent], [s.terminal for s in reference])
    # Two terminal requests answer to each other even if the site has two addresses for the act.
    gains[anchors] = np.maximum(gains[anchors], 0) + ANCHOR_BONUS
    rows, columns = gains.shape
    # Rows are kept in doubles: in singles the bonus would drown the cost of a gap.
    positions = np.arange(columns + 1, dtype=np.float64) * GAP_COST
    previous = -positions
    moves = np.zeros((rows + 1, columns + 1), dtype=np.uint8)
    moves[0, 1:] = 2
    moves[1:, 0] = 1
    for i in range(1, rows + 1):
        up = previous - GAP_COST
        best = up.copy()
        diagonal = previous[:-1] + gains[i - 1]
        best[1:] = np.maximum(up[1:], diagonal)
        shifted = best + positions
        highest = np.maximum.accumulate(shifted)
        moves[i, 1:] = np.where(highest[1:] > shifted[1:], 2, np.where(diagonal >= up[1:], 3, 1))
        previous = highest - positions
    return _walk_back(moves)


def _walk_back(moves: np.ndarray) -> list[tuple[int | None, int | None]]:
    i, j = moves.shape[0] - 1, moves.shape[1] - 1
    path: list[tuple[int | None, int | None]] = []
    while i or j:
        move = moves[i, j] if i and j else (1 if i else 2)
        if move == 3:
            i, j = i - 1, j - 1
            path.append((i, j))
        elif move == 1:
            i -= 1
            path.append((i, None))
        else:
            j -= 1
            path.append((None, j))
    return path[::-1]


def _pair(
    i: int | None,
    j: int | None,
    scores: np.ndarray,
    agent: list[Step],
    reference: list[Step],
    same_value: Callable[[str, str], bool],
    reordered: bool = False,
) -> StepPair:
    if i is None or j is None:
        status: PairStatus = "extra" if j is None else "missing"
        whose = "only the agent" if j is None else "only the reference"
        return StepPair(status, i, j, 0.0, f"{whose} did this")
    mine, theirs = agent[i], reference[j]
    similarity = round(float(scores[i, j]), 3)
    anchored = "terminal request" if mine.terminal and theirs.terminal else ""
    same_target = "same target" if similarity > 0.98 else f"target {similarity:.2f} alike"
    reason = ", ".join(part for part in (anchored, same_target, "in another order" if reordered else "") if part)
    if mine.value is not None and theirs.value is not None and mine.kind not in ("click", "submit", "navigate"):
        if not same_value(theirs.value, mine.value):
            return StepPair("variant", i, j, similarity, f"{reason}, other value", reordered)
    if _names_another(mine, theirs):
        return StepPair("variant", i, j, similarity, f"{reason}, another thing of its kind", reordered)
    return StepPair("match", i, j, similarity, reason, reordered)


def _names_another(mine: Step, theirs: Step) -> bool:
    """Whether two acts that answer to each other went to different things: another page, star or product."""
    if mine.kind in ("navigate", "request"):
        return mine.target != theirs.target
    if mine.kind not in ("click", "submit") or mine.element is None or theirs.element is None:
        return False
    if mine.element.id and theirs.element.id:
        return mine.element.id != theirs.element.id
    return mine.label != theirs.label


def _join_reordered(
    pairs: list[StepPair],
    scores: np.ndarray,
    agent: list[Step],
    reference: list[Step],
    same_value: Callable[[str, str], bool],
) -> list[StepPair]:
    """Pair leftovers of both sides that are the same step done at another time."""
    missing = [p.reference for p in pairs if p.status == "missing" and p.reference is not None]
    joined: dict[int, StepPair] = {}
    for pair in pairs:
        if pair.status != "extra" or pair.agent is None or not missing:
            continue
        j = max(missing, key=lambda m: scores[pair.agent, m])
        if scores[pair.agent, j] >= REORDER_THRESHOLD and agent[pair.agent].kind != "navigate":
            joined[pair.agent] = _pair(pair.agent, j, scores, agent, reference, same_value, reordered=True)
            missing.remove(j)
    taken = {p.reference for p in joined.values()}
    return [
        joined.get(p.agent, p) if p.agent is not None else p
        for p in pairs
        if not (p.status == "missing" and p.reference in taken)
    ]


def _mark_detours(pairs: list[StepPair], agent: list[Step]) -> list[StepPair]:
    """A run of extra steps is a detour if the agent is back afterwards on a page where it was before."""
    marked = list(pairs)
    seen: set[str] = set()
    stretch: list[int] = []
    for position, pair in enumerate(pairs):
        if pair.agent is None:
            continue
        step = agent[pair.agent]
        if pair.status == "extra":
            stretch.append(position)
            continue
        if len(stretch) > 1 and step.url and urls.path(step.url) in seen:
            for k in stretch:
                p = pairs[k]
                marked[k] = StepPair(
                    p.status, p.agent, p.reference, p.similarity, "detour: came back", p.reordered, True
                )
        seen.update(urls.path(agent[pairs[k].agent or 0].url) for k in stretch)
        seen.add(urls.path(step.url))
        stretch = []
    return marked
