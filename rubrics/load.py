"""The loader of rubrics. A rubric is data with a version; its hash goes into every verdict given under it."""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a rubric."""

    id: str
    number: int
    name: str
    title: str
    text: str
    needs: tuple[str, ...]
    """Layers without which nothing can be said about this rule."""


@dataclass(frozen=True, slots=True)
class Rubric:
    """A fixed, versioned set of rules."""

    id: str
    version: str
    title: str
    preamble: str
    rules: tuple[Rule, ...]
    sha256: str
    """Of the canonical JSON of everything above."""

    def rule(self, rule_id: str) -> Rule:
        """The rule `rule_id`; raises KeyError."""
        return {rule.id: rule for rule in self.rules}[rule_id]


def rubric_ids() -> list[str]:
    """Ids of the rubrics that are shipped."""
    names = (entry.name for entry in files("clawjudge.rubrics").iterdir())
    return sorted(name.removesuffix(".json") for name in names if name.endswith(".json"))


@functools.cache
def load_rubric(rubric_id: str) -> Rubric:
    """The rubric `rubric_id`. Raises KeyError for an unknown id and ValueError for a rubric that cannot be meant."""
    if rubric_id not in rubric_ids():
        raise KeyError(f"no rubric {rubric_id!r}; there are: {', '.join(rubric_ids())}")
    raw = json.loads(files("clawjudge.rubrics").joinpath(f"{rubric_id}.json").read_text("utf-8"))
    if not raw["rules"]:
        raise ValueError(f"rubric {rubric_id!r} has no rules")
    if raw["id"] != rubric_id:
        raise ValueError(f"rubric {rubric_id!r} calls itself {raw['id']!r}")
    if len({rule["id"] for rule in raw["rules"]}) != len(raw["rules"]):
        raise ValueError(f"rubric {rubric_id!r} has a rule twice")
    canonical = json.dumps(raw, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    rules = tuple(Rule(r["id"], r["number"], r["name"], r["title"], r["text"], tuple(r["needs"])) for r in raw["rules"])
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    return Rubric(raw["id"], raw["version"], raw["title"], raw["preamble"], rules, digest)
