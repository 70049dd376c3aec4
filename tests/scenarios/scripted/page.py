"""What a scripted site shows: elements, pages, and how a browser tool would print them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_TAGS = {"combobox": "select", "button": "button", "link": "a", "heading": "h2", "text": "p"}
_INPUTS = ("textbox", "combobox", "file", "radio", "checkbox")


@dataclass
class Item:
    """One element, in the words of a page snapshot."""

    kind: str
    label: str
    id: str = ""
    options: dict[str, str] = field(default_factory=dict)
    """Of a menu: text to value."""
    group: str = ""
    value: str = ""

    @property
    def tag(self) -> str:
        """The element's name in HTML."""
        return _TAGS.get(self.kind, "textarea" if self.value == "area" else "input")

    @property
    def ticked(self) -> bool:
        return self.kind in ("radio", "checkbox")


@dataclass
class Page:
    """One page, or one step of a page that keeps its address."""

    path: str
    title: str
    items: list[Item]
    host: str = ""
    step: int = 1
    """Which block of the document holds the elements: steps of one address have one each."""
    preset: dict[str, str] = field(default_factory=dict)
    """What the server filled in, by element id."""


@dataclass
class Site:
    """What all pages of a site share."""

    host: str
    name: str
    nav: list[str]
    error: str = "Something went wrong. Please try again."
    banner: str = ""
    """Text of the consent button; empty for none."""
    scheme: str = "https"
    ping: str = "/ingest/v1/events"
    lang: str = "en-CA"
    third: str = "https://px.adlytics.test/collect"


def head(label: str) -> Item:
    return Item("heading", label)


def text(label: str) -> Item:
    return Item("text", label)


def link(label: str) -> Item:
    return Item("link", label)


def button(label: str, id: str = "") -> Item:
    return Item("button", label, id or re.sub(r"\W+", "-", label.lower()).strip("-"))


def box(label: str, id: str) -> Item:
    return Item("textbox", label, id)


def area(label: str, id: str) -> Item:
    return Item("textbox", label, id, value="area")


def check(label: str, id: str) -> Item:
    return Item("checkbox", label, id)


def radio(label: str, group: str, value: str) -> Item:
    return Item("radio", label, f"{group}-{value}".replace(" ", "-"), group=group, value=value)


def upload(label: str, id: str) -> Item:
    return Item("file", label, id)


def menu(label: str, id: str, options: dict[str, str] | Iterable[str]) -> Item:
    return Item("combobox", label, id, options=options if isinstance(options, dict) else {o: o for o in options})


def xpath(site: Site, page: Page, notes: list[Item], item: Item) -> str:
    """Where `item` stands in the document: its number among its kind in the page's block, the same in every run."""
    body = "/html[1]/body[1]"
    if item.label == site.banner and item.id == "consent-ok":
        return f"{body}/div[1]/button[1]"
    holder = "form[1]" if any(i.kind in _INPUTS for i in page.items) else "div[1]"
    block = f"{body}/main[1]/{step_of(page)}{holder}"
    for items, root in ((page.items, block), (notes, f"{body}/main[1]/section[1]")):
        labels, count = 0, {}
        for other in items:
            labels += other.tag in ("select", "textarea", "input")
            if not other.ticked:
                count[other.tag] = count.get(other.tag, 0) + 1
            if other is item or (other.label, other.kind) == (item.label, item.kind):
                return f"{root}/label[{labels}]/input[1]" if item.ticked else f"{root}/{item.tag}[{count[item.tag]}]"
    if item.label in site.nav:
        return f"{body}/header[1]/nav[1]/a[{1 + site.nav.index(item.label)}]"
    raise KeyError(f"{item.label!r} is not on {page.path} ({page.title})")


def step_of(page: Page) -> str:
    """The part of an xpath that tells the steps of one address apart."""
    return "" if page.step == 1 else f"div[{page.step}]/"


def item_line(item: Item, values: dict[str, str]) -> str:
    """The line of a page snapshot that shows `item`."""
    current = values.get(item.id, "")
    match item.kind:
        case "heading" | "text":
            return f"- {item.kind}: {item.label}"
        case "link" | "button":
            return f'- {item.kind} "{item.label}"'
        case "combobox":
            return f'- combobox "{item.label}": {current or next(iter(item.options))}'
        case "radio":
            return f'- radio "{item.label}": [{"checked" if values.get(item.group) == item.value else "unchecked"}]'
        case "checkbox":
            return f'- checkbox "{item.label}": [{"checked" if current else "unchecked"}]'
    shown = "C:\\fakepath\\" + current if item.kind == "file" and current else current
    return f'- textbox "{item.label}"' + (f": {shown}" if shown else "")
