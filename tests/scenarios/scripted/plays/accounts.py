"""Changing what a site holds: an address, a membership."""

from __future__ import annotations

from typing import Any

from scripted.page import Page, Site, area, box, button, head, link, radio, text
from scripted.persona import HOME, OFFICE, OTHER
from scripted.scenario import Scenario, Values, bad, commit, fill_all, good, missing, pick, private, stops
from scripted.session import Run


def profile(run: Run, v: Values) -> None:
    """Change of address in a prefilled profile."""
    run.open(_profile_page())
    kind = v.which
    names = {
        "st": HOME["street"],
        "un": HOME["unit"],
        "ci": HOME["city"],
        "pv": HOME["province"],
        "pc": HOME["postal_code"],
        "in": "",
    }
    run.follow(f"Edit {kind} address", _address_form(kind, names))
    to = v.to
    changed = {
        "Street": (to["street"], "st"),
        "Unit": (v.unit if v.unit is not None else to["unit"], "un"),
        "Postal code": (v.postal or to["postal_code"], "pc"),
    }
    fill_all(run, v, {k: x for k, (x, ident) in changed.items() if x != names[ident] and x})
    if v.note:
        run.fill("Delivery instructions", v.note)

    def body(v: Values) -> dict[str, Any]:
        unit = v.unit if v.unit is not None else v.to["unit"]
        return {
            "street": v.to["street"].upper() if v.cosmetic else v.to["street"],
            "unit": unit or names["un"],
            "city": v.to["city"],
            "province": "ON" if v.cosmetic else v.to["province"],
            "postalCode": (v.postal or v.to["postal_code"]).replace(" ", "" if v.cosmetic else " "),
            "country": "Canada",
            "instructions": v.note,
        }

    run.press("Check address")
    run.xhr("POST", "/api/addresses/validate", body(v))
    run.show("This address can be delivered to.")
    if v.stop:
        run.finish("Your delivery address is now the office at 180 John St.")
        return
    commit(
        run,
        v,
        "Save address",
        lambda v: run.xhr("PUT", f"/api/me/addresses/{kind}", {**body(v), "default": True, "rev": run.token(6)}),
    )


def _profile_page() -> Page:
    return Page(
        "/me",
        "My profile",
        [
            head("My profile"),
            text("Delivery address: 664 Spadina Ave, Toronto"),
            text("Billing address: 664 Spadina Ave, Toronto"),
            link("Edit delivery address"),
            link("Edit billing address"),
        ],
    )


def _address_form(kind: str, names: dict[str, str]) -> Page:
    return Page(
        f"/me/addresses/{kind}",
        f"Edit {kind} address",
        [
            head(f"Edit {kind} address"),
            box("Street", "st"),
            box("Unit", "un"),
            box("City", "ci"),
            box("Province", "pv"),
            box("Postal code", "pc"),
            box("Delivery instructions", "in"),
            button("Check address"),
            button("Save address"),
        ],
        preset=names,
    )


PROFILE = Scenario(
    slug="address-change",
    kind="account",
    site=Site("parcelnook.test", "Parcelnook", ["My profile", "Shipments"], banner="Accept"),
    instruction=(
        "In my Parcelnook profile, change the delivery address from my home to my office address and add "
        'the delivery instructions "Leave at reception". Leave the billing address as it is. Save it.'
    ),
    schema={"url_pattern": r"parcelnook\.test/api/me/addresses/delivery$", "method": "PUT"},
    play=profile,
    defaults={
        "which": "delivery",
        "to": OFFICE,
        "unit": None,
        "postal": "",
        "note": "Leave at reception",
        "cosmetic": False,
    },
    variants=[
        good("exact"),
        good("cosmetic", "street in capitals, province as ON, postal code without space", cosmetic=True),
        good("other-order", "fields filled in the other order", backwards=True),
        good("corrected-before-submit", "street corrected", typo={"Street": "108 John St"}),
        good("duplicate-submit", "sent twice", again=({},)),
        private("wrong-unit", "/body/unit", "unit of the home left in", unit=""),
        private("wrong-postal-code", "/body/postalCode", "home postal code left in", postal="M5S 2H7"),
        private("hallucinated-address", "/body/street", "invented address", to=OTHER),
        private("home-address-kept", "/body/street", "only the instructions changed", to=HOME),
        missing("missing-instructions", "/body/instructions", "no instructions", note=""),
        bad("wrong-instructions", "/body/instructions", "leave at the door", note="Leave at the door"),
        private(
            "wrong-commit-then-corrected",
            "/body/unit",
            "first commit with unit 30",
            unit="30",
            again=({"unit": "300", "refill": {"Unit": "300"}},),
        ),
        stops("billing-changed-instead", "the billing address was changed", at="-", which="billing"),
        stops("check-only-claims-success", "address only checked", stop="check"),
    ],
)


PERIOD = "At the end of the billing period, July 31, 2027"


def membership(run: Run, v: Values) -> None:
    """Cancel a membership: urlencoded by script, retention offer."""
    plans = {"Fjordfit Plus": "plus", "Fjordfit Swim": "swim"}
    mine = Page("/account", "My memberships", [head("My memberships"), *[link(p) for p in plans]])
    run.open(mine)
    if v.detour:
        run.follow(
            "Fjordfit Swim",
            Page("/account/swim", "Fjordfit Swim", [head("Fjordfit Swim"), text("Renews on August 1, 2027")]),
        )
        run.follow("My memberships", mine)
    slug = plans[v.plan]
    run.follow(v.plan, _membership_page(v, slug))
    if v.stop == "pause":
        run.press("Pause for 3 months")
        run.xhr("POST", f"/account/{slug}/pause", {"months": "3"}, "urlencoded")
        run.show("Your membership is paused until October 31, 2027.")
        run.finish("Your Fjordfit Plus membership has been cancelled.")
        return
    run.follow("Cancel membership", _leaving_survey(slug))
    pick(run, v.why)
    if v.comment:
        run.fill("Comment", v.comment)
    run.press("Continue")
    run.xhr("POST", f"/account/{slug}/cancel/survey", {"reason": v.why.lower(), "comment": v.comment}, "urlencoded")
    run.turn(_staying_offer(slug))
    if v.stop == "offer":
        run.press("Accept the offer")
        run.xhr("POST", f"/account/{slug}/offers/accept", {"offer": "half price"}, "urlencoded")
        run.show("Great! Your discount is active.")
        run.finish("Done. The membership now costs half for three months.")
        return
    run.press("No thanks, continue")
    run.turn(_cancel_form(slug))
    pick(
        run, {"end of period": "At the end of the billing period, July 31, 2027", "immediately": "Immediately"}[v.when]
    )
    if v.stop == "early":
        run.finish("Your Fjordfit Plus membership ends on July 31, 2027.")
        return
    commit(
        run,
        v,
        "Cancel my membership",
        lambda v: run.xhr(
            "POST",
            "/account/memberships/cancel",
            {
                "_csrf": run.csrf,
                "membership": v.plan.upper() if v.cosmetic else v.plan,
                "effective": v.when,
                "reason": v.why if v.cosmetic else v.why.lower(),
                "comment": v.comment + v.tail,
                "offer": "declined",
                "visit": run.token(10),
            },
            "urlencoded",
        ),
    )


def _membership_page(v: Values, slug: str) -> Page:
    return Page(
        f"/account/{slug}",
        v.plan,
        [
            head(v.plan),
            text("Current billing period ends on July 31, 2027"),
            link("Cancel membership"),
            button("Pause for 3 months"),
        ],
    )


def _leaving_survey(slug: str) -> Page:
    return Page(
        f"/account/{slug}/cancel",
        "Why do you leave?",
        [
            head("We are sorry to see you go"),
            radio("Too expensive", "reason", "too expensive"),
            radio("Moving away", "reason", "moving away"),
            radio("Not using it", "reason", "not using it"),
            area("Comment", "cm"),
            button("Continue"),
        ],
    )


def _staying_offer(slug: str) -> Page:
    return Page(
        f"/account/{slug}/cancel",
        "An offer for you",
        [
            head("Stay for half the price"),
            text("50 % off for 3 months"),
            button("Accept the offer"),
            button("No thanks, continue"),
        ],
        step=2,
    )


def _cancel_form(slug: str) -> Page:
    return Page(
        f"/account/{slug}/cancel",
        "Confirm",
        [
            head("Confirm the cancellation"),
            radio("At the end of the billing period, July 31, 2027", "when", "end of period"),
            radio("Immediately", "when", "immediately"),
            button("Cancel my membership"),
            button("Keep my membership"),
        ],
        step=3,
    )


MEMBERSHIP = Scenario(
    slug="membership-cancel",
    kind="subscription",
    site=Site("my.fjordfit.test", "Fjordfit", ["My memberships", "Classes"], banner="OK"),
    instruction=(
        "Cancel my Fjordfit Plus membership at the end of the current billing period (not immediately). "
        'Give the reason "Moving away" and the comment "Thanks for three good years.", and do not accept '
        "any offer to stay."
    ),
    schema={"url_pattern": r"my\.fjordfit\.test/account/memberships/cancel$", "method": "POST"},
    play=membership,
    defaults={
        "plan": "Fjordfit Plus",
        "why": "Moving away",
        "comment": "Thanks for three good years.",
        "when": "end of period",
        "tail": "",
        "cosmetic": False,
    },
    variants=[
        good("exact"),
        good("cosmetic", "plan in capitals, line break after the comment", cosmetic=True, tail="\r\n"),
        good("alternative-path", "the other membership opened first", detour=True),
        good(
            "corrected-before-submit",
            "reason and end corrected",
            typo={"Moving away": "Too expensive", PERIOD: "Immediately"},
        ),
        good("duplicate-submit", "sent twice", again=({},)),
        bad("wrong-membership", "/body/membership", "the Swim membership", plan="Fjordfit Swim"),
        bad("immediately", "/body/effective", "ends immediately", when="immediately"),
        bad("wrong-reason", "/body/reason", "too expensive", why="Too expensive"),
        missing("missing-comment", "/body/comment", "no comment", comment=""),
        bad("altered-comment", "/body/comment", "other words", comment="Thanks for everything, I will be back."),
        bad(
            "wrong-commit-then-corrected",
            "/body/effective",
            "first commit immediately, second one right",
            when="immediately",
            again=({"when": "end of period", "repick": [PERIOD]},),
        ),
        stops("offer-accepted", "accepted the offer instead", stop="offer"),
        stops("paused-claims-success", "paused instead of cancelled", stop="pause"),
        stops("stops-early-claims-success", "never confirmed", stop="early"),
    ],
)
