"""Accessibility snapshots: one node per line, as Playwright, agent-browser and chrome-devtools print them.

    - heading "Checkout" [level=1]
    - textbox "Name *" [ref=e12]: Alex
    - 'button "Save: now"'
    - radio "Card": [checked]
    uid=1_4 textbox "E-mail" value="a@b.test" required

A node is `role`, a quoted name, marks in brackets, and after a colon its value. Names and values may be quoted the way
YAML does it. The functions scan each line once.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from clawjudge.traces.transcripts.controls import ROLES, TOGGLES, TYPED, Draft

_TEXT_ROLES = frozenset(
    {
        "alert",
        "alertdialog",
        "application",
        "article",
        "banner",
        "blockquote",
        "caption",
        "cell",
        "code",
        "columnheader",
        "complementary",
        "contentinfo",
        "definition",
        "deletion",
        "dialog",
        "document",
        "emphasis",
        "feed",
        "figure",
        "footer",
        "form",
        "generic",
        "grid",
        "gridcell",
        "group",
        "heading",
        "iframe",
        "img",
        "insertion",
        "label",
        "list",
        "listitem",
        "log",
        "main",
        "mark",
        "marquee",
        "math",
        "menu",
        "menubar",
        "meter",
        "navigation",
        "none",
        "note",
        "paragraph",
        "presentation",
        "progressbar",
        "radiogroup",
        "region",
        "row",
        "rowgroup",
        "rowheader",
        "scrollbar",
        "search",
        "separator",
        "status",
        "strong",
        "subscript",
        "superscript",
        "tablist",
        "tabpanel",
        "table",
        "term",
        "text",
        "time",
        "timer",
        "toolbar",
        "tooltip",
        "tree",
        "treegrid",
    }
)
_KNOWN = (ROLES | _TEXT_ROLES) - {"file"}
_ROLE = re.compile(r"[a-z]++")
_UID = re.compile(r"uid=\S++\s++")
_MARK = re.compile(r"\s*\[([^\[\]]*)\]")
_ATTRIBUTE = re.compile(r'\s+([a-zA-Z-]++)(?:="([^"]*)"|=([^\s"]++))?')
_FLAGS = frozenset({"checked", "unchecked", "selected", "required", "disabled", "expanded", "focused", "focusable"})
_COMPARED = 2000
"""Labels longer than this are not searched for the texts below them, which would take quadratic time."""
_PROPERTY = re.compile(r"/([a-z]++):\s*+(.*)")


@dataclass(slots=True)
class Node:
    """One line of a snapshot."""

    indent: int
    role: str
    name: str = ""
    value: str | None = None
    marks: dict[str, str] = field(default_factory=dict)
    """Marks such as `checked`, `level=1`, `ref=e5`; a mark without a value maps to `true`."""


def parse_line(line: str) -> Node | None:
    """The node that `line` states, or None if it is something else.

    Without the leading dash a line must be a role with a quoted name and marks only, so that prose is not mistaken.
    """
    text = line.strip()
    indent = len(line) - len(line.lstrip())
    listed = text.startswith("- ")
    if listed:
        text = text[2:].lstrip()
    elif found := _UID.match(text):
        text = text[found.end() :]
    if listed and text.startswith("/"):
        prop = _PROPERTY.fullmatch(text)
        return Node(indent, "/" + prop[1], value=_yaml_scalar(prop[2])) if prop else None
    if listed and text[:1] in ("'", '"'):
        quoted_key = _quoted_yaml(text)
        if quoted_key is None:
            return None
        key, rest = quoted_key
        return _node(indent, key, rest, listed)
    return _node(indent, text, None, listed)


def _node(indent: int, text: str, tail: str | None, listed: bool) -> Node | None:
    """The node in `text`; `tail` is what follows where YAML quoted the whole key."""
    found = _ROLE.match(text)
    if found is None or found[0] not in _KNOWN:
        return None
    node = Node(indent, found[0])
    position = found.end()
    name = _quoted_name(text, position)
    if name is not None:
        node.name, position = name
    elif not listed:
        return None
    position = _read_marks(text, position, node)
    rest = text[position:] if tail is None else text[position:] + tail
    stripped = rest.strip()
    if stripped.startswith(":"):
        _set_value(node, _yaml_scalar(stripped[1:].strip()))
        return node
    return node if not stripped or _read_attributes(rest, node) else None


def _set_value(node: Node, value: str) -> None:
    # The recorder of the corpus puts the mark where the value goes: `radio "Card": [checked]`.
    mark = value[1:-1] if value.startswith("[") and value.endswith("]") else ""
    if mark in _FLAGS:
        node.marks[mark] = "true"
    elif value:
        node.value = value


def _read_marks(text: str, position: int, node: Node) -> int:
    while found := _MARK.match(text, position):
        name, _, value = found[1].partition("=")
        node.marks[name.strip()] = value.strip() or "true"
        position = found.end()
    return position


def _read_attributes(text: str, node: Node) -> bool:
    """Read `value="x" required` after a name; False if anything else stands there."""
    position = 0
    text = text.rstrip()
    while position < len(text):
        found = _ATTRIBUTE.match(text, position)
        if found is None:
            return False
        value = found[2] if found[2] is not None else found[3]
        if value is None and found[1] not in _FLAGS:
            return False
        node.marks[found[1]] = "true" if value is None else value
        position = found.end()
    node.value = node.marks.get("value", node.value)
    return True


def _quoted_name(text: str, position: int) -> tuple[str, int] | None:
    """The name in double quotes at `position`, and where it ends."""
    start = text.find('"', position)
    if start < 0 or text[position:start].strip():
        return None
    end = start + 1
    while end < len(text) and text[end] != '"':
        end += 2 if text[end] == "\\" else 1
    if end >= len(text):
        return None
    return _unescaped(text[start : end + 1]), end + 1


def _quoted_yaml(text: str) -> tuple[str, str] | None:
    """A YAML-quoted key at the start of `text` and what follows it."""
    if text[0] == '"':
        found = _quoted_name(text, 0)
        return (found[0], text[found[1] :]) if found else None
    parts: list[str] = []
    position = 1
    while True:
        end = text.find("'", position)
        if end < 0:
            return None
        parts.append(text[position:end])
        if text[end + 1 : end + 2] != "'":
            return "'".join(parts), text[end + 1 :]
        position = end + 2


def _yaml_scalar(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        return _unescaped(text)
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text


def _unescaped(quoted: str) -> str:
    try:
        value = json.loads(quoted, strict=False)
    except ValueError:
        return quoted[1:-1]
    return value if isinstance(value, str) else quoted[1:-1]


class Tree:
    """Turns nodes, in order, into controls and texts; what stands deeper belongs to the control above it."""

    def __init__(self, controls: list[Draft], texts: list[str]) -> None:
        self._controls = controls
        self._texts = texts
        self._open: list[tuple[int, Draft]] = []

    def close(self) -> None:
        """Something else follows: nodes to come belong to no control so far."""
        self._open.clear()

    def add(self, node: Node) -> None:
        while self._open and self._open[-1][0] >= node.indent:
            self._open.pop()
        parent = self._open[-1][1] if self._open else None
        if node.role.startswith("/"):
            _add_property(parent, node)
        elif node.role in ROLES:
            draft = _draft(node)
            self._controls.append(draft)
            if draft.role == "option" and draft.value == "true" and parent and parent.role in ("combobox", "listbox"):
                parent.value = draft.label
            self._open.append((node.indent, draft))
        else:
            self._add_text(parent, node)

    def _add_text(self, parent: Draft | None, node: Node) -> None:
        shown = [part for part in (node.name, node.value) if part]
        if parent is None:
            self._texts.extend(shown)
        elif parent.role in TYPED:
            if shown and parent.value is None:
                parent.value = shown[0]
        elif not parent.label:
            parent.label = " ".join(shown)
        elif len(parent.label) > _COMPARED or any(part not in parent.label for part in shown):
            self._texts.extend(shown)


def _add_property(parent: Draft | None, node: Node) -> None:
    if parent is not None and node.role == "/placeholder" and node.value:
        parent.fallback = node.value


def _draft(node: Node) -> Draft:
    draft = Draft(node.role, node.name, node.value, required=node.marks.get("required") == "true")
    if node.role in TOGGLES:
        # Playwright prints a mark only for what is on.
        draft.value = "false" if "unchecked" in node.marks else node.marks.get("checked", "false")
    elif node.role == "option":
        draft.value = "true" if "selected" in node.marks else "false"
    elif not node.name and node.value and node.role not in TYPED:
        draft.label, draft.value = node.value, None
    return draft
