"""Facts about URLs that steps, alignment and judges share."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_IDENTIFIER = re.compile(
    r"^(?:\d+|[0-9a-f]{8,}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[a-z]{1,6}[_-][0-9a-zA-Z]{8,}"
    r"|(?=[^/]*\d)(?=[^/]*[A-Za-z])[0-9A-Za-z_-]{16,})$",
    re.IGNORECASE,
)


def host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def is_web(url: str) -> bool:
    return url.startswith(("http://", "https://"))


def same_site(first: str, second: str) -> bool:
    """Whether two host names belong to one site: equal registrable domains, by a simple reading of the labels.

    `shop.example.co.uk` and `api.example.co.uk` are one site; `a.com` and `b.com` are two.
    """
    return bool(first) and registrable(first) == registrable(second)


def registrable(name: str) -> str:
    labels = name.split(".")
    # Two-letter country codes under a short second level (co.uk, com.au) need one label more.
    keep = 3 if len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3 else 2
    return ".".join(labels[-keep:])


def endpoint(url: str) -> str:
    """`host/path` with identifiers in the path replaced, so that two users' requests to one endpoint compare equal."""
    segments = ["{id}" if _IDENTIFIER.match(part) else part for part in path(url).split("/")]
    return host(url) + "/".join(segments).rstrip("/")
