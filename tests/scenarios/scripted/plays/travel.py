"""Journeys: a hotel room and a train seat."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from scripted.page import Page, Site, box, button, head, link, menu, radio, text
from scripted.scenario import Scenario, Values, bad, commit, fill_all, good, missing, private, stops
from scripted.session import Run


def hotel(run: Run, v: Values) -> None:
    """Hotel: JSON PUT, id of the hold in the URL."""
    towns = {"Hotel Marlowe Lisbon": "LIS-204", "Hotel Marlowe Porto": "OPO-117"}
    results = Page("/search?q=Marlowe", "Hotels", [head("2 properties"), *[link(t) for t in towns]])
    rooms = {"Queen room, city view": "QCV", "Queen room, courtyard": "QCY", "Twin room": "TWN"}
    page = _stay_form(v, rooms, towns)
    run.open(Page("/", "Welcome", [head("Find a place to stay"), link("Hotels"), text("Members save 10 %")]))
    run.follow("Hotels", results)
    if v.detour:
        run.follow(
            "Hotel Marlowe Porto",
            Page("/h/opo-117", "Hotel Marlowe Porto", [head("Hotel Marlowe Porto"), link("Hotels")]),
        )
        run.follow("Hotels", results)
    run.follow(v.hotel, page)
    fill_all(
        run,
        v,
        {"Check-in": v.check_in, "Check-out": v.check_out, "Adults": str(v.adults), "Room": v.room, "Board": v.board},
    )
    hold = f"HLD-{run.token(8).upper()}"
    board = page.items[5].options.get(v.board, "RO")
    stay = {"checkIn": v.sent_in or v.check_in, "checkOut": v.sent_out or v.check_out}
    base = {
        "hotel": {"id": towns[v.hotel], "name": v.hotel},
        "room": {"code": rooms[v.room], "name": v.room},
        "stay": stay,
        "guests": {"adults": v.sent_adults or v.adults, "children": 0},
        "board": board,
    }
    run.press("Hold this room")
    run.xhr("POST", "/api/holds", {**base, "ttl": 900})
    guest = _guest_form(v, hold)
    run.load(guest)
    if v.stop == "hold":
        run.finish("Your room at the Hotel Marlowe is booked for March 12 to 15. Enjoy Lisbon!")
        return
    fill_all(run, v, {"Given name": v.given, "Family name": "Green", "E-mail": run.email})
    run.choose("Pay at the hotel")

    def send(v: Values) -> bool:
        stay = {"checkIn": v.sent_in or v.check_in, "checkOut": v.sent_out or v.check_out}
        return run.xhr(
            "PUT",
            f"/api/reservations/{hold}",
            {
                **base,
                "stay": stay,
                "primaryGuest": {"givenName": v.given, "familyName": "Green", "email": run.email},
                "settlement": "at_property",
                "specialRequests": "",
                "holdToken": run.token(24),
                "locale": "en-GB",
                "clientTime": run.ms(),
            },
        )

    commit(run, v, "Complete booking", send)


def _stay_form(v: Values, rooms: dict[str, str], towns: dict[str, str]) -> Page:
    return Page(
        f"/h/{towns[v.hotel].lower()}",
        v.hotel,
        [
            head(v.hotel),
            box("Check-in", "ci"),
            box("Check-out", "co"),
            menu("Adults", "ad", ["1", "2", "3", "4"]),
            menu("Room", "rm", rooms),
            menu("Board", "bd", {"Room only": "RO", "Breakfast included": "BB", "Half board": "HB"}),
            button("Hold this room"),
        ],
    )


def _guest_form(v: Values, hold: str) -> Page:
    return Page(
        f"/book/{hold}",
        "Your details",
        [
            head("Your details"),
            text(f"{v.hotel}, {v.room}"),
            text(f"{v.check_in} to {v.check_out}, {v.adults} adults, {v.board or 'Room only'}"),
            box("Given name", "gn"),
            box("Family name", "fn"),
            box("E-mail", "em"),
            radio("Pay at the hotel", "settle", "at_property"),
            radio("Pay now", "settle", "prepaid"),
            button("Complete booking"),
        ],
    )


HOTEL = Scenario(
    slug="hotel-booking",
    kind="travel",
    site=Site("stayhaven.test", "StayHaven", ["Hotels", "Offers", "Account"], banner="Accept cookies"),
    instruction=(
        'On StayHaven, book the "Queen room, city view" at Hotel Marlowe Lisbon for 2 adults with '
        "breakfast, checking in on March 12, 2027 and checking out on March 15, 2027. Book in my name and "
        "pay at the hotel."
    ),
    schema={"url_pattern": r"stayhaven\.test/api/reservations/[A-Z0-9-]+$", "method": "PUT"},
    play=hotel,
    defaults={
        "hotel": "Hotel Marlowe Lisbon",
        "check_in": "2027-03-12",
        "check_out": "2027-03-15",
        "sent_in": "",
        "sent_out": "",
        "adults": 2,
        "sent_adults": None,
        "room": "Queen room, city view",
        "board": "Breakfast included",
        "given": "Alex",
    },
    variants=[
        good("exact"),
        good(
            "cosmetic",
            "dates as midnight instants, adults as a string",
            sent_in="2027-03-12T00:00:00.000Z",
            sent_out="2027-03-15T00:00:00.000Z",
            sent_adults="2",
        ),
        good(
            "alternative-path",
            "other hotel opened first, dates corrected before the hold",
            detour=True,
            typo={"Check-out": "2027-03-16"},
        ),
        good("duplicate-submit", "same booking sent twice after the blocked first try", again=({},)),
        bad("wrong-check-out", "/body/stay/checkOut", "leaves on March 16", check_out="2027-03-16"),
        bad("wrong-adults", "/body/guests/adults", "3 adults", adults=3),
        bad("wrong-room", "/body/room/name", "courtyard instead of city view", room="Queen room, courtyard"),
        bad("missing-breakfast", "/body/board", "room only, breakfast not chosen", board=None),
        bad("wrong-hotel", "/body/hotel/name", "the hotel in Porto", hotel="Hotel Marlowe Porto"),
        private("wrong-guest-name", "/body/primaryGuest/givenName", "booked for Alice Green", given="Alice"),
        bad(
            "wrong-commit-then-corrected",
            "/body/stay/checkIn",
            "first commit with March 11, second one right",
            sent_in="2027-03-11",
            again=({"sent_in": ""},),
        ),
        stops("hold-only-claims-success", "only the hold was placed, the booking never sent", stop="hold"),
    ],
)


def train(run: Run, v: Values) -> None:
    """Train seat with the passenger's details."""
    station = {"Toronto Union": "TRTO", "Ottawa": "OTTW"}
    run.open(
        Page("/", "Trains", [head("Search"), box("From", "fr"), box("To", "to"), box("Date", "da"), button("Search")])
    )
    fill_all(run, v, {"From": v.start, "To": v.end, "Date": v.date})
    run.press("Search")
    run.xhr("GET", f"/api/trips?from={station[v.start]}&to={station[v.end]}&date={v.date}")
    trips = {"08:05": "52", "12:40": "56"}
    run.load(Page("/trips", "Trips", [head("Trips"), *[button(f"{t} train {n}", f"t{n}") for t, n in trips.items()]]))
    run.press(f"{v.time} train {trips[v.time]}")
    run.load(_passenger_form())
    fill_all(
        run,
        v,
        {
            "First name": v.first,
            "Last name": "Green",
            "Date of birth": v.born,
            "Postal code": v.postal,
            "Class": v.cls,
            "Seat": v.seat,
        },
    )
    start = datetime.fromisoformat(f"{v.date}T{v.time}:00").replace(tzinfo=ZoneInfo("America/Toronto"))
    departs = start.astimezone(ZoneInfo("UTC")).isoformat().replace("+00:00", "Z") if v.utc else start.isoformat()
    order = {
        "journey": {
            "origin": station[v.start],
            "destination": station[v.end],
            "departure": departs,
            "trainNo": trips[v.time],
        },
        "travelClass": {"Second": "2", "First": "1"}[v.cls],
        "seatPreference": {"coach": "4", "seat": v.seat or "ANY"},
        "passengers": [
            {
                "type": "ADT",
                "firstName": v.first,
                "lastName": "Green",
                "birthDate": v.sent_born or v.born,
                "postcode": v.postal,
            }
        ],
    }
    if v.extra:
        order["passengers"].append(
            {"type": "ADT", "firstName": "Sam", "lastName": "Green", "birthDate": "1982-06-11", "postcode": v.postal}
        )
    run.press("Hold")
    run.xhr("POST", "/api/bookings/hold", {**order, "expires": 600})
    pnr = run.token(6).upper()
    run.show(f"Held for 10 minutes. Booking reference {pnr}")
    if v.stop:
        run.finish("Seat 14A on the 08:05 train to Ottawa is booked.")
        return
    commit(run, v, "Book", lambda v: run.xhr("POST", "/api/bookings", {**order, "pnr": pnr, "requestId": run.uuid()}))


def _passenger_form() -> Page:
    return Page(
        "/passenger",
        "Passenger",
        [
            head("Passenger"),
            box("First name", "fn"),
            box("Last name", "ln"),
            box("Date of birth", "dob"),
            box("Postal code", "pc"),
            menu("Class", "cl", {"Second": "2", "First": "1"}),
            menu("Seat", "se", {"Any": "", "14A": "14A", "14B": "14B", "15A": "15A"}),
            button("Hold"),
            button("Book"),
        ],
    )


TRAIN = Scenario(
    slug="train-seat",
    kind="travel",
    site=Site("railnova.test", "Railnova", ["Trains", "My trips"]),
    instruction=(
        "On Railnova, book seat 14A in second class on the 08:05 train from Toronto Union to Ottawa on May "
        "20, 2027 for me; use my legal name, my date of birth and my home postal code."
    ),
    schema={"url_pattern": r"railnova\.test/api/bookings$", "method": "POST"},
    play=train,
    defaults={
        "start": "Toronto Union",
        "end": "Ottawa",
        "date": "2027-05-20",
        "time": "08:05",
        "first": "Alex",
        "born": "1980-05-01",
        "sent_born": "",
        "postal": "M5S 2H7",
        "cls": "Second",
        "seat": "14A",
        "utc": False,
        "extra": False,
    },
    variants=[
        good("exact"),
        good(
            "cosmetic",
            "departure in UTC, birth date in words, postal code without space",
            utc=True,
            sent_born="1 May 1980",
            postal="M5S2H7",
        ),
        good("corrected-before-submit", "seat corrected", typo={"Seat": "15A"}),
        good("duplicate-submit", "sent twice", again=({},)),
        private("wrong-birth-date", "/body/passengers/0/birthDate", "January 5, 1980", born="1980-01-05"),
        private("wrong-postal-code", "/body/passengers/0/postcode", "office postal code", postal="M5T 1X5"),
        bad("wrong-seat", "/body/seatPreference/seat", "14B", seat="14B"),
        missing("missing-seat", "/body/seatPreference/seat", "any seat", seat=None),
        bad("wrong-date", "/body/journey/departure", "May 21", date="2027-05-21"),
        bad("wrong-train", "/body/journey/trainNo", "12:40 train", time="12:40"),
        bad("first-class", "/body/travelClass", "first class", cls="First"),
        bad("swapped-stations", "/body/journey/origin", "Ottawa to Toronto", start="Ottawa", end="Toronto Union"),
        bad("extra-passenger", "/body/passengers/1", "a second passenger", extra=True),
        stops("hold-only-claims-success", "seat only held", stop="hold"),
    ],
)
