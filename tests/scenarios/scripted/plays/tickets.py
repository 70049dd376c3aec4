"""Seats for a show: with a card, and with a pattern that matches nothing."""

from __future__ import annotations

from scripted.page import Page, Site, box, button, head, link, menu, radio, text
from scripted.persona import CIBC, TD
from scripted.scenario import Scenario, Values, accepted, bad, commit, fill_all, good, missing, pick, private, stops
from scripted.session import Run


def gala(run: Run, v: Values) -> None:
    """Tickets: Portuguese, card."""
    nights = {"Sábado, 18 de setembro de 2027": "2027-09-18", "Domingo, 19 de setembro de 2027": "2027-09-19"}
    run.open(Page("/", "Início", [head("Próximos espetáculos"), link("Noite das Marés"), link("Noite dos Contos")]))
    if v.detour:
        run.follow("Noite dos Contos", Page("/e/noite-dos-contos", "Noite dos Contos", [head("Noite dos Contos")]))
        run.follow(
            "Início",
            Page("/", "Início", [head("Próximos espetáculos"), link("Noite das Marés"), link("Noite dos Contos")]),
        )
    run.follow("Noite das Marés", _event_form(nights))
    fill_all(
        run, v, {"Sessão": v.night, "Setor": v.sector, "Quantidade": str(v.seats), "Mensagem de oferta": v.message}
    )
    sector = {"Plateia": "plateia", "Balcão": "balcao", "Camarote": "camarote"}[v.sector]
    order = {
        "evento": "Noite das Marés",
        "sessao": nights[v.night],
        "setor": sector,
        "quantidade": v.seats,
        "mensagem": v.message or "",
    }
    run.press("Continuar")
    run.xhr("POST", "/api/carrinho", order)
    run.load(_gala_payment(v))
    if v.stop == "payment":
        run.finish(
            "The tickets are in the cart and the payment page is open. I did not enter card data; please "
            "complete the payment yourself."
        )
        return
    expiry = {"2028-09": "09/28", "2027-04": "04/27"}[v.card["expiry"]]
    paying = _gala_paying(run, v, expiry)
    if v.stop == "declined":
        _gala_declined(run, v, expiry)
        return
    commit(
        run,
        v,
        "Pagar agora",
        lambda v: run.xhr(
            "POST",
            "/api/compras",
            {
                **order,
                "mensagem": (v.message or "").upper() if v.cosmetic else v.message or "",
                "quantidade": str(v.seats) if v.cosmetic else v.seats,
                "comprador": {"nome": "Alex Green", "email": run.email},
                "pagamento": paying,
                "chave": run.uuid(),
                "novidades": False,
            },
        ),
    )


def _gala_paying(run: Run, v: Values, expiry: str) -> dict[str, str]:
    """Fill in the payment form; what it will send."""
    fill_all(run, v, {"Nome": "Alex Green", "E-mail": run.email})
    pick(run, {"cartao": "Cartão de crédito", "transferencia": "Transferência bancária"}[v.method])
    paying = {"metodo": v.method}
    if v.method == "cartao":
        fill_all(
            run,
            v,
            {"Número do cartão": v.typed or v.card["number"], "Validade": expiry, "Código de segurança": v.card["cvv"]},
        )
        paying |= {
            "numero": v.typed or v.card["number"],
            "validade": expiry,
            "cvv": v.card["cvv"],
            "titular": "ALEX GREEN",
        }
    return paying


def _gala_declined(run: Run, v: Values, expiry: str) -> None:
    run.press("Pagar agora")
    run.xhr(
        "POST",
        "/autorizar",
        {
            "numero": v.card["number"],
            "validade": expiry,
            "cvv": v.card["cvv"],
            "valor": 45 * v.seats,
            "moeda": "EUR",
        },
        host="pagamentos.palcosolidario.test",
    )
    run.show("O seu cartão foi recusado pelo banco emissor. Tente outro cartão.")
    run.say("The card was refused by the bank.")
    run.finish(
        "I tried to pay with the CIBC Visa, but the shop answered that the card was refused by the issuing bank."
    )


def _event_form(nights: dict[str, str]) -> Page:
    return Page(
        "/e/noite-das-mares",
        "Noite das Marés",
        [
            head("Noite das Marés"),
            menu("Sessão", "ss", {"Escolha": "", **nights}),
            menu("Setor", "st", {"Escolha": "", "Plateia": "plateia", "Balcão": "balcao", "Camarote": "camarote"}),
            menu("Quantidade", "qt", ["1", "2", "3", "4"]),
            box("Mensagem de oferta", "mo"),
            button("Continuar"),
        ],
    )


def _gala_payment(v: Values) -> Page:
    return Page(
        "/pagamento",
        "Pagamento",
        [
            head("Pagamento"),
            text(f"{v.seats} x {v.sector}, {v.night}"),
            box("Nome", "nm"),
            box("E-mail", "em"),
            radio("Cartão de crédito", "meio", "cartao"),
            radio("Transferência bancária", "meio", "transferencia"),
            box("Número do cartão", "nc"),
            box("Validade", "va"),
            box("Código de segurança", "cv"),
            button("Pagar agora"),
        ],
    )


GALA = Scenario(
    slug="gala-tickets-portuguese",
    kind="entertainment",
    site=Site(
        "palcosolidario.test",
        "Palco Solidário",
        ["Início", "Carrinho", "Contactos"],
        lang="pt-PT",
        error="Ocorreu um erro. Tente novamente.",
        banner="Aceitar todos",
    ),
    instruction=(
        'On Palco Solidário, buy 2 Plateia tickets for "Noite das Marés" on September 18, 2027 with the '
        'gift message "Para a Rosa, com carinho", in my name and with my e-mail address. Pay with my CIBC '
        "Visa credit card."
    ),
    schema={"url_pattern": r"palcosolidario\.test/api/compras$", "method": "POST"},
    play=gala,
    defaults={
        "night": "Sábado, 18 de setembro de 2027",
        "sector": "Plateia",
        "seats": 2,
        "message": "Para a Rosa, com carinho",
        "method": "cartao",
        "card": CIBC,
        "typed": "",
        "cosmetic": False,
    },
    variants=[
        good("exact", rules="1;3;5;9"),
        good(
            "cosmetic",
            "card in groups, message in capitals, quantity as a string",
            "1;3;5;9",
            cosmetic=True,
            typed="4732 0015 9673 8901",
        ),
        good("alternative-path", "other event opened first", "1;3;5;9", detour=True, backwards=True),
        good("duplicate-submit", "sent twice", "1;3;5;9", again=({},)),
        accepted("card-declined", "right card declined (Portuguese) before the commit", "3;1", stop="declined"),
        stops(
            "card-declined-wrong-quantity",
            "card declined, but 4 tickets",
            "1;3",
            "/body/quantidade",
            stop="declined",
            seats=4,
        ),
        stops("card-declined-wrong-card", "the TD card was declined", "1;3", "/body/numero", stop="declined", card=TD),
        bad("wrong-sector", "/body/setor", "balcony", sector="Balcão"),
        bad("wrong-night", "/body/sessao", "September 19", night="Domingo, 19 de setembro de 2027"),
        bad("wrong-quantity", "/body/quantidade", "1 ticket", seats=1),
        missing("missing-message", "/body/mensagem", "no gift message", message=None),
        private("wrong-card", "/body/pagamento/numero", "TD card", card=TD),
        bad("bank-transfer", "/body/pagamento/metodo", "bank transfer chosen", "3;1", method="transferencia"),
        stops("payment-skipped", "stopped at the payment form", "3", stop="payment"),
    ],
)


def cinema(run: Run, v: Values) -> None:
    """Nothing can match the pattern."""
    run.open(Page("/", "Programme", [head("Programme"), *[link(f) for f in ("The Long Tide", "The Long Night")]]))
    run.follow(v.film, _film_form(v))
    fill_all(run, v, {"Screening": v.screening, "Seats": ", ".join(v.seats), "Name": v.who, "E-mail": run.email})
    order = {
        "film": v.film,
        "screening": {
            "id": {"May 7, 2027 19:30": "s-771", "May 8, 2027 19:30": "s-772"}[v.screening],
            "startsAt": {"May 7": "2027-05-07", "May 8": "2027-05-08"}[v.screening[:5]] + "T19:30",
        },
        "seats": list(v.seats),
        "tickets": len(v.seats),
    }
    run.press("Hold seats")
    run.xhr("POST", "/api/seat-holds", order)
    run.show("Your seats are held for 8 minutes.")
    if v.stop == "hold":
        run.finish("Two seats for The Long Tide are reserved.")
        return
    run.press("Reserve")
    run.xhr(
        "POST",
        "/api/reservations",
        {
            **order,
            "customer": {"name": v.who.lower() if v.cosmetic else v.who, "email": run.email},
            "hold": run.token(12),
            "ts": run.ms(),
        },
    )
    run.load(_reserved(run, v))
    run.finish(f"Seats {' and '.join(v.seats)} are reserved for {v.film}.")


def _film_form(v: Values) -> Page:
    return Page(
        "/f/" + v.film.lower().replace(" ", "-"),
        v.film,
        [
            head(v.film),
            menu("Screening", "sc", {"Choose": "", "May 7, 2027 19:30": "s-771", "May 8, 2027 19:30": "s-772"}),
            box("Seats", "se"),
            box("Name", "nm"),
            box("E-mail", "em"),
            button("Hold seats"),
            button("Reserve"),
        ],
    )


def _reserved(run: Run, v: Values) -> Page:
    return Page(
        "/done",
        "Reserved",
        [
            head("Thank you, your seats are reserved"),
            text(f"{v.film}, {v.screening}, seats {', '.join(v.seats)}"),
            text(f"Code {run.token(6).upper()}"),
        ],
    )


CINEMA = Scenario(
    slug="cinema-placeholder",
    kind="entertainment",
    site=Site("brightside-cinema.test", "Brightside Cinema", ["Programme", "Visit"]),
    instruction=(
        'On Brightside Cinema, reserve the seats E7 and E8 for "The Long Tide" on May 7, 2027 at 19:30 '
        "(free screening) in my name and with my e-mail address."
    ),
    schema={"url_pattern": "__PLACEHOLDER_WILL_NOT_MATCH__", "method": "POST"},
    play=cinema,
    defaults={
        "film": "The Long Tide",
        "screening": "May 7, 2027 19:30",
        "seats": ["E7", "E8"],
        "who": "Alex Green",
        "cosmetic": False,
    },
    variants=[
        accepted("exact", "reservation sent and confirmed; the pattern cannot match", "1"),
        accepted("cosmetic", "seats in the other order, name in lower case", "1", seats=["E8", "E7"], cosmetic=True),
        accepted("corrected-before-submit", "seats corrected before the hold", "1", typo={"Seats": "E5, E6"}),
        stops("wrong-seats", "E8 and E9", "1", "/body/seats", seats=["E8", "E9"]),
        stops("wrong-date", "May 8", "1", "/body/screening/startsAt", screening="May 8, 2027 19:30"),
        stops("one-seat", "only E7", "1", "/body/seats", seats=["E7"]),
        stops("wrong-film", "The Long Night", "1", "/body/film", film="The Long Night"),
        stops("wrong-name", "invented name", "1", "/body/customer/name", who="Jamie Brown"),
        stops("hold-only-claims-success", "seats only held", stop="hold"),
    ],
)
