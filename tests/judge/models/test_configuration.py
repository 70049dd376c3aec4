"""Which model judges: names, models.yaml, keys, prices, families."""

from __future__ import annotations

from pathlib import Path

import pytest

from clawjudge.judge.models.configuration import names_of
from clawjudge.judge.models.conversation import Tokens
from clawjudge.judge.models.family import family_of
from clawjudge.judge.models.prices import Price, dated, parse_price, price_of
from clawjudge.judge.models.specification import DEFAULT_MODEL, PROVIDERS, UnknownModel, specify

KEY = "sk-very-secret-0123456789"
MODELS = f"""
deepseek-v4-pro:
  api_key: "{KEY}"
  base_url: https://api.deepseek.com/
  api_type: openai-completions
  thinking_level: medium
  temperature: 0
  price: {{input: 0.5, output: 2}}
several:
  api_keys: [one, two]
  base_url: http://localhost:1/v1
  api_type: openai-responses
claude:
  api_key: ${{JUDGE_KEY}}
  api_type: anthropic-messages
gemini-3-pro:
  api_key: g
  base_url: https://generativelanguage.googleapis.com
  api_type: google-generative-ai
"ollama:odd": {{api_key: x, base_url: "http://h/v1", api_type: openai-completions}}
"""


@pytest.fixture
def models(tmp_path: Path) -> Path:
    path = tmp_path / "models.yaml"
    path.write_text(MODELS)
    return path


def test_an_entry_of_clawbench(models: Path) -> None:
    found = specify("deepseek-v4-pro", {}, models)
    assert (found.label, found.name, found.api) == ("deepseek-v4-pro", "deepseek-v4-pro", "openai-completions")
    assert (found.address, found.keys, found.settings) == ("https://api.deepseek.com", (KEY,), {"temperature": 0})
    assert found.price == Price(0.5, 2.0, 0.5)
    assert names_of(models)[0] == "deepseek-v4-pro"


def test_other_kinds_of_entries(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert specify("several", {}, models).keys == ("one", "two")
    monkeypatch.setenv("JUDGE_KEY", "from-outside")
    claude = specify("claude", {}, models)
    assert (claude.keys, claude.address, claude.identity) == (("from-outside",), None, "anthropic:claude")
    assert specify("gemini-3-pro", {}, models).address == ("https://generativelanguage.googleapis.com/v1beta/openai")
    # The file comes before a provider of the same name.
    assert specify("ollama:odd", {}, models).address == "http://h/v1"
    assert specify("ollama:llama3:8b", {}, models).name == "llama3:8b"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("m: [", "not YAML"),
        (f"m: {{api_key: {KEY}", "not YAML"),
        ("- a\n", "must be a mapping"),
        ("m: 3", "must be a mapping with"),
        ("m: {api_type: telepathy, base_url: http://h, api_key: k}", "api_type"),
        (f"m: {{api_type: openai-completions, api_key: {KEY}}}", "base_url"),
        ("m: {api_type: openai-completions, base_url: http://h}", "no api_key"),
        ("m: {api_type: openai-completions, base_url: 'ftp://h', api_key: k}", "http"),
        (f"m: {{api_type: openai-completions, base_url: 'http://u:{KEY}@h', api_key: k}}", "must not hold"),
        ("m: {api_type: openai-completions, base_url: http://h, api_key: '${NOT_SET_AT_ALL}'}", "NOT_SET_AT_ALL"),
        ("m: {api_type: openai-completions, base_url: http://h, api_key: k, price: 3}", "price"),
        ("m: {api_type: openai-completions, base_url: http://h, api_key: k, max_tokens: -1}", "max_tokens"),
        ("other: {}", "holds no model 'm'"),
    ],
)
def test_a_bad_file_is_explained_without_its_keys(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(text)
    with pytest.raises(UnknownModel, match=said) as caught:
        specify("m", {}, path)
    assert KEY not in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownModel, match="cannot be read"):
        specify("m", {}, tmp_path / "nothing.yaml")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider(provider: str) -> None:
    known = PROVIDERS[provider]
    environment = dict.fromkeys(known.key_variables, KEY)
    found = specify(f"{provider}:some-model", {**environment, known.address_variable: "http://127.0.0.1:9/v1/"})
    assert (found.name, found.identity) == ("some-model", f"{provider}:some-model")
    assert found.address == "http://127.0.0.1:9/v1"
    for shown in (repr(found), str(found), str(found.parameters), found.identity):
        assert KEY not in shown
    if known.needs_key:
        with pytest.raises(UnknownModel, match=known.key_variables[0]):
            specify(f"{provider}:some-model", {})


@pytest.mark.parametrize("named", ["", "gpt-5", "nobody:m", "openai:", ":m"])
def test_names_that_say_nothing(named: str) -> None:
    with pytest.raises(UnknownModel, match="provider:model"):
        specify(named, {"OPENAI_API_KEY": KEY})


def test_prices() -> None:
    assert price_of(DEFAULT_MODEL.partition(":")[2]) == Price(2.0, 10.0, 0.2)
    assert price_of("anthropic/claude-haiku-4-5-20251001") == price_of("claude-haiku-4-5")
    assert price_of("never-heard-of") is None
    assert dated().startswith("20")
    assert Price(2.0, 10.0, 0.2).of(Tokens(read=1_000_000, cached=500_000, written=100_000)) == pytest.approx(2.1)
    assert Price(2.0, 10.0, 0.2).of(Tokens(read=1_000_000), 0.5) == pytest.approx(1.0)
    assert parse_price("2, 10") == Price(2.0, 10.0, 2.0)
    for wrong in ("", "1", "a,b", "1,-2", "1,2,3,4"):
        with pytest.raises(ValueError, match="write INPUT,OUTPUT"):
            parse_price(wrong)
    given = specify("vllm:x", {}, price=Price(1, 1, 1))
    assert given.price == Price(1, 1, 1)
    assert specify("vllm:x", {}).price == Price(0, 0, 0)


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("anthropic:claude-sonnet-5-5", "Claude"),
        ("openai:gpt-5", "GPT"),
        ("openai:deepseek-v4-pro", "DeepSeek"),
        ("openrouter:qwen/qwen3.5-397b-a17b", "Qwen"),
        ("anthropic/claude-opus-4-7", "Claude"),
        ("glm-5.1", "GLM"),
        ("ds-v4-pro", "DeepSeek"),
        ("scripted", ""),
        ("", ""),
    ],
)
def test_families(model: str, family: str) -> None:
    assert family_of(model) == family
