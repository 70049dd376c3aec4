"""The loader of prompts: our words to a judge, as data with a version and a hash that goes into every verdict."""

from __future__ import annotations

import functools
import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files
from string import Template

_VERSION = re.compile(r"version ([0-9]+\.[0-9]+\.[0-9]+)\n")
_SECTION = re.compile(r"^=== ([a-z]+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A versioned prompt of one or more sections, with places to be filled in (`$name`)."""

    id: str
    version: str
    sections: dict[str, str]
    sha256: str
    """Of the file as it stands: change a word and you have another prompt."""

    def filled(self, section: str, **values: str) -> str:
        """A section with its places filled. Raises `KeyError` for an unknown section or a place left open, and
        `ValueError` for a value that no place asks for."""
        template = Template(self.sections[section])
        unused = set(values) - set(template.get_identifiers())
        if unused:
            raise ValueError(f"prompt {self.id!r} has no place for {', '.join(sorted(unused))}")
        return template.substitute(values)


@functools.cache
def load_prompt(prompt_id: str) -> Prompt:
    """The prompt `prompt_id`. Raises `KeyError` for an unknown id and `ValueError` for a file that is no prompt."""
    names = {entry.name for entry in files("clawjudge.rubrics").iterdir()}
    if f"{prompt_id}.prompt.txt" not in names:
        known = sorted(name.removesuffix(".prompt.txt") for name in names if name.endswith(".prompt.txt"))
        raise KeyError(f"no prompt {prompt_id!r}; there are: {', '.join(known)}")
    text = files("clawjudge.rubrics").joinpath(f"{prompt_id}.prompt.txt").read_text("utf-8")
    version = _VERSION.match(text)
    if version is None:
        raise ValueError(f"prompt {prompt_id!r} does not begin with its version")
    parts = _SECTION.split(text[version.end() :])
    sections = {name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}
    if parts[0].strip() or not sections:
        raise ValueError(f"prompt {prompt_id!r} has text outside of its sections")
    return Prompt(prompt_id, version[1], sections, hashlib.sha256(text.encode()).hexdigest())
