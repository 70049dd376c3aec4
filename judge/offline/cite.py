"""Citations for what the offline judge saw."""

from __future__ import annotations

from typing import Any, Literal

from clawjudge.judge.align.payloads import request_tree
from clawjudge.judge.citation import quote, shown_pointer
from clawjudge.judge.verdict import Citation
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.records import RequestEvent, Target
from clawjudge.traces.secret_members import telling_name
from clawjudge.traces.secrets import mask_entered, scrub
from clawjudge.traces.steps import Step
from clawjudge.traces.transcripts.pages import PageState

Run = Literal["agent", "reference"]


def request(
    run: RunDigest, event: RequestEvent, pointer: str = "", value: Any = None, whose: Run = "agent"
) -> Citation:
    """A field of a request, or with no pointer the request's URL."""
    logged = event.line > 0
    pointer = pointer or "/url"
    if pointer.startswith("/url/"):
        pointer, value = "/url", event.url
    name = pointer.rsplit("/", 1)[-1]
    if pointer.count("/") > 2 and not isinstance(value, dict | list):
        name = telling_name(request_tree(event), pointer)
    told = shown_pointer(pointer)
    return Citation(
        layer="http" if logged else "interception",
        file=run.trace.files.relative("http" if logged else "interception"),
        run=whose,
        line=event.line if logged else None,
        t_ms=event.t_ms,
        pointer=told if logged else f"/request{told}" if _nested(run) else told,
        # A query may hold anything, a password too; the address without it says which request is meant.
        quote=quote(event.url.partition("?")[0] if pointer == "/url" else value, name),
    )


def step(run: RunDigest, taken: Step, whose: Run = "agent") -> Citation:
    """What the agent or the human did, by the line that shows it best."""
    # A press is its first event, what was entered is the last.
    source = taken.sources[0] if taken.kind in ("click", "submit") else taken.line
    pointer, shown = None, ""
    if source.layer == "actions":
        if taken.kind == "navigate":
            pointer, shown = "/url", quote(taken.url.partition("?")[0])
        elif taken.value and taken.kind in ("fill", "select") and _has_value(taken) and not _is_secret(taken):
            pointer, shown = "/value", quote(taken.value, "value")
        elif taken.element is not None:
            pointer, shown = _element(taken.element)
    elif source.layer == "http":
        pointer, shown = "/url", quote(taken.url.partition("?")[0])
    else:
        shown = scrub(taken.label)[:200]
    return Citation(
        layer=source.layer,
        file=run.trace.files.relative(source.layer),
        run=whose,
        line=source.line,
        t_ms=taken.t_ms,
        pointer=pointer,
        quote=shown,
    )


def _has_value(taken: Step) -> bool:
    """Whether the recorded line holds the value: editable page elements have none, their text was pieced together."""
    return taken.element is not None and taken.element.tag in ("INPUT", "TEXTAREA", "SELECT", "")


def _is_secret(taken: Step) -> bool:
    """Whether what was entered may not be quoted; then the element is cited instead."""
    return bool(mask_entered(taken.value, taken.names) != taken.value)


def _element(element: Target) -> tuple[str | None, str]:
    """The attribute by which an element is best quoted."""
    for pointer, text in (("textContent", element.text), ("id", element.id), ("xpath", element.xpath)):
        if text.strip():
            return f"/target/{pointer}", quote(text.strip())[:80]
    return None, ""


def page(run: RunDigest, shown: PageState, words: str = "") -> Citation:
    """What the agent was shown, as its transcript holds it; `words` must stand in that line."""
    return Citation(
        layer="messages", file=run.trace.files.relative("messages"), line=shown.line, quote=scrub(words)[:200]
    )


def interception(run: RunDigest) -> Citation | None:
    """The recorder's own word on how the run ended."""
    claim = run.trace.interception
    if claim is None:
        return None
    file = run.trace.files.relative("interception")
    if claim.stop_reason:
        return Citation(layer="interception", file=file, pointer="/stop_reason", quote=quote(claim.stop_reason))
    return Citation(
        layer="interception", file=file, pointer="/intercepted", quote="true" if claim.intercepted else "false"
    )


def _nested(run: RunDigest) -> bool:
    return isinstance(run.trace.interception_document.get("request"), dict)
