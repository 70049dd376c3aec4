"""Ways to record the same session differently: after none of them may a verdict turn wrong.

Each takes a folder and a source of chance. What must be the same in a run and its reference (the new name of a key)
depends on the seed's scenario alone; `chance` gives the rest.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from scripted.editing import Folder, Record

Transformation = Callable[[Folder, random.Random], None]
PLACEHOLDER = "__PLACEHOLDER_WILL_NOT_MATCH__"
_SYLLABLES = ["ba", "dor", "fi", "gul", "ket", "lom", "nu", "pra", "sil", "tov", "wex", "zan"]
_JSON = "application/json"


def rename_keys(folder: Folder, chance: random.Random) -> None:
    """Every key of a request body gets another name, the same one everywhere; so does a key that the schema names."""

    def renamed(value: Any) -> Any:
        if isinstance(value, dict):
            return {_word(key): renamed(item) for key, item in value.items()}
        return [renamed(item) for item in value] if isinstance(value, list) else value

    def body(request: Record) -> Record:
        # A multipart body is stored as one text under one key.
        if isinstance(request["body"], dict) and not _is_multipart(request):
            return {**request, "body": renamed(request["body"])}
        return request

    folder.change_requests(body)
    folder.change_schema(lambda schema: {**schema, "body": renamed(schema["body"])} if "body" in schema else schema)


def _is_multipart(request: Record) -> bool:
    return any("form-data; name" in f"{key}{value}" for key, value in request["body"].items())


def _word(key: str) -> str:
    """A word without meaning for `key`; `a[b]` keeps its brackets."""
    parts = key.split("[")
    return "[".join(_made_up(part.rstrip("]")) + "]" * part.endswith("]") for part in parts)


def _made_up(name: str) -> str:
    if not name or name.isdigit():
        return name
    chance = random.Random(f"key {name}")
    return "".join(chance.choice(_SYLLABLES) for _ in range(4))


def hide_the_commit(folder: Folder, chance: random.Random) -> None:
    """The task's pattern matches nothing, and nothing was blocked."""
    folder.change_schema(lambda schema: {**schema, "url_pattern": PLACEHOLDER})
    stopped = {
        "intercepted": False,
        "stop_reason": "agent_exited",
        "stop_description": "Session stopped: agent process exited before triggering the interceptor.",
        "request": None,
    }
    folder.change_document("interception.json", lambda found: {**stopped, "schema": found["schema"]})
    missed = {"intercepted": False, "result_category": "model_not_intercepted"}
    folder.change_document(
        "run-meta.json", lambda meta: {**meta, **missed, "failure_category": "model_not_intercepted"}
    )


def drop_messages(folder: Folder, chance: random.Random) -> None:
    folder.drop("agent-messages.jsonl")


def drop_actions(folder: Folder, chance: random.Random) -> None:
    folder.drop("actions.jsonl")


def shift_page_clock(folder: Folder, chance: random.Random) -> None:
    """The page's clock is seven seconds ahead of the recorder's."""
    folder.change_lines("actions.jsonl", lambda action: {**action, "timestamp": action["timestamp"] + 7000})


def send_as_form(folder: Folder, chance: random.Random) -> None:
    """JSON bodies as urlencoded text, nested keys as a[b][0]."""
    sent = {request["url"]: request for request in folder.lines("requests.jsonl") if _content_type(request) == _JSON}

    def form(request: Record) -> Record:
        # The blocked request is kept without its headers.
        json_body = request["url"] in sent if "headers" not in request else _content_type(request) == _JSON
        if not json_body or not isinstance(request["body"], dict):
            return request
        changed = {**request, "body": dict(_flat("", request["body"]))}
        if "headers" in request:
            changed["headers"] = {**request["headers"], "Content-Type": "application/x-www-form-urlencoded"}
        return changed

    folder.change_requests(form)


def _content_type(request: Record) -> str:
    return request["headers"].get("Content-Type", "")


def _flat(name: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return [pair for key, item in items for pair in _flat(f"{name}[{key}]" if name else str(key), item)]
    if value is None:
        return [(name, "")]
    return [(name, value if isinstance(value, str) else json.dumps(value))]


def move_into_server_state(folder: Folder, chance: random.Random) -> None:
    """The commit only confirms what an earlier PUT gave the server to hold."""
    kept = folder.schema.get("body", {})

    def confirm(request: Record) -> Record:
        if request["method"] == "GET" or not folder.is_commit(request):
            return request
        token = f"{chance.getrandbits(96):024x}"
        changed = {**request, "body": {**kept, "confirm": True, "session": token}}
        if "headers" in request:
            changed["headers"] = {**request["headers"], "Content-Type": _JSON}
        return changed

    before: list[Record] = []
    for request in folder.lines("requests.jsonl"):
        if request["method"] != "GET" and folder.is_commit(request):
            address = request["url"].split("/", 3)
            state = {**request, "url": "/".join([*address[:3], "api/state"]), "method": "PUT", "resource_type": "XHR"}
            before.append({**state, "timestamp": request["timestamp"] - 0.004})
        before.append(request)
    folder.write_lines("requests.jsonl", before)
    folder.change_requests(confirm)


def shuffle_and_add_analytics(folder: Folder, chance: random.Random) -> None:
    """Keys in another order, and more requests of third parties."""

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            items = list(value.items())
            chance.shuffle(items)
            return {key: shuffled(item) for key, item in items}
        return [shuffled(item) for item in value] if isinstance(value, list) else value

    folder.change_requests(lambda request: {**request, "body": shuffled(request["body"])})
    requests = folder.lines("requests.jsonl")
    for _ in range(max(3, len(requests) // 4)):
        place = chance.randrange(1, len(requests) + 1)
        requests.insert(place, _beacon(requests[place - 1], chance))
    folder.write_lines("requests.jsonl", requests)


def _beacon(after: Record, chance: random.Random) -> Record:
    body = {"e": "engage", "cid": f"{chance.getrandbits(64):x}", "t": int(after["timestamp"] * 1000), "q": 1}
    headers = {"Accept": "*/*", "Content-Type": _JSON}
    return {
        "timestamp": after["timestamp"] + 0.001,
        "url": f"https://telemetry.pixelnest.test/v{chance.randint(1, 3)}/batch",
        "method": "POST",
        "headers": headers,
        "body": body,
        "query_params": {},
        "resource_type": "Ping",
    }


TRANSFORMATIONS: dict[str, Transformation] = {
    "rename-keys": rename_keys,
    "hide-the-commit": hide_the_commit,
    "drop-messages": drop_messages,
    "drop-actions": drop_actions,
    "shift-page-clock": shift_page_clock,
    "send-as-form": send_as_form,
    "move-into-server-state": move_into_server_state,
    "shuffle-and-add-analytics": shuffle_and_add_analytics,
}
