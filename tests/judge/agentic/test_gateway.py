"""The gateway with a plain client: what it passes on, what it keeps to itself, what it refuses."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from play import KEY, scripted
from servers.messages import Failure, Reply, ScriptedModel, Text

from clawjudge.judge.agentic.confinement.gateway import Gateway, Session
from clawjudge.judge.agentic.credentials import Endpoint, NoCredentials, available, find_endpoint

BODY = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Grüße"}], "tools": [{"name": "Read"}]}


@contextlib.contextmanager
def opened(tmp_path: Path, step: Reply | Failure) -> Iterator[tuple[ScriptedModel, Gateway]]:
    """A model that always answers the same, and a gateway to it."""
    with (
        scripted(endless=step) as model,
        Gateway(Endpoint(model.url, ("x-api-key", KEY)), tmp_path, tcp=True) as gateway,
    ):
        yield model, gateway


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with scripted(endless=Text("bien sûr")) as model:
        yield model


@pytest.fixture
def gateway(model: ScriptedModel, tmp_path: Path) -> Iterator[Gateway]:
    with Gateway(Endpoint(model.url, ("x-api-key", KEY)), tmp_path, tcp=True) as gateway:
        yield gateway


def ask(
    gateway: Gateway, token: str, body: Any = BODY, path: str = "/v1/messages?beta=true", method: str = "POST"
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(gateway.url.removeprefix("http://"), timeout=20)
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"x-api-key": token, "anthropic-version": "2023-06-01", "anthropic-beta": "b", "cookie": "c=1"}
    try:
        connection.request(method, path, raw, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_the_key_is_added_here_and_nowhere_else(gateway: Gateway, model: ScriptedModel) -> None:
    with gateway.session(frozenset({"Read"})) as session:
        status, said = ask(gateway, session.token)
        assert status == 200
        assert json.loads(said)["content"][0]["text"] == "bien sûr"
        streamed = ask(gateway, session.token, {**BODY, "stream": True})[1].decode()
    assert "event: message_stop" in streamed
    assert model.requests[0].headers["x-api-key"] == KEY
    assert model.requests[0].headers["anthropic-beta"] == "b"
    assert model.requests[0].prompt == "Grüße"
    assert session.token != KEY
    assert KEY not in repr(gateway.endpoint) + repr(session)
    assert session.statuses == [200, 200]
    assert session.tools_sent == ("Read",)


def test_a_token_ends_with_its_session(gateway: Gateway, model: ScriptedModel) -> None:
    with gateway.session(frozenset({"Read"})) as session:
        pass
    assert ask(gateway, session.token)[0] == 403
    assert ask(gateway, KEY)[0] == 403
    assert ask(gateway, "")[0] == 403
    assert not model.requests


@pytest.mark.parametrize(
    ("path", "method"),
    [("/v1/models", "GET"), ("/v1/messages/batches", "POST"), ("/v1/files", "POST"), ("http://example.com/", "GET")],
)
def test_other_calls_are_not_passed_on(gateway: Gateway, model: ScriptedModel, path: str, method: str) -> None:
    with gateway.session(frozenset({"Read"})) as session:
        assert ask(gateway, session.token, path=path, method=method)[0] in (403, 404)
    assert not model.requests
    assert not model.others


@pytest.mark.parametrize(
    "body",
    [
        {**BODY, "tools": [{"name": "Read"}, {"name": "Bash"}]},
        {**BODY, "tools": [{"name": "Read", "type": "bash_20250124"}]},
        {**BODY, "tools": [{"name": "Read", "type": "web_search_20250305"}]},
        {**BODY, "mcp_servers": [{"url": "https://x"}]},
        {**BODY, "tools": ["Read"]},
        b"not json",
        b"[1]",
    ],
)
def test_a_call_with_other_tools_is_refused(gateway: Gateway, model: ScriptedModel, body: Any) -> None:
    with gateway.session(frozenset({"Read"})) as session:
        assert ask(gateway, session.token, body)[0] == 403
        assert session.refused
    assert not model.requests


def test_what_can_never_succeed_reaches_the_service_once(tmp_path: Path) -> None:
    always = opened(tmp_path, Failure(401, "bad key"))
    with always as (model, gateway), gateway.session(frozenset({"Read"})) as session:
        answers = [ask(gateway, session.token) for _ in range(3)]
    assert [status for status, _ in answers] == [401] * 3
    assert all(b"bad key" in said for _, said in answers)
    assert len(model.requests) == 1


def test_half_an_answer_stays_half_an_answer(tmp_path: Path) -> None:
    cut, broken = opened(tmp_path, Text("never whole", cut_after=3)), pytest.raises(http.client.IncompleteRead)
    with cut as (_, gateway), gateway.session(frozenset({"Read"})) as session, broken:
        ask(gateway, session.token, {**BODY, "stream": True})
    assert session.statuses == [0]


def test_calls_in_flight_end_with_the_session(tmp_path: Path) -> None:
    with opened(tmp_path, Text("late", delay=60)) as (model, gateway):
        with gateway.session(frozenset({"Read"})) as session:
            caller = threading.Thread(target=_ask_quietly, args=(gateway, session))
            caller.start()
            while not model.requests:
                time.sleep(0.01)
        caller.join(5)
        assert not caller.is_alive()


def _ask_quietly(gateway: Gateway, session: Session) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException):
        ask(gateway, session.token)


def test_the_socket_is_a_door_too(gateway: Gateway) -> None:
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(str(gateway.socket))
        door.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert door.recv(100).startswith(b"HTTP/1.1 404")


def test_credentials_come_from_the_environment() -> None:
    assert find_endpoint({"ANTHROPIC_API_KEY": " k "}).header == ("x-api-key", "k")
    bearer = {"ANTHROPIC_AUTH_TOKEN": "t", "ANTHROPIC_BASE_URL": "http://u:p@host:8/base/?q=1"}
    found = find_endpoint(bearer)
    assert found.header == ("authorization", "Bearer t")
    assert found.public_url == "http://host:8/base"
    assert "Bearer" not in repr(found)
    assert not available({"ANTHROPIC_API_KEY": " "})
    with pytest.raises(NoCredentials, match="set ANTHROPIC_API_KEY"):
        find_endpoint({})
    with pytest.raises(NoCredentials, match="unset it"):
        find_endpoint({"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "file:///etc/passwd"})
