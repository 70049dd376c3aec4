"""Rubrics: the fixed, versioned rules that every judge applies, kept as data."""

if __name__ != "clawjudge.rubrics":
    raise ImportError("import this package as clawjudge.rubrics (pip install -e . makes that name available)")
