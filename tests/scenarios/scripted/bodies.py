"""Request bodies as the recorder stores them, and the interceptor's question whether a request is the awaited one."""

from __future__ import annotations

import json
import random
import re
from typing import Any
from urllib.parse import parse_qs, urlencode

Fields = list[tuple[str, Any]]
"""A form's fields in their order; the value of a file is (name, content, media type)."""

_BOUNDARY_LETTERS = "ABCDEFGHabcdefgh0123456789"


def flat(query: str) -> dict[str, Any]:
    """The parameters of a query string; a list where a name stands more than once."""
    return {k: v[0] if len(v) == 1 else v for k, v in parse_qs(query, keep_blank_values=True).items()}


def encode(body: dict[str, Any] | Fields, kind: str, rng: random.Random) -> tuple[Any, str]:
    """The stored body and its content type; `kind` is json, urlencoded or multipart."""
    if kind == "json":
        return json.loads(json.dumps(body)), "application/json"
    fields = list(body.items()) if isinstance(body, dict) else body
    if kind == "urlencoded":
        return flat(urlencode(fields)), "application/x-www-form-urlencoded"
    boundary = "----WebKitFormBoundary" + "".join(rng.choice(_BOUNDARY_LETTERS) for _ in range(16))
    parts = []
    for name, value in fields:
        filename = f'; filename="{value[0]}"\r\nContent-Type: {value[2]}' if isinstance(value, tuple) else ""
        content = value[1] if isinstance(value, tuple) else value
        disposition = f'Content-Disposition: form-data; name="{name}"{filename}'
        parts.append(f"--{boundary}\r\n{disposition}\r\n\r\n{content}\r\n")
    # The recorder takes every body for a query string, this one too.
    return flat("".join(parts) + f"--{boundary}--\r\n"), f"multipart/form-data; boundary={boundary}"


def meets(schema: dict[str, Any], record: dict[str, Any]) -> bool:
    """Whether the interceptor blocks this request."""
    if not re.search(schema["url_pattern"], record["url"]):
        return False
    if record["method"] != schema.get("method", record["method"]):
        return False
    body = record["body"] if isinstance(record["body"], dict) else {}
    return all(body.get(k) == v for k, v in schema.get("body", {}).items()) and all(
        record["query_params"].get(k) == v for k, v in schema.get("params", {}).items()
    )
