"""The citation check: a citation counts only if the recording really holds what it quotes, at the place it names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clawjudge.judge.verdict import Citation, writable
from clawjudge.traces.errors import UnsafePath
from clawjudge.traces.files import LAYER_FILES
from clawjudge.traces.jsonl import decode_tolerant, line_at
from clawjudge.traces.meta import MAX_DOCUMENT_BYTES
from clawjudge.traces.paths import inside
from clawjudge.traces.payload import query_value
from clawjudge.traces.pointers import escape, resolve, unescape, unpacked
from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.screenshots import image_size
from clawjudge.traces.secret_members import telling_name
from clawjudge.traces.secret_names import SHOWN
from clawjudge.traces.secrets import mask, scrub
from clawjudge.traces.video import VideoInfo, probe_video

MAX_QUOTE = 300
_MIN_PART = 2
"""Characters that a quotation from a whole line must have to say anything."""
_KEPT_LINES = 16
_LOOKED_AT = 1024 * 1024
"""Characters of one text that are searched for secrets and for a quotation; what stands behind cannot be quoted."""
_CUT_LENGTH = 80
_UNSPACED = 0x2E80
_HEADER_BYTES = 1024 * 1024
"""A JPEG file names its size only behind its metadata, which may hold a preview picture."""


class CitationCheck:
    """Checks citations into one pair of runs; a line that is cited twice is read once."""

    def __init__(self, runs: dict[str, Path]) -> None:
        self._runs = runs
        """Folder of `agent` and, if there is one, of `reference`."""
        self._documents: dict[tuple[Path, int | None], tuple[Any, dict[str, Any]]] = {}
        """The latest lines, each with what was parsed of it."""
        self._films: dict[Path, VideoInfo | None] = {}

    def verify(self, citation: Citation) -> Citation:
        """`citation` with `verified` set to whether it holds."""
        root = self._runs.get(citation.run)
        return citation.model_copy(update={"verified": root is not None and self._holds(citation, root)})

    def _holds(self, citation: Citation, root: Path) -> bool:
        try:
            path = inside(root, citation.file)
        except UnsafePath:
            return False
        if not _is_file_of(citation.layer, path):
            return False
        if citation.layer in ("screenshots", "video"):
            return self._in_film(citation, path) if citation.layer == "video" else _is_picture(path)
        value, parsed = self._line(path, citation.line)
        if value is _NOTHING:
            return False
        try:
            name = ""
            if citation.pointer:
                tree, pointer = _place(value, citation.pointer, parsed)
                value, name = resolve(tree, pointer), telling_name(tree, pointer)
            return says(value, citation.quote, name)
        except (KeyError, IndexError, ValueError, TypeError, RecursionError):
            return False

    def _line(self, path: Path, number: int | None) -> tuple[Any, dict[str, Any]]:
        key = (path, number)
        if key in self._documents:
            self._documents[key] = self._documents.pop(key)
        else:
            self._documents[key] = (_document(path, number), {})
            if len(self._documents) > _KEPT_LINES:
                # The one that was not asked for the longest.
                del self._documents[next(iter(self._documents))]
        return self._documents[key]

    def _in_film(self, citation: Citation, path: Path) -> bool:
        """Whether the recording can be played and, if a frame is cited, lasts until then."""
        if path not in self._films:
            self._films[path] = probe_video(path, citation.file, ProblemLog())
        film = self._films[path]
        return film is not None and (citation.frame is None or film.first_pts_ms <= citation.frame <= film.duration_ms)


def _is_picture(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return image_size(file.read(_HEADER_BYTES)) is not None
    except OSError:
        return False


def at(document: Any, pointer: str, parsed: dict[str, Any] | None = None) -> Any:
    """The value at `pointer` of a recorded line. `parsed` keeps what was parsed of this line for the next look.

    Below a request, `/params/…` and `/body/…` point into the parsed query and the parsed body, because bodies are
    recorded as text, as parsed objects or as badly split forms, and a citation must hold for all of them.
    """
    return resolve(*_place(document, pointer, {} if parsed is None else parsed))


def shown_pointer(pointer: str) -> str:
    """`pointer` as it may be shown: a key may be a secret as well as a value."""
    return "/".join(escape(scrub(unescape(token))) for token in pointer.split("/"))


def _place(document: Any, pointer: str, parsed: dict[str, Any]) -> tuple[Any, str]:
    """A tree and a pointer into it; what a shown pointer hides is found again."""
    tree, pointer = _tree(document, pointer, parsed)
    node = tree
    tokens: list[str] = []
    for token in pointer.split("/"):
        if tokens and isinstance(node, dict):
            known = unescape(token)
            if known not in node and SHOWN.search(known):
                token = next((escape(key) for key in node if isinstance(key, str) and scrub(key) == known), token)
            node = node.get(unescape(token))
        elif tokens and isinstance(node, list) and token.isdecimal():
            node = node[int(token)]
        tokens.append(token)
    return tree, "/".join(tokens)


def _tree(document: Any, pointer: str, parsed: dict[str, Any]) -> tuple[Any, str]:
    for prefix in ("/request", ""):
        part = document.get("request") if prefix and isinstance(document, dict) else document
        if not pointer.startswith(prefix + "/") or not isinstance(part, dict) or "url" not in part:
            continue
        rest = pointer[len(prefix) :]
        for name, parse in (("params", _params), ("body", _body)):
            if rest.startswith(f"/{name}"):
                if prefix + name not in parsed:
                    parsed[prefix + name] = {name: unpacked(parse(part))}
                return parsed[prefix + name], rest
    return document, pointer


def _params(request: dict[str, Any]) -> Any:
    return query_value(str(request["url"]))


def _body(request: dict[str, Any]) -> Any:
    headers = request.get("headers")
    known = headers if isinstance(headers, dict) else {}
    return RequestEvent(0, "", "", None, known, body=request.get("body")).payload().value


def says(value: Any, quotation: str, name: str = "") -> bool:
    """Whether `quotation` is what stands there, or words of it. A digit of a number is not what the number says."""
    there = shown(value, name)
    if quotation == there:
        return True
    if isinstance(value, dict | list):
        compact = scrub(json.dumps(mask(value, name), ensure_ascii=False, separators=(",", ":")))
        return len(quotation) >= _MIN_PART and (quotation in there or quotation in compact)
    if not isinstance(value, str) or not quotation.strip():
        return False
    at_start = there.find(quotation)
    while at_start >= 0:
        end = at_start + len(quotation)
        # A long quotation may have been cut in the middle of a word.
        if not _in_word(there, at_start) and (not _in_word(there, end) or len(quotation) >= _CUT_LENGTH):
            return True
        at_start = there.find(quotation, at_start + 1)
    return False


def _in_word(text: str, place: int) -> bool:
    """Whether `place` lies between two characters of one word; scripts without blanks have no such places."""
    around = text[place - 1 : place + 1] if place else ""
    return len(around) == 2 and all(c.isalnum() and ord(c) < _UNSPACED for c in around)


def shown(value: Any, name: str = "") -> str:
    """How a value is quoted: secrets masked, text scrubbed."""
    if isinstance(value, dict | list):
        return str(writable(scrub(json.dumps(mask(value, name), ensure_ascii=False))))
    masked = mask(value[:_LOOKED_AT] if isinstance(value, str) else value, name)
    if masked is None or isinstance(masked, bool):
        return {None: "null", True: "true", False: "false"}[masked]
    return str(writable(str(masked)))


def quote(value: Any, name: str = "") -> str:
    """A quotation of `value`, short enough to print."""
    return shown(value, name)[:MAX_QUOTE]


_NOTHING = object()


def _is_file_of(layer: str, path: Path) -> bool:
    """Whether a file can be of the layer: what an agent said is no evidence of what was sent."""
    if layer in LAYER_FILES and layer not in ("screenshots", "video"):
        return path.name == LAYER_FILES[layer]
    return layer in ("screenshots", "video") or path.name not in LAYER_FILES.values()


def _document(path: Path, line: int | None) -> Any:
    try:
        if not path.is_file():
            return _NOTHING
        if line is not None:
            raw = line_at(path, line) if line > 0 else None
        else:
            raw = path.read_bytes() if path.stat().st_size <= MAX_DOCUMENT_BYTES else None
    except OSError:
        return _NOTHING
    if raw is None:
        return _NOTHING
    try:
        return decode_tolerant(raw.strip(b" \t\r\n").removeprefix(b"\xef\xbb\xbf"))[0]
    except (ValueError, RecursionError):
        return _NOTHING
