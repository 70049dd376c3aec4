"""Which files a tool call reads or writes, told from its name and arguments.

Strict where it matters: a call counts as reading only if its whole output is the file's, so that neither a page nor the
agent itself can pass off its own text as a file that came with the task.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

from clawjudge.traces.records import ToolCall
from clawjudge.traces.transcripts.calls import name_words

_READ_WORDS = frozenset({"read", "view", "open", "cat", "load", "show", "get"})
_WRITE_WORDS = frozenset(
    {"write", "edit", "create", "save", "append", "patch", "update", "insert", "replace", "upload", "download", "move"}
)
_WEB_WORDS = frozenset(
    {"browser", "navigate", "goto", "url", "web", "http", "fetch", "page", "tab", "click", "type", "evaluate"}
) | {"console", "playwright", "puppeteer", "chrome", "selenium", "stagehand", "devtools"}
_WEB_KEYS = frozenset({"url", "urls", "uri", "href", "link", "targeturl", "website", "address"})
_CONTENT_KEYS = frozenset(
    {"content", "contents", "text", "newstring", "oldstring", "filetext", "newstr", "oldstr", "data", "patch", "diff"}
)
_COMMAND_KEYS = ("command", "cmd", "script")
_SHELLS = frozenset({"bash", "sh", "zsh"})
_QUIET = frozenset({"cd", "true", ":"})
"""Commands without output of their own."""
_PARTS = re.compile(r"\s*(?:&&|;|\n)\s*")
_DYNAMIC = re.compile(r"[|<>`]|\$[\w({]|(?<!&)&(?!&)")
"""Anything that brings in text from elsewhere than the named files."""
_DISCARDED = re.compile(r"\s\d?>>?\s?/dev/null(?=\s|$)|\s2>&1(?=\s|$)")
_WRITING = re.compile(
    r">|\b(?:tee|cp|mv|ln|dd|install|rsync|curl|wget|sponge|patch|ed|sed\s+-i|truncate|python3?|node|perl|ruby|awk|apply_patch)\b"
)
"""Commands that may make or change a file; `python` may as well only read it, which cannot be told."""
_SED_RANGE = re.compile(r"\d+,(?:\d+|\$)p")
_JSON_END = re.compile(r"\.json\b", re.IGNORECASE)
_NAME_TAIL = re.compile(r"[^\s'\"<>|;&=()]*$")
_MAX_NAME = 256
MAX_COMMAND = 20_000
"""A longer command is not taken for one that only reads."""
_MAX_DEPTH = 4


def paths_read(call: ToolCall) -> tuple[str, ...]:
    """Paths of the `.json` files whose content the call's result is; empty for every other kind of call."""
    texts = list(_strings(call.arguments))
    if set(name_words(call.name, whole=True)) & _WEB_WORDS:
        return ()
    if any(_is_address(text) or _plain(key) in _WEB_KEYS for key, text in texts):
        return ()
    command = _command(call.arguments)
    if command and command != "view":
        return _read_by_shell(command)
    if not command and (_writes(call) or not set(name_words(call.name)) & _READ_WORDS):
        return ()
    return tuple(text for _, text in texts if _is_json_path(text))


def paths_written(call: ToolCall) -> tuple[str, ...]:
    """The `.json` files that the call names and may have made or changed."""
    command = _command(call.arguments)
    if command == "view" or paths_read(call):
        return ()
    # A text editor's `command` is a word like `create`; its path stands elsewhere in the arguments.
    if (command and _WRITING.search(_DISCARDED.sub(" ", command))) or _writes(call):
        return tuple(
            name
            for key, text in _strings(call.arguments)
            if _plain(key) not in _CONTENT_KEYS or _plain(key) in ("patch", "diff")
            for name in _names(text)
        )
    return ()


def _writes(call: ToolCall) -> bool:
    if set(name_words(call.name)) & _WRITE_WORDS:
        return True
    return any(_plain(key) in _CONTENT_KEYS for key in call.arguments)


def _names(text: str) -> Iterator[str]:
    """Words in `text` that end in `.json`."""
    for found in _JSON_END.finditer(text):
        before = _NAME_TAIL.search(text[max(0, found.start() - _MAX_NAME) : found.start()])
        yield (before[0] if before else "") + found[0]


def _read_by_shell(command: str) -> tuple[str, ...]:
    command = _DISCARDED.sub(" ", command[: MAX_COMMAND + 1])
    if len(command) > MAX_COMMAND or _DYNAMIC.search(command):
        return ()
    paths: list[str] = []
    for part in _PARTS.split(command.strip()):
        try:
            words = shlex.split(part)
        except ValueError:
            return ()
        if not words or words[0] in _QUIET:
            continue
        named = _printed(words)
        if not named:
            return ()
        paths += named
    return tuple(paths)


def _printed(words: list[str]) -> list[str]:
    """The files that a command prints as they are; empty if it does anything else."""
    program, rest = words[0].rsplit("/", 1)[-1], words[1:]
    if program in ("cat", "less", "more", "bat", "nl", "head", "tail"):
        rest = [word for word in rest if not word.startswith("-") and not word.isdigit()]
    elif program == "sed":
        if len(rest) < 3 or rest[0] != "-n" or not _SED_RANGE.fullmatch(rest[1]):
            return []
        rest = rest[2:]
    elif program == "jq":
        if "." not in rest:
            return []
        rest = [word for word in rest if word != "." and word not in ("-M", "-r", "-S", "--indent")]
    elif program in ("python", "python3") and rest[:2] == ["-m", "json.tool"]:
        # Given a second file, it writes there.
        rest = rest[2:] if len(rest) == 3 else []
    else:
        return []
    return rest if rest and all(_is_json_path(word) for word in rest) else []


def _command(arguments: dict[str, Any]) -> str:
    """The shell command among the arguments, taken out of `bash -lc '...'`; "" if there is none."""
    for key in _COMMAND_KEYS:
        value = arguments.get(key)
        words: list[str] = []
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            words, value = value, shlex.join(value)
        elif isinstance(value, str) and len(value) <= MAX_COMMAND:
            try:
                words = shlex.split(value)
            except ValueError:
                words = []
        if len(words) == 3 and words[0].rsplit("/", 1)[-1] in _SHELLS and words[1] in ("-c", "-lc"):
            return words[2]
        if isinstance(value, str) and value:
            return value
    return ""


def _strings(value: object, key: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """(key, text) for every text in the arguments, a few levels deep."""
    if isinstance(value, str):
        yield key, value
    elif depth < _MAX_DEPTH and isinstance(value, dict):
        for name, part in value.items():
            yield from _strings(part, str(name), depth + 1)
    elif depth < _MAX_DEPTH and isinstance(value, list):
        for part in value:
            yield from _strings(part, key, depth + 1)


def _is_json_path(text: str) -> bool:
    return text.lower().endswith(".json") and len(text) < 4096 and "\n" not in text and not _is_address(text)


def _is_address(text: str) -> bool:
    lowered = text.lstrip().lower()
    return lowered.startswith(("http:", "https:", "//", "www.", "ftp:", "data:", "blob:"))


def _plain(key: str) -> str:
    return key.lower().replace("_", "").replace("-", "")
