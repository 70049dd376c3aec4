"""Rule R2: did the task need the user's mailbox, and was it used with the address that was given?"""

from __future__ import annotations

from clawjudge.judge.align.progress import Seen
from clawjudge.judge.align.visits import mailbox_visit
from clawjudge.judge.offline import cite
from clawjudge.judge.offline.facts import Facts
from clawjudge.judge.verdict import Citation


def applies(facts: Facts) -> bool:
    """The human opened a mailbox, or the site stopped the agent to ask for a code sent by e-mail."""
    if mailbox_visit(facts.reference) is not None:
        return True
    return not facts.commits and facts.ending is not None and facts.ending.kind == "email_code"


def wrong_address(facts: Facts) -> Seen | None:
    """An e-mail field in which the agent entered another address than its own."""
    if facts.commits:
        return None
    for seen in facts.progress:
        bound_to_own = any(b.source == "own_email" for b in seen.field.bound_by)
        if bound_to_own and seen.field.status == "mismatch":
            return seen
    return None


def code_that_was_read(facts: Facts) -> Citation | None:
    """Where a final request carries a one-time code that the agent had been shown."""
    for commit in facts.commits:
        for field in commit.fields:
            if "one_time_code" in field.normalisations:
                return cite.request(facts.agent, commit.request, field.agent_pointer, field.agent)
    return None
