"""Judges: from a case (task, run, reference) to a verdict with checked evidence, and how far to trust verdicts."""

if __name__ != "clawjudge.judge":
    raise ImportError("import this package as clawjudge.judge (pip install -e . makes that name available)")
