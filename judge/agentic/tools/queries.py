"""What can be asked of staged evidence: functions of the manifest and the arguments, with bounded answers.

Text of a trace stands in an answer only inside the fence of the conversation, as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from clawjudge.judge.agentic.evidence.address import Address
from clawjudge.judge.agentic.evidence.manifest import Manifest, UnknownPlace
from clawjudge.judge.agentic.tools import arguments as taken
from clawjudge.judge.agentic.tools.staged import StagedBlock, layer_blocks, records
from clawjudge.judge.citation import CitationCheck
from clawjudge.judge.fence import Fence, quoted
from clawjudge.traces.problems import ProblemLog
from clawjudge.traces.urls import host, same_site
from clawjudge.traces.video_frames import frames_at

ANSWER_CHARACTERS = 12_000
_BLOCK_LINES = 40
_PAIR_LINES = 30


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says to the model."""

    text: str
    jpeg: bytes | None = None
    error: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """Staged evidence to be asked; `fence` is the one that the conversation's prompt announced."""

    manifest: Manifest
    fence: Fence

    def list_divergences(self, asked: taken.ListDivergences) -> Answer:
        """Steps in which the two runs differ."""
        pairs = (pair for pair in records(self.manifest, "alignment") if pair["status"] != "match")
        lines = (quoted(pair) for pair in pairs)
        return self._page(lines, asked.offset, "pairs of steps that differ", "the runs took the same steps")

    def step_pair(self, asked: taken.StepPair) -> Answer:
        """One pair with the staged lines that it was made from."""
        pair = next((pair for pair in records(self.manifest, "alignment") if pair["pair"] == asked.pair), None)
        if pair is None:
            last = sum(1 for _ in records(self.manifest, "alignment")) - 1
            return Answer(f"there is no pair {asked.pair}; pairs go from 0 to {last}", error=True)
        lines = [quoted(pair)]
        for side in ("agent", "reference"):
            lines += self._sources((pair[side] or {}).get("at", []))
        return Answer(self.fence.around_lines(lines, f"pair {asked.pair} and the lines it was made from"))

    def _sources(self, addresses: list[str]) -> Iterator[str]:
        for text in addresses:
            place = Address.parse(text)
            block = next((b for b in layer_blocks(self.manifest, place.run, place.layer) if b.line == place.line), None)
            if block is not None:
                yield from self._block_lines(block, _PAIR_LINES)

    def frame_at(self, asked: taken.FrameAt) -> Answer:
        """The screen at a moment, from the recording where it covers it, else the nearest staged screenshot."""
        moment = Address("screen", asked.run, t_ms=round(asked.seconds * 1000))
        try:
            citation = self.manifest.to_citation(str(moment))
        except UnknownPlace as error:
            return Answer(str(error), error=True)
        trace = self.manifest.runs[asked.run]
        if citation.layer == "video" and citation.frame is not None:
            film = trace.video()
            path = trace.files.found["video"]
            found = None if film is None else next(frames_at(path, [citation.frame], film, "", ProblemLog()), None)
            if found is not None:
                damaged = "; the recording is damaged here" if found[1].damaged else ""
                return Answer(f"the screen at `{moment}`{damaged}; cite it by this address", found[1].jpeg())
        name = self.manifest.nearest_picture(asked.run, moment.t_ms or 0)
        if name is None:
            return Answer(f"nothing shows the screen at `{moment}`", error=True)
        return Answer(f"the staged picture nearest to `{moment}` is {name}", (self.manifest.folder / name).read_bytes())

    def requests(self, asked: taken.Requests) -> Answer:
        """Requests that fit every filter."""
        if "http" not in self.manifest.layers:
            return Answer("this evidence holds no http layer", error=True)
        blocks = (b for b in layer_blocks(self.manifest, asked.run, "http") if _fits(b, asked))
        lines = ((*self._block_lines(b, _BLOCK_LINES),) if asked.values else (b.lines[0].text,) for b in blocks)
        groups = ("\n".join(group) for group in lines)
        return self._page(
            groups, asked.offset, "requests", "no staged request fits; manifest.json says what is left out"
        )

    def _block_lines(self, block: StagedBlock, most: int) -> Iterator[str]:
        yield from (line.text for line in block.lines[:most])
        if len(block.lines) > most:
            first = block.lines[most]
            yield f"({len(block.lines) - most} more lines: read {first.file} from line {first.number})"

    def payload_diff(self, asked: taken.PayloadDiff) -> Answer:
        """Fields of one final request of the agent, or where each field stands if there is none."""
        if "http" not in self.manifest.layers:
            return Answer("this evidence holds no http layer, so nothing was compared", error=True)
        known = [
            b
            for b in records(self.manifest, "bindings")
            if b.get("final_request", asked.final_request) == asked.final_request
        ]
        if not known:
            return Answer(
                "no final request with this number was compared; facts.json lists those that there are", error=True
            )
        shown = (quoted(b) for b in known if asked.everything or b.get("status") != "match")
        return self._page(shown, asked.offset, "fields", "every compared field matches")

    def cite(self, asked: taken.Cite) -> Answer:
        """Whether a citation holds, and what stands at its place."""
        try:
            citation = self.manifest.to_citation(asked.address, asked.quote)
        except UnknownPlace as error:
            return Answer(f"this citation does not hold:\n{self.fence.around(str(error), 'the reason')}", error=True)
        folders = {whose: trace.root for whose, trace in self.manifest.runs.items()}
        if not CitationCheck(folders).verify(citation).verified:
            return Answer(
                "this citation does not hold: quote whole words of one value, exactly as they stand", error=True
            )
        said = {"quote": citation.quote, "pointer": citation.pointer}
        return Answer(f"this citation holds:\n{self.fence.around(said, 'what stands there')}")

    def _page(self, items: Iterable[str], offset: int, what: str, none: str) -> Answer:
        """As many `items` (each one or more lines) as one answer may hold, and where the rest begins."""
        shown: list[str] = []
        total = size = 0
        full = False
        for place, item in enumerate(items):
            total = place + 1
            if place < offset or full:
                continue
            if shown and size + len(item) > ANSWER_CHARACTERS:
                full = True
                continue
            shown.append(item)
            size += len(item)
        if not total:
            return Answer(none)
        if not shown:
            return Answer(f"offset {offset} lies behind the last of {total} {what}", error=True)
        lines = [line for item in shown for line in item.split("\n")]
        end = offset + len(shown)
        more = f"; ask again with offset {end} for more" if end < total else ""
        return Answer(f"{what} {offset} to {end - 1} of {total}{more}\n{self.fence.around_lines(lines, what)}")


def _fits(block: StagedBlock, asked: taken.Requests) -> bool:
    if not (asked.first_line or 1) <= block.line <= (asked.last_line or taken.MAX_LINE):
        return False
    facts: dict[str, Any] = block.facts
    url = str(facts.get("url", ""))
    name = host(url)
    return (
        (asked.method is None or facts.get("method") == asked.method.upper())
        and (asked.host is None or name == asked.host.casefold() or same_site(name, asked.host.casefold()))
        and (asked.path is None or asked.path.casefold() in url.casefold().partition("://")[2].partition("/")[2])
        and (asked.status is None or facts.get("status") == asked.status)
        and (asked.blocked is None or facts.get("blocked") is asked.blocked)
    )
