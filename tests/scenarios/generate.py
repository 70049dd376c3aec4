#!/usr/bin/env python
"""Write the scripted scenarios as a labelled corpus: generate.py OUT [SCENARIO ...] [--salt WORD]

The same salt gives the same files, whichever scenarios are asked for; another one gives other ids, times and shapes
of transcripts. Folders of OUT with a scenario's name are replaced.
"""

from __future__ import annotations

import argparse
import csv
import random
import shutil
import sys
from pathlib import Path

from scripted.catalogue import SCENARIOS
from scripted.check import check_label
from scripted.folder import write
from scripted.scenario import Scenario
from scripted.transcripts import SHAPES

COLUMNS = ["run", "scenario", "variant", "label", "rules", "failing_field", "v2_strict", "v2_lenient", "reason"]


def main(arguments: list[str]) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("scenario", nargs="*", choices=[[], *(s.slug for s in SCENARIOS)], metavar="SCENARIO")
    parser.add_argument("--salt", default="first")
    given = parser.parse_args(arguments)
    rows = generate(given.out, set(given.scenario), given.salt)
    fails = sum(row[3] == "fail" for row in rows)
    print(f"{len(rows)} runs: {len(rows) - fails} pass, {fails} fail, {len({row[1] for row in rows})} scenarios")


def generate(out: Path, only: set[str], salt: str) -> list[list[str]]:
    """Write the scenarios named in `only` (all if empty) and labels.csv; the rows of it."""
    rows = []
    for number, scenario in enumerate(SCENARIOS):
        if not only or scenario.slug in only:
            shutil.rmtree(out / scenario.slug, ignore_errors=True)
            rows += _write_scenario(out, scenario, number, salt)
    with (out / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return rows


def _write_scenario(out: Path, scenario: Scenario, number: int, salt: str) -> list[list[str]]:
    rows = []
    task = scenario.task(number)
    for variant in [None, *scenario.variants]:
        name = variant.name if variant else "reference"
        run = scenario.played(variant, number, salt)
        place = f"{scenario.slug}/{name}"
        if variant:
            try:
                check_label(variant, run)
            except ValueError as error:
                raise ValueError(f"{place}: {error}") from error
            label = [variant.label, variant.rules, variant.failing_field, *variant.table, variant.reason]
            rows.append([place, scenario.slug, name, *label])
        dice = random.Random(f"{salt} layout {place}")
        write(out / place, run, task, dice.choice(sorted(SHAPES)), beside=dice.random() < 0.1)
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])
