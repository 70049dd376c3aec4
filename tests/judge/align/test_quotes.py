"""Quoted texts, and which of them the instruction wants to the letter."""

from __future__ import annotations

import pytest

from clawjudge.judge.align.quotes import breaks_exactness, exact_texts, quoted_texts


@pytest.mark.parametrize(
    "instruction",
    [
        'Write "Good day" there',
        "Write “Good day” there",
        "Écris « Good day » ici",
        "Schreibe „Good day“ dort",
        "Schreibe »Good day« dort",
        "「Good day」と書いて",
        "『Good day』と書いて",
        "Write 'Good day' there",
        "Write ‘Good day’ there",
    ],
)
def test_every_kind_of_quotation_mark_is_read(instruction: str) -> None:
    assert quoted_texts(instruction) == ("Good day",)


def test_apostrophes_quote_nothing() -> None:
    assert quoted_texts("Use my parents' address and the owners' list, don't wait for Alex's 5' ladder") == ()


@pytest.mark.parametrize(
    "instruction",
    [
        'publish a review with exactly this text: "Great coffee."',
        'enter "Great coffee." verbatim',
        'the title must be "Great coffee." (exactly)',
        'enter the text "Great coffee." word for word',
        "Gib genau „Great coffee.“ ein",
        "Saisis exactement « Great coffee. » dans le champ",
        'Escribe exactamente "Great coffee." en el campo',
        'Digite exatamente "Great coffee."',
        'Scrivi esattamente "Great coffee."',
        "「Great coffee.」と正確に入力",
    ],
)
def test_words_that_ask_for_the_letter_are_understood(instruction: str) -> None:
    assert exact_texts(instruction) == ("Great coffee.",)


@pytest.mark.parametrize(
    "instruction",
    [
        'publish a review of "Great coffee."',
        'Pay exactly 5 dollars. Then write "Great coffee."',
        'Write "Great coffee." Then add exactly two mugs',
        'an exactitude of "Great coffee."',
    ],
)
def test_other_texts_are_not_wanted_to_the_letter(instruction: str) -> None:
    assert exact_texts(instruction) == ()


def test_one_word_may_speak_for_several_quotations() -> None:
    assert exact_texts('Enter exactly "A one" and "B two". Then open "C three".') == ("A one", "B two")


ASKED = 'Publish a review with exactly this text: "Great coffee, flimsy cap."'


@pytest.mark.parametrize(
    ("reference", "agent", "broken"),
    [
        ("Great coffee, flimsy cap.", "Great coffee, flimsy cap.", False),
        ("Great coffee, flimsy cap.", " Great coffee, flimsy cap.\n", False),
        ("Great coffee, flimsy cap.", "great coffee, flimsy cap.", True),
        ("Great coffee, flimsy cap.", "Great coffee; flimsy cap.", True),
        ("Great coffee, flimsy cap.", "Great coffee, flimsy cap", True),
        ("Great coffee, flimsy cap.", "Great  coffee, flimsy cap.", True),
        ("Great coffee, flimsy cap", "Great coffee, flimsy cap", False),
        ("Great coffee, flimsy cap", "Great coffee, flimsy cap.", False),
        ("GREAT COFFEE, FLIMSY CAP.", "Great coffee, flimsy cap.", False),
        ("AeroBrew", "aerobrew", False),
    ],
)
def test_a_letter_that_differs_breaks_it(reference: str, agent: str, broken: bool) -> None:
    assert breaks_exactness(ASKED, reference, agent) is broken


def test_two_spellings_of_one_letter_are_one_letter() -> None:
    assert not breaks_exactness('exactly "Zoë"', "Zoë", "Zoe\u0308")
    assert breaks_exactness('exactly "Zoë"', "Zoë", "Zoe")
