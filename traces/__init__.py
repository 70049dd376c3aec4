"""Recorded runs: what a trace is, how it is read, and the one implementation of each rule for reading it."""

if __name__ != "clawjudge.traces":
    raise ImportError("import this package as clawjudge.traces (pip install -e . makes that name available)")
