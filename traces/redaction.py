"""The one redaction: secrets replaced by tokens that say nothing and still compare.

`Redactor` replaces what `traces.secrets` takes for a secret, in whatever a trace holds. One secret becomes one token,
`[password:9c41e2d07a3b]`, wherever one Redactor meets it, so that a judge can still see that the agent typed what it
was told to type, or what the human typed. Use one Redactor for both runs.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

from clawjudge.traces.secret_names import is_shown
from clawjudge.traces.secret_texts import Span
from clawjudge.traces.secrets import replaced

_SALT_BYTES = 16
_TOKEN_DIGITS = 12
_SCHEME = re.compile(r"(?:bearer|basic|token)\s+", re.IGNORECASE)
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_LEARNT_LENGTH = 6
_PLAIN_WORD = re.compile(r"[^\W\d_]{1,11}|\d{1,7}")


class Redactor:
    """Replaces secrets by stable tokens.

    `salt` (at least 16 bytes, random if not given) keys the tokens: without it nobody can try short secrets until a
    token fits. Redactors of one salt give equal digits for equal secrets. A salt is a secret too: keep it no longer
    than tokens have to be made.

    What is no secret comes back equal, byte for byte in texts. Redacting twice changes nothing more.
    """

    def __init__(self, salt: bytes | None = None) -> None:
        if salt is not None and len(salt) < _SALT_BYTES:
            raise ValueError(f"a salt has at least {_SALT_BYTES} bytes, this one has {len(salt)}")
        self._salt = salt or os.urandom(32)
        self._tokens: dict[str, str] = {}
        """What each secret became, by its keyed hash: the first kind that it was met as stays in its token."""
        self._learnt: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None

    def redact(self, value: Any, name: str = "") -> Any:
        """`value` without secrets: text, URL, form, multipart body, headers, JSON tree, JSON text, a record; or bytes.

        `name` is the name of the field that holds it. The type of the value stays, but a number that is a secret
        becomes text. Headers and cookies may be mappings, lists of pairs or lists of objects.
        """
        return replaced(value, name, self._shown, self._known)

    def lines(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The lines of a JSONL file, each redacted as one record; lines that are not JSON as text."""
        for line in lines:
            yield self.redact(line)

    def learn(self, value: Any, name: str = "") -> None:
        """Remember the secrets of `value`, to find them later where nothing marks them ("I typed Maple-4417").

        A password stands behind its name once and then in sentences; learn all layers first, then redact. Ordinary
        words and short numbers are not remembered, because they would be replaced wherever they stand.
        """
        before = len(self._learnt)
        replaced(value, name, self._remember)
        if len(self._learnt) != before:
            self._pattern = None

    def token(self, secret: str, kind: str) -> str:
        """The token of a secret. `kind` is what it is called unless it was met before."""
        core = _core(secret, kind)
        digest = hmac.new(self._salt, core.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:_TOKEN_DIGITS]
        return self._tokens.setdefault(digest, f"[{kind}:{digest}]")

    def _shown(self, secret: str, kind: str) -> str:
        if kind in ("key", "nested"):
            return f"[{kind}]"
        if kind == "user-info":
            user, _, password = secret.partition(":")
            return secret if is_shown(password) else f"{user}:{self.token(password, 'password')}"
        return self.token(secret, kind)

    def _remember(self, secret: str, kind: str) -> str:
        core = _core(secret.partition(":")[2] if kind == "user-info" else secret, kind)
        if is_distinctive(core):
            self._learnt.setdefault(core, "password" if kind == "user-info" else kind)
        return self._shown(secret, kind)

    def _known(self, text: str) -> Iterator[Span]:
        if not self._learnt:
            return
        if self._pattern is None:
            longest_first = sorted(self._learnt, key=lambda known: (-len(known), known))
            self._pattern = re.compile("|".join(map(re.escape, longest_first)))
        for found in self._pattern.finditer(text):
            yield Span(*found.span(), self._learnt[found.group()])


def is_distinctive(secret: str) -> bool:
    """Whether a secret may be replaced wherever its characters stand: it is no ordinary word and no short number."""
    return len(secret) >= _LEARNT_LENGTH and not _PLAIN_WORD.fullmatch(secret)


def _core(secret: str, kind: str) -> str:
    """What makes two spellings one secret: a card's digits, a token without its scheme."""
    if kind == "card":
        return "".join(c for c in _ESCAPE.sub("", secret) if c.isdecimal())
    return _SCHEME.sub("", secret.strip(), count=1)
