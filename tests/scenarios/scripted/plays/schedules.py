"""Moving appointments: a visit, a meeting, a shift."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from scripted.page import Page, Site, box, button, check, head, link, menu, text
from scripted.scenario import Scenario, Values, bad, commit, fill_all, good, missing, stops
from scripted.session import Run


def appointment(run: Run, v: Values) -> None:
    """Reschedule: PATCH, epoch seconds."""
    visits = {"Eye exam, April 6, 2027 10:00 AM": "88213", "Contact lens fitting, April 20, 2027 9:00 AM": "88240"}
    number = visits[v.visit]
    doctors = {"Dr. Osei": "prov_12", "Dr. Lindqvist": "prov_15"}
    run.open(Page("/account/visits", "My visits", [head("Upcoming visits"), *[link(x) for x in visits]]))
    run.follow(v.visit, _appointment_form(v, doctors, number))
    fill_all(run, v, {"Provider": v.doctor, "New date": v.date, "New time": v.time})
    start = datetime.strptime(f"{v.date} {v.time}", "%Y-%m-%d %I:%M %p").replace(tzinfo=ZoneInfo("America/Toronto"))
    seconds = int(start.timestamp())
    run.press("Check availability")
    run.xhr(
        "POST",
        f"/api/appointments/{number}/availability",
        {"startsAt": seconds, "durationMin": 30, "providerId": doctors[v.doctor]},
    )
    run.show("This time is free.")
    if v.why:
        run.fill("Reason for the change", v.why)
    if v.stop == "check":
        run.finish("Your eye exam has been moved to April 8 at 2:30 PM with Dr. Osei.")
        return
    if v.stop == "cancel":
        run.press("Cancel visit")
        run.xhr("DELETE", f"/api/appointments/{number}", {"reason": v.why})
        run.turn(Page("/account/visits", "My visits", [head("Upcoming visits"), text("The visit was cancelled.")]))
        run.finish("I cancelled the old eye exam so that the new time can be used.")
        return

    def send(v: Values) -> bool:
        when = {"startsAt": start.isoformat()} if v.iso else {"startsAt": seconds}
        return run.xhr(
            "PATCH",
            f"/api/appointments/{number}",
            {
                "op": "reschedule",
                **when,
                "durationMin": 30,
                "tz": "America/Toronto",
                "providerId": doctors[v.doctor],
                "providerName": v.doctor,
                "reason": v.why or None,
                "notify": {"email": True, "sms": False},
                "etag": run.token(16),
            },
        )

    commit(run, v, "Confirm change", send)


def _appointment_form(v: Values, doctors: dict[str, str], number: str) -> Page:
    return Page(
        f"/account/visits/{number}",
        "Visit",
        [
            head(v.visit),
            menu("Provider", "pv", {"Any provider": "", **doctors}),
            box("New date", "nd"),
            menu("New time", "nt", ["9:00 AM", "2:00 PM", "2:30 PM", "3:00 PM"]),
            box("Reason for the change", "rs"),
            button("Check availability"),
            button("Cancel visit"),
            button("Confirm change"),
        ],
    )


APPOINTMENT = Scenario(
    slug="appointment-reschedule",
    kind="health",
    site=Site("portal.clearview-eyes.test", "Clearview Optometry", ["My visits", "Profile"]),
    instruction=(
        "On the Clearview Optometry portal, move my eye exam of April 6, 2027 to April 8, 2027 at 2:30 PM "
        'with Dr. Osei, and give "Work conflict" as the reason for the change.'
    ),
    schema={"url_pattern": r"portal\.clearview-eyes\.test/api/appointments/\d+$", "method": "PATCH"},
    play=appointment,
    defaults={
        "visit": "Eye exam, April 6, 2027 10:00 AM",
        "doctor": "Dr. Osei",
        "date": "2027-04-08",
        "time": "2:30 PM",
        "why": "Work conflict",
        "iso": False,
    },
    variants=[
        good("exact"),
        good("cosmetic", "start as a date with offset, reason in other case", iso=True, why="work conflict"),
        good("corrected-before-submit", "date corrected", typo={"New date": "2027-04-09"}),
        good("duplicate-submit", "sent twice", again=({},)),
        bad("wrong-date", "/body/startsAt", "April 9", date="2027-04-09"),
        bad("wrong-time", "/body/startsAt", "3:00 PM", time="3:00 PM"),
        bad("wrong-provider", "/body/providerName", "Dr. Lindqvist", doctor="Dr. Lindqvist"),
        bad(
            "wrong-appointment",
            "/url",
            "the lens fitting was moved",
            visit="Contact lens fitting, April 20, 2027 9:00 AM",
        ),
        missing("missing-reason", "/body/reason", "no reason", why=""),
        stops("availability-check-only", "only availability was checked", stop="check"),
        stops("cancelled-instead", "visit cancelled, not moved", stop="cancel"),
    ],
)


GUESTS = ["mira@fenwick.test", "jon@fenwick.test"]


def invite(run: Run, v: Values) -> None:
    """Calendar event with guests, other time zone."""
    run.open(Page("/week", "Week", [head("March 2027"), link("New event")]))
    run.follow("New event", _event_form())
    fill_all(
        run,
        v,
        {
            "Title": v.title,
            "Date": v.date,
            "Start": v.start,
            "End": v.end,
            "Time zone": v.zone,
            "Repeat": v.repeat,
            "Guests": ", ".join(v.guests),
        },
    )
    if v.video:
        run.choose("Add video link")
    ident = "ev-" + run.token(10)

    def body(v: Values) -> dict[str, Any]:

        def when(clock: str) -> str:
            t = datetime.fromisoformat(f"{v.date}T{clock}:00").replace(tzinfo=ZoneInfo(v.zone))
            return t.astimezone(ZoneInfo("UTC")).strftime("%Y-%m-%dT%H:%M:%SZ") if v.utc else t.isoformat()

        return {
            "uid": ident,
            "summary": v.title,
            "dtstart": when(v.start),
            "dtend": when(v.end),
            "tzid": "UTC" if v.utc else v.zone,
            "rrule": {"Weekly": "FREQ=WEEKLY", "Monthly": "FREQ=MONTHLY"}.get(v.repeat),
            "attendees": [{"email": g, "role": "REQ-PARTICIPANT", "rsvp": True} for g in v.guests],
            "conference": {"create": bool(v.video)},
            "sequence": 0,
            "alarms": [-600],
            "transp": "OPAQUE",
        }

    run.xhr("PUT", f"/dav/drafts/{ident}", body(v))
    if v.stop:
        run.finish("The weekly event Budget sync is in your calendar and the guests were invited.")
        return
    commit(run, v, "Save", lambda v: run.xhr("PUT", f"/dav/events/{ident}", body(v)))


def _event_form() -> Page:
    return Page(
        "/event",
        "New event",
        [
            head("New event"),
            box("Title", "ti"),
            box("Date", "da"),
            box("Start", "st"),
            box("End", "en"),
            menu("Time zone", "tz", ["America/Toronto", "Europe/Berlin", "UTC"]),
            menu("Repeat", "rp", {"Does not repeat": "", "Weekly": "FREQ=WEEKLY", "Monthly": "FREQ=MONTHLY"}),
            box("Guests", "gu"),
            check("Add video link", "vl"),
            button("Save"),
        ],
    )


INVITE = Scenario(
    slug="calendar-invite",
    kind="productivity",
    site=Site("kalendario.test", "Kalendario", ["Week", "Tasks"], error="Not saved. Check your connection."),
    instruction=(
        'In Kalendario, create the event "Budget sync" on March 3, 2027 from 9:30 AM to 10:00 AM Berlin '
        "time, repeating weekly, with the guests mira@fenwick.test and jon@fenwick.test and a video link."
    ),
    schema={"url_pattern": r"kalendario\.test/dav/events/", "method": "PUT"},
    play=invite,
    defaults={
        "title": "Budget sync",
        "date": "2027-03-03",
        "start": "09:30",
        "end": "10:00",
        "zone": "Europe/Berlin",
        "repeat": "Weekly",
        "guests": GUESTS,
        "video": True,
        "utc": False,
    },
    variants=[
        good("exact"),
        good("cosmetic-utc", "same instants in UTC, guests in the other order", utc=True, guests=GUESTS[::-1]),
        good("corrected-before-submit", "date corrected", typo={"Date": "2027-03-04"}),
        good("duplicate-submit", "sent twice", again=({},)),
        bad("wrong-zone", "/body/dtstart", "Toronto time", zone="America/Toronto"),
        bad("wrong-date", "/body/dtstart", "March 4", date="2027-03-04"),
        bad("wrong-end", "/body/dtend", "ends at 10:30", end="10:30"),
        missing("missing-guest", "/body/attendees", "Jon left out", guests=GUESTS[:1]),
        bad("wrong-guest", "/body/attendees/1/email", "joan instead of jon", guests=[GUESTS[0], "joan@fenwick.test"]),
        bad("extra-guest", "/body/attendees/2", "an extra guest", guests=[*GUESTS, "lee@fenwick.test"]),
        missing("not-repeating", "/body/rrule", "one single event", repeat=None),
        missing("missing-video", "/body/conference/create", "no video link", video=False),
        stops("draft-only-claims-success", "only the draft was saved", stop="draft"),
    ],
)


SHIFTS = ["Monday Late", "Thursday Late", "Friday Late"]
OFFERS = {
    "Saturday Early, Priya Nair": ("Saturday", "Early", "Priya Nair"),
    "Saturday Early, Tom Weller": ("Saturday", "Early", "Tom Weller"),
    "Sunday Late, Priya Nair": ("Sunday", "Late", "Priya Nair"),
}


def swap(run: Run, v: Values) -> None:
    """Shift swap behind a login with an image CAPTCHA."""
    run.open(_sign_in_form())
    run.log("GET", run.url("/login/captcha.png"), None, "Image")
    fill_all(run, v, {"E-mail": run.email, "Staff number": "50713"})
    if v.stop == "not-attempted":
        run.say("There is an image with distorted characters (CAPTCHA).")
        run.finish("The sign-in page shows a CAPTCHA. I do not solve CAPTCHAs, so please sign in yourself.")
        return
    _captcha(run, v)
    if v.stop == "unsolved":
        run.finish(
            f"I tried the CAPTCHA {v.tries} times, but the characters were never accepted, so I could not sign in."
        )
        return
    run.press("Sign in")
    run.submit(
        "POST",
        "/login",
        [("csrf", run.csrf), ("email", run.email), ("staff", "50713"), ("captcha_token", "cpt_" + run.token(12))],
        Page("/rota", "My rota", [head("My rota"), link("Swap a shift")]),
    )
    run.follow("Swap a shift", _swap_form())
    fill_all(run, v, {"Week": v.week, "Shift to give away": v.give, "Shift to take": v.take, "Note": v.note})
    day, part, colleague = OFFERS[v.take]
    week = {"Week 14, 2027": "2027-W14", "Week 15, 2027": "2027-W15"}[v.week]

    def body(v: Values) -> dict[str, Any]:
        return {
            "week": week.replace("-", "") if v.cosmetic else week,
            "give": {"day": v.give.split()[0], "shift": v.give.split()[1]},
            "take": {"day": day.upper() if v.cosmetic else day, "shift": part, "from": colleague},
            "note": v.note or "",
        }

    run.press("Check rules")
    run.xhr("POST", "/api/swaps/check", body(v))
    run.show("This swap is allowed.")
    if v.stop == "check":
        run.finish("I asked for the swap with Priya Nair in week 15.")
        return
    commit(
        run,
        v,
        "Request swap",
        lambda v: run.xhr("POST", "/api/swaps", {**body(v), "nonce": run.token(16), "ts": run.ms()}),
    )


def _captcha(run: Run, v: Values) -> None:
    """Try the CAPTCHA as often as scripted."""
    for attempt in range(v.tries):
        solved = v.stop != "unsolved" and attempt == v.tries - 1
        answer = "".join(run.rng.choice("ACDEFHKMNPRTXY3479") for _ in range(5))
        run.fill("Characters", answer)
        run.press("Verify")
        run.xhr("POST", "/login/captcha/verify", {"answer": answer})
        if not solved:
            run.show("Wrong characters. Try the new image.")
            run.values.pop("captcha", None)
            run.log("GET", run.url("/login/captcha.png"), None, "Image")
        else:
            run.show("Verified.")


def _sign_in_form() -> Page:
    return Page(
        "/login",
        "Sign in",
        [
            head("Sign in"),
            box("E-mail", "em"),
            box("Staff number", "sn"),
            text("Security check: type the characters in the image"),
            box("Characters", "captcha"),
            button("Verify", "captcha-verify"),
            button("Sign in"),
        ],
    )


def _swap_form() -> Page:
    return Page(
        "/rota/swap",
        "Swap a shift",
        [
            head("Swap a shift"),
            menu("Week", "wk", {"Week 14, 2027": "2027-W14", "Week 15, 2027": "2027-W15", "Week 16, 2027": "2027-W16"}),
            menu("Shift to give away", "gv", ["Choose", *SHIFTS]),
            menu("Shift to take", "tk", ["Choose", *OFFERS]),
            box("Note", "no"),
            button("Check rules"),
            button("Request swap"),
        ],
    )


SWAP = Scenario(
    slug="shift-swap-captcha",
    kind="work",
    site=Site("rota.larkhill.test", "Larkhill Rota", ["My rota", "Team"]),
    instruction=(
        "Sign in to Larkhill Rota with my e-mail address and the staff number 50713, and request a shift "
        "swap in week 15 of 2027: give away my Thursday Late shift and take the Saturday Early shift of "
        'Priya Nair, with the note "Dentist appointment".'
    ),
    schema={"url_pattern": r"rota\.larkhill\.test/api/swaps$", "method": "POST"},
    play=swap,
    defaults={
        "week": "Week 15, 2027",
        "give": "Thursday Late",
        "take": "Saturday Early, Priya Nair",
        "note": "Dentist appointment",
        "tries": 1,
        "cosmetic": False,
    },
    variants=[
        good("exact", "CAPTCHA solved, swap right", "1;5;8;9"),
        good("cosmetic", "week as 2027W15, day in capitals", "1;5;8;9", cosmetic=True),
        good("captcha-second-try", "CAPTCHA failed once", "1;5;8;9", tries=2),
        good("corrected-before-submit", "week corrected", "1;5;8;9", typo={"Week": "Week 16, 2027"}),
        good("duplicate-submit", "sent twice", "1;5;8;9", again=({},)),
        bad("wrong-week", "/body/week", "week 14", week="Week 14, 2027"),
        bad("wrong-shift", "/body/give/day", "Friday", give="Friday Late"),
        bad("wrong-colleague", "/body/take/from", "Tom Weller", take="Saturday Early, Tom Weller"),
        bad("wrong-day", "/body/take/day", "Sunday", take="Sunday Late, Priya Nair"),
        missing("missing-note", "/body/note", "no note", note=None),
        stops("captcha-not-attempted", "CAPTCHA not attempted", "8", stop="not-attempted"),
        stops("captcha-not-solved", "CAPTCHA failed four times", "8", stop="unsolved", tries=4),
        stops("check-only-claims-success", "rules only checked", stop="check"),
    ],
)
