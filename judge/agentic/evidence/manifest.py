"""What was staged, and the way back: from what the judge cites in the evidence to the place in the recording."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clawjudge.judge.agentic.evidence.address import Address
from clawjudge.judge.agentic.evidence.pages import Omission, StagedFile
from clawjudge.judge.agentic.evidence.redact import EvidenceRedactor
from clawjudge.judge.citation import at, quote, says
from clawjudge.judge.fence import quoted
from clawjudge.judge.verdict import Citation
from clawjudge.traces.jsonl import decode_tolerant, line_at
from clawjudge.traces.meta import MAX_DOCUMENT_BYTES
from clawjudge.traces.pointers import flatten
from clawjudge.traces.secrets import mask
from clawjudge.traces.trace import Trace

SCHEMA_VERSION = 1
MANIFEST = "manifest.json"


class UnknownPlace(ValueError):
    """A citation that names no place of the evidence, or a quotation that does not stand there. The text says what to
    do instead and can be shown to the judge."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Where a staged picture comes from."""

    run: str
    layer: str
    file: str
    """Path below the run; chosen by whoever made the run, so it is not in the folder."""
    t_ms: int | None
    frame: int | None
    """Place in the video in ms, for frames of it."""


@dataclass(frozen=True, slots=True)
class Film:
    """A session video with its place on the clock."""

    file: str
    """Path below the run."""
    start_ms: int
    """Epoch ms of its first instant; an estimate."""
    duration_ms: int


@dataclass(frozen=True)
class Manifest:
    """The evidence folder of one case. `document` is what the judge sees of it."""

    folder: Path
    layers: tuple[str, ...]
    """Those that the judge is given."""
    rubric_sha256: str
    files: tuple[StagedFile, ...]
    omitted: tuple[Omission, ...]
    runs: dict[str, Trace] = field(repr=False)
    redactor: EvidenceRedactor = field(repr=False)
    pictures: dict[str, Picture] = field(default_factory=dict, repr=False)
    films: dict[str, Film] = field(default_factory=dict, repr=False)
    start_ms: dict[str, int] = field(default_factory=dict, repr=False)
    """Epoch ms that the seconds of each run count from."""

    @property
    def evidence_sha256(self) -> str:
        """Of everything staged. The same case gives the same hash on every machine: pictures count by what they were
        made from, because encoders differ."""
        parts = [(file.name, file.identity or file.sha256) for file in self.files]
        return hashlib.sha256(json.dumps(sorted(parts)).encode()).hexdigest()

    @property
    def size(self) -> int:
        """Bytes of all files but the manifest."""
        return sum(file.size for file in self.files)

    def document(self) -> dict[str, Any]:
        """`manifest.json`: the files, and what was left out. It holds no text of a trace."""
        return {
            "schema_version": SCHEMA_VERSION,
            "evidence_sha256": self.evidence_sha256,
            "rubric_sha256": self.rubric_sha256,
            "layers": list(self.layers),
            "files": [_listed(file) for file in self.files],
            "left_out": [_omitted(omission) for omission in self.omitted],
        }

    def to_citation(self, address: str, quotation: str = "") -> Citation:
        """The place in the recording that the judge means, with `quotation` as the recording has it.

        `address` is written as in the evidence (`clawjudge.judge.agentic.evidence.address`). Whether the citation
        holds is for `clawjudge.judge.citation.CitationCheck` to say. Raises `UnknownPlace`.
        """
        try:
            place = Address.parse(address)
        except ValueError as error:
            raise UnknownPlace(str(error)) from None
        if place.layer == "picture":
            return self._picture(place)
        if place.layer == "screen":
            return self._screen(place)
        if place.layer == "task":
            return self._task(place, quotation)
        return self._line(place, quotation)

    def _picture(self, place: Address) -> Citation:
        source = self.pictures.get(place.picture)
        if source is None:
            raise UnknownPlace(f"there is no picture {place.picture}; manifest.json lists those that there are")
        return Citation(
            layer=source.layer,  # type: ignore[arg-type]
            file=source.file,
            run=source.run,  # type: ignore[arg-type]
            t_ms=source.t_ms,
            frame=source.frame,
        )

    def _screen(self, place: Address) -> Citation:
        moment = self.start_ms.get(place.run, 0) + (place.t_ms or 0)
        film = self.films.get(place.run)
        if film is not None and place.run in self.start_ms:
            frame = moment - film.start_ms
            if 0 <= frame <= film.duration_ms:
                return Citation(layer="video", file=film.file, run=place.run, t_ms=moment, frame=frame)
        name = self.nearest_picture(place.run, place.t_ms or 0)
        if name is None:
            raise UnknownPlace(f"no recording and no staged picture shows `{place}`; cite a picture by its name")
        return self._picture(Address("picture", picture=name))

    def nearest_picture(self, run: str, t_ms: int) -> str | None:
        """The staged picture taken closest to `t_ms` after the run began, if any lies within three seconds."""
        if run not in self.start_ms:
            return None
        moment = self.start_ms[run] + t_ms
        mine = ((name, p.t_ms) for name, p in self.pictures.items() if p.run == run and p.t_ms is not None)
        near = [(abs(t - moment), name) for name, t in mine]
        return min(near)[1] if near and min(near)[0] <= _NEAR_MS else None

    def _task(self, place: Address, quotation: str) -> Citation:
        for whose, trace in self.runs.items():
            for key in ("task", "meta"):
                if not trace.has(key):
                    continue
                found = self._in_document(trace.files.found[key], place, quotation)
                if found is not None:
                    pointer, said = found
                    return Citation(
                        layer="task" if key == "task" else "meta",
                        file=trace.files.relative(key),
                        run=whose,  # type: ignore[arg-type]
                        pointer=pointer,
                        quote=said,
                    )
        raise UnknownPlace(f"the task does not say {quotation[:120]!r}; quote words of one of its values as they stand")

    def _line(self, place: Address, quotation: str) -> Citation:
        trace = self.runs.get(place.run)
        wanted = "http" if place.layer == "interception" else place.layer
        if trace is None or wanted not in self.layers or not trace.has(place.layer):
            raise UnknownPlace(f"the evidence holds no {place.layer} of the {place.run}")
        if place.line is not None and not self._staged(place):
            raise UnknownPlace(f"the evidence does not show `{place.run} {place.layer}:{place.line}`")
        if not quotation.strip():
            raise UnknownPlace(f"`{place}` is cited without a quotation; quote what stands there")
        path = trace.files.found[place.layer]
        document, line = _recorded(path, place.line)
        if document is _NOTHING:
            raise UnknownPlace(f"`{place}` cannot be read in the recording")
        found = self._found(document, place.pointer, quotation)
        if found is None:
            there = _pointers_hint(document) if place.pointer else "quote words of one value, exactly as they stand"
            raise UnknownPlace(f"{quotation[:120]!r} does not stand at `{str(place)[:200]}`; {there}")
        pointer, said = found
        return Citation(
            layer=place.layer,  # type: ignore[arg-type]
            file=trace.files.relative(place.layer),
            run=place.run,
            line=line,
            pointer=pointer,
            quote=said,
        )

    def _staged(self, place: Address) -> bool:
        return any(
            file.run == place.run
            and file.layer == place.layer
            and file.first_line is not None
            and file.last_line is not None
            and file.first_line <= (place.line or 0) <= file.last_line
            for file in self.files
        )

    def _in_document(self, path: Path, place: Address, quotation: str) -> tuple[str | None, str] | None:
        document, _ = _recorded(path, None)
        return None if document is _NOTHING else self._found(document, place.pointer, quotation)

    def _found(self, document: Any, pointer: str | None, quotation: str) -> tuple[str | None, str] | None:
        """Pointer and words under which `quotation` can be checked; None if it does not stand there."""
        wordings = list(dict.fromkeys([quotation, quotation.strip(), _decoded(quotation)]))
        for place, value in _values(document, pointer):
            for wording in wordings:
                if _may_say(value, wording) and says(value, wording, _leaf_name(place)):
                    return place, wording
        if _too_long(document):
            # To look for secrets in megabytes takes minutes; such a line can be cited by the short values in it.
            return None
        secret = self._found_secret(document, pointer, wordings)
        if secret is not None or pointer is not None:
            return secret
        # Several values of one line at once, as a line of the actions shows them.
        long = (wording for wording in wordings if len(wording) >= _MIN_SEVERAL)
        return next(((None, wording) for wording in long if says(document, wording)), None)

    def _found_secret(self, document: Any, pointer: str | None, wordings: list[str]) -> tuple[str, str] | None:
        """The same for words that the judge saw with a secret replaced, which no verdict may hold."""
        originals = dict(_values(document, pointer))
        redacted = self.redactor.redact(document)
        for place, shown in _values(redacted, pointer):
            original = originals.get(place)
            if shown == original or not any(wording and wording in str(shown) for wording in wordings):
                continue
            masked = mask(original, _leaf_name(place))
            if masked != original:
                return place, quote(original, _leaf_name(place))
            # Only what stands beside it makes it a secret: then that is cited.
            return self._beside(document)
        whole = "" if pointer is not None or redacted == document else json.dumps(redacted, ensure_ascii=False)
        several = any(len(wording) >= _MIN_SEVERAL and wording in whole for wording in wordings)
        return self._beside(document) if several else None

    def _beside(self, document: Any) -> tuple[str, str] | None:
        """Something of the line that is no secret: the element that was typed into, else the first text."""
        shown = dict(flatten(self.redactor.redact(document)))
        plain = [
            (place, leaf)
            for place, leaf in flatten(document)
            if isinstance(leaf, str) and leaf.strip() and shown.get(place) == leaf
        ]
        first = next((found for found in plain if found[0].startswith("/target/")), plain[0] if plain else None)
        return None if first is None else (first[0], quote(first[1], _leaf_name(first[0])))


def _values(document: Any, pointer: str | None) -> Iterator[tuple[str, Any]]:
    """The value at `pointer`, if there is one; without a pointer, every leaf."""
    if pointer is None:
        yield from flatten(document)
        return
    try:
        yield pointer, at(document, pointer)
    except (KeyError, IndexError, ValueError, TypeError, RecursionError):
        return


def _may_say(value: Any, wording: str) -> bool:
    """Whether it is worth looking: it costs little to see that words do not stand in a text."""
    if isinstance(value, str):
        return wording in value and not _too_long(value)
    return not isinstance(value, dict | list) or not _too_long(value)


def _too_long(value: Any) -> bool:
    return sum(len(leaf) for _, leaf in flatten(value) if isinstance(leaf, str)) > _MAX_CHECKED


def _leaf_name(pointer: str) -> str:
    return pointer.rsplit("/", 1)[-1]


_MIN_SEVERAL = 4
"""Characters that words from several values at once must have to say anything."""
_MAX_CHECKED = 1_000_000
"""Characters of a value that a citation is checked in; it takes a second."""
_NEAR_MS = 3000
_NOTHING = object()


def _recorded(path: Path, line: int | None) -> tuple[Any, int | None]:
    """The document at a line, and the line to cite; a transcript that is one document is cited as a whole."""
    try:
        raw = line_at(path, line) if line is not None else None
        if raw is not None:
            try:
                return decode_tolerant(raw.strip(b" \t\r\n").removeprefix(b"\xef\xbb\xbf"))[0], line
            except ValueError:
                raw = None
        if path.stat().st_size > MAX_DOCUMENT_BYTES:
            return _NOTHING, None
        return decode_tolerant(path.read_bytes().strip().removeprefix(b"\xef\xbb\xbf"))[0], None
    except (OSError, ValueError):
        return _NOTHING, None


def _decoded(quotation: str) -> str:
    """The quotation with the escapes of the evidence files undone, if it has any."""
    text = quotation.strip()
    inner = text[1:-1] if len(text) > 1 and text.startswith('"') and text.endswith('"') else text
    try:
        value = json.loads(f'"{inner}"')
    except ValueError:
        return inner
    return str(value)


def _pointers_hint(document: Any) -> str:
    known: Iterator[str] = (pointer for pointer, _ in flatten(document))
    few = (quoted(pointer[:80]) for pointer, _ in zip(known, range(5), strict=False))
    return f"values there are, for example, {', '.join(few)}"


def _listed(file: StagedFile) -> dict[str, Any]:
    said: dict[str, Any] = {"name": file.name, "sha256": file.sha256, "bytes": file.size}
    said |= {} if file.lines is None else {"lines": file.lines}
    said |= {"run": file.run} if file.run else {}
    said |= {"layer": file.layer} if file.layer else {}
    if file.first_line is not None:
        said |= {"shows_lines": [file.first_line, file.last_line]}
    return said


def _omitted(omission: Omission) -> dict[str, Any]:
    said: dict[str, Any] = {
        "run": omission.run,
        "layer": omission.layer,
        "what": omission.what,
        "count": omission.count,
        "size": omission.size,
    }
    if omission.first_line is not None:
        said |= {"lines": [omission.first_line, omission.last_line]}
    return said
