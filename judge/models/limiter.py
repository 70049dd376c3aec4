"""How many requests run at once, and how fast they follow each other: as much as the provider takes, and no more.

Nothing is known of a provider at first. A few requests are let go; answers open the window, a refusal (429) closes the
gate for everybody until the provider says, and from then on requests are spaced at the rate that it took before. Where
headers say how much is left, that is kept to before anything is refused.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import time
from dataclasses import dataclass

from clawjudge.judge.models.conversation import RateHeaders
from clawjudge.judge.models.rates import requests_left, tokens_left

FIRST_WINDOW = 24
"""Requests before the first answer. Whatever the limit is, not many more than it are then refused."""
USUAL_WINDOW = 64
WIDEST_WINDOW = 256
"""With headers that show room for it."""
_CAUTIOUS_UP_TO = 64
_PAUSE_SECONDS = 1.0
"""After a refusal that does not say how long to wait; twice as long each time until one is answered again."""
_CLEAN_SECONDS = 20.0
"""So long without a refusal, and the spacing is narrowed a little."""
_UNSURE_SECONDS = 2.0
"""The same while the rate was found out from few requests."""
_SURE_FROM = 5
_OPENING_INTERVAL = 0.002
"""Seconds between requests while the window opens: refusals that come in beside the first answers are seen in time."""
_LONGEST_INTERVAL = 60.0


@dataclass(frozen=True, slots=True)
class Turn:
    """The leave to send one request, and when it was given."""

    episode: int
    at: float


class Limiter:
    """The gate of one provider: `enter` before each request, say what came of it, and `leave`."""

    def __init__(self, most: int | None = None) -> None:
        """`most` requests at once, as the user said, or None to find out."""
        self._adaptive = most is None
        self._most = USUAL_WINDOW if most is None else most
        # Who asks for more at once than anybody would by chance knows that the server takes it.
        self._cautious = most is None or most <= _CAUTIOUS_UP_TO
        self._window = min(self._most, FIRST_WINDOW) if self._cautious else self._most
        self._opening = False
        self._waiting: collections.deque[asyncio.Future[None]] = collections.deque()
        self._in_flight = 0
        self._closed_until = 0.0
        self._interval = 0.0
        self._interval_before = 0.0
        self._next_at = 0.0
        self._allowed: int | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._episode = 0
        self._episode_start = time.monotonic()
        self._episode_sent = 0
        self._episode_refused = 0
        self._first_refused = 0.0
        self._silent_refusals = 0
        self._narrowed_at = 0.0
        self._narrowed_window_at = 0.0
        self._is_sure = True
        self._average_tokens = 0.0
        self.most_at_once = 0

    @property
    def widest(self) -> int:
        """Requests that may ever run at once."""
        return WIDEST_WINDOW if self._adaptive else self._most

    async def enter(self, again: bool = False) -> Turn:
        """Wait for a turn; they are given in the order of asking, but first to those who come `again`."""
        if self._waiting or not self._try():
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            if again:
                self._waiting.appendleft(place)
            else:
                self._waiting.append(place)
            self._arrange()
            try:
                await place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled():
                    self.leave()
                with contextlib.suppress(ValueError):
                    self._waiting.remove(place)
                raise
        return Turn(self._episode, time.monotonic())

    def leave(self) -> None:
        """The request is over, whatever came of it."""
        self._in_flight -= 1
        self._wake()

    def answered(self, headers: RateHeaders, tokens: int) -> None:
        """A request was answered: the window opens by one, within what the headers allow."""
        self._silent_refusals = 0
        self._opening = self._cautious and self._window < self._most
        self._average_tokens = 0.9 * self._average_tokens + 0.1 * tokens if self._average_tokens else float(tokens)
        self._window = min(self._window + 1, self._most)
        now = time.monotonic()
        if self._interval and now - self._narrowed_at > (_CLEAN_SECONDS if self._is_sure else _UNSURE_SECONDS):
            self._interval, self._narrowed_at = self._interval / 1.1, now
        self._heed(headers)

    def refused(self, retry_after: float | None, turn: Turn) -> None:
        """The provider said to the request of `turn`: too many. Nobody is let through until it wants more."""
        now = time.monotonic()
        if retry_after is None:
            retry_after = _PAUSE_SECONDS * 2 ** min(self._silent_refusals, 6)
            self._silent_refusals += self._closed_until <= now
        self._closed_until = self._next_at = max(self._closed_until, now + retry_after)
        if turn.episode != self._episode:
            return  # It was sent before the last pause, and says nothing of how fast was too fast since.
        self._episode_refused += 1
        self._first_refused = min(self._first_refused, turn.at) if self._episode_refused > 1 else turn.at
        self._narrowed_at = self._closed_until
        taken = max(self._episode_sent - self._episode_refused, 1)
        self._is_sure = taken >= _SURE_FROM
        if self._interval_before and self._is_sure:
            # The spacing was nearly right: a limit that is hit now and then costs less than going too slowly.
            self._interval = min(self._interval_before * 1.1, _LONGEST_INTERVAL)
        else:
            # So many were taken in the time from the first of them to the moment at which there is room again.
            took = max(self._first_refused + retry_after - self._episode_start, 0.05)
            self._interval = min(took / taken * 1.05, _LONGEST_INTERVAL)

    def overloaded(self) -> None:
        """A request failed for no fault of its own (5xx, a time-out): fewer at once."""
        now = time.monotonic()
        if now - self._narrowed_window_at > 1.0:
            # Those that were under way together fail together, and say it only once.
            self._narrowed_window_at = now
            self._window = max(1, self._window // 2)

    def _heed(self, headers: RateHeaders) -> None:
        left, tokens = requests_left(headers), tokens_left(headers)
        rooms = [left] if left else []
        if tokens and self._average_tokens >= 1:
            rooms.append(type(tokens)(int(tokens.remaining / self._average_tokens), tokens.reset_seconds))
        if not rooms:
            return
        room = min(rooms, key=lambda allowance: allowance.remaining)
        if self._adaptive and room.remaining > 4 * self._most:
            self._most = min(WIDEST_WINDOW, self._most * 2)
        # The others that are under way may not be in the provider's count yet.
        free = room.remaining - self._in_flight
        if free > 2 * self._window:
            self._allowed = None
        else:
            self._allowed = max(free, 0)
            if self._allowed == 0 and self._in_flight <= 1:
                self._closed_until = max(self._closed_until, time.monotonic() + room.reset_seconds)
                self._allowed = None

    def _try(self) -> bool:
        """Take a turn now, if there is one."""
        now = time.monotonic()
        if self._in_flight >= self._window or now < self._closed_until or now < self._next_at:
            return False
        if self._allowed == 0 and self._in_flight:
            return False
        if self._episode_refused:
            self._episode += 1
            self._episode_sent = self._episode_refused = 0
            self._interval_before = self._interval
        if not self._episode_sent:
            self._episode_start = now
        if self._interval:
            self._next_at = max(self._next_at, now - self._interval / 2) + self._interval
        elif self._opening:
            self._next_at = now + _OPENING_INTERVAL
        if self._allowed:
            self._allowed -= 1
        self._in_flight += 1
        self._episode_sent += 1
        self.most_at_once = max(self.most_at_once, self._in_flight)
        return True

    def _wake(self) -> None:
        while self._waiting:
            if self._waiting[0].cancelled():
                self._waiting.popleft()
            elif self._try():
                self._waiting.popleft().set_result(None)
            else:
                break
        self._arrange()

    def _arrange(self) -> None:
        """Where only time stands in the way, look again when it has passed."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._waiting:
            return
        now = time.monotonic()
        opens = max(self._closed_until, self._next_at)
        if opens > now and self._in_flight < self._window:
            self._timer = asyncio.get_running_loop().call_later(opens - now, self._wake)
