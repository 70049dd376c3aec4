"""`models.yaml` as ClawBench writes it: one entry per model, with its address, its kind of API and its key or keys.

    deepseek-v4-pro:
      api_key: sk-…                 # or api_keys: [ … ], used in turn; ${NAME} is taken from the environment
      base_url: https://api.deepseek.com
      api_type: openai-completions  # openai-responses, anthropic-messages, google-generative-ai
      price: {input: 0.28, output: 0.42, cached: 0.03}   # ours, optional: US dollars per million tokens

Other keys that ClawBench knows (`thinking_level`, …) are for agents and are left alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clawjudge.judge.models.prices import Price
from clawjudge.judge.models.specification import MAX_TOKENS, Api, ModelSpecification, UnknownModel, checked_address

USUAL_PLACES = (Path("models.yaml"), Path("models/models.yaml"))
_MOST_BYTES = 4 * 1024 * 1024
_KINDS: dict[str, tuple[str, Api]] = {
    "openai-completions": ("openai", "openai-completions"),
    "openai-responses": ("openai-responses", "openai-responses"),
    "anthropic-messages": ("anthropic", "anthropic-messages"),
    "google-generative-ai": ("google", "openai-completions"),
}
_SETTINGS = ("temperature", "top_p", "reasoning_effort", "seed")
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def entry_of(path: Path, name: str) -> ModelSpecification | None:
    """The model `name` of the file; None if there is no such entry. Raises `UnknownModel`, never with a key in it."""
    entry = _read(path).get(name)
    if entry is None:
        return None
    source = f"{path}, {name}"
    if not isinstance(entry, dict):
        raise UnknownModel(f"{source}: must be a mapping with base_url, api_type and api_key")
    kind = entry.get("api_type") or "openai-completions"
    if kind not in _KINDS:
        raise UnknownModel(f"{source}: api_type: {kind!r} is not known; use one of {', '.join(_KINDS)}")
    provider, api = _KINDS[kind]
    address = entry.get("base_url")
    if not isinstance(address, str) and not (address is None and provider == "anthropic"):
        raise UnknownModel(f"{source}: base_url: is missing; give the address of the API")
    return ModelSpecification(
        label=name,
        provider=provider,
        name=str(entry.get("model") or name),
        api=api,
        address=checked_address(_address(address, kind), source),
        keys=_keys(entry, source),
        settings={key: entry[key] for key in _SETTINGS if isinstance(entry.get(key), int | float | str)},
        max_tokens=_positive(entry.get("max_tokens"), f"{source}: max_tokens"),
        price=_price(entry.get("price"), source),
    )


def names_of(path: Path) -> list[str]:
    """The models that a file defines. Raises `UnknownModel`."""
    return [str(name) for name in _read(path)]


def _read(path: Path) -> Mapping[Any, Any]:
    try:
        import yaml
    except ImportError as error:
        raise UnknownModel("reading models.yaml needs PyYAML: pip install 'clawjudge[models]'") from error
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UnknownModel(f"{path}: larger than {_MOST_BYTES} bytes; that is no models.yaml")
        document = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        raise UnknownModel(f"{path}: cannot be read: {error.strerror}; name another file with --models") from error
    except UnicodeDecodeError as error:
        raise UnknownModel(f"{path}: is not UTF-8 text") from error
    except yaml.MarkedYAMLError as error:
        # The message of the library quotes the line, which may hold a key; the place is enough.
        place = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise UnknownModel(f"{path}{place}: not YAML; correct the file") from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise UnknownModel(f"{path}: not YAML; correct the file") from None
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise UnknownModel(f"{path}: must be a mapping of model names to their settings")
    return document


def _address(address: str | None, kind: str) -> str | None:
    """Google's models are asked through the surface that speaks like OpenAI's, wherever the entry points."""
    if address is None or kind != "google-generative-ai" or "/openai" in address:
        return address
    base = address.rstrip("/")
    return f"{base}/openai" if base.endswith("/v1beta") else f"{base}/v1beta/openai"


def _keys(entry: Mapping[Any, Any], source: str) -> tuple[str, ...]:
    several = entry.get("api_keys")
    given = several if isinstance(several, list) and several else [entry.get("api_key")]
    keys = []
    for key in given:
        if not isinstance(key, str) or not key.strip():
            raise UnknownModel(f"{source}: no api_key; write one, or ${{NAME}} to take it from the environment")
        name = _REFERENCE.fullmatch(key.strip())
        taken = os.environ.get(name.group(1), "") if name else key.strip()
        if name and not taken:
            raise UnknownModel(f"{source}: api_key: the environment variable {name.group(1)} is not set")
        keys.append(taken)
    return tuple(keys)


def _positive(value: Any, source: str) -> int:
    if value is None:
        return MAX_TOKENS
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UnknownModel(f"{source}: must be a whole number above 0")
    return value


def _price(value: Any, source: str) -> Price | None:
    if value is None:
        return None
    parts: list[Any] = [value.get(key) for key in ("input", "output")] if isinstance(value, dict) else []
    if len(parts) != 2 or any(isinstance(p, bool) or not isinstance(p, int | float) or p < 0 for p in parts):
        raise UnknownModel(f"{source}: price: write {{input: …, output: …}} in US dollars per million tokens")
    cached: Any = value.get("cached", parts[0])
    return Price(
        float(parts[0]), float(parts[1]), float(cached) if isinstance(cached, int | float) else float(parts[0])
    )
