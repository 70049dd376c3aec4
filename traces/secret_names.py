"""Which names of fields promise a secret, and which values keep that promise.

A name is split into words, so that `user_pass`, `userPass` and `Pass` are the same and `passenger` is another. The
words of many languages stand in `lexicon.json`. A name alone is seldom enough: a `token` may be a bus ticket and a
`pin` a place on a map, so most kinds also say what a value of theirs looks like.
"""

from __future__ import annotations

import functools
import re
from typing import Literal

from clawjudge.traces.lexicon import mention, plain

Kind = Literal["password", "secret", "token", "security-code", "pin", "one-time-code", "national-id", "card", "cookie"]


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LONGEST_NAME = 200
# Nobody writes these inside another word, so that `txtpassword` and `mysqlpasswd1` need no list.
_STEMS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"password|passwd|passwort|passphrase|kennwort|contrase[nñ]|wachtwoord|пароль"), "password"),
    (re.compile(r"credential|apikey|secretkey|privatekey|clientsecret|accesskey|csrf|xsrf|jwt"), "secret"),
    (re.compile(r"accesstoken|authtoken|refreshtoken|idtoken|sessid|sessionid|sessiontoken"), "token"),
)
_TOPICS: tuple[tuple[str, Kind], ...] = (
    ("password", "password"),
    ("secret", "secret"),
    ("security_code", "security-code"),
    ("one_time_code", "one-time-code"),
    ("national_id", "national-id"),
    ("card_number", "card"),
)
# What stands beside a short word without changing what it means: `user_pass`, `pass2`, `newPin`, `pin_confirm`.
_BESIDE = word_set(
    "a account admin again bank basic box card code confirm confirmation confirmed current data db debit field"
    " ftp header http id input key ldap login mail mailbox mobile my mysql new number old parameter postgres prev"
    " previous re reenter repeat retype root sign signin signup smtp sms ssh text transaction txt user usr value verify"
    " web wifi wp x your"
)
_SHORT_WORDS: dict[str, Kind] = {
    "pass": "password",
    "clave": "password",
    "pin": "pin",
    "nip": "pin",
    "auth": "token",
    "authentication": "token",
    "authorization": "token",
}
_TOKEN_WORDS = word_set("token tokens jeton sid sessid phpsessid jsessionid bearer токен 令牌 トークン 토큰")
_SESSION_WORDS = word_set("session sesión sesion sitzung sitzungs sessão sessione sess")
_SESSION_HEADS = word_set("id key hash cookie secret")
_COOKIES = frozenset({"cookie", "cookies", "set cookie", "cookie header", "document cookie"})
SHOWN = re.compile(r"•+(?: \d{4})?|(?<!\w)\[(?:credential|key|nested)\]|\[[a-z-]{3,20}:[0-9a-f]{12}\]")
"""What `secrets.mask` and `redaction.Redactor` put in place of secrets."""
_SCHEME = re.compile(r"^(?:bearer|basic|digest|token)\s+", re.IGNORECASE)
_NOTHING = frozenset({"", "true", "false", "null", "none", "undefined", "nil"})


@functools.lru_cache(maxsize=20_000)
def secret_kind(name: str) -> Kind | None:
    """The kind of secret that a field of this name holds, or None. Words may be joined in any way."""
    name = SHOWN.sub("", name)
    if not name or len(name) > _LONGEST_NAME or not any(map(str.isalpha, name)):
        return None
    words = plain(name).split()
    for stem, kind in _STEMS:
        if any(stem.search(word) for word in words):
            return kind
    if " ".join(words) in _COOKIES:
        return "cookie"
    for topic, kind in _TOPICS:
        if mention(topic, name):
            return kind
    return _kind_of_words([word.rstrip("0123456789") or word for word in words])


def _kind_of_words(words: list[str]) -> Kind | None:
    if words in (["pin", "code"], ["pincode"]):
        return None  # how an Indian address names its postal code
    telling = [word for word in words if word not in _BESIDE]
    if len(telling) == 1 and telling[0] in _SHORT_WORDS:
        return _SHORT_WORDS[telling[0]]
    if words and words[-1] in _TOKEN_WORDS:
        return "token"
    if len(words) > 1 and words[-1] in _SESSION_HEADS and words[-2] in _SESSION_WORDS:
        return "token"
    return None


def is_shown(value: str) -> bool:
    """Whether `value` is what stands in place of a secret, so that nothing is hidden twice."""
    return SHOWN.fullmatch(value) is not None


def keeps(kind: Kind, text: str) -> bool:
    """Whether `text`, in a field of that kind, is such a secret."""
    said = _SCHEME.sub("", text.strip()) if kind == "token" else text.strip()
    if said.casefold() in _NOTHING:
        return False
    digits = sum(map(str.isdecimal, said))
    if kind == "security-code":
        return len(text) <= 6
    if kind == "pin":
        return said.isdecimal() and 3 <= len(said) <= 12
    if kind == "one-time-code":
        return digits > 0 and len(said) <= 12 and re.search(r"\s\D", said) is None
    if kind == "national-id":
        return digits >= 4 and len(said) <= 30
    if kind == "card":
        return digits >= 5 and re.fullmatch(r"[\d\W_]+", said) is not None
    if kind == "token":
        return re.search(r"\s", said) is None and (len(said) >= 12 or (len(said) >= 6 and digits > 0))
    return True
