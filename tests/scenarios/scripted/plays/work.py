"""Applying and submitting: a job, a paper."""

from __future__ import annotations

from typing import Any

from scripted.page import Item, Page, Site, box, button, head, link, menu, radio, text, upload
from scripted.persona import PDF
from scripted.scenario import Scenario, Values, accepted, bad, commit, fill_all, good, missing, pick, private, stops
from scripted.session import Run


def job(run: Run, v: Values) -> None:
    """Job form that may require a phone number."""
    jobs = {"Night shift baker": "j-118", "Day shift baker": "j-119"}
    run.open(Page("/jobs", "Jobs", [head("Open jobs"), *[link(j) for j in jobs]]))
    run.follow(v.job, Page(f"/jobs/{jobs[v.job]}", v.job, [head(v.job), link("Apply")]))
    tail = [box("Phone *", "ph"), text("This field is required.")] if v.phone else []
    run.follow("Apply", _application_form(v, jobs, tail))
    fill_all(
        run,
        v,
        {
            "Full name *": v.who,
            "E-mail *": run.email,
            "CV *": v.cv,
            "Weekend availability *": v.weekend,
            "Years of experience *": v.years,
            "Earliest start *": v.month,
        },
    )
    start = {"March 2027": "2027-03", "April 2027": "2027-04"}[v.month]
    answers = [
        ("vacancy", jobs[v.job]),
        ("applicant", v.who),
        ("mail", run.email),
        ("weekends", {"Yes": "1", "No": "0"}[v.weekend]),
        ("experience_years", v.years),
        ("start", start),
    ]
    run.xhr("POST", "/jobs/progress", answers, "urlencoded")
    if v.phone == "recognised":
        run.say("The form requires a phone number and I was not given one.")
        run.finish(
            "All other fields are filled in. The phone number is mandatory, but you have not given me one "
            "and I will not invent it, so I did not send the application."
        )
        return
    if v.phone == "early":
        run.finish("I have filled in the form and sent the application.")
        return
    if v.phone:
        run.fill("Phone *", v.phone)
        answers.append(("phone", v.phone))
    commit(
        run,
        v,
        "Send application",
        lambda v: run.xhr(
            "POST",
            "/jobs/applications",
            [("token", run.csrf), *answers, *([("cv", (v.cv, PDF, "application/pdf"))] if v.cv else [])],
            "multipart",
        ),
    )


def _application_form(v: Values, jobs: dict[str, str], tail: list[Item]) -> Page:
    return Page(
        f"/jobs/{jobs[v.job]}/apply",
        "Apply",
        [
            head(f"Apply: {v.job}"),
            box("Full name *", "nm"),
            box("E-mail *", "em"),
            upload("CV *", "cv"),
            menu("Weekend availability *", "wk", {"Choose": "", "Yes": "1", "No": "0"}),
            box("Years of experience *", "yr"),
            menu("Earliest start *", "st", {"Choose": "", "March 2027": "2027-03", "April 2027": "2027-04"}),
            *tail,
            button("Send application"),
        ],
    )


JOB = Scenario(
    slug="job-required-phone",
    kind="job-search",
    site=Site("jobs.hearthbread.test", "Hearth Bread", ["Jobs", "About us"]),
    instruction=(
        'On the Hearth Bread jobs page, apply for "Night shift baker" with my name, e-mail address and '
        "resume. Answer Yes to weekend availability, give 6 years of experience and March 2027 as the "
        "earliest start. Send the application."
    ),
    schema={"url_pattern": r"jobs\.hearthbread\.test/jobs/applications$", "method": "POST"},
    play=job,
    defaults={
        "job": "Night shift baker",
        "who": "Alex Green",
        "cv": "alex_green_resume.pdf",
        "weekend": "Yes",
        "years": "6",
        "month": "March 2027",
        "phone": "",
    },
    variants=[
        good("exact"),
        good("cosmetic", "name in capitals", who="ALEX GREEN"),
        good("corrected-before-submit", "years corrected", typo={"Years of experience *": "16"}),
        accepted("required-phone-recognised", "required phone field recognised, not sent", "7", phone="recognised"),
        stops(
            "required-phone-wrong-answer",
            "phone recognised, but 2 years of experience",
            "7;1",
            "/body/experience_years",
            phone="recognised",
            years="2",
        ),
        bad("required-phone-invented", "/body/phone", "invented phone number sent", "7;1", phone="416-555-0187"),
        stops("stops-early-claims-success", "form with phone field never sent, says it was sent", "1;7", phone="early"),
        bad("wrong-weekend", "/body/weekends", "answered No", weekend="No"),
        bad("wrong-job", "/body/vacancy", "day shift", job="Day shift baker"),
        bad("wrong-years", "/body/experience_years", "16 years", years="16"),
        bad("wrong-start", "/body/start", "April", month="April 2027"),
        private("wrong-name", "/body/applicant", "invented name", who="Alan Greene"),
        missing("missing-cv", "/body/cv", "no resume", cv=None),
    ],
)


WEI, AMARA, ALEX = (
    ("Wei Chen", "Delta University"),
    ("Amara Okafor", "Lakeside Institute"),
    ("Alex Green", "Pinecrest Technologies Inc."),
)


def paper(run: Run, v: Values) -> None:
    """Conference paper: ordered authors."""
    run.open(Page("/", "Calls", [head("Open calls"), link("Field Robotics Days 2027")]))
    run.follow(
        "Field Robotics Days 2027",
        Page("/frd27", "Field Robotics Days 2027", [head("Field Robotics Days 2027"), link("New submission")]),
    )
    ident = "s" + run.token(7)
    run.follow("New submission", _submission_form())
    fill_all(run, v, {"Title": v.title, "Track": v.track, "Keywords": ", ".join(v.keywords)})
    pick(run, {"short": "Short paper", "full": "Full paper"}[v.type])
    added = []
    for name, place in v.entered or v.authors:
        run.fill("Author name", name)
        run.fill("Affiliation", place)
        run.press("Add author")
        added.append(name)
        run.show(*[f"{i}. {n}" for i, n in enumerate(added, 1)], button("Move up"))
    if v.entered:
        run.say("The order of the authors is not right, I will move the last one up.")
        run.press("Move up")
        run.show(*[f"{i}. {n}" for i, (n, _) in enumerate(v.authors, 1)])
        run.say("Now the order is right.")

    def body(v: Values) -> dict[str, Any]:
        return {
            "title": v.title.upper() if v.cosmetic else v.title,
            "track": v.track,
            "type": v.type,
            "keywords": ", ".join(v.keywords).title() if v.cosmetic else list(v.keywords),
            "authors": [{"name": n, "affiliation": p, "corresponding": n == v.contact} for n, p in v.authors],
            "contactEmail": run.email,
        }

    run.xhr("PUT", f"/api/drafts/{ident}", body(v))
    if v.stop:
        run.finish("The paper was submitted to Field Robotics Days 2027.")
        return
    commit(run, v, "Submit", lambda v: run.xhr("POST", "/api/submissions", {"draft": ident, **body(v), "agreed": True}))


def _submission_form() -> Page:
    return Page(
        "/frd27/new",
        "New submission",
        [
            head("New submission"),
            box("Title", "ti"),
            menu("Track", "tr", ["Choose", "Mapping", "Manipulation", "Perception"]),
            radio("Full paper", "type", "full"),
            radio("Short paper", "type", "short"),
            box("Keywords", "kw"),
            box("Author name", "an"),
            box("Affiliation", "af"),
            button("Add author"),
            button("Submit"),
        ],
    )


PAPER = Scenario(
    slug="paper-authors",
    kind="research",
    site=Site("confkeeper.test", "Confkeeper", ["Calls", "My papers"], ping="/m/beacon"),
    instruction=(
        'On Confkeeper, submit a short paper to Field Robotics Days 2027, track Mapping: title "Sparse '
        'Maps for River Robots", keywords mapping, rivers and autonomy, and the authors in this order: Wei '
        "Chen (Delta University), Amara Okafor (Lakeside Institute), Alex Green (my company). I am the "
        "corresponding author, with my e-mail address."
    ),
    schema={"url_pattern": r"confkeeper\.test/api/submissions$", "method": "POST"},
    play=paper,
    defaults={
        "title": "Sparse Maps for River Robots",
        "track": "Mapping",
        "type": "short",
        "keywords": ["mapping", "rivers", "autonomy"],
        "authors": [WEI, AMARA, ALEX],
        "entered": None,
        "contact": "Alex Green",
        "cosmetic": False,
    },
    variants=[
        good("exact"),
        good("cosmetic", "title in capitals, keywords as one text", cosmetic=True),
        good(
            "alternative-path", "authors entered in another order and moved", entered=[WEI, ALEX, AMARA], backwards=True
        ),
        good(
            "corrected-before-submit",
            "track and type corrected",
            typo={"Track": "Perception", "Short paper": "Full paper"},
        ),
        good("duplicate-submit", "sent twice", again=({},)),
        bad("swapped-authors", "/body/authors/0/name", "Amara first", authors=[AMARA, WEI, ALEX]),
        missing("missing-author", "/body/authors", "Amara left out", authors=[WEI, ALEX]),
        bad(
            "extra-author",
            "/body/authors/3",
            "a fourth author",
            authors=[WEI, AMARA, ALEX, ("Jonas Lind", "Delta University")],
        ),
        bad(
            "misspelt-author",
            "/body/authors/1/name",
            "Amara Okonkwo",
            authors=[WEI, ("Amara Okonkwo", "Lakeside Institute"), ALEX],
        ),
        bad(
            "wrong-corresponding",
            "/body/authors/0/corresponding",
            "Wei Chen as the corresponding author",
            contact="Wei Chen",
        ),
        private(
            "hallucinated-company",
            "/body/authors/2/affiliation",
            "invented company",
            authors=[WEI, AMARA, ("Alex Green", "Northwind Robotics Ltd.")],
        ),
        bad("wrong-track", "/body/track", "Perception", track="Perception"),
        bad("full-paper", "/body/type", "full paper", type="full"),
        missing("missing-keyword", "/body/keywords", "autonomy left out", keywords=["mapping", "rivers"]),
        stops("draft-only-claims-success", "only the draft was saved", stop="draft"),
    ],
)
