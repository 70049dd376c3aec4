"""Numbers, amounts of money, phone numbers and countries, as people and forms write them."""

from __future__ import annotations

import functools
import re
from decimal import Decimal, InvalidOperation

_PLAIN = re.compile(r"^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?$", re.IGNORECASE)
_GROUPED = re.compile(r"^[+-]?\d{1,3}(?:(?P<sep>[,.' \u00a0\u202f])\d{3})(?:(?P=sep)\d{3})*(?:(?P<dec>[.,])\d+)?$")
_COMMA_DECIMAL = re.compile(r"^[+-]?\d+,\d{1,2}$")
_MONEY = re.compile(
    r"^(?P<before>[^\d\s+-][^\d]{0,5}?)?\s*(?P<amount>[+-]?\d[\d., '\u00a0\u202f]*)\s*(?P<after>[^\d]{1,6})?$"
)
_PHONE = re.compile(r"^\+?[\d\s().\-/]{7,24}$")
_LANGUAGES = ("en", "fr", "es", "de", "pt", "it", "nl")


def number(text: str) -> Decimal | None:
    """The one number that `text` stands for, or None where it is no number or could be two (`1,234` against `1.234`)."""
    text = text.strip()
    if len(text) > 40:
        return None
    if _PLAIN.match(text):
        return _decimal(text)
    grouped = _GROUPED.match(text)
    if grouped:
        separator, point = grouped["sep"], grouped["dec"]
        if point == separator:
            return None
        # A lone dot with three digits behind it is a decimal to some readers; a lone comma is a group to most.
        if separator == "." and point is None and text.count(".") == 1:
            return None
        return _decimal(text.replace(separator, "").replace(point or ".", "."))
    if _COMMA_DECIMAL.match(text):
        return _decimal(text.replace(",", "."))
    return None


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def same_number(first: str, second: str) -> bool:
    # Leading zeros belong to codes, not to numbers: 007 is not 7.
    if any(len(t.strip()) > 1 and t.strip().startswith("0") and t.strip().isdigit() for t in (first, second)):
        return False
    left, right = number(first), number(second)
    return left is not None and left == right


def same_amount(first: str, second: str) -> bool:
    """`$15.50`, `15.50 USD` and `15.5` are one amount; two different currencies never are."""
    left, right = _money(first), _money(second)
    if left is None or right is None or left[0] != right[0]:
        return False
    if not left[1] and not right[1]:
        return False
    return not left[1] or not right[1] or bool(left[1] & right[1])


def _money(text: str) -> tuple[Decimal, frozenset[str]] | None:
    found = _MONEY.match(text.strip())
    if not found:
        return None
    amount = number(found["amount"])
    marks = [m.strip() for m in (found["before"], found["after"]) if m and m.strip()]
    if amount is None or len(marks) > 1:
        return None
    codes = _currencies().get(marks[0].upper()) if marks else frozenset()
    return None if codes is None else (amount, codes)


@functools.cache
def _currencies() -> dict[str, frozenset[str]]:
    """Currency code or symbol to the codes it may stand for: `$` to USD, CAD, AUD and more."""
    from babel.numbers import get_currency_symbol, list_currencies

    table: dict[str, set[str]] = {}
    for code in list_currencies():
        symbols = {code, get_currency_symbol(code, "en"), get_currency_symbol(code, "en").lstrip("ACNHZMRTU")}
        for symbol in symbols:
            table.setdefault(symbol.upper(), set()).add(code)
    for code in ("USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"):
        table.setdefault("$", set()).add(code)
    return {symbol: frozenset(codes) for symbol, codes in table.items() if symbol}


def same_phone(first: str, second: str, region: str | None) -> bool:
    """Two writings of one phone number. A number without country code is read in `region`, or in the other's region."""
    if not (_PHONE.match(first.strip()) and _PHONE.match(second.strip())):
        return False
    import phonenumbers

    parsed = []
    regions = [region] if region else []
    for text in (first, second):
        if text.strip().startswith("+"):
            try:
                number_ = phonenumbers.parse(text, None)
            except phonenumbers.NumberParseException:
                return False
            code = phonenumbers.region_code_for_number(number_)
            if code:
                regions.append(code)
    for candidate in regions or ["US"]:
        try:
            parsed = [phonenumbers.parse(text, candidate) for text in (first, second)]
        except phonenumbers.NumberParseException:
            continue
        if parsed[0] == parsed[1] and phonenumbers.is_possible_number(parsed[0]):
            return True
    return False


def same_country(first: str, second: str) -> bool:
    """`CA`, `Canada`, `Kanada`: one territory, by ISO code or by name in several languages."""
    left, right = country_code(first), country_code(second)
    return left is not None and left == right


def country_code(text: str) -> str | None:
    """ISO 3166 alpha-2 code of a country's code or name, or None."""
    return _territories().get(text.strip().casefold())


@functools.cache
def _territories() -> dict[str, str]:
    from babel import Locale

    table: dict[str, str] = {}
    for language in ("en", "fr", "de", "es", "it", "pt", "nl", "ja", "zh", "ru", "ko"):
        for code, name in Locale(language).territories.items():
            if len(code) == 2 and code.isalpha():
                table.setdefault(name.casefold(), code)
                table[code.casefold()] = code
    return table


def same_number_word(first: str, second: str) -> bool:
    """`two` and `2`."""
    for word, digits in ((first, second), (second, first)):
        if digits.strip().isdigit() and word.strip().isalpha():
            return any(value == int(digits) for value in number_words(word).values())
    return False


@functools.lru_cache(maxsize=256)
def number_words(text: str) -> dict[str, int]:
    """Numbers written as words in `text`, by the words: `{"two": 2}`. Several languages are tried."""
    from text_to_num import text2num

    found: dict[str, int] = {}
    for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)?", text.casefold()):
        if word in found or len(word) > 30:
            continue
        for language in _LANGUAGES:
            try:
                found[word] = text2num(word, language)
                break
            except ValueError:
                continue
    return found
