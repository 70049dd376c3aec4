"""Where a run read its mail."""

from __future__ import annotations

from clawjudge.traces.digest import RunDigest
from clawjudge.traces.lexicon import mention
from clawjudge.traces.steps import Step
from clawjudge.traces.urls import same_site


def mailbox_visit(run: RunDigest) -> Step | None:
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
