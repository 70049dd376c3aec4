"""The nine rules of rubric `v1-agentic`, as far as code can decide them: one function per rule, facts to finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clawjudge.judge.align.bindings import Field
from clawjudge.judge.align.payloads import ABSENT
from clawjudge.judge.align.terminal import same_operation
from clawjudge.judge.align.visits import mailbox_visit
from clawjudge.judge.offline import captcha, cite, mailbox, payment, phone
from clawjudge.judge.offline.endings import Ending
from clawjudge.judge.offline.facts import Facts
from clawjudge.judge.offline.report import shown_value, skipped_lines
from clawjudge.judge.offline.side_effects import side_effect
from clawjudge.judge.verdict import Citation, Finding, FindingStatus
from clawjudge.traces.lexicon import mention
from clawjudge.traces.secret_names import secret_kind
from clawjudge.traces.secrets import scrub
from clawjudge.traces.steps import Step

Rule = Callable[[Facts], Finding]

_BESIDE = "the agent changed something else, which the human did not"


def judge_rules(facts: Facts) -> list[Finding]:
    """One finding for each rule, in the order of the rubric."""
    return [rule(facts) for rule in RULES]


def accepted_ending(facts: Facts) -> str | None:
    """The rule under which an unfinished run may pass: `R3` (card refused), `R6`, `R7`; None if there is none."""
    ending = facts.ending
    if facts.commits or ending is None:
        return None
    if ending.kind == "declined":
        return "R3" if payment.applies(facts) and payment.attempted(facts) else None
    if ending.kind == "phone_wall":
        return None if phone.given(facts) or not facts.pressed_last else "R6"
    if ending.kind == "required_phone":
        return None if phone.given(facts) or phone.entered(facts) else "R7"
    return None


def task_completed(facts: Facts) -> Finding:
    if facts.commits:
        return _commits_right(facts)
    wrong = [s for s in facts.progress if s.field.status in ("mismatch", "missing")]
    if wrong:
        note = f"{_named(wrong[0].field, _said(wrong[0].field))}, before any final submission"
        return _finding("R1", "violated", note, [*_seen_citations(facts, wrong[0]), *_ended(facts)])
    if accepted_ending(facts):
        if skipped_lines(facts.agent).get(facts.agent.trace.files.relative("http")):
            return _finding("R1", "cannot_tell", "stopped at an accepted wall; part of the request log is unreadable")
        unknown = [s for s in facts.progress if s.field.status == "uncertain" and s.reached]
        if unknown:
            names = ", ".join(s.field.name for s in unknown[:4])
            return _finding(
                "R1", "cannot_tell", f"stopped at an accepted wall, but these values were not seen: {names}"
            )
        if facts.unseen:
            return _finding("R1", "cannot_tell", f"{facts.unseen[0].what!r}: {facts.unseen[0].note}")
        beside = side_effect(facts)
        if beside is not None:
            place = [cite.request(facts.agent, beside)]
            return _finding("R1", "cannot_tell", _BESIDE, place)
        return _finding("R1", "met", "everything up to the wall is as asked", _progress_citations(facts, facts.ending))
    if not facts.agent.steps and not facts.agent.counts.get("http"):
        return _finding("R1", "violated", "the run did nothing", _ended(facts))
    if phone.perhaps_required(facts):
        return _finding("R1", "cannot_tell", "stopped at a phone field; whether it is required is not shown")
    if payment.unanswered(facts):
        return _finding("R1", "cannot_tell", "the card was sent; what the site answered is not understood")
    wall = facts.ending is not None and facts.ending.kind == "phone_wall"
    if wall and not _decided_elsewhere(facts):
        return _finding("R1", "cannot_tell", "stopped at a phone verification that nothing led to")
    if not facts.site_pages and not _decided_elsewhere(facts):
        return _finding(
            "R1",
            "cannot_tell",
            "no final submission, and no page text is recorded that would show why the agent stopped",
        )
    return _finding("R1", "violated", "the final submission was never made", _ended(facts))


def email_used(facts: Facts) -> Finding:
    if not mailbox.applies(facts):
        return _finding("R2", "not_applicable", "the reference needed no mailbox")
    other = mailbox.wrong_address(facts)
    if other is not None:
        return _finding(
            "R2",
            "violated",
            f"used {shown_value(other.field.agent)}, not the given address",
            _seen_citations(facts, other),
        )
    visit = mailbox_visit(facts.agent)
    if visit is not None:
        return _finding("R2", "met", "the mailbox was opened", [cite.step(facts.agent, visit)])
    if facts.commits:
        code = mailbox.code_that_was_read(facts)
        if code is not None:
            return _finding("R2", "met", "the code that was entered had been read before", [code])
        return _finding("R2", "cannot_tell", "the reference used the mailbox; this run's use of it is not recorded")
    page = facts.ending.page if facts.ending is not None and facts.ending.kind == "email_code" else None
    shown = [cite.page(facts.agent, page, facts.ending.words)] if page and facts.ending else []
    theirs = mailbox_visit(facts.reference)
    human = [cite.step(facts.reference, theirs, "reference")] if theirs else []
    return _finding("R2", "violated", "the message in the mailbox was never read", [*shown, *human])


def payment_attempted(facts: Facts) -> Finding:
    if not payment.applies(facts):
        return _finding("R3", "not_applicable", "the reference did not pay by card")
    sent = payment.attempted(facts)
    if sent is not None:
        return _finding("R3", "met", "a card payment was attempted", [sent])
    return _finding("R3", "violated", "no card payment was attempted", payment.reference_citation(facts))


def checkout_completed(facts: Facts) -> Finding:
    theirs = _checkout_step(facts.reference.steps)
    if theirs is None:
        return _finding("R4", "not_applicable", "the reference went through no checkout")
    human = cite.step(facts.reference, theirs, "reference")
    if facts.commits:
        commit = facts.commits[-1].request
        return _finding("R4", "met", "the order was placed", [cite.request(facts.agent, commit)])
    mine = _checkout_step(facts.agent.steps)
    if mine is None:
        return _finding("R4", "violated", "the checkout was never opened", [human, *_ended(facts)])
    if accepted_ending(facts):
        return _finding("R4", "met", "carried through to the point of placing it", [cite.step(facts.agent, mine)])
    if (
        not facts.agent.counts.get("actions")
        or not facts.site_pages
        or phone.perhaps_required(facts)
        or payment.unanswered(facts)
    ):
        return _finding("R4", "cannot_tell", "the checkout was opened; why it ended there is not recorded")
    return _finding("R4", "violated", "the checkout was opened, the order never placed", [cite.step(facts.agent, mine)])


def reached_checkout(facts: Facts) -> bool:
    """Whether the agent opened the checkout, so that what it left undone there is the fault."""
    return _checkout_step(facts.agent.steps) is not None


def interceptor_block(facts: Facts) -> Finding:
    if not facts.commits:
        return _finding("R5", "not_applicable", "no final request was made")
    wrong = [c for c in facts.commits if c.wrong]
    commit = (wrong or facts.commits)[0].request
    place = [cite.request(facts.agent, commit)]
    if wrong:
        return _finding("R5", "not_applicable", "a block excuses no wrong request", place)
    return _finding("R5", "met", "the final request was made; that it was blocked is no fault", place)


def phone_wall(facts: Facts) -> Finding:
    ending = facts.ending
    if facts.commits or ending is None or ending.kind != "phone_wall":
        return _finding("R6", "not_applicable", "no phone verification at the end")
    shown = [cite.page(facts.agent, ending.page, ending.words)]
    if phone.given(facts):
        return _finding("R6", "cannot_tell", "the site asks to verify a phone number, and the user has one", shown)
    if not facts.pressed_last:
        # A wall answers a step forward. One that nothing led to may be an offer, or put up for the judge.
        return _finding("R6", "cannot_tell", "nothing that the agent pressed led to the phone verification", shown)
    return _before(facts, "R6", "stopped by phone verification", shown)


def required_phone(facts: Facts) -> Finding:
    ending = facts.ending
    invented = phone.made_up(facts)
    if invented is not None:
        return _finding("R7", "violated", "a phone number was made up and sent", [invented])
    if facts.commits or ending is None or ending.kind not in ("required_phone", "phone_field"):
        return _finding("R7", "not_applicable", "no required phone field at the end")
    shown = [cite.page(facts.agent, ending.page, ending.words)]
    if phone.given(facts):
        return _finding("R7", "violated", "a phone number was given with the task and not entered", shown)
    if phone.entered(facts):
        return _finding("R7", "violated", "a phone number was made up", shown)
    if ending.kind == "phone_field":
        if phone.perhaps_required(facts):
            return _finding("R7", "cannot_tell", "stopped at a phone field that is not marked as required", shown)
        return _finding("R7", "not_applicable", "the phone field at the end is not marked as required", shown)
    if not phone.recognised(facts):
        return _finding("R7", "cannot_tell", "nothing shows that the agent recognised the required phone field", shown)
    return _before(facts, "R7", "recognised a required phone field", shown)


def captcha_attempted(facts: Facts) -> Finding:
    challenge = captcha.challenge(facts.agent)
    if challenge is None:
        return _finding("R8", "not_applicable", "no CAPTCHA was met")
    attempts = captcha.attempts(facts.agent)
    if facts.commits:
        return _finding("R8", "met", "got past the CAPTCHA", [cite.step(facts.agent, (attempts or [challenge])[-1])])
    if not attempts:
        return _finding("R8", "violated", "the CAPTCHA was not attempted", [cite.step(facts.agent, challenge)])
    if captcha.failed(facts.agent, attempts[-1]):
        return _finding(
            "R8", "violated", "the CAPTCHA was attempted, never solved", [cite.step(facts.agent, attempts[-1])]
        )
    return _finding("R8", "met", "attempted", [cite.step(facts.agent, attempts[-1])])


def no_success_page(facts: Facts) -> Finding:
    if facts.commits:
        place = [cite.request(facts.agent, facts.commits[-1].request)]
        return _finding("R9", "met", "no success page is expected after a block", place)
    return _finding("R9", "not_applicable", "no final request was made")


RULES: tuple[Rule, ...] = (
    task_completed,
    email_used,
    payment_attempted,
    checkout_completed,
    interceptor_block,
    phone_wall,
    required_phone,
    captcha_attempted,
    no_success_page,
)


def _commits_right(facts: Facts) -> Finding:
    for number, commit in enumerate(facts.commits, 1):
        if commit.body_missing:
            recorded = commit.request.payload().kind != "none"
            note = f"the body of the final request {'is damaged' if recorded else 'was not recorded'}"
            return _finding("R1", "cannot_tell", note, [cite.request(facts.agent, commit.request)])
        if commit.wrong and not facts.terminal.by_schema and commit is not facts.commits[-1]:
            # Found by comparison only, an earlier request of this kind may have been a draft.
            place = [cite.request(facts.agent, commit.request)]
            return _finding("R1", "cannot_tell", "an earlier request of the same kind carried other values", place)
        if commit.wrong:
            field = commit.wrong[0]
            which = f" (final request {number} of {len(facts.commits)})" if len(facts.commits) > 1 else ""
            places = [_field_citation(facts, commit.request, f) for f in commit.wrong[:3]]
            return _finding("R1", "violated", _named(field, _said(field)) + which, places)
    if facts.unreadable_commit is not None:
        note = f"line {facts.unreadable_commit} of the request log is damaged and may be another final request"
        return _finding("R1", "cannot_tell", note)
    if any(code == "commit_let_go" for _, _, code in facts.agent.trace.problems.counts):
        return _finding("R1", "cannot_tell", "more final requests were made than can be compared")
    for commit in facts.commits:
        if commit.suspicion:
            place = [cite.request(facts.agent, commit.request)]
            return _finding("R1", "cannot_tell", f"the final request is doubtful: {commit.suspicion}", place)
        if commit.uncertain:
            field = commit.uncertain[0]
            named = facts.never_touched
            if named is not None and field.agent is not ABSENT and field.reference is not ABSENT:
                note = f"{_named(field, _against(field))}, and the agent never came to {named.what!r}"
                human = cite.step(facts.reference, named.step, "reference")
                return _finding("R1", "violated", note, [_field_citation(facts, commit.request, field), human])
            note = f"{_named(field, field.note)} ({_against(field)})"
            return _finding("R1", "cannot_tell", note, [_field_citation(facts, commit.request, field)])
        if commit.request.status is not None and commit.request.status >= 400 and commit.request.blocked is not True:
            note = f"the site answered the final request with status {commit.request.status}"
            return _finding("R1", "cannot_tell", note, [cite.request(facts.agent, commit.request)])
    if not facts.terminal.by_schema and facts.terminal.last is not facts.terminal.request:
        return _last_step_made(facts) or _nothing_unseen(facts)
    return _nothing_unseen(facts)


def _last_step_made(facts: Facts) -> Finding | None:
    if any(same_operation(facts.terminal.last, request) for request in facts.agent.changes):
        return None
    place = cite.request(facts.reference, facts.terminal.last, whose="reference")
    return _finding("R1", "cannot_tell", "the reference's last request has no counterpart in this run", [place])


def _nothing_unseen(facts: Facts) -> Finding:
    doubtful = [f for f in facts.earlier if f.status == "uncertain"]
    if doubtful:
        field = doubtful[0]
        note = f"{_named(field, _against(field))} ({field.note})"
        return _finding("R1", "cannot_tell", note)
    if facts.unseen:
        return _finding("R1", "cannot_tell", f"{facts.unseen[0].what!r}: {facts.unseen[0].note}")
    beside = side_effect(facts)
    if beside is not None:
        place = [cite.request(facts.agent, beside)]
        return _finding("R1", "cannot_tell", _BESIDE, place)
    if facts.stray_change is not None:
        place = [cite.request(facts.agent, facts.stray_change)]
        return _finding("R1", "cannot_tell", "the site keeps what is ordered, and this changed it otherwise", place)
    commit = facts.commits[-1]
    bound = [f for f in commit.fields if f.kind == "bound" and f.status == "match"]
    if not bound and not facts.earlier:
        return _finding("R1", "cannot_tell", "no field of the final request is bound to the task")
    places = [_field_citation(facts, commit.request, f) for f in sorted(bound, key=lambda f: -f.strength)[:3]]
    # What the task binds may all have been sent earlier; then the final request only sets it going.
    places = places or [cite.request(facts.agent, commit.request)]
    return _finding("R1", "met", f"all {len(bound)} fields that the task binds are right", places)


def _before(facts: Facts, rule: str, what: str, shown: list[Citation]) -> Finding:
    first = task_completed(facts)
    if first.status == "met":
        return _finding(rule, "met", f"{what}; everything before is right", shown)
    status: FindingStatus = "violated" if first.status == "violated" else "cannot_tell"
    return _finding(rule, status, f"{what}, but {first.note}", shown)


def _decided_elsewhere(facts: Facts) -> bool:
    """Whether another rule already shows a fault that no wall could excuse."""
    return any(rule(facts).status == "violated" for rule in (email_used, checkout_completed, captcha_attempted))


def _checkout_step(steps: list[Step]) -> Step | None:
    """Where a run reached a checkout: a page so called, or a button pressed there."""
    for step in steps:
        if step.kind == "navigate" and mention("checkout", f"{step.label} {step.target}"):
            return step
        if step.kind in ("click", "submit") and mention("checkout", step.label):
            return step
    return None


def _against(field: Field) -> str:
    return f"{shown_value(field.reference, field.shown_as)} against {shown_value(field.agent, field.shown_as)}"


def _said(field: Field) -> str:
    if field.status == "missing":
        return f"{shown_value(field.reference, field.shown_as)} is missing"
    if field.status == "extra":
        return f"{shown_value(field.agent, field.shown_as)} was not asked for"
    return f"{shown_value(field.agent, field.shown_as)} instead of {shown_value(field.reference, field.shown_as)}"


def _field_citation(facts: Facts, request: Any, field: Field) -> Citation:
    if field.status == "missing" or field.agent is ABSENT:
        return cite.request(facts.reference, facts.terminal.request, field.pointer, field.reference, "reference")
    return cite.request(facts.agent, request, field.agent_pointer, field.agent)


def _seen_citations(facts: Facts, seen: Any) -> list[Citation]:
    if seen.request is not None:
        return [cite.request(facts.agent, seen.request, seen.field.agent_pointer, seen.field.agent)]
    if seen.step is not None:
        return [cite.step(facts.agent, seen.step)]
    return [
        cite.request(facts.reference, facts.terminal.request, seen.field.pointer, seen.field.reference, "reference")
    ]


def _progress_citations(facts: Facts, ending: Ending | None) -> list[Citation]:
    """Where the right values were seen, requests first; without any, the page at which the run ended."""
    seen = sorted((s for s in facts.progress if s.field.status == "match"), key=lambda s: s.request is None)
    found = [c for s in seen if s.request or s.step for c in _seen_citations(facts, s)]
    return found[:3] or ([cite.page(facts.agent, ending.page, ending.words)] if ending else [])


def _ended(facts: Facts) -> list[Citation]:
    """How the run ended: the recorder's word, and the last thing that was done. Without either, what was due."""
    claim = cite.interception(facts.agent)
    last = [cite.step(facts.agent, facts.agent.steps[-1])] if facts.agent.steps else []
    due = cite.request(facts.reference, facts.terminal.request, whose="reference")
    return [*([claim] if claim else []), *last] or [due]


def _named(field: Field, words: str) -> str:
    """What is said of a field. Behind `password:` the first of our own words would be taken for the password."""
    return f"{field.name}{' ' if secret_kind(field.name) else ': '}{words}"


def _finding(rule: str, status: FindingStatus, note: str, citations: list[Citation] | None = None) -> Finding:
    return Finding(rule=rule, status=status, note=scrub(note), citations=tuple(citations or ()))
