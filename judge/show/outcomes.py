"""How the three outcomes look to people."""

from __future__ import annotations

COLOURS = {"pass": "bold green", "fail": "bold red", "unjudged": "bold yellow"}
SIGNS = {"pass": "✓ PASS", "fail": "✗ FAIL", "unjudged": "? UNJUDGED"}
