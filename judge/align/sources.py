"""What in a task binds a value: the instruction, the eval schema, extra info, the persona, the run's own address."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from typing import Any

from clawjudge.judge.align import calendar_words, moments, quantities
from clawjudge.judge.align.languages import ANSWERS, FUNCTION_WORDS
from clawjudge.judge.align.quotes import quoted_texts
from clawjudge.judge.align.values import compare, is_empty, slug
from clawjudge.traces.lexicon import plain
from clawjudge.traces.pointers import flatten, resolve

_NUMBER = re.compile(r"(?<![\d:.,/\-\w])\d+(?:[.,]\d+)*(?![\d:/\w]|[.,]\d)|(?<![\w.:/])(?<!\d-)\d+(?=[\s-]*[^\W\d_])")
_AMOUNT = re.compile(
    r"[$€£¥₩₹]\s?(?P<before>\d[\d.,]*\d|\d)|(?P<after>\d[\d.,]*\d|\d)\s?(?:[$€£¥₩₹]|dollars?\b|euros?\b|USD\b|EUR\b|CAD\b)"
)
_MAX_PERSONA_LEAVES = 2000
MAX_BOUND_TEXT = 64 * 1024
"""Characters of a value that is compared with all that a task gives; a file sent as text may have more."""
_MAX_KEY = 500
_COMMON = FUNCTION_WORDS | frozenset({"on", "off", "no", "none", "null", "y", "n", "non", "nein"})


@dataclass(frozen=True, slots=True)
class Bound:
    """One thing in the task that binds a value."""

    source: str
    """`instruction`, `eval_schema`, `extra_info`, `persona` or `own_email`."""
    quote: str
    """The words of the instruction, or the place in the document."""
    strength: int
    """3 verbatim, 2 the same after normalisation, 1 derived (an identifier, a city for its zone)."""
    preferred: bool = True
    """False where the persona holds this value among equals and the instruction does not say which."""


@dataclass(frozen=True)
class Document:
    """A JSON document given with the task."""

    source: str
    name: str
    value: dict[str, Any]

    @functools.cached_property
    def leaves(self) -> list[tuple[str, Any]]:
        pairs = ((pointer, leaf) for pointer, leaf in flatten(self.value) if not is_empty(leaf))
        return [pair for pair, _ in zip(pairs, range(_MAX_PERSONA_LEAVES), strict=False)]

    @functools.cached_property
    def places(self) -> dict[str, list[str]]:
        """Where each text stands, to the letter."""
        found: dict[str, list[str]] = {}
        for pointer, leaf in self.leaves:
            if not isinstance(leaf, bool):
                found.setdefault(str(leaf), []).append(pointer)
        return found


@dataclass
class TaskSources:
    """Everything that the task gives an agent to enter."""

    instruction: str
    documents: list[Document] = field(default_factory=list)
    constraints: dict[str, Any] = field(default_factory=dict)
    """Leaves of the eval schema by pointer (`/body/…`, `/params/…`)."""
    own_emails: frozenset[str] = frozenset()
    """Addresses of this run, lower case."""

    @functools.cached_property
    def _plain(self) -> str:
        return plain(self.instruction)

    @functools.cached_property
    def numbers(self) -> dict[str, str]:
        """Numbers in the instruction, as digits or words: plain decimal text to the words used."""
        found = {}
        for match in _NUMBER.finditer(self.instruction):
            value = quantities.number(match.group())
            if value is not None:
                found[quantities.digits(value)] = match.group()
        for word, value_ in quantities.number_words(self.instruction).items():
            found.setdefault(str(value_), word)
        return found

    @functools.cached_property
    def _amounts(self) -> dict[str, str]:
        """Sums of money in the instruction: plain decimal text to the words used."""
        found = {}
        for match in _AMOUNT.finditer(self.instruction):
            value = quantities.number(match["before"] or match["after"])
            if value is not None:
                found[quantities.digits(value)] = match.group().strip()
        return found

    @functools.cached_property
    def quoted(self) -> tuple[str, ...]:
        """What the instruction puts in quotation marks: texts to be entered or names to be found, as they stand."""
        return quoted_texts(self.instruction)

    @functools.cached_property
    def _known(self) -> dict[tuple[type, str, str], list[Bound]]:
        """What `bind` found before: the same values stand in request after request."""
        return {}

    def bind(self, value: Any, pointer: str = "") -> list[Bound]:
        """What binds `value`, strongest first; `pointer` is its place in the payload."""
        key = (type(value), repr(value), pointer)
        if len(key[1]) > _MAX_KEY:
            return self._bind(value, pointer)
        if key not in self._known:
            self._known[key] = self._bind(value, pointer)
        return self._known[key]

    def _bind(self, value: Any, pointer: str) -> list[Bound]:
        if is_empty(value) or isinstance(value, bool | dict | list):
            if pointer in self.constraints and self.constraints[pointer] == value:
                return [Bound("eval_schema", pointer, 3)]
            return []
        if isinstance(value, str) and len(value) > MAX_BOUND_TEXT:
            return self.bind_to_the_letter(value, pointer)
        found: list[Bound] = []
        if pointer in self.constraints and compare(self.constraints[pointer], value).equal:
            found.append(Bound("eval_schema", pointer, 3))
        text = str(value).strip()
        if "@" in text and text.casefold() in self.own_emails:
            found.append(Bound("own_email", "e-mail address of this run", 3))
        said = self._in_instruction(text)
        if said:
            found.append(said)
        for document in self.documents:
            held = self._in_document(document, text, pointer)
            if held:
                found.append(held)
        return sorted(found, key=lambda b: (-b.strength, not b.preferred))

    def bind_to_the_letter(self, value: Any, pointer: str = "") -> list[Bound]:
        """What binds `value` as it stands: for texts too long, or values too many, to be tried in every spelling."""
        if pointer in self.constraints and _is_letter_for_letter(self.constraints[pointer], value):
            return [Bound("eval_schema", pointer, 3)]
        if is_empty(value) or isinstance(value, bool | dict | list) or _says_little(str(value)):
            return []
        return [
            Bound(document.source, place, 3, self.preferred(document, place))
            for document in self.documents
            for place in document.places.get(str(value), ())
        ]

    def _in_instruction(self, text: str) -> Bound | None:
        number = quantities.number(text)
        if number is not None:
            words = self.numbers.get(quantities.digits(number))
            if words:
                return Bound("instruction", words, 2)
            # Many sites send money in cents.
            words = self._amounts.get(quantities.digits(number / 100))
            return Bound("instruction", words, 1) if words else None
        dated = self._dated(text)
        if dated:
            return dated
        if len(text) > 2000:
            return None
        if text.casefold() in _COMMON and not text.isupper():
            # "on", "no" and "for" stand in many a sentence; they bind a value only where they are meant as one.
            return Bound("instruction", text, 3) if self._is_meant(text) else None
        if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", self.instruction):
            return Bound("instruction", text, 3)
        folded = plain(text)
        if len(folded.strip()) < (3 if folded.isascii() else 2):
            return None
        if folded in self._plain or (not folded.strip().isascii() and folded.strip() in self._plain):
            derived = bool(re.search(r"[-_]", text)) and " " not in text
            return Bound("instruction", folded.strip(), 1 if derived else 2)
        place = moments.zone(text)
        if place is not None:
            city = plain(str(place).rsplit("/", 1)[-1])
            return Bound("instruction", city.strip(), 1) if city in self._plain else None
        return None

    def _is_meant(self, word: str) -> bool:
        """Whether a common word stands in quotation marks, or capital within a sentence (`answer No to …`)."""
        if word.casefold() in (text.casefold() for text in self.quoted):
            return True
        found = re.finditer(rf"(?<=[\w,:(] )(?<!\w){re.escape(word)}(?!\w)", self.instruction, re.IGNORECASE)
        return any(m.group()[0].isupper() and not m.group()[1:].isupper() for m in found)

    def _dated(self, text: str) -> Bound | None:
        """A day or a clock time that the instruction names, whatever way it is written."""
        when = moments.clock(text)
        if when is not None:
            return next(
                (Bound("instruction", q, 2) for t, q in calendar_words.find_times(self.instruction) if t == when), None
            )
        days = moments.dates(text)
        named = [d for d in calendar_words.find_dates(self.instruction) if any(d.matches(day) for day in days)]
        if not named:
            return None
        quote = named[0].quote
        full = moments.moment(text)
        if full is not None:
            times = [q for t, q in calendar_words.find_times(self.instruction) if t == full.time()]
            quote = f"{quote} … {times[0]}" if times else quote
        return Bound("instruction", quote, 2)

    def _in_document(self, document: Document, text: str, place: str) -> Bound | None:
        best: Bound | None = None
        coincidental = _says_little(text)
        for pointer, leaf in document.leaves:
            if isinstance(leaf, bool) or (len(str(leaf)) < 2 and str(leaf) != text):
                continue
            if coincidental and not _alike_names(pointer, place):
                # A unit number 5 in the address does not bind a quantity of 5.
                continue
            if str(leaf) == text:
                strength = 3
            elif _may_be_same(str(leaf), text) and compare(leaf, text).equal:
                strength = 2
            else:
                continue
            bound = Bound(document.source, pointer, strength, self.preferred(document, pointer))
            if best is None or (bound.preferred, bound.strength) > (best.preferred, best.strength):
                best = bound
        return best or self._joined(document, text)

    def _joined(self, document: Document, text: str) -> Bound | None:
        """A value put together from one record: a full name, a street with its unit."""
        words = set(plain(text).split())
        if not 2 <= len(words) <= 15:
            return None
        records: dict[str, set[str]] = {}
        for pointer, leaf in document.leaves:
            parent = pointer.rsplit("/", 1)[0]
            records.setdefault(parent, set()).update(plain(str(leaf)).split())
        for parent, held in records.items():
            if words <= held:
                return Bound(document.source, parent, 2, self.preferred(document, parent + "/x"))
        return None

    def preferred(self, document: Document, pointer: str) -> bool:
        """Whether the instruction singles out the record that holds `pointer`, or there is no other record to choose.

        `my TD Visa` singles out the card whose issuer is TD; `my home address` singles out `/address/home`.
        """
        parts = pointer.split("/")[1:]
        for depth in range(len(parts) - 1, 0, -1):
            if not _has_siblings(document.value, parts[:depth]):
                continue
            record = resolve(document.value, "/" + "/".join(parts[:depth]))
            names = [parts[depth - 1]] if not parts[depth - 1].isdigit() else []
            if isinstance(record, dict):
                names += (
                    [v for v in record.values() if isinstance(v, str) and v != resolve(document.value, pointer)]
                    if (_exists(document.value, pointer))
                    else [v for v in record.values() if isinstance(v, str)]
                )
            return any(len(plain(n).strip()) > 1 and plain(n) in self._plain for n in names)
        return True


def _is_letter_for_letter(wanted: Any, value: Any) -> bool:
    return type(wanted) is type(value) and bool(wanted == value)


def _says_little(text: str) -> bool:
    """Values so short that many fields hold them by chance: a digit or two, one letter, yes and no."""
    return len(text) < 2 or (text.isdecimal() and len(text) < 3) or text.casefold() in ANSWERS


def _alike_names(first: str, second: str) -> bool:
    """Whether the last two keys of two pointers share a word."""
    words = [set(plain(" ".join(pointer.split("/")[-2:])).split()) for pointer in (first, second)]
    return any(len(word) > 2 and not word.isdigit() for word in words[0] & words[1])


def _has_siblings(value: Any, parts: list[str]) -> bool:
    """Whether the record at `parts` stands beside others of its kind, so that one has to be chosen."""
    parent = resolve(value, "/" + "/".join(parts[:-1])) if parts[:-1] else value
    if isinstance(parent, list):
        return len(parent) > 1
    if isinstance(parent, dict) and len(parent) > 1:
        record = parent.get(parts[-1])
        kinds = [set(v) for k, v in parent.items() if isinstance(v, dict) and k != parts[-1]]
        return isinstance(record, dict) and any(len(set(record) & k) >= max(2, len(record) // 2) for k in kinds)
    return False


def _exists(value: Any, pointer: str) -> bool:
    try:
        resolve(value, pointer)
    except (KeyError, IndexError, ValueError):
        return False
    return True


def _may_be_same(first: str, second: str) -> bool:
    """A cheap filter before the full comparison: texts with nothing in common are not compared rule by rule."""
    digits = [re.sub(r"\D", "", t) for t in (first, second)]
    if digits[0] and digits[1]:
        return (
            min(digits, key=len) in max(digits, key=len)
            or any(c.isalpha() for c in first + second)
            or "/" in first + second
            or "-" in first + second
        )
    return slug(first)[:1] == slug(second)[:1] or len(first) <= 3 or len(second) <= 3
