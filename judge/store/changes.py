"""Two sets of verdicts held against each other: what changed, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from clawjudge.judge.store.key import differences
from clawjudge.judge.store.paired import PairedTable
from clawjudge.judge.store.records import Outline

By = Literal["run", "task"]

_WORDS = {
    "judge": "another judge",
    "model": "another model",
    "parameters": "other model parameters",
    "prompt_sha256": "another prompt",
    "rubric_sha256": "another rubric",
    "instruction_sha256": "another instruction",
    "evidence_sha256": "other evidence",
    "parser_version": "another reading of replies",
}


@dataclass(frozen=True, slots=True)
class Change:
    """A run, or a task, with another outcome than before."""

    old: Outline
    new: Outline
    why: tuple[str, ...]
    """What the two verdicts rest on that is not the same, in words."""

    @property
    def kind(self) -> str:
        return f"{self.old.outcome}_to_{self.new.outcome}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Old verdicts beside new ones."""

    by: By
    table: PairedTable
    """Of pairs that are judged on both sides."""
    changes: tuple[Change, ...]
    """Every pair whose outcome changed, lost passes first."""
    unjudged: tuple[tuple[Outline, Outline], ...]
    """Pairs that are unjudged on a side or on both."""
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    missing_passes: tuple[str, ...] = ()
    """Those of `only_old` that passed."""
    several: tuple[str, ...] = ()
    """Tasks with several runs on a side, which cannot be paired by task."""

    @property
    def n_pairs(self) -> int:
        return self.table.n + len(self.unjudged)


def compare(old: Sequence[Outline], new: Sequence[Outline], by: By | None = None) -> Comparison:
    """Pair the verdicts by run, or by task.

    Without `by`: by run, if every run of the smaller side is on the other side too, else by task.
    """
    if by is None:
        old_runs, new_runs = {one.run for one in old}, {one.run for one in new}
        by = "run" if old_runs <= new_runs or new_runs <= old_runs else "task"
    old_by, old_several = _by_name(old, by)
    new_by, new_several = _by_name(new, by)
    several = old_several | new_several
    names = [name for name in old_by if name in new_by and name not in several]
    pairs = [(old_by[name], new_by[name]) for name in names]
    judged = [pair for pair in pairs if "unjudged" not in (pair[0].outcome, pair[1].outcome)]
    counts = Counter((a.outcome, b.outcome) for a, b in judged)
    table = PairedTable(counts["pass", "pass"], counts["pass", "fail"], counts["fail", "pass"], counts["fail", "fail"])
    changed = [Change(a, b, why(a, b)) for a, b in pairs if a.outcome != b.outcome]
    order = ("pass_to_fail", "pass_to_unjudged", "fail_to_pass")
    changed.sort(key=lambda change: order.index(change.kind) if change.kind in order else len(order))
    only_old = sorted(set(old_by) - set(new_by) - several)
    return Comparison(
        by=by,
        table=table,
        changes=tuple(changed),
        unjudged=tuple(pair for pair in pairs if "unjudged" in (pair[0].outcome, pair[1].outcome)),
        only_old=tuple(only_old),
        only_new=tuple(sorted(set(new_by) - set(old_by) - several)),
        missing_passes=tuple(name for name in only_old if old_by[name].outcome == "pass"),
        several=tuple(sorted(several)),
    )


def why(old: Outline, new: Outline) -> tuple[str, ...]:
    """What may explain that two verdicts differ: the parts of their keys that are not the same."""
    if old.parts is None or new.parts is None:
        named = [f"{_WORDS['judge']}: {old.judge} → {new.judge}"] if old.judge != new.judge else []
        if old.model != new.model:
            named.append(f"{_WORDS['model']}: {old.model} → {new.model}")
        return (*named, "what an imported verdict rests on is not known") if named or old.judge else ()
    said = []
    for part in differences(old.parts, new.parts):
        if part in ("judge", "model"):
            said.append(f"{_WORDS[part]}: {getattr(old.parts, part)} → {getattr(new.parts, part)}")
        elif part in _WORDS:
            said.append(_WORDS[part])
    return tuple(said) or ("nothing that it rests on changed: the judge answered otherwise",)


def _by_name(verdicts: Iterable[Outline], by: By) -> tuple[dict[str, Outline], set[str]]:
    """Verdicts by the name that pairs them, and the names that occur more than once. Without a task: by run."""
    found: dict[str, Outline] = {}
    several: set[str] = set()
    for one in verdicts:
        name = one.run if by == "run" or not one.task_id else f"task {one.task_id}"
        if name in found:
            several.add(name)
        found[name] = one
    return found, several
