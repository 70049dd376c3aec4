"""Which language a text is in, told by its small words, and the numbers it spells out."""

from __future__ import annotations

import functools
import re

from clawjudge.traces import lexicon

_SMALL_WORDS = {
    "en": "the and of to for with a an my at on in from is be as by it i please if then when one or this that do not",
    "fr": "le la les et de du des pour avec un une mon ma mes au aux à en sur dans par ce cette que qui si ou est",
    "es": "el la los las y de del para con un una mi mis en al por que se es esta este si o no su",
    "de": "der die das und für mit ein eine einen mein meine meiner im am auf zu von bei den dem des ist oder wenn an",
    "pt": "o a os as e de do da dos das para com um uma meu minha em no na ao por que se ou é",
    "it": "il lo la gli le e di del della per con un una mio mia in al dal che se o è nel",
    "nl": "de het een en van voor met mijn op in aan naar te is of als dat om",
    "sv": "och att en ett för med min mitt på i till av är som om den det",
    "da": "og at en et for med min mit på i til af er som om den det",
    "nb": "og å en et for med min mitt på i til av er som om den det",
    "pl": "i w na do z dla się jest mój moja że lub od po",
    "tr": "ve bir için ile bu da de mi benim",
    "id": "dan di ke dari untuk dengan yang ini saya pada",
    "cs": "a v na do z pro je se můj moje že nebo od po s",
    "ru": "и в на до с для это мой моя что или от по не",
}
_NUMBER_LANGUAGES = ("en", "fr", "es", "de", "pt", "it", "nl")
_SECONDS = frozenset({"o", "second", "seconds", "secondo", "seconda", "segundo", "segunda"})
"""Read as numbers by some grammars; here they are ordinals, units of time, or a letter."""
_ALSO_WORDS = frozenset({"once", "elf", "sei", "cent", "mil", "mille", "son", "sex", "on", "dix", "tre", "due", "acht"})
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LONGEST_NUMBER = 6

FUNCTION_WORDS = frozenset(word for words in _SMALL_WORDS.values() for word in words.split())
ANSWERS = lexicon.words("yes") | lexicon.words("no") | {"none", "null"}


@functools.lru_cache(maxsize=64)
def languages_of(text: str) -> tuple[str, ...]:
    """The languages `text` is most likely in, the likeliest first; none if it has no small words."""
    tokens = [word.casefold() for word in _WORD.findall(text[:20_000])]
    scores = {language: sum(t in words for t in tokens) for language, words in _tables().items()}
    best = max(scores.values(), default=0)
    if not best:
        return ()
    return tuple(sorted((n for n, s in scores.items() if s >= 0.75 * best), key=lambda n: -scores[n]))


@functools.cache
def _tables() -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in _SMALL_WORDS.items()}


@functools.lru_cache(maxsize=256)
def number_words(text: str) -> dict[str, int]:
    """Numbers written as words in `text`, by the words: `{"two": 2, "twenty one": 21}`."""
    known = languages_of(text)
    languages = [n for n in _NUMBER_LANGUAGES if n in known] or ([] if known else list(_NUMBER_LANGUAGES))
    tokens = [(m.group().casefold(), m.start(), m.end()) for m in _WORD.finditer(text[:20_000])]
    found: dict[str, int] = {}
    position = 0
    while position < len(tokens):
        length, value = _longest(text, tokens[position : position + _LONGEST_NUMBER], languages)
        if length:
            words = text[tokens[position][1] : tokens[position + length - 1][2]].casefold()
            found.setdefault(words, value)
        position += max(length, 1)
    return found


def _longest(text: str, tokens: list[tuple[str, int, int]], languages: list[str]) -> tuple[int, int]:
    """How many of the words ahead make one number, and which; (0, 0) if none do."""
    joined = 1
    while joined < len(tokens) and text[tokens[joined - 1][2] : tokens[joined][1]].isspace():
        joined += 1
    for length in range(joined, 0, -1):
        for language in languages:
            value = _value(" ".join(token[0] for token in tokens[:length]), language)
            # No number begins or ends with "and", and one that only drops words is no number.
            if value is not None and all(_part(token[0], language) for token in (tokens[0], tokens[length - 1])):
                return length, value
    return 0, 0


def _part(word: str, language: str) -> bool:
    return _value(word, language) is not None


@functools.lru_cache(maxsize=4096)
def _value(words: str, language: str) -> int | None:
    from text_to_num import text2num

    if words in _SECONDS or len(words) > 80:
        return None
    try:
        return int(text2num(words, language))
    except ValueError:
        return None


def same_number_word(first: str, second: str) -> bool | None:
    """`two` and `2`. None for a word that is a number in one language and something else in another."""
    for word, digits in ((first.strip(), second.strip()), (second.strip(), first.strip())):
        if not (digits.isdecimal() and len(digits) < 10 and re.fullmatch(r"[^\W\d_]+(?:[ -][^\W\d_]+)*", word)):
            continue
        if len(digits) > 1 and digits.startswith("0"):
            return False
        values = {n: _value(word.casefold(), n) for n in _NUMBER_LANGUAGES}
        if int(digits) in values.values():
            return True if values["en"] is not None or word.casefold() not in _ALSO_WORDS else None
    return False
