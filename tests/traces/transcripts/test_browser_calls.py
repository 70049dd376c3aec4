from __future__ import annotations

from typing import Any

import pytest

from clawjudge.traces.records import ToolCall
from clawjudge.traces.transcripts.browser_calls import shows_browser


@pytest.mark.parametrize(
    ("name", "arguments", "shows"),
    [
        ("browser_snapshot", {}, True),
        ("mcp__playwright__browser_navigate", {"url": "https://shop.test/"}, True),
        ("mcp__chrome-devtools__take_snapshot", {}, True),
        ("browser", {"action": "snapshot"}, True),
        ("browser", {"action": "act", "request": {"kind": "click", "ref": "e1"}}, True),
        ("browser_file_upload", {"paths": ["/tmp/cv.pdf"]}, True),
        ("click", {"index": 3}, True),
        ("browser_type", {"text": "data: see file:///x"}, True),
        ("browser", {"request": {"kind": "bash", "command": "cat page"}}, False),
        ("browser", {"action": "act", "request": {"kind": "evaluate", "fn": "() => 1"}}, False),
        ("browser_evaluate", {"function": "() => 1"}, False),
        ("mcp__playwright__browser_write", {"path": "p"}, False),
        ("write", {"path": "p", "content": "q"}, False),
        ("Grep", {"pattern": "."}, False),
        ("Task", {"prompt": "describe the page"}, False),
        ("WebFetch", {"url": "https://shop.test"}, False),
        ("mcp__playwright__browser_WebFetch", {"url": "https://shop.test"}, False),
        ("todo", {"items": ["x"]}, False),
        ("open_file", {"path": "p"}, False),
        ("set_content", {"html": "<h1>x</h1>"}, False),
        ("navigate", {"url": "data:text/html;base64,PGgxPg=="}, False),
        ("browser_navigate", {"url": " FILE:///tmp/page.html"}, False),
        ("browser", {"action": "open", "targetUrl": "view-source:data:text/html,x"}, False),
        ("browser_tabs", {"action": "new", "request": [{"url": "blob:https://x.test/1"}]}, False),
    ],
)
def test_what_shows_the_browser(name: str, arguments: dict[str, Any], shows: bool) -> None:
    assert shows_browser(ToolCall("c", name, arguments)) is shows
