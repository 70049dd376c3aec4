"""Rule R2: did the task need the user's mailbox, and was it used with the address that was given?"""

from __future__ import annotations

from clawjudge.judge.align.progress import Seen
from clawjudge.judge.offline.facts import Facts
from clawjudge.traces.digest import RunDigest
from clawjudge.traces.lexicon import mention
from clawjudge.traces.steps import Step
from clawjudge.traces.urls import same_site


def applies(facts: Facts) -> bool:
    """The human opened a mailbox, or the site stopped the agent to ask for a code sent by e-mail."""
    if visit(facts.reference) is not None:
        return True
    return not facts.commits and facts.ending is not None and facts.ending.kind == "email_code"


def visit(run: RunDigest) -> Step | None:
    """The page load by which a run opened a mailbox: the site of its own address, or a page that calls itself one."""
    domains = {run.trace.meta.email_used.rsplit("@", 1)[-1].casefold()} if run.trace.meta.email_used else set()
    task_sites = _task_sites(run)
    for name, step in run.visits:
        own = any(same_site(name, domain) for domain in domains)
        elsewhere = not any(same_site(name, site) for site in task_sites)
        if own or (elsewhere and (mention("mailbox", step.label) or _is_mail_host(name))):
            return step
    return None


def _is_mail_host(name: str) -> bool:
    """`mail.example.com`, `webmail.example.com`, `gmail.com`: a name of which a label says what it serves."""
    return any(label in ("mail", "webmail", "inbox", "email") or label.endswith("mail") for label in name.split("."))


def _task_sites(run: RunDigest) -> set[str]:
    first = run.visits[0][0] if run.visits else ""
    task = run.trace.task
    return {first, *(task.sites if task else ())} - {""}


def wrong_address(facts: Facts) -> Seen | None:
    """An e-mail field in which the agent entered another address than its own."""
    if facts.commits:
        return None
    for seen in facts.progress:
        bound_to_own = any(b.source == "own_email" for b in seen.field.bound_by)
        if bound_to_own and seen.field.status == "mismatch":
            return seen
    return None


def code_was_read(facts: Facts) -> bool:
    """Whether a final request carries a one-time code that the agent had been shown."""
    return any("one_time_code" in f.normalisations for c in facts.commits for f in c.fields)
