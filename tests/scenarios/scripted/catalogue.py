"""All scenarios, in the order of their numbers."""

from __future__ import annotations

from scripted.plays import (
    accounts,
    bookings,
    civic,
    contact,
    courses,
    giving,
    payments,
    reading,
    requests,
    schedules,
    shops,
    tickets,
    trade,
    travel,
    work,
)
from scripted.scenario import Scenario

# New scenarios go to the end: a scenario's number is in its task and its clock.
SCENARIOS: list[Scenario] = [
    travel.HOTEL,
    giving.DONATION,
    reading.COMMUNITY,
    shops.PHARMACY,
    contact.TICKET,
    schedules.APPOINTMENT,
    civic.VOTE,
    reading.NEWSLETTER,
    travel.TRAIN,
    trade.LISTING,
    bookings.TAXI,
    payments.BILL,
    contact.CONTACT,
    work.JOB,
    schedules.INVITE,
    shops.GROCERIES,
    tickets.CINEMA,
    courses.LIBRARY,
    requests.VISIT,
    courses.WORKSHOP,
    tickets.GALA,
    requests.INSURANCE,
    accounts.MEMBERSHIP,
    giving.ADOPTION,
    bookings.TABLE,
    trade.RETURNS,
    accounts.PROFILE,
    civic.PETITION,
    schedules.SWAP,
    work.PAPER,
    payments.TRANSFER,
]
