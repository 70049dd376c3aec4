"""What the agent was shown of web pages: addresses, titles, controls and texts, from tool results alone.

The agent's own words never become a page. What a page says is whatever its author wanted it to say: a `PageState` is
evidence of what was displayed, not of what is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clawjudge.traces.jsonl import decode
from clawjudge.traces.records import Message, ToolCall
from clawjudge.traces.transcripts import markup, snapshot
from clawjudge.traces.transcripts.calls import OpenCalls, name_words
from clawjudge.traces.transcripts.controls import Control as Control
from clawjudge.traces.transcripts.controls import Draft
from clawjudge.traces.transcripts.file_calls import paths_read

MAX_PAGE_CHARACTERS = 1_000_000
"""What is parsed of one tool result."""

_HEADER = re.compile(
    r"\s*+(?:[-*#]++\s*+)?(current\s++page\s++|current\s++|page\s++)?(url|title)\s*+:\s*+(\S.*)", re.IGNORECASE
)
_BOILERPLATE = re.compile(r"[-#\s]*+(?:page state|page snapshot|snapshot|page|open tabs)\s*+:?\s*+", re.IGNORECASE)
_CODE_HEADING = re.compile(r"[-#\s]*+ran playwright code\s*+:?\s*+", re.IGNORECASE)
_FILE_WORDS = frozenset({"read", "write", "edit", "glob", "grep", "ls", "todo", "file", "files", "dir", "directory"})
_BROWSER_WORDS = frozenset(
    {"browser", "page", "dom", "snapshot", "navigate", "web", "tab", "tabs", "url", "upload", "element", "elements"}
)
_SCRIPT_WORDS = frozenset({"evaluate", "eval", "js", "javascript", "console", "network", "fetch", "script", "bash"})
_NAMED_BY_TEXT = frozenset({"button", "link", "tab", "option", "menuitem"})


@dataclass(frozen=True, slots=True)
class PageState:
    """One showing of a page, or of a tool's plain answer (then only `texts` are there)."""

    line: int
    """Line of the transcript."""
    call: ToolCall | None
    """The call that produced it, if known."""
    url: str
    """As stated beside the page; "" if unknown or if two places contradict each other."""
    title: str
    controls: tuple[Control, ...] = ()
    texts: tuple[str, ...] = ()
    """Headings and texts, in order."""
    raw: str = ""
    """The text that was parsed."""
    truncated: bool = False
    """Whether the tool result went on beyond `raw`."""


def page_states(messages: Iterable[Message]) -> Iterator[PageState]:
    """Every page shown, in order. Results of file tools are left out: a file is no page."""
    calls = OpenCalls()
    for message in messages:
        calls.see(message)
        for result in message.tool_results:
            call = calls.of(result)
            if result.text.strip() and not (call and (_is_file_tool(call) or paths_read(call))):
                yield read_page(result.text, message.line, call)


def read_page(text: str, line: int = 0, call: ToolCall | None = None) -> PageState:
    """The page that `text` describes, whatever mix of notations it uses; the time is linear in its length."""
    raw = text[:MAX_PAGE_CHARACTERS]
    reader = _Reader()
    for part in _unwrapped(raw, reader, call).split("\n"):
        reader.read(part.rstrip("\r"))
    reader.flush()
    return PageState(
        line=line,
        call=call,
        url=_agreed(reader.urls),
        title=_agreed(reader.titles),
        controls=tuple(draft.control() for draft in reader.controls),
        texts=tuple(reader.texts),
        raw=raw,
        truncated=len(text) > len(raw),
    )


class _Reader:
    """Sorts the lines of one text by notation, and gathers what each says."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.titles: list[str] = []
        self.controls: list[Draft] = []
        self.texts: list[str] = []
        self._tree = snapshot.Tree(self.controls, self.texts)
        self._prose: list[str] = []
        self._fenced = False
        self._code = False
        """Inside the code that the harness ran, which holds the agent's words and not the page's."""
        self._started = False
        """Whether anything but the harness's headings has come; from then on a bare `URL:` is the page's own text."""
        self._unlabelled: Draft | None = None
        """A control of the line before, whose label may follow."""

    def read(self, line: str) -> None:
        if not line or line.isspace():
            return
        if line.lstrip().startswith("```"):
            self._fenced = not self._fenced
            self._code = self._code and self._fenced
            return
        if self._code and self._fenced:
            return
        # Inside the fence is the page itself; only the harness, outside, says where the page is from.
        header = None if self._fenced else _HEADER.fullmatch(line)
        if header and (header[1] or not self._started):
            self.flush()
            (self.urls if header[2].lower() == "url" else self.titles).append(header[3].strip())
        elif _CODE_HEADING.fullmatch(line):
            self._code = True
        elif _BOILERPLATE.fullmatch(line):
            self.flush()
        else:
            self._read_page_line(line)

    def _read_page_line(self, line: str) -> None:
        unlabelled, self._unlabelled = self._unlabelled, None
        self._started = self._started or not line.startswith("#")
        node = snapshot.parse_line(line)
        if node is not None:
            self._flush_prose()
            self._tree.add(node)
        elif markup.is_element_line(line):
            self.flush()
            draft = markup.read_element_line(line, self.controls, self.texts)
            if draft is not None and not draft.label and draft.role in _NAMED_BY_TEXT:
                self._unlabelled = draft
        elif unlabelled is not None:
            unlabelled.label = line.strip()
        else:
            self._tree.close()
            self._prose.append(line)

    def flush(self) -> None:
        """Something of another kind follows."""
        self._tree.close()
        self._flush_prose()

    def _flush_prose(self) -> None:
        markup.read_prose(self._prose, self.controls, self.texts)
        self._prose.clear()


def _unwrapped(text: str, reader: _Reader, call: ToolCall | None) -> str:
    """The page inside a JSON answer such as `{"url", "title", "snapshot"}`; other text as it is.

    Answers of scripts are not unwrapped: there the page, not the harness, chooses what stands under `url`.
    """
    if not text.lstrip().startswith("{") or (call and _SCRIPT_WORDS & set(name_words(call.name))):
        return text
    try:
        value = decode(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return text
    if not isinstance(value, dict):
        return text
    for key, found in (("url", reader.urls), ("title", reader.titles)):
        if isinstance(value.get(key), str) and value[key]:
            found.append(value[key])
    bodies = (value.get(key) for key in ("snapshot", "content", "text", "dom", "html"))
    body = next((part for part in bodies if isinstance(part, str)), None)
    if body is None:
        return "" if reader.urls else text
    return body[:MAX_PAGE_CHARACTERS]


def _agreed(values: list[str]) -> str:
    """The one value that all places state; "" where they differ, because a page may have written one of them."""
    return values[0] if len(set(values)) == 1 else ""


def _is_file_tool(call: ToolCall) -> bool:
    words = set(name_words(call.name))
    return bool(words & _FILE_WORDS) and not words & _BROWSER_WORDS
