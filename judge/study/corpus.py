"""The offline judge against a labelled corpus: decided, right, and whether it failed runs for the labelled reason."""

from __future__ import annotations

import csv
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawjudge.judge.case import build_case
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.judge.verdict import Verdict
from clawjudge.traces.trace import Trace


@dataclass(frozen=True)
class Label:
    """One row of `labels.csv`."""

    run: str
    scenario: str
    outcome: str
    rules: tuple[str, ...]
    failing_field: str | None


@dataclass(frozen=True)
class Scored:
    """A label with the judge's verdict."""

    label: Label
    verdict: Verdict

    @property
    def decided(self) -> bool:
        return self.verdict.outcome != "unjudged"

    @property
    def right(self) -> bool:
        return self.verdict.outcome == self.label.outcome

    @property
    def rule_right(self) -> bool:
        """The decisive rule is among the labelled ones."""
        return bool(self.verdict.violated_rules) and self.verdict.violated_rules[0] in self.label.rules

    @property
    def field_right(self) -> bool:
        return self.verdict.failing_field == self.label.failing_field


@dataclass(frozen=True)
class CorpusScore:
    """All runs of a corpus."""

    scored: tuple[Scored, ...]

    def summary(self) -> dict[str, Any]:
        """Counts and shares; `stage1` is what a table by interception alone would say."""
        decided = [s for s in self.scored if s.decided]
        right = [s for s in decided if s.right]
        fails = [s for s in self.scored if s.label.outcome == "fail" and s.verdict.outcome == "fail"]
        stage1 = [s for s in self.scored if (s.verdict.intercepted is True) == (s.label.outcome == "pass")]
        false_stage1 = [s for s in self.scored if s.verdict.intercepted and s.label.outcome == "fail"]
        return {
            "runs": len(self.scored),
            "decided": len(decided),
            "decided_share": _share(len(decided), len(self.scored)),
            "right": len(right),
            "right_share_of_decided": _share(len(right), len(decided)),
            "false_pass": [s.label.run for s in decided if not s.right and s.verdict.outcome == "pass"],
            "false_fail": [s.label.run for s in decided if not s.right and s.verdict.outcome == "fail"],
            "fails_found": len(fails),
            "rule_right": sum(s.rule_right for s in fails),
            "rule_right_share": _share(sum(s.rule_right for s in fails), len(fails)),
            "field_right": sum(s.field_right for s in fails),
            "field_right_share": _share(sum(s.field_right for s in fails), len(fails)),
            "stage1_right": len(stage1),
            "stage1_right_share": _share(len(stage1), len(self.scored)),
            "stage1_false_pass": len(false_stage1),
        }


def score_corpus(corpus: Path, renamed: bool = False) -> CorpusScore:
    """Judge every labelled run of `corpus` against the reference of its scenario. `renamed` hides folder names."""
    judge = OfflineJudge()
    scored = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, label in enumerate(read_labels(corpus)):
            with _folders(corpus, label, Path(scratch) / f"{number:04x}", renamed) as (run, reference):
                verdict = judge.judge(build_case(Trace(run), Trace(reference)))
            scored.append(Scored(label, verdict.model_copy(update={"run": label.run})))
    return CorpusScore(tuple(scored))


def read_labels(corpus: Path) -> list[Label]:
    with (corpus / "labels.csv").open(encoding="utf-8", newline="") as file:
        return [
            Label(
                run=row["run"],
                scenario=row["scenario"],
                outcome=row["label"],
                rules=tuple(f"R{n}" for n in re.findall(r"\d+", row["rules"])),
                failing_field=None if row["failing_field"] == "-" else row["failing_field"],
            )
            for row in csv.DictReader(file)
        ]


@contextmanager
def _folders(corpus: Path, label: Label, scratch: Path, renamed: bool) -> Iterator[tuple[Path, Path]]:
    run, reference = corpus / label.run, corpus / label.scenario / "reference"
    if not renamed:
        yield run, reference
        return
    shutil.copytree(run, scratch / "x")
    shutil.copytree(reference, scratch / "y")
    yield scratch / "x", scratch / "y"
    shutil.rmtree(scratch)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def render(score: CorpusScore, verbose: bool) -> str:
    """The table for people."""
    s = score.summary()
    lines = [
        f"runs                     {s['runs']}",
        f"decided                  {s['decided']} ({_percent(s['decided_share'])})",
        f"right, of those decided  {s['right']} ({_percent(s['right_share_of_decided'])})",
        f"false PASS               {len(s['false_pass'])} {' '.join(s['false_pass'])}",
        f"false FAIL               {len(s['false_fail'])} {' '.join(s['false_fail'])}",
        f"violated rule right      {s['rule_right']} of {s['fails_found']} fails ({_percent(s['rule_right_share'])})",
        f"failing field right      {s['field_right']} of {s['fails_found']} fails ({_percent(s['field_right_share'])})",
        f"stage 1 alone, right     {s['stage1_right']} ({_percent(s['stage1_right_share'])}), "
        f"{s['stage1_false_pass']} of them false PASS",
    ]
    by_scenario = Counter((x.label.scenario, x.right) for x in score.scored)
    for scenario in sorted({x.label.scenario for x in score.scored}):
        lines.append(f"  {scenario:<24} {by_scenario[scenario, True]} right, {by_scenario[scenario, False]} not")
    if verbose:
        lines += ["", *(_explain(x) for x in score.scored if not (x.right and _reason_right(x)))]
    return "\n".join(lines)


def _reason_right(scored: Scored) -> bool:
    return scored.verdict.outcome != "fail" or (scored.rule_right and scored.field_right)


def _explain(scored: Scored) -> str:
    v, label = scored.verdict, scored.label
    return (
        f"{label.run}: labelled {label.outcome} {';'.join(label.rules)} {label.failing_field or ''}\n"
        f"    judged {v.outcome} {v.reason_code} {','.join(v.violated_rules)} {v.failing_field or ''}\n"
        f"    {v.justification}"
    )


def _percent(share: float | None) -> str:
    return "n/a" if share is None else f"{100 * share:.1f} %"
