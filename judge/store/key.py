"""What a verdict rests on, and its fingerprint: the key of the verdict store.

A verdict is used again only where everything that could have changed it is the same. The parts are kept beside the key,
so that two verdicts on one run can be told apart by what differs. No part is ever a secret or a path.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any


@dataclass(frozen=True)
class KeyParts:
    """Everything that decides a verdict. None stands for what is not known of a verdict that was imported."""

    judge: str
    """`request-strict`, `request-lenient`, `offline`, `agentic`, `human`, or the name an import came under."""
    model: str | None = None
    """Provider and name, `anthropic:claude-…`; None for a judge without a model."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """What the model is called with. JSON values; never a key, a header or an address with credentials."""
    prompt_sha256: str | None = None
    """Of the fixed text that tells the judge what to do; for a judge that is code, of the code."""
    rubric_sha256: str | None = None
    instruction_sha256: str | None = None
    evidence_sha256: str | None = None
    """Of all that the judge is shown of the run (and of its reference)."""
    parser_version: str | None = None
    """Of what turns the judge's answer into a verdict."""
    import_id: str | None = None
    """Set for imported verdicts: what tells one import from another. A verdict given by us has none."""

    @functools.cached_property
    def key(self) -> str:
        """64 hexadecimal digits."""
        return sha256_of({part.name: getattr(self, part.name) for part in fields(self)})


def sha256_of(value: Any) -> str:
    """The hash of a JSON value in its canonical form (sorted keys, no blanks), or of a text as UTF-8."""
    text = (
        value
        if isinstance(value, str)
        else json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def differences(one: KeyParts, other: KeyParts) -> tuple[str, ...]:
    """Names of the parts in which two keys differ, in the order of their definition."""
    left, right = asdict(one), asdict(other)
    return tuple(name for name in left if left[name] != right[name])
