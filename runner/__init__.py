"""Runner of tasks in containers or a local browser. Nothing here yet: it arrives with the runner issue."""

if __name__ != "clawjudge.runner":
    raise ImportError("import this package as clawjudge.runner (pip install -e . makes that name available)")
