"""What is known of both runs beside the two requests that are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from clawjudge.judge.align.sources import TaskSources


@dataclass
class BindingContext:
    """Everything a field is judged by, other than its two values."""

    sources: TaskSources
    reference_emails: frozenset[str] = frozenset()
    reference_times: tuple[int, int] | None = None
    """First and last epoch ms of the reference."""
    agent_times: tuple[int, int] | None = None
    region: str | None = None
    """Country of the persona, for phone numbers."""
    agent_entered: frozenset[str] = frozenset()
    """What the agent typed, chose or pressed, stripped and in lower case."""
    titles: tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]] = field(default=({}, {}))
    """For reference and agent: each part of an opened page's address, to the titles of the pages that had it."""
    options: Mapping[str, str] = field(default_factory=dict)
    """What the human chose from lists: the value sent, in lower case, to the text of all options of that list."""
    headers: frozenset[str] = frozenset()
    """Header and cookie values of the agent's requests."""
    mail_read: bool = False
    """Whether both runs opened a mailbox."""
    same_acts: bool = False
    """Whether the agent did just what the human did, up to the terminal request; see `judge.align.acts`."""
    pressed_elsewhere: bool = False
    """Whether the agent pressed a thing of the same words as the human, at another place of the page."""
    was_shown: Callable[[str], bool] = field(default=lambda text: False)
    """Whether a text stood on a page or in a message that the agent read."""
    was_met: Callable[[str], bool] = field(default=lambda text: False)
    """Whether a text stood in the address of a page or in a request of the agent, other than its terminal requests."""
    in_agent: Callable[[str], bool] = field(default=lambda text: False)
    """Whether a text stands anywhere in what was recorded of the agent's run."""
    in_reference: Callable[[str], bool] = field(default=lambda text: False)
    """The same of the reference."""
