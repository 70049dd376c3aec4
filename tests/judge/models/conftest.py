"""Models of all three APIs against one scripted server."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # tests are no package; `servers` is one of its folders

from clawjudge.judge.models.calls import RetryPolicy
from clawjudge.judge.models.model import Model
from clawjudge.judge.models.specification import Api, ModelSpecification

QUICK = RetryPolicy(attempts=4, first_pause=0.02, longest_pause=0.05, deadline=20, call_seconds=5)
APIS: tuple[Api, ...] = ("anthropic-messages", "openai-completions", "openai-responses")

MakeModel = Callable[..., Model]


@pytest.fixture(params=APIS)
def api(request: pytest.FixtureRequest) -> Api:
    api: Api = request.param
    return api


@pytest.fixture
def make_model() -> MakeModel:
    """`make_model(url, api, policy=..., concurrency=..., key=...)`."""

    def make(
        url: str,
        api: Api,
        policy: RetryPolicy = QUICK,
        concurrency: int | None = None,
        key: str = "sk-secret-123456",
    ) -> Model:
        address = url if api == "anthropic-messages" else f"{url}/v1"
        named = ModelSpecification("local:m", "local", "m", api, address, (key,))
        return Model(named, policy, concurrency)

    return make
