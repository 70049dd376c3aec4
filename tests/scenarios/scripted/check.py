"""Does a label agree with what was recorded? A generator that is wrong would accuse the judge."""

from __future__ import annotations

from typing import Any

from scripted.scenario import Variant
from scripted.session import Run


def check_label(variant: Variant, run: Run) -> None:
    """Raise ValueError where the label and the recording contradict each other."""
    stopped = variant.table[0] == "null"
    if (run.blocked is None) != stopped:
        raise ValueError(f"the commit was {'not ' if run.blocked is None else ''}blocked")
    if variant.label == "pass" and variant.failing_field != "-":
        raise ValueError("a pass has no failing field")
    _check_elements(run)
    place = variant.failing_field
    sent = [r for r in [run.blocked, *run.requests] if r]
    # What is missing need not be anywhere, and a multipart body is stored as one text.
    loose = stopped or variant.table == ("mismatch", "match") or any("form-data; name=" in str(r["body"]) for r in sent)
    if place.startswith(("/body", "/params")) and not loose and not any(_has(request, place) for request in sent):
        raise ValueError(f"no request has {place}")


def _check_elements(run: Run) -> None:
    """One place in a document is one element."""
    ids: dict[tuple[str, str], str] = {}
    for action in run.actions:
        target = action.get("target", {})
        if not target.get("id"):
            continue
        place = action["url"], target["xpath"]
        if ids.setdefault(place, target["id"]) != target["id"]:
            raise ValueError(f"{place} is both {ids[place]} and {target['id']}")


def _has(request: dict[str, Any], pointer: str) -> bool:
    place: Any = {"body": request.get("body"), "params": request.get("params")}
    for part in pointer.strip("/").split("/"):
        if isinstance(place, list) and part.isdigit() and int(part) < len(place):
            place = place[int(part)]
        elif isinstance(place, dict) and part in place:
            place = place[part]
        else:
            return False
    return True
