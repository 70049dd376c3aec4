"""The events of a trace, one dataclass per layer, and the steps made of them (`clawjudge.traces.steps`).

Every event and every step knows the line it came from, for citation.

Times are integer milliseconds since the epoch (`t_ms`), or None where the recording does not say; how uncertain a
layer's clock is belongs to the layer (`clawjudge.traces.clock`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from clawjudge.traces.payload import Payload

Layer = Literal["video", "screenshots", "http", "actions", "messages"]
StepKind = Literal["navigate", "click", "fill", "select", "upload", "submit", "request", "wall"]
LAYERS: tuple[Layer, ...] = ("video", "screenshots", "http", "actions", "messages")


@dataclass(frozen=True, slots=True)
class Target:
    """The element that an action touched."""

    tag: str = ""
    id: str = ""
    classes: str = ""
    text: str = ""
    xpath: str = ""
    name: str = ""
    """`name`, `aria-label`, `placeholder` or label text, where a recorder gives one."""
    promises: tuple[str, ...] = ()
    """What else the recorder says of the element that promises a secret (`password` as its type)."""


@dataclass(frozen=True, slots=True)
class ActionEvent:
    """One line of `actions.jsonl`."""

    line: int
    type: str
    t_ms: int | None
    url: str = ""
    title: str = ""
    target: Target | None = None
    value: str | None = None
    key: str | None = None
    x: float | None = None
    y: float | None = None


@dataclass(frozen=True, slots=True)
class RequestEvent:
    """One HTTP request, from `requests.jsonl` or `interception.json`."""

    line: int
    """Line in `requests.jsonl`; 0 for the request inside `interception.json`."""
    method: str
    url: str
    t_ms: int | None
    headers: dict[str, str] = field(default_factory=dict)
    resource_type: str = ""
    body: Any = None
    """As recorded: a string, or what the recorder made of it (a dict, a list). See `payload`."""
    blocked: bool | None = None
    status: int | None = None
    size: int = 0
    """Bytes of the recorded line."""

    def payload(self) -> Payload:
        """The body parsed by its Content-Type; parsed on demand, because most requests are never looked into."""
        from clawjudge.traces.payload import parse_body

        return parse_body(self.body, self.headers)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool use inside an agent message."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered; the text comes from pages and files and is not to be trusted."""

    call_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One line of an agent transcript, whatever harness wrote it."""

    line: int
    role: str
    """`system`, `user`, `assistant`, `tool`, `result` (a harness's closing line), or `unknown`."""
    text: str = ""
    """Visible text, joined."""
    thinking: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    t_ms: int | None = None


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
    def names(self) -> tuple[str, ...]:
        """All that says what was entered: any of them may promise a secret."""
        element = self.element or Target()
        return (self.label, self.target, element.id, element.name, *element.promises)

    @property
    def line(self) -> Source:
        """The line to cite: the last one, which carries the final value."""
        return self.sources[-1]
