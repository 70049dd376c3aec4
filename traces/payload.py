"""Request bodies and query strings as one tree, whoever recorded them: live interceptor, ClawBench, or our recorder.

Rules, in order (each is a row of the tables in the tests):

1. The Content-Type decides. JSON types and `+json` suffixes, urlencoded forms, multipart forms, GraphQL, XML and other
   text, binary. `text/plain` is JSON if it holds a JSON object or array, else text. A JSON document sent as a form is
   read as JSON, with the problem `content_type_mismatch`.
2. Without a Content-Type, or with an unknown one, the shape decides and `parser` starts with `guess-`.
3. ClawBench's recorder tries JSON, then `parse_qs`, whatever the Content-Type. A body that it stored as an object with
   any value other than text was JSON. An object of texts may have been a form, or a multipart, XML or plain text body
   cut at every `=` and `&`; those are joined again and read by rules 1 and 2 with the problem `lossy_recovery`, because
   `parse_qs` turned `+` into a blank and decoded `%xx`. What cannot be told apart is `undecided`, its tree kept.
4. JSON that does not parse is text: `bad_json`, `several_json_documents` or `nested_too_deeply`. A repeated JSON key
   keeps its last value and reports `duplicate_key`; a repeated form key becomes a list.

Nothing here raises on any body. Problems are stable codes; the original bytes stay in `raw` where they were recorded.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import parse_qsl

import multipart

PayloadKind = Literal["none", "json", "form", "multipart", "graphql", "text", "binary", "undecided"]

FORM_TYPE = "application/x-www-form-urlencoded"
_JSON_TYPE = re.compile(r"[/+.-]json(?:$|[+.-])")
_XML_TYPE = re.compile(r"[/+]xml$")
_BINARY_TYPE = re.compile(
    r"(?:image|audio|video|font)/(?!svg)|application/(?:octet-stream|pdf|zip|gzip|wasm|.*(?:proto|grpc|msgpack|cbor))"
)
_FORM_PAIR = r"[\w.\[\]%+*~$:-]+=[^\s<>{}\"&]*"
_FORM_SHAPE = re.compile(rf"{_FORM_PAIR}(?:&{_FORM_PAIR})*&?", re.ASCII)
# Python knows encodings that are no charsets (`unicode_escape`, `idna`); a header may not choose those.
_CHARSET = re.compile(
    r"utf-?8|utf-?16(?:le|be)?|us-ascii|latin-?1|(?:iso-8859|koi8|euc)-\w+|windows-125\d|shift_jis|gb2312|gbk|gb18030|big5",
    re.IGNORECASE | re.ASCII,
)
_GRAPHQL_TEXT = re.compile(r"(?:\s|,|#[^\n]*\n)*(?:(?:query|mutation|subscription|fragment)\b|\{)")


@dataclass(frozen=True, slots=True)
class Payload:
    """One request body, parsed."""

    kind: PayloadKind
    value: Any
    """JSON-like tree; the text for `text`; None for `none` and `binary`. A form is name -> text, or a list of texts
    where a name repeats; a file part is `{"filename", "content_type", "size" (bytes), "sha256"}`."""
    raw: bytes | None
    """The bytes sent, or None where only the recorder's reading of them is known."""
    parser: str
    """Which rule read the body, for example `json`, `guess-form`, `recorded-multipart`."""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Media:
    type: str
    charset: str
    boundary: str
    compressed: bool


def parse_body(body: Any, headers: Mapping[str, str]) -> Payload:
    """`body` as sent (text or bytes), as ClawBench's recorder stored it (any JSON value), or None. Never raises."""
    media = _media(headers)
    if body is None or (isinstance(body, str | bytes | bytearray) and not body):
        return Payload("none", None, None if body is None else b"", "none")
    if isinstance(body, bytes | bytearray):
        return _parse_bytes(bytes(body), media)
    if isinstance(body, str):
        return _parse_text(body, body.encode("utf-8", "surrogatepass"), media)
    return _parse_recorded(body, media)


def _media(headers: Mapping[str, str]) -> _Media:
    lower = {str(name).lower(): str(value) for name, value in headers.items()}
    media_type, options = multipart.parse_options_header(lower.get("content-type", ""))
    encoding = lower.get("content-encoding", "").strip().lower()
    return _Media(media_type, options.get("charset", ""), options.get("boundary", ""), encoding not in ("", "identity"))


def _parse_bytes(raw: bytes, media: _Media) -> Payload:
    if media.compressed:
        return Payload("binary", None, raw, "binary", ("compressed",))
    if media.type.startswith("multipart/"):
        return _multipart(raw, media.boundary, "multipart")
    if _BINARY_TYPE.match(media.type):
        return Payload("binary", None, raw, "binary")
    text, clean = _decode(raw, media.charset)
    if not _is_textual(media.type) and ("\0" in text or not clean):
        return Payload("binary", None, raw, "guess-binary")
    parsed = _parse_text(text, raw, media)
    return parsed if clean else _also(parsed, "bad_charset")


def _decode(raw: bytes, charset: str) -> tuple[str, bool]:
    """The text, and False if bytes had to be replaced."""
    try:
        return raw.decode(charset if _CHARSET.fullmatch(charset) else "utf-8"), True
    except (UnicodeError, LookupError):
        return raw.decode("utf-8", "replace"), False


def _is_textual(media_type: str) -> bool:
    return bool(
        media_type.startswith("text/")
        or media_type in (FORM_TYPE, "application/graphql")
        or _JSON_TYPE.search(media_type)
        or _XML_TYPE.search(media_type)
    )


def _parse_text(text: str, raw: bytes | None, media: _Media) -> Payload:
    """Rules 1 and 2 for a decoded body; `raw` is None for a body that was put together again."""
    text = text.removeprefix("\ufeff")
    if media.type.startswith("multipart/"):
        return replace(_multipart(_bytes_of(text), media.boundary, "multipart"), raw=raw)
    if _JSON_TYPE.search(media.type):
        return _json(text, raw, "json") or Payload("text", text, raw, "text", (_json_defect(text),))
    if media.type == FORM_TYPE:
        as_json = _json(text, raw, "json") if _opens_json(text) else None
        return _also(as_json, "content_type_mismatch") if as_json else _form(text, raw, "form")
    if media.type == "application/graphql":
        return Payload("graphql", {"query": text}, raw, "graphql")
    if media.type == "text/plain":
        return _json_or_text(text, raw, "")
    if _BINARY_TYPE.match(media.type):
        return Payload("binary", None, raw, "binary", ("recorded_as_text",))
    if media.type.startswith("text/") or _XML_TYPE.search(media.type):
        return Payload("text", text, raw, "text")
    return _guess(text, raw)


def _guess(text: str, raw: bytes | None) -> Payload:
    if _opens_multipart(text):
        return replace(_multipart(_bytes_of(text), "", "guess-multipart"), raw=raw)
    if _FORM_SHAPE.fullmatch(text):
        return _form(text, raw, "guess-form")
    return _json_or_text(text, raw, "guess-")


def _parse_recorded(body: Any, media: _Media) -> Payload:
    """Rule 3: what ClawBench's recorder made of a body."""
    if not isinstance(body, dict) or not body or not all(_is_form_value(value) for value in body.values()):
        return _json_payload(body, None, "recorded-json", ())
    first = str(next(iter(body))).lstrip()
    if media.type.startswith("multipart/") or any(_opens_multipart(str(key)) for key in body):
        return _also(_parse_joined(body, replace(media, type="multipart/form-data")), "lossy_recovery")
    if media.type == FORM_TYPE:
        return Payload("form", _tree(_recorded_pairs(body)), None, "recorded-form")
    blank = not any(body.values())
    cut_json = first.startswith(("{", "[")) and _JSON_TYPE.search(media.type)
    cut_text = (
        first.startswith("<")
        or media.type == "application/graphql"
        or _BINARY_TYPE.match(media.type)
        or (media.type.startswith("text/") and media.type not in ("text/plain", "text/json"))
        or _XML_TYPE.search(media.type)
        or (blank and (media.type == "text/plain" or re.search(r"\s", first)))
    )
    if cut_json or cut_text:
        return _also(_parse_joined(body, media), "lossy_recovery")
    if _is_graphql(body) or _JSON_TYPE.search(media.type):
        return _json_payload(body, None, "recorded-json", ())
    return Payload("undecided", body, None, "recorded-undecided")


def _is_form_value(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)
    )


def _parse_joined(body: dict[str, Any], media: _Media) -> Payload:
    # A piece without a value had no "=" in all likelihood: prose holds "&" far more often than a dangling "=".
    pieces = sorted(_recorded_pairs(body), key=lambda pair: not _opens_multipart(pair[0]))
    parsed = _parse_text("&".join(f"{name}={value}" if value else name for name, value in pieces), None, media)
    return replace(parsed, parser=f"recorded-{parsed.parser}")


def _recorded_pairs(body: dict[str, Any]) -> list[tuple[str, str]]:
    grouped = ((str(name), value if isinstance(value, list) else [value]) for name, value in body.items())
    return [(name, item) for name, values in grouped for item in values]


def _also(payload: Payload, *problems: str) -> Payload:
    new = tuple(problem for problem in problems if problem not in payload.problems)
    return replace(payload, problems=payload.problems + new) if new else payload


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# JSON and GraphQL


def _json_or_text(text: str, raw: bytes | None, prefix: str) -> Payload:
    """JSON if the text is one object or array; a bare word or number in untyped text stays text."""
    if not _opens_json(text):
        return Payload("text", text, raw, f"{prefix}text")
    parsed = _json(text, raw, f"{prefix}json")
    return parsed or Payload("text", text, raw, f"{prefix}text", (_json_defect(text),))


def _opens_json(text: str) -> bool:
    return text.lstrip().startswith(("{", "["))


def _json(text: str, raw: bytes | None, parser: str) -> Payload | None:
    """The payload, or None if the text is not one JSON document."""
    repeated = False

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        collected = dict(pairs)
        repeated = repeated or len(collected) != len(pairs)
        return collected

    try:
        value = json.loads(text, object_pairs_hook=collect)
    except (ValueError, RecursionError):
        return None
    return _json_payload(value, raw, parser, ("duplicate_key",) if repeated else ())


def _json_defect(text: str) -> str:
    """Why `text`, which is known not to parse, does not."""
    try:
        json.loads(text)
    except RecursionError:
        return "nested_too_deeply"
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            return "several_json_documents"
    except ValueError:
        return "bad_json"
    return "bad_json"


def _json_payload(value: Any, raw: bytes | None, parser: str, problems: tuple[str, ...]) -> Payload:
    return Payload("graphql" if _is_graphql(value) else "json", value, raw, parser, problems)


def _is_graphql(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, dict) and _is_graphql(item) for item in value)
    if not isinstance(value, dict):
        return False
    query, extensions = value.get("query"), value.get("extensions")
    return (
        (isinstance(query, str) and _GRAPHQL_TEXT.match(query) is not None)
        or isinstance(value.get("operationName"), str)
        or (isinstance(extensions, dict) and "persistedQuery" in extensions)
    )


# Forms and query strings


def _form(text: str, raw: bytes | None, parser: str) -> Payload:
    pairs = _pairs(text)
    # A replacement character that the sender did not write himself stands for bytes that are not UTF-8.
    damaged = any("\ufffd" in part for pair in pairs for part in pair) and "%EF%BF%BD" not in text.upper()
    return Payload("form", _tree(pairs), raw, parser, ("bad_percent_encoding",) if damaged else ())


def query_pairs(url: str) -> list[tuple[str, str]]:
    """Name and value of every query parameter, decoded, in order, blank and repeated ones too."""
    return _pairs(url.partition("#")[0].partition("?")[2])


def query_value(url: str) -> dict[str, Any]:
    """The query parameters in the tree shape of a form."""
    return _tree(query_pairs(url))


def _pairs(text: str) -> list[tuple[str, str]]:
    return parse_qsl(text.strip("\r\n"), keep_blank_values=True)


def _tree(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, list[Any]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return {name: found[0] if len(found) == 1 else found for name, found in values.items()}


# Multipart


def _opens_multipart(text: str) -> bool:
    return text.lstrip("\r\n").startswith("--") and "content-disposition" in text[:1000].lower()


def _multipart(raw: bytes, boundary: str, parser: str) -> Payload:
    body, problems = raw.lstrip(b"\r\n"), []
    if b"\r\n" not in body:
        body, problems = body.replace(b"\n", b"\r\n"), ["newlines_changed"]
    delimiter = _bytes_of(boundary)
    if not delimiter or b"--" + delimiter not in body:
        delimiter = body.partition(b"\r\n")[0].removeprefix(b"--").strip()
        problems.append("boundary_guessed")
    pairs, defects = _read_parts(body, delimiter)
    problems += defects
    if not pairs:
        return Payload("text", raw.decode("utf-8", "replace"), raw, "text", (*problems, "bad_multipart"))
    return Payload("multipart", _tree(pairs), raw, parser, tuple(dict.fromkeys(problems)))


def _read_parts(raw: bytes, delimiter: bytes) -> tuple[list[tuple[str, Any]], list[str]]:
    """Name and value of every part, and the problems met; what was read before a defect is kept."""
    pairs: list[tuple[str, Any]] = []
    problems: list[str] = []
    segment: Any = None
    content = bytearray()
    try:
        # Long file names are legal, so the library's 4 KB header limit is too tight for evidence.
        reader = multipart.PushMultipartParser(delimiter, max_header_size=65536, max_header_count=64)
        for event in reader.parse(raw):
            if event is None:
                pairs.append((segment.name, _part_value(segment, bytes(content), problems)))
                segment, content = None, bytearray()
            elif isinstance(event, bytes | bytearray):
                content += event
            else:
                segment = event
        reader.close()
    except multipart.MultipartError:
        problems.append("multipart_damaged")
        if segment is not None:
            pairs.append((segment.name, _part_value(segment, bytes(content), problems)))
    return pairs, problems


def _part_value(segment: Any, content: bytes, problems: list[str]) -> Any:
    if segment.filename is not None:
        return {
            "filename": segment.filename,
            "content_type": segment.content_type or "application/octet-stream",
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    text, clean = _decode(content, segment.charset or "")
    if not clean:
        problems.append("bad_charset")
    return text
