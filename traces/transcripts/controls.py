"""Controls of a page, as the agent was shown them."""

from __future__ import annotations

from dataclasses import dataclass

TOGGLES = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
"""Controls whose value is `true`, `false` or `mixed`."""

FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
"""Controls into which a person types."""

TYPED = FIELDS | {"listbox", "slider"}
"""Controls that hold a text or a number."""

ROLES = TOGGLES | TYPED | frozenset({"button", "link", "option", "menuitem", "tab", "treeitem", "file"})
"""Every role that makes an element a control."""


@dataclass(frozen=True, slots=True)
class Control:
    """One control as it was shown."""

    role: str
    label: str
    """As shown, with a mark such as `*` if it has one."""
    value: str | None = None
    """What it held; `true`, `false` or `mixed` for a box or a switch; None if unknown, which may mean empty."""
    required: bool = False


@dataclass(slots=True)
class Draft:
    """A control whose parts are still being found."""

    role: str
    label: str = ""
    value: str | None = None
    required: bool = False
    id: str = ""
    fallback: str = ""
    """Label of last resort: a placeholder, a title or a name."""

    def control(self) -> Control:
        label = self.label or self.fallback
        return Control(self.role, label, self.value, self.required or marked_required(label))


def marked_required(label: str) -> bool:
    """Whether a label itself says that its field is required."""
    text = label.strip().rstrip(":").rstrip()
    return text.startswith("*") or text.endswith("*") or text.lower().endswith(("(required)", ", required"))
