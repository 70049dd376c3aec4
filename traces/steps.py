"""From low-level events to what a person would call one step.

Keydown, input, keyup and change on one element are one `fill`; click, input and change on a radio button are one
`select`; a page load is a `navigate`; a request that changes state is a `request`; meeting a login, captcha, phone or
payment wall is a `wall`. Every step keeps the lines it was made from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from clawjudge.traces.lexicon import mention
from clawjudge.traces.records import ActionEvent, RequestEvent, Target
from clawjudge.traces.transcripts.pages import PageState
from clawjudge.traces.urls import endpoint, host, is_web, path, same_site

StepKind = Literal["navigate", "click", "fill", "select", "upload", "submit", "request", "wall"]

STATE_CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
BACKGROUND_TYPES = frozenset({"Ping", "CSPViolationReport", "Preflight", "Prefetch", "Beacon"})
_TEXT_TAGS = frozenset({"INPUT", "TEXTAREA", ""})
_UPLOAD_PREFIX = "C:\\fakepath\\"
MAX_STEPS = 6000


@dataclass(frozen=True, slots=True)
class Source:
    """A line that a step was made from."""

    layer: Literal["actions", "http", "messages"]
    line: int


@dataclass(slots=True)
class Step:
    """One step of a run. `target` is how the element or endpoint is named for comparison between runs."""

    kind: StepKind
    t_ms: int | None
    url: str
    target: str
    label: str = ""
    """Visible text, title, or endpoint: what to show a person."""
    value: str | None = None
    element: Target | None = None
    end_ms: int | None = None
    sources: list[Source] = field(default_factory=list)
    terminal: bool = False
    """Whether this is a request that commits the task."""
    method: str = ""
    index: int = -1

    def extend(self, source: Source) -> None:
        """Note another line. Of many lines only the first and the last are kept: memory must not grow with typing."""
        if len(self.sources) > 1:
            self.sources[-1] = source
        else:
            self.sources.append(source)

    @property
    def line(self) -> Source:
        """The line to cite: the last one, which carries the final value."""
        return self.sources[-1]


def is_state_changing(request: RequestEvent, sites: frozenset[str]) -> bool:
    """Whether a request can change something on one of the run's own sites: no beacons, no third parties."""
    if request.method not in STATE_CHANGING or request.resource_type in BACKGROUND_TYPES:
        return False
    name = host(request.url)
    return not sites or any(same_site(name, site) for site in sites)


def build_steps(
    actions: Iterable[ActionEvent],
    requests: Iterable[tuple[RequestEvent, bool]],
    pages: Iterable[PageState] = (),
    skew_ms: int = 0,
) -> list[Step]:
    """Steps of one run in order of time.

    `requests` are those worth a step, each with whether it is terminal; `pages` are what the agent was shown; `skew_ms`
    is how far the actions' clock runs ahead of the requests' clock.
    """
    steps = list(_action_steps(actions, skew_ms))
    steps += [_request_step(request, terminal) for request, terminal in requests]
    steps = _in_order_of_time(steps)
    steps = list(_with_walls(steps, pages))
    for index, step in enumerate(steps):
        step.index = index
    return steps


def _request_step(request: RequestEvent, terminal: bool) -> Step:
    name = endpoint(request.url)
    if request.method == "GET" and request.resource_type == "Document" and not terminal:
        place = path(request.url)
        source = Source("http", request.line)
        return Step("navigate", request.t_ms, request.url, name, place, end_ms=request.t_ms, sources=[source])
    return Step(
        kind="request",
        t_ms=request.t_ms,
        end_ms=request.t_ms,
        url=request.url,
        target=f"{request.method} {name}",
        label=f"{request.method} {path(request.url)}",
        sources=[Source("http", request.line)],
        terminal=terminal,
        method=request.method,
    )


def _action_steps(actions: Iterable[ActionEvent], skew_ms: int) -> Iterator[Step]:
    open_fields: dict[str, Step] = {}
    recent: Step | None = None
    for event in actions:
        step = _step_of(event, open_fields, recent, skew_ms)
        if step is None:
            continue
        if step.kind in ("click", "submit", "navigate"):
            # What was typed before is settled by these; typing in the same field later is a correction of its own.
            open_fields.clear()
        recent = step
        yield step


def _step_of(event: ActionEvent, open_fields: dict[str, Step], recent: Step | None, skew_ms: int) -> Step | None:
    """A new step, or None where the event only continues one (which is then updated in place)."""
    if event.type == "pageLoad":
        return _navigate(event, recent, skew_ms)
    if event.target is None:
        return None
    key = f"{path(event.url)}|{event.target.xpath or event.target.id}"
    if event.type in ("input", "change", "keydown", "keyup"):
        return _edit(event, key, open_fields, skew_ms)
    if event.type == "click":
        if _is_field(event.target):
            return _focus(event, key, open_fields, skew_ms)
        return _new_step("click", event, skew_ms)
    if event.type == "submit":
        if recent is not None and recent.kind == "click" and recent.end_ms is not None and event.t_ms is not None:
            if event.t_ms - skew_ms - recent.end_ms <= 250:
                recent.kind = "submit"
                recent.extend(Source("actions", event.line))
                return None
        return _new_step("submit", event, skew_ms)
    return None


def _navigate(event: ActionEvent, recent: Step | None, skew_ms: int) -> Step | None:
    if not is_web(event.url):
        return None
    if recent is not None and recent.kind == "navigate" and recent.url == event.url:
        recent.extend(Source("actions", event.line))
        return None
    step = _new_step("navigate", event, skew_ms)
    step.target = endpoint(event.url)
    step.label = event.title or path(event.url)
    return step


def _edit(event: ActionEvent, key: str, open_fields: dict[str, Step], skew_ms: int) -> Step | None:
    target = event.target
    assert target is not None
    step = open_fields.get(key)
    typed = event.key if event.type == "keydown" and event.key and len(event.key) == 1 else None
    if event.type in ("keydown", "keyup"):
        if step is None:
            # Keys on the page itself (shortcuts, Tab arriving somewhere) enter nothing.
            if typed is None or target.tag in ("BODY", "BUTTON", "A", "HTML"):
                return None
        elif event.value is None and typed is None:
            return None
    new = step is None
    if step is None:
        step = open_fields[key] = _new_step("fill", event, skew_ms)
        step.value = None
    else:
        step.extend(Source("actions", event.line))
        step.end_ms = _time(event, skew_ms)
    if event.value is not None and event.type != "keydown":
        step.value = event.value
    elif typed is not None and target.tag not in _TEXT_TAGS:
        # Content-editable elements have no value; the keys are all there is.
        step.value = (step.value or "") + typed
    _settle_kind(step, event)
    return step if new else None


def _focus(event: ActionEvent, key: str, open_fields: dict[str, Step], skew_ms: int) -> Step | None:
    """A click into a field opens it for editing; a click on a radio button or box is already the choice."""
    if key in open_fields:
        open_fields[key].extend(Source("actions", event.line))
        return None
    step = open_fields[key] = _new_step("fill", event, skew_ms)
    step.value = event.value or None
    return step


def _settle_kind(step: Step, event: ActionEvent) -> None:
    target = event.target
    assert target is not None
    if target.tag == "SELECT":
        step.kind = "select"
    elif (event.value or "").startswith(_UPLOAD_PREFIX):
        step.kind = "upload"
        step.value = (event.value or "")[len(_UPLOAD_PREFIX) :]
    elif event.type == "keydown" and event.key and len(event.key) == 1:
        step.kind = "fill"
        step.method = "typed"
    elif event.type == "change" and step.method != "typed" and target.tag == "INPUT":
        step.kind = "select"


def _is_field(target: Target) -> bool:
    return target.tag in ("INPUT", "TEXTAREA", "SELECT")


def _new_step(kind: StepKind, event: ActionEvent, skew_ms: int) -> Step:
    target = event.target or Target()
    moment = _time(event, skew_ms)
    return Step(
        kind=kind,
        t_ms=moment,
        end_ms=moment,
        url=event.url,
        target=describe(target),
        label=(target.text or target.name or target.id or target.tag.lower()).strip()[:80],
        value=event.value,
        element=event.target,
        sources=[Source("actions", event.line)],
    )


def describe(target: Target) -> str:
    """How an element is named for comparison: its stable attributes first, its place in the page last."""
    text = "" if target.tag in ("SELECT", "FORM") else target.text.strip()[:60]
    return " ".join(part for part in (target.tag.lower(), target.id, target.name, text) if part)


def _time(event: ActionEvent, skew_ms: int) -> int | None:
    return None if event.t_ms is None else event.t_ms - skew_ms


def _in_order_of_time(steps: list[Step]) -> list[Step]:
    """Sorted by time; a step without a time stays right behind the one before it."""
    keyed = []
    last = 0
    for position, step in enumerate(steps):
        last = step.t_ms if step.t_ms is not None else last
        keyed.append((last, position, step))
    keyed.sort(key=lambda item: item[:2])
    return [step for _, _, step in keyed]


def _with_walls(steps: list[Step], pages: Iterable[PageState]) -> Iterator[Step]:
    """Adds one wall step for each kind of wall that the run met, where it was first seen."""
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
    exception).
    """
    found: dict[str, str] = {}
    fields = [c.label for c in page.controls if c.role in ("textbox", "searchbox", "spinbutton", "combobox", "input")]
    empty = [c.label for c in page.controls if c.label in fields and not c.value]
    for kind, words in (
        ("phone", _first("phone", empty)),
        ("captcha", _first("captcha", [*(c.label for c in page.controls), *page.texts])),
        ("login", _first("password", fields) if _first("login", [c.label for c in page.controls]) else None),
        ("payment", _first("payment", fields)),
    ):
        if words:
            found[kind] = words
    return found


def _first(topic: str, lines: Iterable[str]) -> str | None:
    return next((line for line in lines if mention(topic, line)), None)
