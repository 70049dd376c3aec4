"""Numbers, amounts of money, phone numbers and countries, as people and forms write them."""

from __future__ import annotations

import functools
import re
import unicodedata
from decimal import Decimal, InvalidOperation

from clawjudge.judge.align.languages import number_words, same_number_word

__all__ = [
    "country_code",
    "digits",
    "number",
    "number_words",
    "readings",
    "same_amount",
    "same_country",
    "same_number",
    "same_number_word",
    "same_phone",
    "same_unit",
]

# An exponent needs its sign, as programs write it: `12e4` may be a product's code.
_PLAIN = re.compile(r"^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]\d{1,3})?$", re.IGNORECASE)
_GROUPED = re.compile(r"^[+-]?\d{1,3}(?:(?P<sep>[,.' \u00a0\u202f])\d{3})(?:(?P=sep)\d{3})*(?:(?P<dec>[.,])\d+)?$")
_INDIAN = re.compile(r"^[+-]?\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$")
_COMMA_DECIMAL = re.compile(r"^[+-]?\d+,\d{1,2}$")
_LEADING_ZERO = re.compile(r"^[+-]?0\d")
_TWO_READINGS = re.compile(r"^[+-]?[1-9]\d{0,2}([.,])\d{3}$")
_MONEY = re.compile(
    r"^(?P<sign>[+-])?\s*(?P<before>[^\d\s.,+'-][^\d+'-]{0,4}?)?\s*"
    r"(?P<amount>[+-]?\d(?:[\d., '\u00a0\u202f]*\d)?)\s*(?P<after>[^\d\s.,][^\d]{0,4})?$"
)
_UNIT = re.compile(r"^(?P<amount>[+-]?\d[\d.,]*?)\s*(?P<unit>%|°?[^\W\d_]{1,12}[23]?\.?)?$")
_PHONE = re.compile(r"^\+?[\d\s().\-/]{7,24}$")
_NO_PHONE = re.compile(r"^[+-]?\d*\.\d+$|^\d{1,3}(?:\.\d{1,3}){3}$|^-")
_WRITTEN_AS_PHONE = re.compile(r"^\+|^00|\d[\s().\-/]+\d")
_MAJOR_CURRENCIES = frozenset({"usd", "eur", "gbp", "cad", "aud", "jpy", "chf", "cny", "inr", "mxn", "brl", "sek"})
_MARKS = {
    "$": ("USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN", "CLP", "COP", "ARS", "TWD", "BRL"),
    "US$": ("USD",),
    "C$": ("CAD",),
    "S$": ("SGD",),
    "£": ("GBP",),
    "¥": ("JPY", "CNY"),
    "￥": ("JPY", "CNY"),
    "元": ("CNY",),
    "円": ("JPY",),
    "KR": ("SEK", "NOK", "DKK", "ISK"),
    "KR.": ("SEK", "NOK", "DKK", "ISK"),
    "ZŁ": ("PLN",),
    "KČ": ("CZK",),
    "RS": ("INR", "PKR", "LKR", "NPR"),
    "RS.": ("INR", "PKR", "LKR", "NPR"),
}
_OTHER_NAMES = {
    "usa": "US",
    "u.s.": "US",
    "u.s.a.": "US",
    "uk": "GB",
    "u.k.": "GB",
    "great britain": "GB",
    "turkey": "TR",
    "czech republic": "CZ",
}


def number(text: str) -> Decimal | None:
    """The one number that `text` stands for, or None where it is no number; `1,234` is read with a group of thousands.

    A text with a leading zero is a code: `007` is not 7.
    """
    text = text.strip()
    if len(text) > 40 or _LEADING_ZERO.match(text):
        return None
    if _PLAIN.match(text):
        return _decimal(text)
    grouped = _GROUPED.match(text)
    if grouped:
        separator, point = grouped["sep"], grouped["dec"]
        if point == separator:
            return None
        return _decimal(text.replace(separator, "").replace(point or ".", "."))
    if _INDIAN.match(text):
        return _decimal(text.replace(",", ""))
    if _COMMA_DECIMAL.match(text):
        return _decimal(text.replace(",", "."))
    return None


def digits(value: Decimal) -> str:
    """`value` in plain digits, without an exponent and without zeros that say nothing: the same text for 2 and 2.00."""
    return format(value.normalize(), "f")


def readings(text: str) -> frozenset[Decimal]:
    """Every number that `text` may stand for: `1.234` is a fraction to some and a thousand and more to others."""
    text = text.strip()
    values = {number(text)}
    found = _TWO_READINGS.match(text)
    if found:
        values |= {_decimal(text.replace(found[1], "")), _decimal(text.replace(found[1], "."))}
    return frozenset(value for value in values if value is not None)


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def same_number(first: str, second: str) -> bool | None:
    """Whether two texts are one number; None where a separator can be read both ways, or zeros lead (`05` and `5`)."""
    first, second = first.strip(), second.strip()
    if _LEADING_ZERO.match(first) or _LEADING_ZERO.match(second):
        plain = all(text.isdecimal() for text in (first, second))
        return None if plain and first.lstrip("0") == second.lstrip("0") else False
    return _same_reading(first, second)


def _same_reading(first: str, second: str) -> bool | None:
    left, right = number(first), number(second)
    if left is None or right is None:
        return False
    if left == right:
        dots = [bool(_TWO_READINGS.match(text)) and "." in text for text in (first, second)]
        return True if dots[0] == dots[1] else None
    return None if readings(first) & readings(second) else False


def same_unit(first: str, second: str) -> bool | None:
    """None for one number with a unit on one side only (`5%` and `5`): the field itself may say the unit."""
    left, right = _UNIT.match(first.strip()), _UNIT.match(second.strip())
    if not left or not right or bool(left["unit"]) == bool(right["unit"]):
        return False
    return None if readings(left["amount"]) & readings(right["amount"]) else False


def same_amount(first: str, second: str) -> bool | None:
    """`$15.50`, `15.50 USD` and `15.5` are one amount; two different currencies never are."""
    left, right = _money(first), _money(second)
    if left is None or right is None or not (left[1] or right[1]):
        return False
    if left[1] and right[1] and not left[1] & right[1]:
        return False
    return _same_reading(left[0], right[0])


def _money(text: str) -> tuple[str, frozenset[str]] | None:
    """The number in `text` and the currencies its mark may stand for; none without a mark."""
    found = _MONEY.match(text.strip())
    if not found:
        return None
    marks = [m.strip() for m in (found["before"], found["after"]) if m and m.strip()]
    if len(marks) > 1 or (found["sign"] and found["amount"][0] in "+-"):
        return None
    codes = _currencies_of(marks[0]) if marks else frozenset()
    return None if codes is None else ((found["sign"] or "") + found["amount"], codes)


def _currencies_of(mark: str) -> frozenset[str] | None:
    """The currencies that a sign or a code stands for. Codes are capital: `3 cup` is no money, `CUP` is."""
    if mark.upper() in _MARKS:
        return frozenset(_MARKS[mark.upper()])
    if mark.casefold() in _MAJOR_CURRENCIES or (len(mark) == 3 and mark.isupper() and mark in _currencies()[1]):
        return frozenset({mark.upper()})
    return _currencies()[0].get(mark.upper())


@functools.cache
def _currencies() -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    """Currency sign to the codes it may stand for, and all codes."""
    from babel.numbers import get_currency_symbol, list_currencies

    table: dict[str, set[str]] = {}
    codes = frozenset(list_currencies())
    for code in codes:
        symbol = get_currency_symbol(code, "en").upper()
        if any(unicodedata.category(c) == "Sc" for c in symbol):
            table.setdefault(symbol, set()).add(code)
    return {symbol: frozenset(found) for symbol, found in table.items()}, codes


def same_phone(first: str, second: str, region: str | None) -> bool | None:
    """Two writings of one phone number. A number without country code is read in `region`.

    None where only the other's country code makes them equal, or where one of two bare numbers has a code in front.
    """
    texts = [re.sub(r"^00(?=[\d\s]{9,})", "+", text.strip()) for text in (first, second)]
    if any(_NO_PHONE.match(text) or not _PHONE.match(text) for text in texts):
        return False
    if _same_in(texts, region or "US"):
        bare = [re.sub(r"\D", "", text) for text in texts]
        written = any(_WRITTEN_AS_PHONE.search(text.strip()) for text in (first, second))
        return True if written or bare[0] == bare[1] else None
    others = {code for text in texts if text.startswith("+") for code in [_region_of(text)] if code}
    return None if any(_same_in(texts, code) for code in others) else False


def _same_in(texts: list[str], region: str) -> bool:
    import phonenumbers

    try:
        parsed = [phonenumbers.parse(text, region) for text in texts]
    except phonenumbers.NumberParseException:
        return False
    return bool(parsed[0] == parsed[1] and phonenumbers.is_possible_number(parsed[0]))


def _region_of(text: str) -> str | None:
    import phonenumbers

    try:
        parsed = phonenumbers.parse(text, None)
    except phonenumbers.NumberParseException:
        return None
    found: str | None = phonenumbers.region_code_for_country_code(parsed.country_code or 0)
    return found


def same_country(first: str, second: str) -> bool | None:
    """`CA`, `Canada`, `Kanada`: one territory, by ISO code or name; None for a code in small letters (`no`, `in`)."""
    left, right = country_code(first), country_code(second)
    if left is None or left != right:
        return False
    return None if any(len(text.strip()) == 2 and text.strip().islower() for text in (first, second)) else True


def country_code(text: str) -> str | None:
    """ISO 3166 alpha-2 code of a country's code or name, or None."""
    return _territories().get(text.strip().casefold())


@functools.cache
def _territories() -> dict[str, str]:
    from babel import Locale

    table: dict[str, str] = dict(_OTHER_NAMES)
    for language in ("en", "fr", "de", "es", "it", "pt", "nl", "ja", "zh", "ru", "ko"):
        for code, name in Locale(language).territories.items():
            if len(code) == 2 and code.isalpha():
                table.setdefault(name.casefold(), code)
                table[code.casefold()] = code
    return table
