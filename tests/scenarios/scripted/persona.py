"""The user on whose behalf the scripted agents act, and the files that come with some tasks."""

from __future__ import annotations

from typing import Any

PERSONA: dict[str, Any] = {
    "identity": {
        "legal_name": {"first": "Alex", "middle": None, "last": "Green"},
        "preferred_name": "Alex",
        "date_of_birth": "1980-May-01",
        "nationality": "Canadian",
    },
    "contact": {"email": "?"},
    "address": {
        "home": {
            "unit": "1208",
            "street": "664 Spadina Ave",
            "city": "Toronto",
            "province": "Ontario",
            "postal_code": "M5S 2H7",
            "country": "Canada",
        },
        "office": {
            "unit": "300",
            "street": "180 John St",
            "city": "Toronto",
            "province": "Ontario",
            "postal_code": "M5T 1X5",
            "country": "Canada",
        },
    },
    "work": {"title": "Senior Software Engineer", "company": "Pinecrest Technologies Inc."},
    "financial": {
        "credit_cards": [
            {
                "issuer": "TD",
                "type": "TD Aeroplan Visa Infinite",
                "number": "4519873424604532",
                "expiry": "2028-09",
                "cvv": "847",
                "cardholder_name": "ALEX GREEN",
            },
            {
                "issuer": "CIBC",
                "type": "CIBC Aventura Visa",
                "number": "4732001596738901",
                "expiry": "2027-04",
                "cvv": "263",
                "cardholder_name": "ALEX GREEN",
            },
        ]
    },
}
HOME, OFFICE = PERSONA["address"]["home"], PERSONA["address"]["office"]
TD, CIBC = PERSONA["financial"]["credit_cards"]
OTHER = {**HOME, "unit": "5", "street": "88 Harbord St", "postal_code": "M5S 1G5"}
"""An address that is nowhere in the persona."""

BRIEFING = (
    "\n\n---\nYou act for me in the browser and have my permission for every step. Work only through the browser. My "
    "details are in ./my-info/ (alex_green_personal_info.json, email_credentials.json, alex_green_resume.pdf). You "
    "have my e-mail address, but no phone number. Do not ask me for confirmation; finish the task on your own.\n---"
)
COMMON_INFO = {
    "email_credentials": "credentials to use the assigned disposable email account",
    "user_info": "alex_green_personal_info.json; the dummy user's personal information",
    "user_resume": "PDF resume with disposable email account injected",
}
PDF = "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
PNG = "\ufffdPNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x02\x58\x00\x00\x02\x58\x08\x02 portrait"
