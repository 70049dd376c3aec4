"""Do the judge and the agent come from one maker? A model may be kinder to its own kind, and the reader should know."""

from __future__ import annotations

import re

_FAMILIES = {
    "Claude": r"claude|anthropic",
    "GPT": r"\bgpt|chatgpt|openai|\bo[134](?:\b|-)|codex",
    "Gemini": r"gemini|gemma|google",
    "DeepSeek": r"deepseek|\bds-v\d",
    "Qwen": r"qwen|qwq",
    "GLM": r"\bglm|zhipu|z-ai",
    "Llama": r"llama-?\d|meta-llama",
    "Mistral": r"mistral|mixtral|magistral",
    "Kimi": r"kimi|moonshot",
    "Grok": r"grok|x-ai",
    "MiniMax": r"minimax",
}


def family_of(model: str) -> str:
    """The family that a model's name tells; empty if it tells none. A name may carry its provider."""
    # Gateways and API kinds carry names of makers too: the model's own name comes last.
    for name in (re.split(r"[/:]", model)[-1], model):
        for family, pattern in _FAMILIES.items():
            if re.search(pattern, name, re.IGNORECASE):
                return family
    return ""
