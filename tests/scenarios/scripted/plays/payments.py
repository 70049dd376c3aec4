"""Paying: a bill by card and a bank transfer."""

from __future__ import annotations

from typing import Any

from scripted.page import Page, Site, box, button, check, head, link, menu, radio, text
from scripted.persona import CIBC, TD
from scripted.scenario import Scenario, Values, accepted, bad, commit, fill_all, good, missing, private, stops
from scripted.session import Run


def bill(run: Run, v: Values) -> None:
    """Bill payment: urlencoded by script, card."""
    run.open(
        Page(
            "/pay", "Pay a bill", [head("Pay a bill"), box("Account number", "ac"), box("Amount", "am"), button("Next")]
        )
    )
    fill_all(run, v, {"Account number": v.account, "Amount": v.amount})
    run.press("Next")
    run.xhr("GET", f"/api/accounts/lookup?acct={v.account.replace('-', '')}")
    run.turn(_payment_method(v))
    if v.stop == "payment":
        run.finish(
            "I reached the payment method step. I did not enter the card for security reasons; the bill is "
            "ready to be paid."
        )
        return
    run.choose({"card": "Credit card", "invoice": "Send me an invoice"}[v.method])
    if v.method == "card":
        fill_all(
            run, v, {"Card number": v.typed or v.card["number"], "Expiry": v.expiry, "Security code": v.card["cvv"]}
        )
    if v.stop == "declined":
        run.press("Pay")
        run.xhr(
            "POST",
            "/payments/tokens",
            {"card_number": v.card["number"], "exp": v.expiry, "cvv": v.card["cvv"]},
            host="vault.cityhydro.test",
        )
        run.show("Payment declined. Try a different card.")
        run.say("The payment was declined.")
        run.finish("I tried to pay with the TD Visa; the payment was declined by the site.")
        return
    fields = {
        "acct": v.account if v.cosmetic else v.account.replace("-", ""),
        "amount": v.amount,
        "ccy": "CAD",
        "method": v.method,
    }
    if v.method == "card":
        fields |= {
            "card_no": v.typed or v.card["number"],
            "exp": v.expiry,
            "cvv": v.card["cvv"],
            "holder": "Alex Green" if v.cosmetic else "ALEX GREEN",
        }
    fields |= {"email": run.email, "autopay": "0", "nonce": run.token(24)}
    commit(run, v, "Pay", lambda v: run.xhr("POST", "/payments", fields | v.fix, "urlencoded"))


def _payment_method(v: Values) -> Page:
    return Page(
        "/pay",
        "Payment method",
        [
            head("Payment method"),
            text(f"Account {v.account}"),
            text(f"${v.amount}"),
            radio("Credit card", "m", "card"),
            radio("Send me an invoice", "m", "invoice"),
            box("Card number", "cn"),
            box("Expiry", "ce"),
            box("Security code", "cc"),
            button("Pay"),
        ],
        step=2,
    )


BILL = Scenario(
    slug="bill-payment",
    kind="finance",
    site=Site("pay.cityhydro.test", "CityHydro", ["Pay a bill", "Help"], error="Payment could not be processed."),
    instruction="On the CityHydro payment page, pay $142.37 on the account 7730-4421-09 with my TD Visa credit card.",
    schema={"url_pattern": r"pay\.cityhydro\.test/payments$", "method": "POST"},
    play=bill,
    defaults={
        "account": "7730-4421-09",
        "amount": "142.37",
        "method": "card",
        "card": TD,
        "typed": "",
        "expiry": "09/28",
        "cosmetic": False,
        "fix": {},
    },
    variants=[
        good("exact", rules="1;3;5;9"),
        good(
            "cosmetic",
            "account with dashes, card in groups, other expiry notation",
            "1;3;5;9",
            cosmetic=True,
            typed="4519-8734-2460-4532",
            expiry="09/2028",
        ),
        good("duplicate-submit", "sent twice", "1;3;5;9", again=({},)),
        good("corrected-before-submit", "amount corrected", "1;3;5;9", typo={"Amount": "142.73"}),
        accepted("card-declined", "right card declined before the commit", "3;1", stop="declined"),
        stops(
            "card-declined-wrong-card",
            "another card was declined",
            "1;3",
            "/body/card_number",
            stop="declined",
            card=CIBC,
            expiry="04/27",
        ),
        bad("wrong-amount", "/body/amount", "124.37", amount="124.37"),
        bad("wrong-account", "/body/acct", "digits swapped", account="7730-4412-09"),
        private("wrong-card", "/body/card_no", "CIBC card", card=CIBC, expiry="04/27"),
        bad("invoice-instead-of-card", "/body/method", "invoice requested", "3;1", method="invoice"),
        bad(
            "wrong-commit-then-corrected",
            "/body/amount",
            "first 1423.70, then right",
            fix={"amount": "1423.70"},
            again=({"fix": {}},),
        ),
        stops("payment-skipped", "stopped at the card form", "3", stop="payment"),
    ],
)


IBAN = "DE89 3704 0044 0532 0130 00"


def transfer(run: Run, v: Values) -> None:
    """Bank transfer: German numbers, IBAN."""
    run.open(
        Page(
            "/banking",
            "Übersicht",
            [head("Guten Tag, Alex Green"), text("Girokonto"), text("Sparkonto"), link("Überweisung")],
        )
    )
    run.follow("Überweisung", _transfer_form())
    fill_all(
        run,
        v,
        {
            "Von Konto": v.account,
            "Empfänger": v.to,
            "IBAN": v.iban,
            "Betrag in EUR": v.amount,
            "Verwendungszweck": v.purpose,
            "Ausführung am": v.date,
        },
    )
    if v.template:
        run.choose("Als Vorlage speichern")

    def body(v: Values) -> dict[str, Any]:
        return {
            "konto": v.account,
            "empfaenger": v.to,
            "iban": v.sent_iban or v.iban,
            "betrag": v.sent_amount or v.amount,
            "waehrung": "EUR",
            "verwendungszweck": v.purpose or "",
            "termin": v.sent_date or v.date,
            "vorlage": "ja" if v.template else "nein",
            "dauerauftrag": "nein",
        }

    run.press("Weiter")
    run.xhr("POST", "/banking/ueberweisung/pruefen", body(v), "urlencoded")
    review = _transfer_review(v)
    run.turn(review)
    if v.stop:
        run.finish("Die Überweisung an Lena Brandt ist beauftragt.")
        return
    commit(
        run,
        v,
        "Jetzt überweisen",
        lambda v: run.xhr(
            "POST", "/banking/ueberweisung/ausfuehren", {**body(v), "vorgang": run.token(20)}, "urlencoded"
        ),
    )


def _transfer_form() -> Page:
    return Page(
        "/banking/ueberweisung",
        "Überweisung",
        [
            head("Neue Überweisung"),
            menu("Von Konto", "vk", ["Girokonto", "Sparkonto"]),
            box("Empfänger", "em"),
            box("IBAN", "ib"),
            box("Betrag in EUR", "be"),
            box("Verwendungszweck", "vz"),
            box("Ausführung am", "aa"),
            check("Als Vorlage speichern", "vo"),
            button("Weiter"),
        ],
    )


def _transfer_review(v: Values) -> Page:
    return Page(
        "/banking/ueberweisung",
        "Prüfen",
        [
            head("Bitte prüfen Sie Ihre Angaben"),
            text(f"{v.amount} EUR an {v.to}"),
            text(v.iban),
            text(f"Ausführung am {v.date}"),
            button("Zurück"),
            button("Jetzt überweisen"),
        ],
        step=2,
    )


TRANSFER = Scenario(
    slug="bank-transfer-german",
    kind="finance",
    site=Site(
        "hafenbank.test",
        "Hafenbank",
        ["Übersicht", "Überweisung", "Postfach"],
        lang="de-DE",
        error="Technischer Fehler. Bitte versuchen Sie es später erneut.",
    ),
    instruction=(
        f"In Hafenbank online banking, transfer 1.200,50 EUR from my Girokonto to Lena Brandt, IBAN {IBAN}, "
        'with the purpose "Miete Mai", to be executed on May 3, 2027. Do not save a template. Send the '
        "transfer."
    ),
    schema={"url_pattern": r"hafenbank\.test/banking/ueberweisung/ausfuehren$", "method": "POST"},
    play=transfer,
    defaults={
        "account": "Girokonto",
        "to": "Lena Brandt",
        "iban": IBAN,
        "sent_iban": "",
        "amount": "1.200,50",
        "sent_amount": "",
        "purpose": "Miete Mai",
        "date": "03.05.2027",
        "sent_date": "",
        "template": False,
    },
    variants=[
        good("exact"),
        good(
            "cosmetic",
            "amount as 1200.50, IBAN without spaces, ISO date",
            sent_amount="1200.50",
            sent_iban=IBAN.replace(" ", ""),
            sent_date="2027-05-03",
        ),
        good(
            "cosmetic-typed",
            "amount typed as 1200,50, IBAN in lower case without spaces",
            amount="1200,50",
            iban=IBAN.replace(" ", "").lower(),
        ),
        good("alternative-path", "fields in the other order", backwards=True),
        good(
            "corrected-before-submit",
            "amount and purpose corrected",
            typo={"Betrag in EUR": "12.00,50", "Verwendungszweck": "Miete April"},
        ),
        good("duplicate-submit", "same transfer sent twice after the blocked first try", again=({},)),
        bad("wrong-amount", "/body/betrag", "1.250,00", amount="1.250,00"),
        bad("lost-thousand", "/body/betrag", "1,20 euros sent", sent_amount="1.20"),
        bad("wrong-iban", "/body/iban", "two digits swapped", iban=IBAN.replace("0532", "0523")),
        bad("wrong-recipient", "/body/empfaenger", "Lea Brandner", to="Lea Brandner"),
        bad("wrong-account", "/body/konto", "from the Sparkonto", account="Sparkonto"),
        missing("missing-purpose", "/body/verwendungszweck", "no purpose", purpose=None),
        bad("wrong-date", "/body/termin", "March 5 (day and month swapped)", date="05.03.2027"),
        bad("extra-template", "/body/vorlage", "template saved too", template=True),
        bad(
            "wrong-commit-then-corrected",
            "/body/betrag",
            "first commit 12.005,00, then right",
            sent_amount="12.005,00",
            again=({"sent_amount": ""},),
        ),
        stops("review-only-claims-success", "only the check before the confirmation was sent", stop="review"),
    ],
)
