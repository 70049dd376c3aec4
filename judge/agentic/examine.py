"""One examination: staged evidence, a confined sub-agent, an answer that is checked and once sent back."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clawjudge.judge.agentic import program
from clawjudge.judge.agentic.answer import ANSWER_VERSION, answer_schema, read_answer
from clawjudge.judge.agentic.check import AnswerCheck, CheckedAnswer, Complaint
from clawjudge.judge.agentic.confinement import sandbox
from clawjudge.judge.agentic.confinement.gateway import Gateway, Session
from clawjudge.judge.agentic.confinement.guard import Guard
from clawjudge.judge.agentic.evidence.manifest import Manifest
from clawjudge.judge.agentic.prompt import build_prompt
from clawjudge.judge.agentic.session import Account, Conversation, JudgeFailure
from clawjudge.judge.agentic.settings import FOLLOW_UP, Settings
from clawjudge.judge.agentic.tools.server import MODELS, TOOL_NAMES, evidence_server
from clawjudge.judge.fence import Fence
from clawjudge.judge.receipt import Receipt, ToolUse
from clawjudge.judge.verdict import Verdict
from clawjudge.rubrics.prompts import load_prompt

_MAX_COMPLAINTS = 20


@dataclass(frozen=True, slots=True)
class Examined:
    """What an examination came to."""

    reason: str
    """Empty if the answer stands, else the reason code under which the run stays unjudged."""
    message: str
    """`reason` as a sentence."""
    checked: CheckedAnswer | None
    """The last answer that could be read, whether it stands or not."""
    receipt: Receipt
    transcript: tuple[dict[str, Any], ...]
    replies: tuple[str, ...]
    """Every structured answer as it came, as JSON."""


@dataclass(frozen=True)
class Examiner:
    """Examines one staged case, as often as asked; every examination is a new sub-agent."""

    manifest: Manifest
    settings: Settings
    gateway: Gateway
    kind: sandbox.Kind

    async def examine(self, max_cost: float | None, earlier: Verdict | None = None) -> Examined:
        """Ask a new sub-agent. With `earlier` it is a supervisor who sees that verdict and confirms or overturns it."""
        began = time.monotonic()
        fence = Fence()
        prompt = build_prompt(self.manifest, self.settings.rubric, fence)
        case = prompt.case if earlier is None else f"{prompt.case}\n\n{_supervision(earlier, fence)}"
        check = AnswerCheck(self.manifest, self.settings.rubric)
        task = _Examination(check, fence, deadline=began + self.settings.timeout)
        with _private_folder() as folder, self.gateway.session(program.tool_names(frozenset(MODELS))) as session:
            place = sandbox.prepare(
                self.kind, folder, self.manifest.folder, program.find_program(), self.gateway.socket
            )
            url = sandbox.model_url(self.kind, self.gateway)
            sandbox.add_environment(place, program.environment(url, session.token))
            guard = Guard(place.root, self.manifest.folder, frozenset(TOOL_NAMES))
            options = program.options(
                place,
                guard,
                evidence_server(self.manifest, fence),
                model=self.settings.model,
                system_prompt=prompt.system,
                schema=answer_schema(),
                max_turns=self.settings.max_turns,
                max_cost=max_cost,
            )
            reason, message = "", ""
            try:
                async with Conversation(options, session) as conversation:
                    task.conversation = conversation
                    reason, message = await task.run(case)
            except JudgeFailure as failure:
                reason, message = failure.reason, str(failure)
            receipt = self._receipt(task, session, guard, time.monotonic() - began)
        return Examined(reason, message, task.checked, receipt, tuple(task.transcript), tuple(task.replies))

    def _receipt(self, task: _Examination, session: Session, guard: Guard, seconds: float) -> Receipt:
        account = task.account
        return Receipt(
            evidence_sha256=self.manifest.evidence_sha256,
            prompt_sha256=self.settings.prompt_sha256(),
            answer_version=ANSWER_VERSION,
            program_version=program.program_version(),
            sdk_version=program.sdk_version(),
            sandbox=self.kind,
            layers=self.manifest.layers,
            calls=session.calls,
            input_tokens=account.input_tokens,
            cached_tokens=account.cached_tokens,
            output_tokens=account.output_tokens,
            cost_usd=account.cost_usd,
            turns=account.turns,
            model_seconds=round(session.model_seconds, 3),
            seconds=round(seconds, 3),
            repaired=task.repaired,
            tools=tuple(
                ToolUse(tool=c.tool, arguments=c.arguments, error=c.error, characters=c.characters)
                for c in account.tools
            ),
            refused_calls=tuple(guard.refused),
        )


@dataclass
class _Examination:
    """A conversation as it goes on: ask, check, send back once."""

    check: AnswerCheck
    fence: Fence
    deadline: float
    conversation: Conversation | None = None
    checked: CheckedAnswer | None = None
    repaired: bool = False
    replies: list[str] = field(default_factory=list)

    @property
    def account(self) -> Account:
        return self.conversation.account if self.conversation else Account()

    @property
    def transcript(self) -> list[dict[str, Any]]:
        return self.conversation.transcript if self.conversation else []

    async def run(self, prompt: str) -> tuple[str, str]:
        """Reason code and sentence; empty if the answer stands. Raises `JudgeFailure`."""
        complaints = await self._ask(prompt)
        if complaints:
            self.repaired = True
            complaints = await self._ask(_sent_back(complaints, self.fence))
        if not complaints:
            return "", ""
        first = min(complaints, key=lambda c: ("unparseable", "citation_failed", "contradiction").index(c.kind))
        return first.kind, "; ".join(complaint.text for complaint in complaints[:3])

    async def _ask(self, prompt: str) -> list[Complaint]:
        assert self.conversation is not None
        answers = await self.conversation.ask(prompt, max(1.0, self.deadline - time.monotonic()))
        self.replies += [json.dumps(answer, ensure_ascii=False) for answer in answers]
        if any(answer != answers[0] for answer in answers):
            return [Complaint("contradiction", "you gave two answers that differ; give one")]
        answer, wrong = read_answer(answers[-1])
        if answer is None:
            return [Complaint("unparseable", wrong)]
        self.checked = await asyncio.to_thread(self.check.check, answer)
        return list(self.checked.complaints)


def _sent_back(complaints: list[Complaint], fence: Fence) -> str:
    # Complaints quote the answer and name fields of the recording, so they stand inside the fence.
    texts = [complaint.text for complaint in complaints[:_MAX_COMPLAINTS]]
    return load_prompt(FOLLOW_UP).filled("repair", complaints=fence.around(texts, "what does not hold", indent=1))


def _supervision(verdict: Verdict, fence: Fence) -> str:
    shown = verdict.model_dump(mode="json", include={"outcome", "justification", "findings", "fields", "confidence"})
    return load_prompt(FOLLOW_UP).filled("supervise", answer=fence.around(shown, "the first answer", indent=1))


@contextmanager
def _private_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="clawjudge-", ignore_cleanup_errors=True) as name:
        yield Path(name)
