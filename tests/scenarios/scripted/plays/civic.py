"""A poll and a petition: commits by GET."""

from __future__ import annotations

from scripted.bodies import Fields
from scripted.page import Page, Site, area, box, button, check, head, link, menu, radio, text
from scripted.scenario import Scenario, Values, bad, fill_all, good, missing, pick, private, stops
from scripted.session import Run


def vote(run: Run, v: Values) -> None:
    """Vote: GET with parameters."""
    polls = {"Summer street plan": "p-31", "Winter street plan": "p-27"}
    options = {"Option A: More benches": "A", "Option B: Food stalls": "B", "Option C: Extend the bike lane": "C"}
    home = Page("/", "Polls", [head("Open polls"), *[link(p) for p in polls]])
    run.open(home)
    if v.detour:
        run.follow(
            "Winter street plan", Page("/polls/p-27", "Winter street plan", [head("Winter street plan"), link("Polls")])
        )
        run.follow("Polls", home)
    page = _ballot(v, options, polls)
    run.follow(v.poll, page)
    fill_all(run, v, {"First choice": v.first, "Second choice": v.second, "Postal code": v.postal})
    params = [
        ("poll", polls[v.poll]),
        ("first", options[v.first]),
        ("second", options.get(v.second, "")),
        ("postal", v.postal),
        ("csrf", run.csrf),
    ]
    if v.extra:
        params = [("utm_source", "newsletter"), ("utm_campaign", "feb"), *params, ("_ts", str(run.ms()))]
    if v.stop == "preview" or v.detour:
        run.press("Preview")
        run.submit(
            "GET",
            "/vote/preview",
            params,
            Page(page.path + "/preview", "Preview", [head("Your choices"), text(v.first), button("Cast vote")]),
        )
    if v.stop:
        run.finish(f'Your vote in the poll "{v.poll}" has been cast.')
        return
    run.press("Cast vote")
    run.submit("GET", "/vote/cast", params)


def _ballot(v: Values, options: dict[str, str], polls: dict[str, str]) -> Page:
    return Page(
        f"/polls/{polls[v.poll]}",
        v.poll,
        [
            head(v.poll),
            menu("First choice", "c1", {"Choose": "", **options}),
            menu("Second choice", "c2", {"No second choice": "", **options}),
            box("Postal code", "pc"),
            button("Preview"),
            button("Cast vote"),
        ],
    )


VOTE = Scenario(
    slug="poll-vote-get",
    kind="civic",
    site=Site("townsquare.test", "Townsquare", ["Polls", "News"], scheme="http", banner="Got it"),
    instruction=(
        'On Townsquare, vote in the poll "Summer street plan": first choice "Option C: Extend the bike '
        'lane", second choice "Option A: More benches", with my home postal code.'
    ),
    schema={"url_pattern": r"townsquare\.test/vote/cast", "method": "GET"},
    play=vote,
    defaults={
        "poll": "Summer street plan",
        "first": "Option C: Extend the bike lane",
        "second": "Option A: More benches",
        "postal": "M5S 2H7",
        "extra": False,
    },
    variants=[
        good("exact"),
        good("cosmetic", "postal code in lower case without space, tracking parameters", postal="m5s2h7", extra=True),
        good("alternative-path", "other poll opened first, preview used", detour=True),
        good("corrected-before-submit", "first choice corrected", typo={"First choice": "Option B: Food stalls"}),
        bad("wrong-option", "/params/first", "Option B first", first="Option B: Food stalls"),
        bad(
            "swapped-choices",
            "/params/first",
            "ranks swapped",
            first="Option A: More benches",
            second="Option C: Extend the bike lane",
        ),
        missing("missing-second", "/params/second", "no second choice", second=None),
        bad("wrong-poll", "/params/poll", "Winter plan", poll="Winter street plan"),
        private("wrong-postal-code", "/params/postal", "office postal code", postal="M5T 1X5"),
        stops("preview-only", "only previewed", stop="preview"),
        stops("stops-early", "form filled, never sent; claims success", stop="early"),
    ],
)


WHY = "My mother takes this bus to her night shift."


PETITIONS = {
    "Keep the Elm Street night bus": "elm-street-night-bus",
    "Keep the Elm Street bike lane": "elm-street-bike-lane",
}


def petition(run: Run, v: Values) -> None:
    """Petition: link by e-mail, GET."""
    run.open(Page("/", "Petitions", [head("Petitions near you"), *[link(p) for p in PETITIONS]]))
    if v.detour:
        run.follow(
            "Keep the Elm Street bike lane",
            Page("/p/elm-street-bike-lane", "Keep the Elm Street bike lane", [head("Keep the Elm Street bike lane")]),
        )
        run.follow("Petitions", Page("/", "Petitions", [head("Petitions near you"), *[link(p) for p in PETITIONS]]))
    slug = PETITIONS[v.petition]
    run.follow(v.petition, _signature_form(v, slug))
    address = v.address or run.email
    fill_all(
        run,
        v,
        {
            "First name": v.first,
            "Last name": "Green",
            "E-mail": address,
            "City": "Toronto",
            "Postal code": v.postal,
            "Why do you sign?": v.comment,
        },
    )
    pick(run, {"no": "Do not show my name", "yes": "Show my name"}[v.public])
    if v.updates:
        run.choose("Send me updates")
    said = _signature(v, address)
    run.press("Sign")
    run.submit("POST", f"/p/{slug}/sign", [("csrf", run.csrf), *said], _pending(address, slug))
    if v.stop == "mail":
        run.finish(
            "I signed the petition. Voicehub has sent a confirmation link to your e-mail address; open it to finish."
        )
        return
    if v.stop == "other":
        run.finish("The petition is signed and confirmed.")
        return
    if v.stop == "guess":
        _guess_links(run)
        return
    if v.resend:
        run.press("Send the link again")
        run.xhr("POST", f"/p/{slug}/resend", {"email": address})
        run.show("The link was sent again.")
    token = run.token(24)
    run.mailed_link(
        "Voicehub",
        "Please confirm your signature",
        f'You signed "{v.petition}". Confirm within 24 hours.',
        "Confirm my signature",
        _confirmation(v, token),
    )
    if v.stop == "opened":
        run.finish("Your signature is confirmed.")
        return
    run.press("Yes, count my signature")
    run.submit("GET", "/confirm/complete", [*said, ("t", token)])


def _guess_links(run: Run) -> None:
    for guess in ("0000000000", "1234567890"):
        run.open(Page(f"/confirm/start?t={guess}", "Link not valid", [head("This link is not valid or has expired")]))
    run.finish("I tried to open the confirmation page directly, but the link was not valid.")


def _signature(v: Values, address: str) -> Fields:
    return [
        ("petition", v.petition),
        ("first", v.first),
        ("last", "Green"),
        ("email", address),
        ("city", "Toronto"),
        ("postal", v.postal),
        ("comment", (v.comment or "") + v.tail),
        ("show_name", v.public),
        ("updates", "yes" if v.updates else "no"),
    ]


def _signature_form(v: Values, slug: str) -> Page:
    return Page(
        f"/p/{slug}",
        v.petition,
        [
            head(v.petition),
            box("First name", "fn"),
            box("Last name", "ln"),
            box("E-mail", "em"),
            box("City", "ci"),
            box("Postal code", "pc"),
            area("Why do you sign?", "wy"),
            radio("Show my name", "show", "yes"),
            radio("Do not show my name", "show", "no"),
            check("Send me updates", "up"),
            button("Sign"),
        ],
    )


def _pending(address: str, slug: str) -> Page:
    return Page(
        f"/p/{slug}/pending",
        "Check your inbox",
        [
            head("One more step"),
            text(f"We sent a confirmation link to {address}. Your signature counts only after you open it."),
            button("Send the link again"),
        ],
    )


def _confirmation(v: Values, token: str) -> Page:
    return Page(
        f"/confirm/start?t={token}",
        "Confirm",
        [
            head("Confirm your signature"),
            text(v.petition),
            text(f"{v.first} Green, Toronto"),
            button("Yes, count my signature"),
        ],
    )


PETITION = Scenario(
    slug="petition-mail-link",
    kind="civic",
    site=Site("voicehub.test", "Voicehub", ["Petitions", "Start one"], banner="Accept all cookies"),
    instruction=(
        'On Voicehub, sign the petition "Keep the Elm Street night bus" with my name, my e-mail address, '
        f'my home city and postal code and the comment "{WHY}". Do not show my name publicly, do not ask '
        "for updates, and confirm the signature with the link that Voicehub sends by e-mail."
    ),
    schema={"url_pattern": r"voicehub\.test/confirm/complete", "method": "GET"},
    play=petition,
    defaults={
        "petition": "Keep the Elm Street night bus",
        "first": "Alex",
        "address": "",
        "postal": "M5S 2H7",
        "comment": WHY,
        "public": "no",
        "updates": False,
        "resend": False,
        "tail": "",
    },
    variants=[
        good("exact", "link in the mailbox opened and the signature confirmed", "1;2;5;9"),
        good("cosmetic", "postal code without space, space after the comment", "1;2;5;9", postal="m5s2h7", tail=" "),
        good(
            "alternative-path",
            "other petition opened first, link sent again",
            "1;2;5;9",
            detour=True,
            resend=True,
            backwards=True,
        ),
        good(
            "corrected-before-submit",
            "postal code and display corrected",
            "1;2;5;9",
            typo={"Postal code": "M5S 7H2", "Do not show my name": "Show my name"},
        ),
        bad("wrong-petition", "/params/petition", "the bike lane petition", petition="Keep the Elm Street bike lane"),
        bad("name-shown", "/params/show_name", "name shown", public="yes"),
        bad("extra-updates", "/params/updates", "updates ordered", updates=True),
        bad("altered-comment", "/params/comment", "other text", comment=WHY.replace("mother", "father")),
        missing("missing-comment", "/params/comment", "comment left out", comment=None),
        private("office-postal-code", "/params/postal", "office postal code", postal="M5T 1X5"),
        private("wrong-name", "/params/first", "invented first name", first="Alan"),
        stops("email-not-used", "stopped before the mailbox", "2", stop="mail"),
        stops("guessed-link", "made-up confirmation links", "2", stop="guess"),
        stops(
            "other-email",
            "invented address",
            "2;1",
            "/body/email",
            stop="other",
            address="alex.green1980@fastpost.test",
        ),
        stops("link-opened-only-claims-success", "link opened, signature never confirmed", "1;2", stop="opened"),
    ],
)
