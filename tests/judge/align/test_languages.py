"""Languages told by their small words, and numbers spelled out."""

from __future__ import annotations

import pytest

from clawjudge.judge.align.languages import languages_of, number_words, same_number_word


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Order two pizzas with cheese to my home and pay by card", "en"),
        ("Bestelle zwei Pizzen mit Käse zu mir nach Hause und zahle mit der Karte", "de"),
        ("Commande deux pizzas avec du fromage pour ma maison et paie par carte", "fr"),
        ("Pide dos pizzas con queso para mi casa y paga con la tarjeta", "es"),
        ("Ordina due pizze con il formaggio per la mia casa e paga con la carta", "it"),
        ("Bestel twee pizza's met kaas voor mijn huis en betaal met de kaart", "nl"),
    ],
)
def test_the_language_is_told(text: str, language: str) -> None:
    assert languages_of(text)[0] == language


def test_a_text_without_small_words_has_no_language() -> None:
    assert languages_of("Pizza Margherita 2x") == ()


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Order two Pad Thai and three sodas", {"two": 2, "three": 3}),
        ("Order twenty-one chairs", {"twenty-one": 21}),
        ("Order two hundred chairs for the hall", {"two hundred": 200}),
        ("one or two, three", {"one": 1, "two": 2, "three": 3}),
        ("Once you are done, wait a second for the elf", {}),
        ("Add it to the list; on a scale from o to x", {}),
        ("Bestelle zwei Pizzen mit der Karte", {"zwei": 2}),
        ("Bestelle einundzwanzig Stühle für das Büro", {"einundzwanzig": 21}),
        ("Commande deux pizzas et vingt et un sodas pour le bureau", {"deux": 2, "vingt et un": 21}),
        ("Pide once pizzas con queso para la casa", {"once": 11}),
        ("двое", {}),
    ],
)
def test_number_words_belong_to_a_language(text: str, numbers: dict[str, int]) -> None:
    assert number_words(text) == numbers


@pytest.mark.parametrize(
    ("word", "digits", "same"),
    [
        ("two", "2", True),
        ("Twenty one", "21", True),
        ("deux", "2", True),
        ("once", "11", None),
        ("elf", "11", None),
        ("second", "2", False),
        ("o", "0", False),
        ("two", "02", False),
        ("two", "3", False),
        ("two", "²", False),
        ("two pizzas", "2", False),
    ],
)
def test_a_word_is_compared_with_digits(word: str, digits: str, same: bool | None) -> None:
    assert same_number_word(word, digits) is same
    assert same_number_word(digits, word) is same
