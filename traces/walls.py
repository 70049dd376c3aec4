"""Walls: a login, a CAPTCHA, a phone number or a payment that a page asks for, and the step at which a run met each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clawjudge.traces.lexicon import LABEL_LENGTH, mention
from clawjudge.traces.records import Source, Step
from clawjudge.traces.transcripts.controls import FIELDS
from clawjudge.traces.transcripts.pages import PageState
from clawjudge.traces.urls import path


def with_walls(steps: list[Step], pages: Iterable[PageState]) -> Iterator[Step]:
    """`steps` with one wall step added for each kind of wall that the run met, where it was first seen."""
    seen: set[str] = set()
    for step in steps:
        kind = _wall_in_step(step)
        if kind and kind not in seen:
            seen.add(kind)
            yield Step(
                kind="wall",
                t_ms=step.t_ms,
                url=step.url,
                target=f"wall {kind}",
                label=f"{kind} wall",
                value=kind,
                element=step.element,
                sources=step.sources[:1],
            )
        yield step
    for page in pages:
        for kind, words in walls_shown(page).items():
            if kind not in seen:
                seen.add(kind)
                source = Source("messages", page.line)
                yield Step("wall", None, page.url, f"wall {kind}", words, kind, sources=[source])


def _wall_in_step(step: Step) -> str | None:
    if step.kind == "request" and mention("captcha", path(step.url)):
        return "captcha"
    element = step.element
    if element is not None and mention("captcha", f"{element.id} {element.name} {element.classes}"):
        return "captcha"
    return None


def walls_shown(page: PageState) -> dict[str, str]:
    """Kinds of wall that a page shows, each with the words that show it.

    Form controls tell; running text alone is not enough, for anyone can write it (a CAPTCHA, often a bare image, is the
    exception; but the bare name of a service is its badge, which stands on pages that challenge nobody).
    """
    found: dict[str, str] = {}
    labels = [c.label for c in page.controls]
    fields = [c.label for c in page.controls if c.role in FIELDS]
    empty = [c.label for c in page.controls if c.role in FIELDS and not c.value]
    texts = [text for text in page.texts if not mention("captcha_badge", text[:LABEL_LENGTH])]
    for kind, words in (
        ("phone", _first("phone", empty)),
        ("captcha", _first("captcha", [*labels, *texts])),
        ("login", _first("password", fields) if _first("login", labels) else None),
        ("payment", _first("payment", fields)),
    ):
        if words:
            found[kind] = words
    return found


def _first(topic: str, lines: Iterable[str]) -> str | None:
    return next((line for line in lines if mention(topic, line)), None)
