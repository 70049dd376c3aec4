"""Why a run stopped before the terminal request, as far as the page it stopped on shows it.

Only the last page that the agent was shown counts, only if it belongs to the task's own site, and only by its form
controls together with its words. The agent's own account of it is not evidence.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

from clawjudge.judge.case import Case
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.lexicon import mention, plain
from clawjudge.traces.transcripts.browser_calls import shows_browser
from clawjudge.traces.transcripts.controls import FIELDS
from clawjudge.traces.transcripts.pages import Control, PageState
from clawjudge.traces.urls import host, same_site

EndingKind = Literal["phone_wall", "required_phone", "phone_field", "declined", "captcha", "email_code"]

_SENTENCE = re.compile(r"[^.!?。！？;\n]+[.!?。！？;]*")
_QUESTION = ("?", "？")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class Ending:
    """What stood in the way at the end."""

    kind: EndingKind
    page: PageState
    words: str
    """The words on the page that show it."""


def find_ending(case: Case, reference: RunDigest) -> Ending | None:
    """The obstacle on the last page of the task's site, or None if that page shows none (or no page is recorded)."""
    page = last_page(case, reference)
    if page is None:
        return None
    for found in (_phone(page), _declined(page), _email_code(page), _captcha(page)):
        if found is not None:
            return found
    return None


def last_page(case: Case, reference: RunDigest) -> PageState | None:
    """The last page that the browser showed to the agent, if it is of a site that the reference used for the task.

    None also where the last page does not say what it is: an older one must not stand for it.
    """
    for page in reversed(case.agent.pages):
        if not _is_from_browser(page):
            continue
        name = host(page.url)
        return page if name and any(same_site(name, site) for site in reference.sites) else None
    return None


def _is_from_browser(page: PageState) -> bool:
    """Whether a page came from looking at the browser: a shell or a script prints whatever the agent made it print."""
    if page.call is None:
        return True
    if not shows_browser(page.call):
        return False
    said = plain(json.dumps(page.call.arguments, ensure_ascii=False, default=str))
    return not any(len(c.label) > 8 and plain(c.label) in said for c in phone_fields(page))


def phone_fields(page: PageState) -> list[Control]:
    return [c for c in page.controls if c.role in FIELDS and mention("phone", c.label)]


def _phone(page: PageState) -> Ending | None:
    empty = [c for c in phone_fields(page) if not c.value and not mention("optional", c.label)]
    if not empty:
        return None
    if any(mention("skip", c.label) for c in page.controls):
        return Ending("phone_field", page, empty[0].label)
    for line in [*page.texts, *(c.label for c in page.controls)]:
        if mention("phone", line) and mention("verification", line) and not mention("optional", line):
            return Ending("phone_wall", page, line)
    asked = next((c for c in empty if c.required or "*" in c.label or mention("required", c.label)), None)
    # What running text says of a field may be said of another one; only the field's own mark counts.
    return Ending("required_phone", page, asked.label) if asked else Ending("phone_field", page, empty[0].label)


def _declined(page: PageState) -> Ending | None:
    said = next((text for text in page.texts if _refuses(text)), None)
    return Ending("declined", page, said) if said else None


def _refuses(text: str) -> bool:
    """Whether a text says that this payment was refused: not what would happen if, and not what happened once."""
    if not mention("declined", text):
        return False
    for found in _SENTENCE.finditer(text):
        sentence = found.group().strip()
        word = mention("declined", sentence)
        if word and not sentence.endswith(_QUESTION):
            before = plain(sentence).partition(plain(word))[0]
            if not (mention("condition", before) or mention("earlier", before) or _YEAR.search(before)):
                return True
    return False


def _email_code(page: PageState) -> Ending | None:
    asks = [c for c in page.controls if c.role in FIELDS and mention("code", c.label)]
    line = next((text for text in page.texts if mention("mail", text) or "@" in text), None)
    return Ending("email_code", page, line) if asks and line else None


def _captcha(page: PageState) -> Ending | None:
    lines = [*(c.label for c in page.controls), *page.texts]
    line = next((text for text in lines if mention("captcha", text)), None)
    return Ending("captcha", page, line) if line else None
