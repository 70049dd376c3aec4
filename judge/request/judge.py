"""The request judges `request-strict` and `request-lenient`: from evidence to a verdict, asking at most twice.

evidence = gather(Trace(folder))
decision = await judge.decide(evidence)
"""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from clawjudge.judge.citation import CitationCheck, quote
from clawjudge.judge.fingerprint import fingerprint
from clawjudge.judge.models.conversation import Answer, Prompt, Tokens
from clawjudge.judge.models.failures import ModelFailure
from clawjudge.judge.models.model import Model
from clawjudge.judge.reply import PARSER_VERSION, Reply, contradiction, parse_reply
from clawjudge.judge.request.evidence import RequestEvidence, gather
from clawjudge.judge.request.prompt import again, first_prompt, prompt_sha256
from clawjudge.judge.store.key import KeyParts
from clawjudge.judge.store.records import Usage
from clawjudge.judge.verdict import Citation, Finding, Fingerprint, Gap, Outcome, Verdict
from clawjudge.rubrics.load import Rubric, load_rubric
from clawjudge.traces.trace import Trace

if TYPE_CHECKING:
    from clawjudge.judge.case import Case

Flavour = Literal["strict", "lenient"]
NAMES: dict[str, Flavour] = {"request-strict": "strict", "request-lenient": "lenient"}


@dataclass(frozen=True, slots=True)
class Decision:
    """What a judge decided, and what it took."""

    verdict: Verdict
    final: bool = True
    """False after an outage: ask again another time."""
    replies: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class _Said:
    """The answers to one question so far."""

    answers: tuple[Answer, ...]
    reply: Reply
    contrary: str = ""

    @property
    def settled(self) -> bool:
        return self.reply.match is not None and not self.contrary


class RequestJudge:
    """One rubric and one model."""

    def __init__(self, flavour: Flavour, model: Model) -> None:
        self.name = f"request-{flavour}"
        self.model = model
        self.rubric: Rubric = load_rubric(f"v2-{flavour}")
        self._prompt_sha256 = prompt_sha256(self.rubric)

    @functools.cached_property
    def fingerprint(self) -> Fingerprint:
        chosen = self.model.specification
        return fingerprint(
            self.name, self.rubric, chosen.identity, **chosen.parameters, prompt_sha256=self._prompt_sha256
        )

    def parts(self, evidence: RequestEvidence) -> KeyParts:
        """What the verdict on this evidence will rest on. Runs that need no model are decided for all models alike."""
        asks = self.needs_model(evidence)
        return KeyParts(
            judge=self.name,
            model=self.model.specification.identity if asks else None,
            parameters=self.model.specification.parameters if asks else {},
            prompt_sha256=self._prompt_sha256 if asks else None,
            rubric_sha256=self.rubric.sha256,
            instruction_sha256=evidence.instruction_sha256,
            evidence_sha256=evidence.sha256,
            parser_version=PARSER_VERSION,
        )

    def needs_model(self, evidence: RequestEvidence) -> bool:
        return bool(evidence.shown)

    def question(self, evidence: RequestEvidence) -> Prompt:
        return first_prompt(self.rubric, evidence)

    async def decide(self, evidence: RequestEvidence, trace: Trace) -> Decision:
        """The decision on one run. Never raises for what the model or its provider does."""
        if not self.needs_model(evidence):
            return Decision(without_model(evidence))
        return await self.settle(evidence, trace, self.model.ask)

    async def settle(
        self, evidence: RequestEvidence, trace: Trace, ask: Callable[[Prompt], Awaitable[Answer]], share: float = 1.0
    ) -> Decision:
        """Decide with the first answer from `ask`, at a `share` of the price, and a second one, if need be, at once."""
        began = time.monotonic()
        prompt = self.question(evidence)
        said: _Said | None = None
        failure: ModelFailure | None = None
        try:
            said = read((await ask(prompt),))
            if not said.settled:
                second = again(prompt, said.answers[0].text, said.reply, said.contrary)
                said = read((*said.answers, await self.model.ask(second)))
        except ModelFailure as caught:
            failure = caught
        return self.decision(evidence, trace, said, failure, time.monotonic() - began, share)

    def decision(
        self,
        evidence: RequestEvidence,
        trace: Trace,
        said: _Said | None,
        failure: ModelFailure | None = None,
        seconds: float = 0.0,
        share: float = 1.0,
    ) -> Decision:
        """From what the model said, or why it said nothing, to the decision.

        `share` of the price was paid for the first answer.
        """
        answers = said.answers if said else ()
        tokens = sum((answer.tokens for answer in answers), Tokens())
        calls = sum(answer.calls for answer in answers) + (failure.calls if failure else 0)
        usage = Usage(calls, tokens.read, tokens.cached, tokens.written, round(seconds, 3))
        # What was asked for a second time was not part of the batch.
        cost = self.model.cost(tokens) - (1 - share) * self.model.cost(answers[0].tokens if answers else Tokens())
        if failure is not None:
            verdict = _verdict(evidence, "unjudged", failure.code, f"The judge could not be asked: {failure}.")
        else:
            assert said is not None
            verdict = self._judged(evidence, trace, said)
        replies = tuple(answer.text for answer in answers)
        final = failure is None or not failure.is_outage
        return Decision(verdict.model_copy(update={"cost_usd": cost}), final, replies, usage)

    def _judged(self, evidence: RequestEvidence, trace: Trace, said: _Said) -> Verdict:
        reply = said.reply
        if reply.match is None:
            why = f"The judge gave no verdict, twice: {reply.detail}."
            return _verdict(evidence, "unjudged", reply.problem or "unparseable", why)
        reason = reply.reason or "The judge gave no reason."
        if said.contrary:
            why = f"The judge contradicted itself, twice: {said.contrary}."
            return _verdict(evidence, "unjudged", "contradictory_reply", why)
        [rule] = self.rubric.rules
        finding = Finding(
            rule=rule.id,
            status="met" if reply.match else "violated",
            note=reason,
            citations=_citations(evidence, trace),
        )
        code = "request_matches" if reply.match else "request_mismatches"
        return _verdict(evidence, "pass" if reply.match else "fail", code, reason, (finding,))

    def judge(self, case: Case) -> Verdict:
        """The verdict on one case, from a program that is not asynchronous."""

        async def alone() -> Verdict:
            trace = case.agent.trace
            try:
                return (await self.decide(gather(trace), trace)).verdict
            finally:
                await self.model.close()

        return asyncio.run(alone())


def read(answers: tuple[Answer, ...]) -> _Said:
    """What the last answer says. A refusal that the provider signals is one, whatever text comes with it."""
    last = answers[-1]
    reply = parse_reply(last.text)
    if last.stop == "refusal":
        reply = Reply(None, problem="refused", detail="the provider stopped the model's answer")
    contrary = contradiction(reply.match, reply.reason) if reply.match is not None else ""
    return _Said(answers, reply, contrary)


def without_model(evidence: RequestEvidence) -> Verdict:
    """The verdict where there is no request to be judged, or nothing to judge it by."""
    if evidence.problem:
        return _verdict(evidence, "unjudged", evidence.problem, f"{_capital(evidence.why)}.")
    return _verdict(evidence, "fail", "not_intercepted", f"{_capital(evidence.why)}.")


def _verdict(
    evidence: RequestEvidence, outcome: Outcome, code: str, why: str, findings: tuple[Finding, ...] = ()
) -> Verdict:
    stage = evidence.terminal.stage
    gaps: tuple[Gap, ...] = ()
    if evidence.omissions:
        message = f"parts of the request were left out of what the judge saw: {'; '.join(evidence.omissions)}"
        gaps = (Gap(code="evidence_truncated", layer="interception", count=len(evidence.omissions), message=message),)
    return Verdict(
        run="",
        task_id=evidence.task_id,
        outcome=outcome,
        reason_code=code,
        justification=why,
        stage1=stage,
        intercepted={"intercepted": True, "not_intercepted": False}.get(stage.status),
        violated_rules=tuple(f.rule for f in findings if f.status == "violated"),
        findings=findings,
        gaps=gaps,
        category=evidence.meta.category,
    )


def _citations(evidence: RequestEvidence, trace: Trace) -> tuple[Citation, ...]:
    """The request itself; the model saw nothing else."""
    request = evidence.terminal.request
    if request is None:
        return ()
    logged = request.line > 0
    nested = isinstance(trace.interception_document.get("request"), dict)
    citation = Citation(
        layer="http" if logged else "interception",
        file=evidence.terminal.file,
        line=request.line if logged else None,
        t_ms=request.t_ms,
        pointer="/request/url" if nested and not logged else "/url",
        quote=quote(request.url.partition("?")[0], "url"),
    )
    return (CitationCheck({"agent": trace.root}).verify(citation),)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
