"""What each tool takes. Whatever a model sends is checked here; complaints say what is taken instead."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

MAX_LINE = 10**9
_Text = Annotated[str, Field(min_length=1, max_length=300)]
_Line = Annotated[int, Field(ge=1, le=MAX_LINE)]
_Offset = Annotated[int, Field(ge=0, le=MAX_LINE, description="How many results to skip: for the next page.")]
_Run = Annotated[Literal["agent", "reference"], Field(description="Whose recording.")]


class BadArguments(ValueError):
    """Arguments that a tool does not take; the text says why and what it takes."""


class _Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ListDivergences(_Arguments):
    """Steps in which the two runs differ: other values, left out, added."""

    offset: _Offset = 0


class StepPair(_Arguments):
    """One pair of the alignment with the recorded lines that it was made from."""

    pair: Annotated[int, Field(ge=0, le=MAX_LINE, description="The pair's number, as the alignment gives it.")]


class FrameAt(_Arguments):
    """The screen at a moment of a run."""

    run: _Run
    seconds: Annotated[float, Field(ge=-3600, le=10**6, description="Since the run began, as behind the @.")]


class Requests(_Arguments):
    """HTTP requests of a run that fit every filter given."""

    run: _Run
    method: Annotated[str, Field(pattern=r"^[A-Za-z]{1,10}$", description="GET, POST, …")] | None = None
    host: Annotated[_Text, Field(description="The host, or the end of it after a dot.")] | None = None
    path: Annotated[_Text, Field(description="Words that the address after the host must hold.")] | None = None
    status: Annotated[int, Field(ge=100, le=599)] | None = None
    blocked: bool | None = None
    first_line: _Line | None = None
    last_line: _Line | None = None
    values: Annotated[bool, Field(description="Also show headers and body, not only method and address.")] = False
    offset: _Offset = 0

    @model_validator(mode="after")
    def _in_order(self) -> Requests:
        if self.first_line is not None and self.last_line is not None and self.first_line > self.last_line:
            raise ValueError("first_line lies behind last_line")
        return self


class PayloadDiff(_Arguments):
    """Fields of the agent's final request beside the reference's."""

    final_request: Annotated[int, Field(ge=0, le=10**6, description="Which one, if there are several; from 0.")] = 0
    everything: Annotated[bool, Field(description="Also the fields that match.")] = False
    offset: _Offset = 0


class Cite(_Arguments):
    """Whether a citation holds: the words stand in the recording at this place."""

    address: Annotated[str, Field(min_length=1, max_length=4000, description="As the evidence writes it.")]
    quote: Annotated[str, Field(max_length=4000, description="Words that stand there; empty for pictures.")] = ""


Arguments = TypeVar("Arguments", bound=_Arguments)


def checked(model: type[Arguments], arguments: Any) -> Arguments:
    """`arguments` as `model` takes them. Raises `BadArguments`."""
    try:
        return model.model_validate(arguments)
    except ValidationError as error:
        complaints = []
        for found in error.errors()[:5]:
            where = ".".join(str(part)[:40] for part in found["loc"])
            complaints.append(f"{where}: {found['msg']}" if where else found["msg"])
        taken = ", ".join(f"{name} ({_kind(field.annotation)})" for name, field in model.model_fields.items())
        raise BadArguments(f"{'; '.join(complaints)}. This tool takes: {taken}") from None


def _kind(annotation: Any) -> str:
    said = str(annotation)
    for name in ("Literal", "bool", "int", "float", "str"):
        if name in said or getattr(annotation, "__name__", "") == name:
            return {"Literal": "agent or reference", "str": "text", "int": "number", "float": "number"}.get(name, name)
    return "value"
