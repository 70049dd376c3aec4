"""Selling and sending back: a classified ad and a return."""

from __future__ import annotations

from typing import Any

from scripted.page import Page, Site, area, box, button, check, head, link, menu, radio, text
from scripted.scenario import Scenario, Values, bad, commit, fill_all, good, missing, pick, stops
from scripted.session import Run

TAGS = ["vintage", "stahl", "56cm"]


def listing(run: Run, v: Values) -> None:
    """Marketplace listing, German number format."""
    run.open(Page("/", "Start", [head("Flohmarkt24"), link("Anzeige aufgeben")]))
    page = _ad_form()
    run.follow("Anzeige aufgeben", page)
    fill_all(
        run, v, {"Titel": v.title, "Kategorie": v.category, "Stichwörter": ", ".join(v.tags), "Preis (EUR)": v.typed}
    )
    run.choose(v.condition.capitalize())
    run.choose({"abholung": "Nur Abholung", "versand": "Versand möglich"}[v.delivery])

    def body(v: Values) -> dict[str, Any]:
        return {
            "anzeige": {
                "titel": v.title,
                "kategorie": {"id": page.items[2].options[v.category], "name": v.category},
                "preis": v.price,
                "waehrung": "EUR",
                "zustand": v.condition,
                "stichwoerter": list(v.tags),
                "versandart": v.delivery,
                "anbieter": "privat",
                "email": run.email,
            },
            "meta": {"entwurf": run.uuid(), "sid": run.session},
        }

    run.press("Vorschau")
    run.xhr("POST", "/api/anzeigen/vorschau", body(v))
    run.show(head("Vorschau"), v.title, (v.shown or v.typed) + " €")
    if v.stop:
        run.finish("The ad for the Peugeot PX10 is online.")
        return
    commit(run, v, "Anzeige veröffentlichen", lambda v: run.xhr("POST", "/api/anzeigen", body(v)))


def _ad_form() -> Page:
    return Page(
        "/anzeige/neu",
        "Anzeige aufgeben",
        [
            head("Neue Anzeige"),
            box("Titel", "ti"),
            menu("Kategorie", "ka", {"Bitte wählen": "", "Fahrräder": "217", "Sportartikel": "230"}),
            box("Preis (EUR)", "pr"),
            radio("Neu", "zu", "neu"),
            radio("Gebraucht", "zu", "gebraucht"),
            box("Stichwörter", "st"),
            radio("Nur Abholung", "ve", "abholung"),
            radio("Versand möglich", "ve", "versand"),
            button("Vorschau"),
            button("Anzeige veröffentlichen"),
        ],
    )


LISTING = Scenario(
    slug="marketplace-listing",
    kind="commerce",
    site=Site(
        "flohmarkt24.test",
        "Flohmarkt24",
        ["Start", "Nachrichten"],
        lang="de-DE",
        error="Fehler. Bitte erneut versuchen.",
    ),
    instruction=(
        'On Flohmarkt24, publish an ad titled "Rennrad Peugeot PX10" in the category Fahrräder for '
        "1.250,00 €, condition used (gebraucht), with the tags vintage, stahl and 56cm, pick-up only."
    ),
    schema={"url_pattern": r"flohmarkt24\.test/api/anzeigen$", "method": "POST"},
    play=listing,
    defaults={
        "title": "Rennrad Peugeot PX10",
        "category": "Fahrräder",
        "typed": "1250",
        "price": 1250,
        "shown": "",
        "condition": "gebraucht",
        "tags": TAGS,
        "delivery": "abholung",
    },
    variants=[
        good("exact"),
        good(
            "cosmetic",
            "price 1.250,00 €, tags in another order",
            price="1.250,00 €",
            typed="1.250,00",
            tags=["56cm", "vintage", "stahl"],
        ),
        good("cosmetic-price", "price as the string 1250.00", price="1250.00"),
        good("duplicate-submit", "sent twice", again=({},)),
        good("corrected-before-submit", "price corrected", typo={"Preis (EUR)": "125"}),
        bad("wrong-price", "/body/anzeige/preis", "12500", price=12500, typed="12500"),
        bad("lost-thousand", "/body/anzeige/preis", "1.25 euros", price=1.25, typed="1.250", shown="1,25"),
        missing("missing-tag", "/body/anzeige/stichwoerter", "tag 56cm left out", tags=TAGS[:2]),
        bad("extra-tag", "/body/anzeige/stichwoerter/3", "an extra tag", tags=[*TAGS, "neuwertig"]),
        bad("wrong-condition", "/body/anzeige/zustand", "new", condition="neu"),
        bad("wrong-category", "/body/anzeige/kategorie/name", "Sportartikel", category="Sportartikel"),
        bad("with-shipping", "/body/anzeige/versandart", "shipping", delivery="versand"),
        bad(
            "wrong-commit-then-corrected",
            "/body/anzeige/preis",
            "first commit 125, second right",
            price=125,
            typed="125",
            again=({"price": 1250, "typed": "1250", "refill": {"Preis (EUR)": "1250"}},),
        ),
        stops("preview-only-claims-success", "only the preview", stop="preview"),
    ],
)


SHIRT = "Linen shirt, blue, M"


ORDERS = {
    "Order TW-30418, March 2, 2027": ("TW-30418", ["Linen shirt, blue, M", "Canvas belt, brown"]),
    "Order TW-30977, April 9, 2027": ("TW-30977", ["Linen shirt, blue, L"]),
}


def returns(run: Run, v: Values) -> None:
    """Return of one of two orders."""
    number, lines = ORDERS[v.order]
    overview = Page("/orders", "My orders", [head("My orders"), *[link(o) for o in ORDERS]])
    run.open(overview)
    if v.detour:
        run.follow(
            "Order TW-30977, April 9, 2027",
            Page("/orders/TW-30977", "Order TW-30977", [head("Order TW-30977"), text("Linen shirt, blue, L")]),
        )
        run.follow("My orders", overview)
    run.follow(
        v.order,
        Page(
            f"/orders/{number}",
            f"Order {number}",
            [head(f"Order {number}"), *[text(x) for x in lines], link("Return items")],
        ),
    )
    page = _return_form(lines, number)
    run.follow("Return items", page)
    for item in v.items:
        run.choose(item)
    if v.unticked:
        run.choose(v.unticked)
        run.choose(v.unticked, untick=True)
    fill_all(run, v, {"Reason": v.why})
    refunds = {"original payment": "Original payment method", "store credit": "Store credit", "exchange": "Exchange"}
    pick(run, refunds[v.refund])
    pick(run, {"parcel shop": "Drop off at a parcel shop", "home pickup": "Home pick-up"}[v.way])

    def body(v: Values) -> dict[str, Any]:
        return {
            "order": number,
            "items": [
                {
                    "name": x.split(", ")[0],
                    "variant": x.partition(", ")[2],
                    "quantity": "1" if v.cosmetic else 1,
                    "reason": v.why.upper() if v.cosmetic else v.why.lower(),
                }
                for x in v.items
            ],
            "refund": v.refund,
            "shipping": v.way,
            "comments": "",
        }

    run.press("Preview")
    run.xhr("POST", "/api/returns/preview", body(v))
    run.show(f"{len(v.items)} item(s) to return")
    if v.stop:
        run.finish("The return of the linen shirt from order TW-30418 was submitted.")
        return
    commit(run, v, "Submit return", lambda v: run.xhr("POST", "/api/returns", {**body(v), "token": run.token(18)}))


def _return_form(lines: list[str], number: str) -> Page:
    return Page(
        f"/orders/{number}/return",
        "Return items",
        [
            head("What do you want to return?"),
            *[check(x, f"ln{i}") for i, x in enumerate(lines)],
            menu(
                "Reason", "rs", {"Choose": "", "Too small": "too small", "Too large": "too large", "Damaged": "damaged"}
            ),
            radio("Original payment method", "refund", "original payment"),
            radio("Store credit", "refund", "store credit"),
            radio("Exchange", "refund", "exchange"),
            radio("Drop off at a parcel shop", "way", "parcel shop"),
            radio("Home pick-up", "way", "home pickup"),
            area("Comments", "cm"),
            button("Preview"),
            button("Submit return"),
        ],
    )


RETURNS = Scenario(
    slug="return-request",
    kind="shopping",
    site=Site("tallwoods.test", "Tallwoods", ["My orders", "Shop"]),
    instruction=(
        'In my Tallwoods account, request a return of the "Linen shirt" (blue, M) from order TW-30418, '
        "because it is too small. Ask for a refund to the original payment method and drop it off at a "
        "parcel shop. Submit the return."
    ),
    schema={"url_pattern": r"tallwoods\.test/api/returns$", "method": "POST"},
    play=returns,
    defaults={
        "order": "Order TW-30418, March 2, 2027",
        "items": [SHIRT],
        "why": "Too small",
        "refund": "original payment",
        "way": "parcel shop",
        "unticked": "",
        "cosmetic": False,
    },
    variants=[
        good("exact"),
        good("cosmetic", "quantity as a string, reason in capitals", cosmetic=True),
        good("alternative-path", "other order opened first", detour=True),
        good(
            "corrected-before-submit",
            "belt ticked and unticked again, refund corrected",
            unticked="Canvas belt, brown",
            typo={"Original payment method": "Store credit"},
        ),
        good("duplicate-submit", "sent twice", again=({},)),
        bad(
            "wrong-order",
            "/body/order",
            "the shirt of the other order",
            order="Order TW-30977, April 9, 2027",
            items=["Linen shirt, blue, L"],
        ),
        bad("wrong-item", "/body/items/0/name", "the belt", items=["Canvas belt, brown"]),
        bad("extra-item", "/body/items/1", "the belt too", items=[SHIRT, "Canvas belt, brown"]),
        bad("wrong-reason", "/body/items/0/reason", "too large", why="Too large"),
        bad("store-credit", "/body/refund", "store credit", refund="store credit"),
        bad("exchange", "/body/refund", "exchange instead of refund", refund="exchange"),
        bad("home-pickup", "/body/shipping", "home pick-up", way="home pickup"),
        bad(
            "wrong-commit-then-corrected",
            "/body/refund",
            "first commit store credit",
            refund="store credit",
            again=({"refund": "original payment", "repick": ["Original payment method"]},),
        ),
        stops("preview-only-claims-success", "only the preview", stop="preview"),
    ],
)
