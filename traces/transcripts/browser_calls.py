"""Whether the result of a tool call shows what the browser showed, told from the call's name and arguments.

A shell prints what the agent makes it print, and so do notes, sub-agents, and pages that the agent wrote. Strict,
because a page that was not there could excuse an unfinished run: what is not known for a browser's tool is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from clawjudge.traces.records import ToolCall
from clawjudge.traces.transcripts.calls import name_words

_BROWSERS = frozenset(
    {"browser", "browse", "playwright", "puppeteer", "chrome", "chromium", "firefox", "selenium", "webdriver"}
) | {"devtools", "stagehand", "cdp"}
_ACTS = (
    frozenset(
        {
            "navigate",
            "navigation",
            "goto",
            "go",
            "open",
            "visit",
            "click",
            "dblclick",
            "tap",
            "type",
            "fill",
            "select",
            "press",
        }
    )
    | frozenset(
        {"hover", "drag", "scroll", "wheel", "wait", "tab", "tabs", "snapshot", "screenshot", "page", "observe", "look"}
    )
    | frozenset(
        {
            "back",
            "forward",
            "reload",
            "refresh",
            "focus",
            "switch",
            "submit",
            "choose",
            "dom",
            "element",
            "act",
            "upload",
        }
    )
    | frozenset(
        {
            "pages",
            "extract",
            "check",
            "uncheck",
            "key",
            "keyboard",
            "mouse",
            "close",
            "resize",
            "dialog",
            "input",
            "state",
            "start",
        }
    )
)
_NEVER = frozenset(
    {"write", "edit", "grep", "glob", "todo", "todos", "task", "tasks", "memory", "plan", "skill", "fetch"}
)
_OTHER_TOOLS = frozenset(
    {"read", "ls", "file", "files", "dir", "directory", "note", "notes", "agent", "fetch", "search"}
)
"""Words of tools without a browser; a tool that names its browser may have them all the same."""
_PRINTS_ANYTHING = re.compile(
    r"(?i)bash|shell|terminal|exec|command|evaluat|script|python|console|run_?code|repl|set_?content|inject|mock|fulfill"
)
_OPERATION_KEYS = frozenset({"action", "kind", "operation", "op", "command", "method", "tool"})
_OWN_PAGE = re.compile(r"\s*(?:view-source:)?(?:data:|file:|blob:|javascript:|about:srcdoc)\S", re.IGNORECASE)
_ADDRESS_KEYS = frozenset({"url", "uri", "href", "address", "targeturl", "link", "urls", "target"})
_MAX_DEPTH = 6


def shows_browser(call: ToolCall) -> bool:
    """Whether what the call gave back is the browser's page, and no page of the agent's own making."""
    if _PRINTS_ANYTHING.search(call.name):
        return False
    own, whole = set(name_words(call.name)), set(name_words(call.name, whole=True))
    if own & _NEVER or not own & (_ACTS | _BROWSERS) or (own & _OTHER_TOOLS and not whole & _BROWSERS):
        return False
    for key, value in _texts(call.arguments, "", _MAX_DEPTH):
        if key in _OPERATION_KEYS and (_PRINTS_ANYTHING.search(value) or set(name_words(value)) & _NEVER):
            return False
        if key in _ADDRESS_KEYS and _OWN_PAGE.match(value):
            return False
    return True


def _texts(value: Any, key: str, depth: int) -> Iterator[tuple[str, str]]:
    """Every text of the arguments with the key that it stands under, in lower case and without marks."""
    if isinstance(value, str):
        yield key, value
    elif depth and isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, "".join(c for c in str(name).casefold() if c.isalnum()), depth - 1)
    elif depth and isinstance(value, list):
        for inner in value:
            yield from _texts(inner, key, depth - 1)
