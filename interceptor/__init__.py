"""Interceptor and recorder. Nothing here yet: it arrives with the recorder issue."""

if __name__ != "clawjudge.interceptor":
    raise ImportError("import this package as clawjudge.interceptor (pip install -e . makes that name available)")
