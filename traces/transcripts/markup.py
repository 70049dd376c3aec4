"""Controls and texts in markup: browser-use's element lines and fragments of HTML.

A tolerant scanner instead of an HTML parser, because the input is hostile, often cut, and may be a megabyte: it moves
forward only, so its time is linear whatever the text.
"""

from __future__ import annotations

import html
import re

from clawjudge.traces.transcripts.controls import TOGGLES, Draft

_ELEMENT_LINE = re.compile(r"\s*+\*?\[\d{1,12}\]\*?\s*+<([a-zA-Z][\w-]*+)")
_TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*+)((?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+)(/?>)?")
_ATTRIBUTE = re.compile(r"([^\s=\"'/>]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++)))?")
_HTML = re.compile(
    r"</?(?:input|select|textarea|button|label|form|option|div|span|p|a|h[1-6]|li|td|html|body)\b[^<>]*+>",
    re.IGNORECASE,
)
_LOOSE_KEYS = frozenset(
    {
        "type",
        "name",
        "placeholder",
        "value",
        "role",
        "title",
        "alt",
        "id",
        "for",
        "href",
        "pattern",
        "min",
        "max",
        "minlength",
        "maxlength",
        "step",
        "accept",
        "required",
        "checked",
        "disabled",
        "readonly",
        "multiple",
        "selected",
        "expanded",
        "autocomplete",
        "inputmode",
        "format",
        "contenteditable",
        "tabindex",
    }
)
_BARE = frozenset({"required", "checked", "disabled", "readonly", "multiple", "selected"})
_INPUT_ROLES = {
    "checkbox": "checkbox",
    "radio": "radio",
    "button": "button",
    "submit": "button",
    "reset": "button",
    "image": "button",
    "search": "searchbox",
    "number": "spinbutton",
    "range": "slider",
    "file": "file",
}
_TAG_ROLES = {
    "button": "button",
    "a": "link",
    "select": "combobox",
    "textarea": "textbox",
    "option": "option",
    "summary": "button",
}
_HIDDEN = frozenset({"script", "style", "noscript", "template", "title", "svg"})
_Attributes = dict[str, str]


def is_element_line(line: str) -> bool:
    """Whether `line` shows an element the way browser-use does: `[12]<input type=tel required />`."""
    return _ELEMENT_LINE.match(line) is not None


def read_element_line(line: str, controls: list[Draft], texts: list[str]) -> Draft | None:
    """Add the element of a line for which `is_element_line` holds; the control, if it is one."""
    found = _ELEMENT_LINE.match(line)
    if found is None:
        return None
    tag = found[1].lower()
    rest = line[found.end() :].strip()
    closing = rest.rfind("</")
    inner = ""
    if closing >= 0 and ">" in rest[:closing]:
        given, _, inner = rest[:closing].partition(">")
    else:
        given = rest.removesuffix("/>").removesuffix(">")
    draft = _draft(tag, _loose_attributes(given))
    inner = _unescape(inner).strip()
    if draft is None:
        if inner:
            texts.append(inner)
        return None
    if inner and draft.role == "textbox" and tag == "textarea":
        draft.value = inner
    elif inner:
        draft.label = draft.label or inner
    controls.append(draft)
    return draft


def read_prose(lines: list[str], controls: list[Draft], texts: list[str]) -> None:
    """Add what stands in a run of other lines: HTML if it looks like it, else plain text line by line."""
    text = "\n".join(lines)
    if _HTML.search(text):
        _Scanner(controls, texts).read(text)
        return
    texts.extend(stripped for line in lines if (stripped := line.strip()))


def _loose_attributes(text: str) -> _Attributes:
    """Attributes as browser-use prints them: mostly unquoted, so that a value runs until the next known key."""
    if '="' in text or "='" in text:
        return _attributes(text)
    found: _Attributes = {}
    key = ""
    for word in text.split():
        name, equals, value = word.partition("=")
        lowered = name.lower()
        if equals and (lowered in _LOOSE_KEYS or lowered.startswith(("aria-", "data-"))):
            key = lowered
            found[key] = value
        elif lowered in _BARE and not equals:
            key = ""
            found[lowered] = ""
        elif key:
            found[key] = f"{found[key]} {word}"
    return found


def _attributes(text: str) -> _Attributes:
    found: _Attributes = {}
    for match in _ATTRIBUTE.finditer(text):
        value = next((part for part in match.groups()[1:] if part is not None), "")
        found.setdefault(match[1].lower(), _unescape(value))
    return found


def _draft(tag: str, given: _Attributes) -> Draft | None:
    kind = given.get("type", "").lower()
    role = given.get("role", "").lower()
    if tag == "input":
        if kind == "hidden":
            return None
        role = _INPUT_ROLES.get(kind, role if role in ("combobox", "searchbox", "switch", "spinbutton") else "textbox")
    elif tag in _TAG_ROLES:
        role = role if role in TOGGLES or role in ("tab", "menuitem") else _TAG_ROLES[tag]
    elif role not in ("textbox", "searchbox", "combobox", "button", "link", "tab", "option", "menuitem") and (
        role not in TOGGLES
    ):
        return None
    draft = Draft(role, given.get("aria-label", ""), id=given.get("id", ""))
    draft.required = _flag(given, "required") or given.get("aria-required") == "true"
    draft.fallback = next((given[key] for key in ("placeholder", "title", "alt", "name", "id") if given.get(key)), "")
    if role in TOGGLES:
        mark = given.get("aria-checked", given.get("checked"))
        draft.value = None if mark is None else "false" if mark == "false" else "mixed" if mark == "mixed" else "true"
    elif role == "option":
        draft.value = "true" if _flag(given, "selected") or given.get("aria-selected") == "true" else "false"
    elif tag == "input" and role == "button":
        draft.label = draft.label or given.get("value", "")
    elif tag not in ("button", "a"):
        draft.value = given.get("value")
    return draft


def _flag(given: _Attributes, name: str) -> bool:
    return name in given and given[name].lower() != "false"


class _Scanner:
    """One pass over HTML."""

    def __init__(self, controls: list[Draft], texts: list[str]) -> None:
        self._controls = controls
        self._texts = texts
        self._labels: dict[str, str] = {}
        self._mine: list[Draft] = []
        self._label: list[str] | None = None
        """Text inside the label that is open."""
        self._label_for = ""
        self._labelled: list[Draft] = []
        self._collecting: Draft | None = None
        """The button, link, option or text area whose text is being read."""
        self._collected: list[str] = []
        self._select: Draft | None = None
        self._hidden = ""

    def read(self, text: str) -> None:
        position = 0
        while True:
            start = text.find("<", position)
            if start < 0:
                self._text(text[position:])
                break
            found = _TAG.match(text, start)
            if found is None or found[4] is None:
                # Not a tag, or cut off. Going on from where the match ended, never back, keeps the time linear.
                end = found.end() if found else start + 1
                self._text(text[position:end])
                position = end
                continue
            self._text(text[position:start])
            position = found.end()
            if found[1]:
                self._end(found[2].lower())
            else:
                self._start(found[2].lower(), _attributes(found[3]))
        self._finish()

    def _text(self, raw: str) -> None:
        if self._hidden:
            return
        text = " ".join(_unescape(raw).split())
        if not text:
            return
        if self._collecting is not None:
            self._collected.append(text)
            return
        if self._label is not None:
            self._label.append(text)
        self._texts.append(text)

    def _start(self, tag: str, given: _Attributes) -> None:
        if self._hidden:
            return
        if tag in _HIDDEN:
            self._hidden = tag
            return
        if tag == "label":
            self._close_label()
            self._label, self._label_for = [], given.get("for", "")
            return
        draft = _draft(tag, given)
        if draft is None:
            return
        self._close_collecting()
        self._controls.append(draft)
        self._mine.append(draft)
        if self._label is not None and tag != "option":
            self._labelled.append(draft)
        if tag == "select":
            self._select = draft
        elif tag != "input":
            self._collecting, self._collected = draft, []

    def _end(self, tag: str) -> None:
        if self._hidden:
            if tag == self._hidden:
                self._hidden = ""
            return
        if tag == "label":
            self._close_label()
        elif tag == "select":
            self._close_collecting()
            self._select = None
        elif self._collecting is not None and (tag in _TAG_ROLES or tag in ("div", "span", "li")):
            self._close_collecting()

    def _close_collecting(self) -> None:
        draft, text = self._collecting, " ".join(self._collected)
        self._collecting, self._collected = None, []
        if draft is None:
            return
        if draft.role in ("textbox", "searchbox", "combobox"):
            draft.value = draft.value or text or None
        else:
            draft.label = draft.label or text
        if draft.role == "option" and draft.value == "true" and self._select is not None:
            self._select.value = draft.label

    def _close_label(self) -> None:
        if self._label is None:
            return
        text = " ".join(self._label)
        if self._label_for:
            self._labels.setdefault(self._label_for, text)
        for draft in self._labelled:
            draft.label = draft.label or text
        self._label, self._label_for, self._labelled = None, "", []

    def _finish(self) -> None:
        self._close_collecting()
        self._close_label()
        for draft in self._mine:
            if draft.id and not draft.label:
                draft.label = self._labels.get(draft.id, "")


def _unescape(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:
        # A numeric reference with thousands of digits is refused by Python's integer parser.
        return text
