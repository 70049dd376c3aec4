"""What only the rules of the offline judge ask about a comparison of two runs, each found when first asked for."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass

from clawjudge.judge.align.acts import ENTRIES
from clawjudge.judge.align.comparison import RunComparison
from clawjudge.judge.align.coverage import Unseen, uncovered
from clawjudge.judge.align.payloads import request_tree
from clawjudge.judge.align.terminal import collection, operation_text
from clawjudge.judge.offline.endings import Ending, find_ending, last_page
from clawjudge.traces.jsonl import line_at
from clawjudge.traces.lexicon import plain
from clawjudge.traces.pointers import leaf_values
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.steps import Step
from clawjudge.traces.urls import endpoint, path


@dataclass(frozen=True, slots=True)
class Named:
    """Something that the instruction names, and the human's step that came to it."""

    what: str
    step: Step


class Facts(RunComparison):
    """A comparison with what stands in the way of a verdict on it: doubts, strays and the ending of the run."""

    @functools.cached_property
    def unseen(self) -> list[Unseen]:
        """What the instruction asks for and no comparison shows; only asked once all else agrees.

        The same acts as the human's show the same things, whatever a site keeps to itself.
        """
        if self.context.same_acts:
            return []
        if self.commits:
            commit = self.commits[-1]
            before = [r for r in self.agent.changes if r.line and r.line < commit.request.line] or self.agent.changes
            fields = [*commit.fields, *self.earlier]
        else:
            before, fields = self.agent.changes, [s.field for s in self.progress]
        return uncovered(fields, self.context, self.agent.steps, before)

    @functools.cached_property
    def never_touched(self) -> Named | None:
        """Something that the instruction quotes, that the human opened or chose, and that occurs nowhere in the agent's
        acts and requests: whatever the agent did, it did to something else."""
        for text in self.case.sources.quoted:
            wanted = plain(text)
            theirs = next((s for s in self.reference.steps if wanted in plain(f"{s.label} {s.value or ''}")), None)
            if theirs is None or theirs.kind not in ("navigate", "click", "submit", "select"):
                continue
            mine = (f"{s.label} {s.value or ''} {s.url}" for s in self.agent.steps)
            sent = (str(v) for r in self.agent.changes + self.agent.commits for v in leaf_values(request_tree(r)))
            if self.agent.steps and not any(wanted in plain(words) for words in [*mine, *sent]):
                return Named(text, theirs)
        return None

    @functools.cached_property
    def stray_change(self) -> RequestEvent | None:
        """Where the site keeps what the terminal request commits: a change that the human did not make so often.

        Only requests near those by which the human filled it are looked at (`/cart/…`), so that noise stays noise.
        """
        if not self.earlier:
            return None
        theirs = Counter(operation_text(r) for r in self.before_terminal)
        places = {
            collection(r) for r in self.before_terminal if any(f.note.endswith(operation_text(r)) for f in self.earlier)
        }
        terminal = {c.request.line for c in self.commits}
        mine = [
            r
            for r in self.agent.changes
            if r.line not in terminal and any(f"{endpoint(r.url)}/".startswith(f"{place}/") for place in places)
        ]
        for request in mine:
            theirs[operation_text(request)] -= 1
            if theirs[operation_text(request)] < 0:
                return request
        return None

    @functools.cached_property
    def pressed_last(self) -> bool:
        """Whether the agent's last act was to press what the human pressed on the way: what came then is the answer."""
        acts = [s for s in self.agent.steps if s.kind in ("click", "submit") or (s.kind in ENTRIES and s.value)]
        pair = next((p for p in self.alignment.pairs if acts and p.agent == acts[-1].index), None)
        if pair is None or pair.reference is None:
            return False
        return acts[-1].kind in ("click", "submit") and self.reference.steps[pair.reference].kind in ("click", "submit")

    @functools.cached_property
    def unreadable_commit(self) -> int | None:
        """A line of the request log that could not be read and that names the terminal request's address."""
        trace = self.agent.trace
        address = path(self.terminal.request.url).encode()
        for problem in trace.problems.of("http"):
            if problem.code in ("bad_json", "truncated_line", "line_too_long") and problem.line is not None:
                raw = line_at(trace.files.found["http"], problem.line)
                if raw is None or address in raw:
                    return problem.line
        return None

    @property
    def site_pages(self) -> bool:
        """Whether the transcript shows the page of the task's site on which the run ended."""
        return last_page(self.case, self.reference) is not None

    @functools.cached_property
    def ending(self) -> Ending | None:
        """The page on which an unfinished run stopped, if it shows a reason."""
        return find_ending(self.case, self.reference)
