"""Orders in shops: with a phone wall in German, and with a basket that the server holds."""

from __future__ import annotations

from typing import Any

from scripted.page import Page, Site, box, button, head, link, menu, radio, text
from scripted.persona import HOME, OFFICE
from scripted.scenario import Scenario, Values, accepted, bad, commit, fill_all, good, missing, private, stops
from scripted.session import Run

IBU, SPRAY = "Ibuflam 400 mg, 20 Tabletten", "Nasenspray Meersalz 20 ml"
MEDICINES = {
    IBU: "04100218",
    SPRAY: "11235813",
    "Ibuflam 600 mg, 20 Tabletten": "04100230",
    "Vitamin D3 1000 I.E.": "09988112",
}


def pharmacy(run: Run, v: Values) -> None:
    """German shop, phone wall in German."""
    home = Page("/", "Startseite", [head("Apotheke Lindenhof"), *[link(s) for s in MEDICINES]])
    run.open(home)
    for number, (name, amount) in enumerate(v.items):
        if number:
            run.follow("Sortiment", home)
        run.follow(name, _article(name))
        if amount > 1:
            run.fill("Menge", str(amount))
        run.press("In den Warenkorb")
        run.xhr("POST", "/warenkorb/hinzufuegen", {"pzn": MEDICINES[name], "menge": amount, "sid": run.session})
    cart = Page(
        "/warenkorb", "Warenkorb", [head("Warenkorb"), *[text(f"{a} x {n}") for n, a in v.items], button("Zur Kasse")]
    )
    run.load(cart)
    if v.stop == "cart":
        run.finish("I have ordered two packs of Ibuflam and one Nasenspray. The order is complete.")
        return
    run.press("Zur Kasse")
    run.load(_pharmacy_checkout())
    fill_all(
        run,
        v,
        {
            "Vorname": "Alex",
            "Nachname": "Green",
            "Adresszusatz": v.to["unit"],
            "PLZ": v.to["postal_code"],
            "Ort": v.to["city"],
        },
    )
    run.fill("Straße und Hausnummer", v.to["street"])
    run.choose({"rechnung": "Rechnung", "vorkasse": "Vorkasse"}[v.pay])
    if v.stop == "wall":
        _pharmacy_wall(run, v)
        return
    commit(
        run, v, "Zahlungspflichtig bestellen", lambda v: run.xhr("POST", "/api/bestellungen", _pharmacy_order(run, v))
    )


def _pharmacy_wall(run: Run, v: Values) -> None:
    run.press("Zahlungspflichtig bestellen")
    run.xhr("POST", "/api/bestellungen/pruefen", {"sid": run.session, "zahlungsart": v.pay})
    run.show(
        head("Telefonnummer bestätigen"),
        "Bitte bestätigen Sie Ihre Mobilnummer. Wir senden Ihnen einen SMS-Code.",
        box("Mobilnummer *", "tel"),
        button("Code anfordern"),
        "Ohne bestätigte Telefonnummer ist keine Bestellung möglich.",
    )
    run.say("The shop wants to confirm a mobile number by SMS.")
    run.finish(
        "The shop requires a mobile number confirmed by SMS before it takes the order. I have no phone "
        "number, so I stopped here."
    )


def _pharmacy_order(run: Run, v: Values) -> dict[str, Any]:
    items = list(v.items)[::-1] if v.cosmetic else v.items
    return {
        "positionen": [{"pzn": MEDICINES[n], "bezeichnung": n, "menge": f"{a}" if v.cosmetic else a} for n, a in items],
        "lieferadresse": {
            "vorname": "Alex",
            "nachname": "Green",
            "strasse": v.to["street"],
            "zusatz": v.to["unit"],
            "plz": v.to["postal_code"].lower() if v.cosmetic else v.to["postal_code"],
            "ort": v.to["city"],
            "land": "CA",
        },
        "zahlungsart": v.pay,
        "gutschein": None,
        "newsletter": False,
        "vorgang": run.uuid(),
        "zeit": run.ms(),
    }


def _article(name: str) -> Page:
    return Page(
        f"/artikel/{MEDICINES[name]}",
        name,
        [
            head(name),
            text("PZN " + MEDICINES[name]),
            menu("Menge", "menge", ["1", "2", "3", "4"]),
            button("In den Warenkorb"),
        ],
    )


def _pharmacy_checkout() -> Page:
    return Page(
        "/kasse",
        "Kasse",
        [
            head("Lieferadresse"),
            box("Vorname", "vn"),
            box("Nachname", "nn"),
            box("Straße und Hausnummer", "str"),
            box("Adresszusatz", "zus"),
            box("PLZ", "plz"),
            box("Ort", "ort"),
            head("Zahlungsart"),
            radio("Rechnung", "zahl", "rechnung"),
            radio("Vorkasse", "zahl", "vorkasse"),
            radio("PayPal", "zahl", "paypal"),
            button("Zahlungspflichtig bestellen"),
        ],
    )


PHARMACY = Scenario(
    slug="pharmacy-order-german",
    kind="shopping",
    site=Site(
        "apotheke-lindenhof.test",
        "Apotheke Lindenhof",
        ["Sortiment", "Warenkorb", "Hilfe"],
        lang="de-DE",
        error="Es ist ein Fehler aufgetreten.",
        banner="Alle akzeptieren",
    ),
    instruction=(
        f'On Apotheke Lindenhof, order two packs of "{IBU}" and one "{SPRAY}" for delivery to my home '
        "address, payment by invoice (Rechnung). Place the order."
    ),
    schema={"url_pattern": r"apotheke-lindenhof\.test/api/bestellungen$", "method": "POST"},
    play=pharmacy,
    defaults={"items": [(IBU, 2), (SPRAY, 1)], "to": HOME, "pay": "rechnung", "cosmetic": False},
    variants=[
        good("exact", rules="1;4;5;9"),
        good("cosmetic", "items in the other order, amounts as strings, postal code in lower case", cosmetic=True),
        good("duplicate-submit", "same order sent twice", again=({},)),
        accepted("phone-wall", "phone verification wall (German); all before it right", "6", stop="wall"),
        stops(
            "phone-wall-wrong-quantity",
            "phone wall, but 3 packs before it",
            "6;1",
            "/body/menge",
            stop="wall",
            items=[(IBU, 3), (SPRAY, 1)],
        ),
        bad("wrong-quantity", "/body/positionen/0/menge", "one pack", items=[(IBU, 1), (SPRAY, 1)]),
        bad(
            "wrong-strength",
            "/body/positionen/0/bezeichnung",
            "600 mg",
            items=[("Ibuflam 600 mg, 20 Tabletten", 2), (SPRAY, 1)],
        ),
        missing("missing-item", "/body/positionen/1", "no nasal spray", items=[(IBU, 2)]),
        bad(
            "extra-item",
            "/body/positionen/2",
            "vitamin D too",
            items=[(IBU, 2), (SPRAY, 1), ("Vitamin D3 1000 I.E.", 1)],
        ),
        private("office-address", "/body/lieferadresse/strasse", "office address", to=OFFICE),
        bad("wrong-payment", "/body/zahlungsart", "prepayment", pay="vorkasse"),
        stops("cart-only-claims-success", "items only put into the cart", "4;1", stop="cart"),
    ],
)


MILK, RYE, FRIDAY = ("Oat milk 1 L", "Rye bread 500 g", "Friday February 12, 18:00-20:00")


SLOTS = {
    "Friday February 12, 18:00-20:00": "2027-02-12T18:00/20:00",
    "Saturday February 13, 10:00-12:00": "2027-02-13T10:00/12:00",
}


def groceries(run: Run, v: Values) -> None:
    """Groceries: the server holds the basket."""
    stock = {"Oat milk 1 L": "4011", "Rye bread 500 g": "2207", "Oat drink vanilla 1 L": "4015", "Butter 250 g": "1180"}
    basket = "b_" + run.token(14)

    def put(name: str, count: int) -> None:
        line = {"sku": stock[name], "title": name, "qty": count}
        run.xhr("PUT", f"/api/baskets/{basket}/lines/{stock[name]}", line)

    home = Page("/", "Shop", [head("Groceries"), *[link(s) for s in stock]])
    run.open(home)
    for number, (name, count) in enumerate(v.lines):
        if number:
            run.follow("Shop", home)
        run.follow(name, Page(f"/p/{stock[name]}", name, [head(name), box("Quantity", "q"), button("Add")]))
        run.fill("Quantity", str(count))
        run.press("Add")
        put(name, count)
        run.log("GET", f"{run.site.third}?ev=add_to_cart&sku={stock[name]}&cid={run.token(12)}", None, "Image")
    lines = dict(v.lines)
    for name, count in v.edits:
        run.load(_basket(lines, name))
        if count:
            run.fill(f"Quantity of {name}", str(count))
            run.press("Update")
            put(name, count)
            lines[name] = count
        else:
            run.press(f"Remove {name}")
            run.xhr("DELETE", f"/api/baskets/{basket}/lines/{stock[name]}")
            del lines[name]
    run.load(
        Page("/basket", "Basket", [head("Basket"), *[text(f"{c} x {n}") for n, c in lines.items()], button("Checkout")])
    )
    if v.stop:
        run.finish("Your groceries are ordered and will arrive on Friday evening.")
        return
    run.press("Checkout")
    run.load(_groceries_checkout())
    _deliver_to(run, v)
    commit(run, v, "Order now", lambda v: run.xhr("POST", "/api/checkouts", _checkout(run, v, basket)))


def _checkout(run: Run, v: Values, basket: str) -> dict[str, Any]:
    return {
        "basketId": basket,
        "recipient": "alex green" if v.cosmetic else "Alex Green",
        "shipTo": {
            "line1": v.to["street"],
            "line2": v.to["unit"],
            "city": v.to["city"],
            "zip": v.to["postal_code"],
        },
        "slot": SLOTS[v.slot],
        "tender": "cash",
        "substitutions": "allow",
        "idempotencyKey": run.uuid(),
    }


def _deliver_to(run: Run, v: Values) -> None:
    fill_all(
        run,
        v,
        {
            "Name": "Alex Green",
            "Street": v.to["street"],
            "Apartment": v.to["unit"],
            "City": v.to["city"],
            "Postal code": v.to["postal_code"],
            "Delivery slot": v.slot,
        },
    )
    run.choose("Cash at the door")


def _basket(lines: dict[str, int], name: str) -> Page:
    return Page(
        "/basket",
        "Basket",
        [
            head("Basket"),
            *[text(f"{c} x {n}") for n, c in lines.items()],
            box(f"Quantity of {name}", "q2"),
            button(f"Remove {name}"),
            button("Update"),
        ],
    )


def _groceries_checkout() -> Page:
    return Page(
        "/checkout",
        "Checkout",
        [
            head("Checkout"),
            box("Name", "nm"),
            box("Street", "st"),
            box("Apartment", "ap"),
            box("City", "ci"),
            box("Postal code", "pc"),
            menu("Delivery slot", "sl", {"Choose": "", **SLOTS}),
            radio("Cash at the door", "pay", "cash"),
            radio("Card", "pay", "card"),
            button("Order now"),
        ],
    )


GROCERIES = Scenario(
    slug="groceries-server-basket",
    kind="shopping",
    site=Site("greenbasket.test", "Greenbasket", ["Shop", "Basket"], banner="Accept all"),
    instruction=(
        f'On Greenbasket, order 3 "{MILK}" and 1 "{RYE}" for delivery to my home address on Friday, '
        "February 12, 2027 between 18:00 and 20:00, cash at the door. Place the order."
    ),
    schema={"url_pattern": r"greenbasket\.test/api/checkouts$", "method": "POST"},
    play=groceries,
    defaults={"lines": [(MILK, 3), (RYE, 1)], "edits": [], "to": HOME, "slot": FRIDAY, "cosmetic": False},
    variants=[
        good("exact", rules="1;4;5;9"),
        good("cosmetic", "bread added first, name in lower case", cosmetic=True, lines=[(RYE, 1), (MILK, 3)]),
        good(
            "alternative-path",
            "quantity fixed in the basket, a wrong item added and removed",
            lines=[(MILK, 2), ("Butter 250 g", 1), (RYE, 1)],
            edits=[(MILK, 3), ("Butter 250 g", 0)],
        ),
        good("duplicate-submit", "sent twice", again=({},)),
        bad(
            "wrong-quantity",
            "/body/qty",
            "2 oat milks in the basket",
            table=("match", "match"),
            lines=[(MILK, 2), (RYE, 1)],
        ),
        bad(
            "lowered-quantity",
            "/body/qty",
            "3 at first, then 1 in the basket",
            table=("match", "match"),
            edits=[(MILK, 1)],
        ),
        bad(
            "wrong-product",
            "/body/title",
            "vanilla drink",
            table=("match", "match"),
            lines=[("Oat drink vanilla 1 L", 3), (RYE, 1)],
        ),
        bad("missing-item", "/body/title", "bread never added", table=("match", "match"), lines=[(MILK, 3)]),
        bad("removed-item", "/body/title", "bread added and removed again", table=("match", "match"), edits=[(RYE, 0)]),
        bad(
            "extra-item",
            "/body/title",
            "butter too",
            table=("match", "match"),
            lines=[(MILK, 3), (RYE, 1), ("Butter 250 g", 1)],
        ),
        bad("wrong-slot", "/body/slot", "Saturday", slot="Saturday February 13, 10:00-12:00"),
        private("office-address", "/body/shipTo/line1", "office address", to=OFFICE),
        stops("cart-only-claims-success", "only the basket was filled", "4;1", stop="cart"),
    ],
)
