"""How a place in the evidence is named, by us in the staged files and by the judge in its citations: one form.

agent http:12                       a line of a layer of the recording
agent http:12 /body/items/0/qty     a value in it, by JSON pointer
reference interception /intercepted the recorder's own word on how the run ended
task /instruction                   the task
pictures/004-agent-after.jpg        a staged picture
agent screen @12.3s                 the screen at a moment, seconds since the run began
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

Run = Literal["agent", "reference"]

_LINE = re.compile(
    r"(?P<run>agent|reference) (?P<layer>http|actions|messages):(?P<line>[1-9][0-9]{0,11})(?: (?P<rest>.*))?", re.DOTALL
)
_DOCUMENT = re.compile(
    r"(?:(?P<run>agent|reference) (?P<layer>interception)|(?P<task>task))(?: (?P<rest>.*))?", re.DOTALL
)
_SCREEN = re.compile(r"(?P<run>agent|reference) screen @(?P<seconds>-?[0-9]{1,7}(?:\.[0-9]{1,3})?)s")
_PICTURE = re.compile(r"(?:pictures|sheets)/[0-9a-z-]{1,80}\.jpg")
_MAX_CHARACTERS = 4000
FORMS = (
    "an address is written as in the evidence files, for example `agent http:12 /body/items/0/qty`, `agent actions:40`,"
    " `reference interception /intercepted`, `task /instruction`, `pictures/004-agent-after.jpg`,"
    " `agent screen @12.3s`"
)


@dataclass(frozen=True, slots=True)
class Address:
    """A place in the evidence. Which of the fields are set depends on the form."""

    layer: Literal["http", "actions", "messages", "interception", "task", "picture", "screen"]
    run: Run = "agent"
    line: int | None = None
    pointer: str | None = None
    picture: str = ""
    t_ms: int | None = None
    """Of a `screen`: milliseconds since the run began."""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Raises `ValueError`, with the forms that there are, for anything else."""
        said = text.strip()
        if len(said) > _MAX_CHARACTERS:
            raise ValueError(f"the address is {len(said)} characters long; {FORMS}")
        if found := _LINE.fullmatch(said):
            pointer = _pointer(found["rest"])
            return cls(found["layer"], found["run"], int(found["line"]), pointer)  # type: ignore[arg-type]
        if found := _DOCUMENT.fullmatch(said):
            pointer = _pointer(found["rest"])
            return cls("task" if found["task"] else "interception", found["run"] or "agent", None, pointer)  # type: ignore[arg-type]
        if found := _SCREEN.fullmatch(said):
            return cls("screen", found["run"], t_ms=round(float(found["seconds"]) * 1000))  # type: ignore[arg-type]
        if _PICTURE.fullmatch(said):
            return cls("picture", picture=said)
        raise ValueError(f"{said[:120]!r} is no address; {FORMS}")

    def __str__(self) -> str:
        tail = "" if self.pointer is None else f" {self.pointer}"
        match self.layer:
            case "picture":
                return self.picture
            case "screen":
                return f"{self.run} screen @{seconds(self.t_ms or 0)}"
            case "task":
                return f"task{tail}"
            case "interception":
                return f"{self.run} interception{tail}"
        return f"{self.run} {self.layer}:{self.line}{tail}"


def seconds(t_ms: int) -> str:
    """A moment of a run as the evidence writes it, after the `@`."""
    return f"{t_ms / 1000:.1f}s"


def _pointer(rest: str | None) -> str | None:
    """The JSON pointer behind a line's address: bare, or as the JSON string that the evidence files show it as."""
    if not rest or not rest.strip():
        return None
    said = rest.strip().removesuffix(":")
    if said.startswith('"'):
        try:
            said = json.loads(said)
        except ValueError:
            raise ValueError(f"{rest[:120]!r} is no JSON pointer; {FORMS}") from None
    if not isinstance(said, str) or not said.startswith("/"):
        raise ValueError(f"{rest[:120]!r} is no JSON pointer, which begins with a slash; {FORMS}")
    return said
