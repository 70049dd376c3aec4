"""What a scripted user can do in a browser: go to pages, fill in fields, press buttons, read mail."""

from __future__ import annotations

from typing import Any

from scripted.bodies import Fields
from scripted.page import Item, Page, Site, head, link, step_of, text
from scripted.recorder import Recorder, Step

_ERROR_PAGE = "chrome-error://chromewebdata/"
_MAIL = "mailhaven.test"


class Run(Recorder):
    """One session. `typos` maps labels to values that are entered first and then corrected."""

    def __init__(
        self,
        site: Site,
        schema: dict[str, Any],
        seed: str,
        human: bool,
        start: float,
        typos: dict[str, str] | None = None,
    ):
        self.typos = typos or {}
        self.pending: Item | None = None
        """A text box whose change event is still to come."""
        super().__init__(site, schema, seed, human, start)

    def finish(self, words: str) -> None:
        """The agent's last words."""
        self.flush()
        self.leave_box()
        self.tick(0.5, 1.5)
        self.steps.append(Step("say", words, self.now))

    def close(self) -> None:
        """Whatever is still to come when the recording ends."""
        self.leave_box()
        self.flush()

    # -- navigation
    def load(self, page: Page, document: bool = True) -> None:
        """Come to a page; `document=False` if its request is logged already."""
        self.leave_box()
        if document:
            self.log("GET", self.url(page.path, page.host), None, "Document")
        self.page, self.values, self.notes = page, dict(page.preset), []
        self.tick()
        self._loaded(self.url(page.path, page.host), f"{page.title} | {self.site.name}")
        self.noise(page.path, page.host)

    def _loaded(self, url: str, title: str) -> None:
        self.actions.append({"type": "pageLoad", "timestamp": self.ms(), "url": url, "title": title})

    def open(self, page: Page, new_tab: bool = False) -> None:
        """Type an address; the first time, also answer the consent banner."""
        self.leave_box()
        first = self.page is None
        thought, tool = (f"Open {page.title}.", "open") if new_tab else (f"Open {self.site.name}.", "navigate")
        self.act(thought, tool, url=self.url(page.path, page.host))
        self.load(page)
        self.waiting = True
        if first and self.site.banner:
            self.consent_open = True
            self.press(self.site.banner, id="consent-ok", known=False)
            self.consent_open = False
            self.xhr("POST", "/consent", {"choice": "all", "sid": self.session})

    def follow(self, label: str, page: Page) -> None:
        """Click a link that loads a page."""
        self.press(label, tag="A", known=False)
        self.load(page)

    def turn(self, page: Page) -> None:
        """The same address with other content (a step of a form)."""
        self.leave_box()
        self.page, self.notes = page, []
        self.values |= page.preset

    def submit(
        self, method: str, path: str, fields: Fields, then: Page | None = None, kind: str = "urlencoded"
    ) -> bool:
        """A form that loads a new page; if it is blocked, the browser's error page. True if it is blocked."""
        place = f"/html[1]/body[1]/main[1]/{step_of(self.page)}form[1]"
        form = {"tagName": "FORM", "id": "f", "className": "", "textContent": "", "xpath": place}
        where = self.url(self.page.path)
        self.actions.append({"type": "submit", "timestamp": self.ms(), "url": where, "target": form})
        blocked = self.form(method, path, fields, kind)
        if blocked:
            self._loaded(_ERROR_PAGE, self.site.host)
            words = [text("This site can't be reached"), text("ERR_BLOCKED_BY_CLIENT")]
            self.page, self.values, self.notes = Page(_ERROR_PAGE, self.site.host, words), {}, []
        elif then:
            self.load(then, document=False)
        return blocked

    @property
    def cut_off(self) -> bool:
        """On the browser's error page."""
        return self.page is not None and self.page.path == _ERROR_PAGE

    # -- input
    def find(self, label: str) -> Item:
        for item in [*self.page.items, *self.notes]:
            if item.label == label:
                return item
        raise KeyError(f"{label!r} is not on {self.page.path} ({self.page.title})")

    def leave_box(self) -> None:
        if self.pending:
            item, self.pending = self.pending, None
            self.event("change", item, value=self.values[item.id])

    def fill(self, label: str, value: str) -> None:
        """Type, choose or attach; a scripted typo is made and corrected first."""
        if label in self.typos:
            self._fill(label, self.typos[label])
            self.say("That is not right yet, I will correct it.")
        self._fill(label, value)

    def _fill(self, label: str, value: str) -> None:
        item = self.find(label)
        self.leave_box()
        if item.kind == "combobox":
            self.act(f"Choose {value} for {label}.", "select_option", element=label, ref=f"#{item.id}", values=[value])
            self._set(item, value, item.options[value], f'Selected "{value}" in {label}.')
        elif item.kind == "file":
            self.act(f"Upload {value}.", "file_upload", element=label, paths=[f"./my-info/{value}"])
            self._set(item, value, "C:\\fakepath\\" + value, f"{value} attached.")
        else:
            self._type(item, value)

    def _set(self, item: Item, value: str, logged: str, answer: str) -> None:
        for kind in ("input", "change"):
            self.event(kind, item, value=logged)
        self.values[item.id] = value
        self.result(answer)

    def _type(self, item: Item, value: str) -> None:
        label = item.label
        self.act(f"Enter the {label.lower()}.", "type", element=label, ref=f"#{item.id}", text=value)
        old = self.values.get(item.id, "")
        self.event("click", item, x=678, y=283, value=old)
        if old:
            for kind in ("keydown", "keyup"):
                self.event(kind, item, key="Control", value=old)
                self.event(kind, item, key="a", value=old)
        typed, last = "", 0.0
        for letter in value:
            self.event("keydown", item, key=letter, value=typed or old)
            typed, old = typed + letter, ""
            if self.now - last > 0.5:
                last = self.now
                self.event("input", item, value=typed)
            self.event("keyup", item, key=letter, value=typed)
        self.values[item.id] = value
        self.pending = item
        self.result(f'Typed "{value}" into {label}.')

    def choose(self, label: str, untick: bool = False) -> None:
        """Tick a radio button or a check box. The recorder logs the value attribute, ticked or not."""
        item = self.find(label)
        self.leave_box()
        self.act(f"{'Untick' if untick else 'Choose'} {label}.", "click", element=label, ref=f"#{item.id}")
        value = item.value or "on"
        number = [i.label for i in self.page.items].index(label)
        self.event("click", item, x=430, y=200 + 34 * number, value=value)
        if self.rng.random() < 0.8:
            self.event("input", item, value=value)
        self.event("change", item, value=value)
        key = item.group or item.id
        if untick:
            self.values.pop(key, None)
        else:
            self.values[key] = value
        self.result(self.snapshot())

    def press(self, label: str, id: str = "", tag: str = "", known: bool = True) -> None:
        """Click a button or, with `tag="A"`, a link; `known=False` for what may stand in the navigation or banner."""
        item = self.find(label) if known else Item("link" if tag == "A" else "button", label, id)
        self.leave_box()
        self.act(f"Click {label}.", "click", element=label, ref=f"#{item.id}" if item.id else f"text={label}")
        self.event("click", item, tag=tag, x=504, y=588, **({} if tag == "A" else {"value": ""}))
        self.waiting = True

    # -- the user's mailbox
    def inbox(self, sender: str, subject: str, body: str) -> None:
        """Read the newest message and come back to the first tab, which kept its state."""
        kept = (self.page, dict(self.values), list(self.notes))
        site, self.site = self.site, self._mail_site()
        self._read(sender, subject, [text(body)])
        self.flush()
        self.site = site
        self.act("Back to the first tab.", "tab_select", index=0)
        self.page, self.values, self.notes = kept
        self.waiting = True

    def mailed_link(self, sender: str, subject: str, body: str, label: str, page: Page) -> None:
        """Read the newest message and follow the link in it."""
        site, self.site = self.site, self._mail_site()
        self._read(sender, subject, [text(body), link(label)])
        self.press(label, tag="A", known=False)
        self.site = site
        self.load(page)

    def _mail_site(self) -> Site:
        return Site(
            self.site.host,
            "Mailhaven",
            ["Inbox"],
            scheme=self.site.scheme,
            ping=self.site.ping,
            lang=self.site.lang,
            third=self.site.third,
        )

    def _read(self, sender: str, subject: str, content: list[Item]) -> None:
        signed_in = text(f"Signed in as {self.email}")
        listed = [signed_in, text(sender), link(subject), text("just now")]
        self.open(Page("/inbox", "Inbox", listed, host=_MAIL), new_tab=True)
        message = [head(subject), text(f"From {sender} to {self.email}"), *content]
        self.follow(subject, Page(f"/inbox/{self.digits(4)}", subject, message, host=_MAIL))
