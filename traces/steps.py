"""From low-level events to what a person would call one step.

Keydown, input, keyup and change on one element are one `fill`; click, input and change on a radio button are one
`select`; a page load is a `navigate`; a request that changes state is a `request`; meeting a login, captcha, phone or
payment wall is a `wall`. Every step keeps the lines it was made from.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from clawjudge.traces.records import ActionEvent, RequestEvent, Target
from clawjudge.traces.records import Source as Source
from clawjudge.traces.records import Step as Step
from clawjudge.traces.records import StepKind as StepKind
from clawjudge.traces.transcripts.pages import PageState
from clawjudge.traces.urls import endpoint, host, is_web, path, same_site
from clawjudge.traces.walls import with_walls

STATE_CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
BACKGROUND_TYPES = frozenset({"Ping", "CSPViolationReport", "Preflight", "Prefetch", "Beacon"})
MAX_STEPS = 6000
_FIELD_TAGS = frozenset({"INPUT", "TEXTAREA", "SELECT"})
_TAKES_NO_TEXT = frozenset({"BODY", "BUTTON", "A", "HTML"})
_UPLOAD_PREFIX = "C:\\fakepath\\"
_OPEN_FIELDS, _TYPED_CHARACTERS = 500, 20_000
_PROMISES = 8
_SUBMIT_MS, _LABEL_MS = 250, 100


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
    on_let_go: Callable[[int], None] | None = None,
) -> list[Step]:
    """Steps of one run in order of time.

    `requests` are those worth a step, each with whether it is terminal; `pages` are what the agent was shown; `skew_ms`
    is how far the actions' clock runs ahead of the requests' clock. Of more than `MAX_STEPS` the first and the last
    half are kept, and what the middle holds of terminal requests and walls; `on_let_go` is told how many are not.
    """
    made = _Coalescer(skew_ms).steps(actions)
    first = list(islice(made, MAX_STEPS))
    # Memory must not grow with the length of the run: of what follows only the end is held.
    last: deque[Step] = deque(maxlen=MAX_STEPS)
    let_go = 0
    for step in made:
        let_go += len(last) == MAX_STEPS
        last.append(step)
    steps = [*first, *last, *(_request_step(request, terminal) for request, terminal in requests)]
    steps = list(with_walls(_in_order_of_time(steps), pages))
    if len(steps) > MAX_STEPS:
        half = MAX_STEPS // 2
        middle = steps[half:-half]
        kept = [step for step in middle if step.terminal or step.kind == "wall"]
        let_go += len(middle) - len(kept)
        steps = steps[:half] + kept + steps[-half:]
    for index, step in enumerate(steps):
        step.index = index
    if let_go and on_let_go:
        on_let_go(let_go)
    return steps


def _request_step(request: RequestEvent, terminal: bool) -> Step:
    name = endpoint(request.url)
    if request.method == "GET" and request.resource_type == "Document" and not terminal:
        place = path(request.url)
        sources = [Source("http", request.line)]
        return Step("navigate", request.t_ms, request.url, name, place, end_ms=request.t_ms, sources=sources)
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


@dataclass(slots=True)
class _Field:
    """A field that is being edited."""

    step: Step
    before: str | None
    """What it held when it was clicked or the first key went down; None if that was not recorded."""
    touched: bool = False
    """Whether anything but a click has happened to it."""
    typed: bool = False
    """Whether the step's value is made of keys, because the element has none."""


class _Coalescer:
    """Turns events into steps one by one. A step may still be updated after it was given out."""

    def __init__(self, skew_ms: int) -> None:
        self._skew_ms = skew_ms
        self._open: dict[str, _Field] = {}
        self._settled: dict[str, str | None] = {}
        """What fields held when a press settled them; an event that only repeats it is no new entry."""
        self._recent: Step | None = None

    def steps(self, actions: Iterable[ActionEvent]) -> Iterator[Step]:
        for event in actions:
            step = self._step_of(event)
            if step is None:
                continue
            if step.kind in ("click", "submit", "navigate"):
                self._settle(forget=step.kind == "navigate")
            self._recent = step
            yield step

    def _settle(self, forget: bool) -> None:
        """What was typed before is settled by a press; typing in the same field later is a correction of its own."""
        if forget or len(self._settled) > _OPEN_FIELDS:
            self._settled.clear()
        self._settled.update({key: field.step.value for key, field in self._open.items()})
        self._open.clear()

    def _step_of(self, event: ActionEvent) -> Step | None:
        """A new step, or None where the event only continues one (which is then updated in place)."""
        if event.type == "pageLoad":
            return self._navigate(event)
        target = event.target
        if target is None:
            return None
        place = (
            f"{target.xpath} {target.id}"
            if target.xpath or target.id
            else f"{target.tag} {target.name} {target.classes}"
        )
        key = f"{host(event.url)}{path(event.url)}|{place}"
        if event.type in ("input", "change", "keydown", "keyup"):
            return self._edit(event, target, key)
        if event.type == "click":
            return self._focus(event, target, key) if target.tag in _FIELD_TAGS else self._new("click", event)
        return self._submit(event) if event.type == "submit" else None

    def _navigate(self, event: ActionEvent) -> Step | None:
        if not is_web(event.url):
            return None
        recent = self._recent
        if recent is not None and recent.kind == "navigate" and recent.url == event.url:
            recent.extend(Source("actions", event.line))
            return None
        step = self._new("navigate", event)
        step.target = endpoint(event.url)
        step.label = event.title or path(event.url)
        return step

    def _submit(self, event: ActionEvent) -> Step | None:
        """A submission is one step with the press that caused it."""
        recent = self._recent
        pressed = next((f for f in self._open.values() if f.step is recent and not f.touched and f.before), None)
        caused = recent is not None and (recent.kind == "click" or pressed is not None)
        if recent is None or not caused or not self._follows(event, recent, _SUBMIT_MS):
            return self._new("submit", event)
        if pressed is not None:
            # <input type="submit">: a button that looks like a field, with its caption as its value.
            recent.label, recent.value = str(pressed.before)[:80], None
        recent.kind = "submit"
        recent.extend(Source("actions", event.line))
        self._settle(forget=False)
        return None

    def _follows(self, event: ActionEvent, step: Step, within_ms: int) -> bool:
        """Whether an event comes right after a step; without times the order of the lines has to do."""
        moment = _moved(event.t_ms, self._skew_ms)
        if moment is None or step.end_ms is None:
            return True
        return abs(moment - step.end_ms) <= within_ms

    def _focus(self, event: ActionEvent, target: Target, key: str) -> Step | None:
        """A click into a field opens it for editing; a click on a radio button or box is already the choice."""
        if key in self._open:
            self._open[key].step.extend(Source("actions", event.line))
            return None
        recent = self._recent
        # A click on a label is passed on to its box by the browser, at once.
        passed_on = recent is not None and recent.kind == "click" and (recent.element or Target()).tag == "LABEL"
        step = recent if passed_on and recent and self._follows(event, recent, _LABEL_MS) else self._new("fill", event)
        if step is recent:
            step.element, step.target = target, describe(target)
            step.extend(Source("actions", event.line))
        _enter(self._opened(key, step, event.value), event, target)
        return None if step is recent else step

    def _opened(self, key: str, step: Step, before: str | None) -> _Field:
        if len(self._open) >= _OPEN_FIELDS:
            self._open.clear()
        self._open[key] = field = _Field(step, before)
        return field

    def _edit(self, event: ActionEvent, target: Target, key: str) -> Step | None:
        field = self._open.get(key)
        press = event.type == "keydown"
        typed = event.key if press and event.key and len(event.key) == 1 else None
        new = field is None
        if field is None:
            # Keys on the page itself (shortcuts, Tab arriving somewhere) enter nothing.
            if event.type == "keyup" or (press and (typed is None or target.tag in _TAKES_NO_TEXT)):
                return None
            if not press and event.value is not None and self._settled.get(key) == event.value:
                return None
            step = self._new("fill", event)
            step.value = None
            field = self._opened(key, step, event.value if press else None)
        field.touched = True
        if event.value is None:
            _type(field, event, target)
        elif not press:
            _enter(field, event, target)
        if not new:
            # The last line kept is the one that a citation of the value goes to.
            if event.value in (None, field.step.value) or not press:
                field.step.extend(Source("actions", event.line))
            field.step.end_ms = _moved(event.t_ms, self._skew_ms)
        return field.step if new else None

    def _new(self, kind: StepKind, event: ActionEvent) -> Step:
        target = event.target or Target()
        moment = _moved(event.t_ms, self._skew_ms)
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


def _enter(field: _Field, event: ActionEvent, target: Target) -> None:
    """The field holds `event.value` now; what kind of step that makes."""
    step, value = field.step, event.value or ""
    if step.element is not None and step.element.promises != target.promises:
        # A field that shows its password for a moment stays one for secrets.
        step.element = replace(step.element, promises=(*step.element.promises, *target.promises)[:_PROMISES])
    step.value = event.value if field.touched else event.value or None
    if target.tag == "SELECT":
        step.kind = "select"
    elif value.startswith(_UPLOAD_PREFIX):
        step.kind, step.value = "upload", value[len(_UPLOAD_PREFIX) :]
    elif field.touched and target.tag == "INPUT" and value and value == (field.before or "on"):
        # A box or a radio button reports the same value before and after; a text field that changed does not.
        step.kind = "select"
    else:
        step.kind = "fill"


def _type(field: _Field, event: ActionEvent, target: Target) -> None:
    """Content-editable elements have no value: the keys are all there is, or the text after a paste."""
    step = field.step
    if event.type == "keydown" and event.key:
        text = step.value or ""
        if event.key == "Backspace":
            step.value = text[:-1]
        elif len(text) < _TYPED_CHARACTERS and (len(event.key) == 1 or event.key == "Enter"):
            step.value = text + (event.key if len(event.key) == 1 else "\n" if text else "")
        field.typed = True
    elif not field.typed and event.type in ("input", "change") and target.text:
        step.value = target.text


def describe(target: Target) -> str:
    """How an element is named for comparison: its stable attributes first, its place in the page last."""
    text = "" if target.tag in ("SELECT", "FORM") else target.text.strip()[:60]
    return " ".join(part for part in (target.tag.lower(), target.id, target.name, text) if part)


def _moved(t_ms: int | None, skew_ms: int) -> int | None:
    return None if t_ms is None else t_ms - skew_ms


def _in_order_of_time(steps: list[Step]) -> list[Step]:
    """Sorted by time; a step without a time stays right behind the one before it."""
    keyed = []
    last = 0
    for position, step in enumerate(steps):
        last = step.t_ms if step.t_ms is not None else last
        keyed.append((last, position, step))
    keyed.sort(key=lambda item: item[:2])
    return [step for _, _, step in keyed]
