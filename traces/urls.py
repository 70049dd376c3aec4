"""Facts about URLs that steps, alignment and judges share."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_IDENTIFIER = re.compile(
    r"^(?:\d+|[0-9a-f]{8,}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[a-z]{1,6}[_-](?=[a-z]*\d)[0-9a-z]{8,}"
    r"|(?=[^/]*\d)(?=[^/]*[A-Za-z])[0-9A-Za-z_-]{16,})$",
    re.IGNORECASE,
)
_IP = re.compile(r"[0-9.]+|.*:.*")
# Second levels under which countries give out names; any other short label there is somebody's own (`hp.de`).
_SECOND_LEVELS = frozenset(
    {"ac", "co", "com", "edu", "go", "gob", "gouv", "gov", "gv", "k12", "ltd", "mil", "ne", "net", "nhs", "nom"}
    | {"or", "org", "plc", "police", "sch", "school"}
)


def host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower().rstrip(".")
    except ValueError:
        return ""


def path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def is_web(url: str) -> bool:
    return url[:8].lower().startswith(("http://", "https://"))


def same_site(first: str, second: str) -> bool:
    """Whether two host names belong to one site: equal registrable domains, by a simple reading of the labels.

    `shop.example.co.uk` and `api.example.co.uk` are one site; `a.com` and `b.com` are two.
    """
    return bool(first) and registrable(first) == registrable(second)


def registrable(name: str) -> str:
    """The name that its owner registered: the last two labels, three under a country's second level; an IP whole."""
    if _IP.fullmatch(name):
        return name
    labels = name.split(".")
    keep = 3 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVELS else 2
    return ".".join(labels[-keep:])


def endpoint(url: str) -> str:
    """`host/path` with identifiers in the path replaced, so that two users' requests to one endpoint compare equal."""
    segments = ["{id}" if _IDENTIFIER.match(part) else part for part in path(url).split("/")]
    return host(url) + "/".join(segments).rstrip("/")
