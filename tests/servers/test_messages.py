"""The scripted model server against the real `anthropic` SDK."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import httpx2
import pytest
from servers.messages import Failure, Recorded, Refusal, Reply, ScriptedModel, Text, ToolUse, call

ASK: dict[str, Any] = {"model": "claude-test", "max_tokens": 50, "messages": [{"role": "user", "content": "Häagen?"}]}
TOOLS: list[Any] = [{"name": "look", "input_schema": {"type": "object"}}]


CLIENTS: list[anthropic.Anthropic] = []


@pytest.fixture(autouse=True)
def _closed_clients() -> Iterator[None]:
    yield
    while CLIENTS:
        CLIENTS.pop().close()


def client(model: ScriptedModel, **options: Any) -> anthropic.Anthropic:
    CLIENTS.append(anthropic.Anthropic(base_url=model.url, **{"api_key": "any", "max_retries": 0, **options}))
    return CLIENTS[-1]


def test_plays_the_script_whole_and_streamed() -> None:
    usage = {"input_tokens": 11, "output_tokens": 7, "cache_read_input_tokens": 5}
    with ScriptedModel([Text("ça va", usage=usage), Text("ça va", usage=usage)]) as model:
        whole = client(model).messages.create(**ASK)
        with client(model).messages.stream(**ASK) as stream:
            pieces = list(stream.text_stream)
            streamed = stream.get_final_message()
    assert whole.content[0].text == "ça va"  # type: ignore[union-attr]
    assert "".join(pieces) == "ça va"
    assert len(pieces) > 1
    for message in (whole, streamed):
        assert message.stop_reason == "end_turn"
        assert message.usage.input_tokens == 11
        assert message.usage.output_tokens == 7
        assert message.usage.cache_read_input_tokens == 5
    assert [r.prompt for r in model.requests] == ["Häagen?", "Häagen?"]


def test_tool_calls_and_their_results() -> None:
    both = Reply((call("look", {"where": "Zürich"}), call("look", {"where": "there"})))
    with ScriptedModel([both, Text("seen")]) as model:
        with client(model).messages.stream(**ASK, tools=TOOLS) as stream:
            first = stream.get_final_message()
        assert first.stop_reason == "tool_use"
        assert [block.input for block in first.content] == [{"where": "Zürich"}, {"where": "there"}]  # type: ignore[union-attr]
        picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
        ids = [block.id for block in first.content]  # type: ignore[union-attr]
        results = [
            {"type": "tool_result", "tool_use_id": ids[0], "content": [{"type": "text", "text": "a hill"}, picture]},
            {"type": "tool_result", "tool_use_id": ids[1], "content": "nothing", "is_error": True},
        ]
        answer = {"role": "assistant", "content": [block.model_dump() for block in first.content]}
        messages = [*ASK["messages"], answer, {"role": "user", "content": results}]
        client(model).messages.create(**{**ASK, "messages": messages}, tools=TOOLS)
    seen = model.requests[1].tool_results
    assert [(r.text, r.images, r.is_error) for r in seen] == [("a hill", 1, False), ("nothing", 0, True)]
    assert model.requests[1].tools == ["look"]


def test_thinking_first_empty_and_refusal() -> None:
    thinking = Reply(({"type": "thinking", "thinking": "let me see"}, {"type": "text", "text": "yes"}))
    with ScriptedModel([thinking, Reply(()), Refusal("I cannot")]) as model:
        with client(model).messages.stream(**ASK) as stream:
            assert [block.type for block in stream.get_final_message().content] == ["thinking", "text"]
        assert client(model).messages.create(**ASK).content == []
        assert client(model).messages.create(**ASK).stop_reason == "refusal"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, anthropic.AuthenticationError),
        (402, anthropic.APIStatusError),
        (429, anthropic.RateLimitError),
        (500, anthropic.InternalServerError),
        (529, anthropic.InternalServerError),
    ],
)
def test_failures(status: int, error: type[anthropic.APIStatusError]) -> None:
    with ScriptedModel([Failure(status, "sorry", retry_after=3)]) as model, pytest.raises(error) as raised:
        client(model).messages.create(**ASK)
    assert raised.value.status_code == status
    assert raised.value.response.headers["retry-after"] == "3"
    assert "sorry" in raised.value.message


def test_the_sdk_waits_as_long_as_it_is_told() -> None:
    with ScriptedModel([Failure(429, retry_after=0.3), Text("now")]) as model:
        client(model, max_retries=1).messages.create(**ASK)
    assert model.requests[1].at - model.requests[0].at >= 0.3


def test_a_wrong_key_is_401_and_takes_no_step() -> None:
    with ScriptedModel([Text("mine")], api_key="right") as model:
        with pytest.raises(anthropic.AuthenticationError):
            client(model, api_key="wrong").messages.create(**ASK)
        assert client(model, api_key="right").messages.create(**ASK).content[0].text == "mine"  # type: ignore[union-attr]


def test_an_error_in_the_middle_of_a_stream() -> None:
    with (
        ScriptedModel([Failure(529, "too busy", in_stream=True)]) as model,
        client(model).messages.stream(**ASK) as stream,
        pytest.raises(anthropic.APIStatusError, match="too busy"),
    ):
        stream.get_final_message()


def streamed(model: ScriptedModel) -> anthropic.types.Message:
    with client(model).messages.stream(**ASK) as stream:
        return stream.get_final_message()


def whole(model: ScriptedModel) -> anthropic.types.Message:
    return client(model).messages.create(**ASK)


@pytest.mark.parametrize("ask", [streamed, whole])
def test_a_cut_connection(ask: Callable[[ScriptedModel], anthropic.types.Message]) -> None:
    broken = pytest.raises((httpx2.RemoteProtocolError, anthropic.APIConnectionError))
    with ScriptedModel([Text("never whole", cut_after=3)]) as model, broken:
        ask(model)


def test_delays_are_counted_and_end_with_the_server() -> None:
    with ScriptedModel([Text("late", delay=0.2), Text("never", delay=60)]) as model:
        client(model).messages.create(**ASK)
        assert 0.2 <= model.busy_seconds < 2
        caller = threading.Thread(target=_ignore_end, args=(model,))
        caller.start()
        while len(model.requests) < 2:
            time.sleep(0.01)
    caller.join(5)
    assert not caller.is_alive()


def _ignore_end(model: ScriptedModel) -> None:
    with pytest.raises(anthropic.APIConnectionError):
        client(model).messages.create(**ASK)


def test_steps_can_depend_on_the_request_and_the_script_ends() -> None:
    def echo(request: Recorded) -> Reply:
        return Text(request.last.upper())

    with ScriptedModel([echo], endless=None) as model:
        assert client(model).messages.create(**ASK).content[0].text == "HÄAGEN?"  # type: ignore[union-attr]
        with pytest.raises(anthropic.BadRequestError, match="the script is over"):
            client(model).messages.create(**ASK)
        assert model.unexpected == 1
    with ScriptedModel([], endless=ToolUse("look", {})) as model:
        assert {client(model).messages.create(**ASK, tools=TOOLS).stop_reason for _ in range(3)} == {"tool_use"}


def test_counts_tokens() -> None:
    with ScriptedModel([]) as model:
        few = client(model).messages.count_tokens(model="m", messages=[{"role": "user", "content": "short"}])
        many = client(model).messages.count_tokens(model="m", messages=[{"role": "user", "content": "long " * 400}])
    assert few.input_tokens < 100 < many.input_tokens
    assert not model.requests


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"max_tokens": 0}, "max_tokens"),
        ({"messages": []}, "at least one message"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "role"),
        (
            {"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": ""}]}]},
            "tool_use_id",
        ),
        ({"tools": [*TOOLS, *TOOLS]}, "unique"),
    ],
)
def test_refuses_what_the_service_refuses(wrong: dict[str, Any], complaint: str) -> None:
    with ScriptedModel([Text("not reached")]) as model, pytest.raises(anthropic.BadRequestError, match=complaint):
        client(model).messages.create(**{**ASK, **wrong})
