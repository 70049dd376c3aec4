"""A secret that one layer names is shown by none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clawjudge.judge.case import build_case
from clawjudge.judge.cli.main import main
from clawjudge.judge.known_secrets import KnownSecrets
from clawjudge.judge.offline.judge import OfflineJudge
from clawjudge.traces.trace import Trace

EXAMPLES = Path(__file__).parents[2] / "examples" / "food-order"


def changed(folder: Path, variant: str, secret: str, key: str, change: Callable[[dict[str, Any]], None] = dict) -> Path:
    """A run of the examples whose note is typed into a field that says nothing, and sent under `key`."""
    shutil.copytree(EXAMPLES / variant, folder)
    log = folder / "data" / "requests.jsonl"
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    claim = json.loads((folder / "data" / "interception.json").read_text("utf-8"))
    for request in [*(r for r in lines if r["url"] == claim["request"]["url"]), claim["request"]]:
        if isinstance(request.get("body"), dict):
            request["body"][key] = secret
            change(request["body"])
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "data" / "interception.json").write_text(json.dumps(claim))
    actions = folder / "data" / "actions.jsonl"
    target = {"tagName": "INPUT", "id": ":r3:", "className": "", "textContent": "", "xpath": "//*[@id=':r3:']"}
    events = actions.read_text("utf-8").splitlines()
    opened = json.loads(events[1])
    typed = {"type": "change", "timestamp": opened["timestamp"] + 1, "url": opened["url"], "target": target}
    # Early in the run, so that it is where two runs with other secrets part.
    events.insert(2, json.dumps(typed | {"value": secret}))
    actions.write_text("".join(line + "\n" for line in events))
    return folder


@pytest.mark.parametrize(
    ("mine", "theirs", "key"),
    [
        ("rainy-Day-43!", "sunny-Day-42!", "password"),
        ("9177", "4821", "pin"),
        ("219-09-9999", "078-05-1120", "ssn"),
        ("Max the cat", "Rex the dog", "securityAnswer"),
        ('it\'s "x" \\ 9', 'it\'s "y" \\ 8', "password"),
        ("welcome", "goodbye", "password"),
    ],
)
def test_a_secret_of_a_request_is_hidden_where_it_was_typed(tmp_path, capsys, mine, theirs, key):
    run = changed(tmp_path / "run", "right-order", mine, key)
    reference = changed(tmp_path / "reference", "reference", theirs, key)
    verdict = OfflineJudge().judge(build_case(Trace(run), Trace(reference)))
    assert ":r3:" in verdict.model_dump_json(), "the typed value must be told of, or this test says nothing"
    assert all(c.verified for c in verdict.first_divergence.citations if c.quote)
    said = [verdict.model_dump_json()]
    for form in ("text", "json"):
        assert main(["align", str(run), str(reference), *(["--format", "json"] if form == "json" else [])]) == 0
        said.append(capsys.readouterr().out)
    assert all(":r3:" in out for out in said)
    for secret in (mine, theirs):
        for spelling in {secret, json.dumps(secret)[1:-1], json.dumps(json.dumps(secret)[1:-1])[1:-1]}:
            assert not [out for out in said if spelling in out]


def hider(tmp_path: Path, secret: str, key: str, instruction: str = "") -> KnownSecrets:
    case = build_case(Trace(changed(tmp_path / "run", "right-order", secret, key)), Trace(EXAMPLES / "reference"))
    case.sources.instruction = instruction
    return KnownSecrets(case)


def test_a_short_secret_goes_only_as_a_whole_value(tmp_path):
    hide = hider(tmp_path, "4821", "pin").hide
    assert hide(["4821", 4821, " 4821 ", {"a": "4821"}]) == ["•••", "•••", "•••", {"a": "•••"}]
    assert hide("entered '4821' instead of “4821”") == "entered '•••' instead of “•••”"
    assert hide("order 48213 of 4821 Elm Road") == "order 48213 of 4821 Elm Road"
    assert hide([True, None, 7.5]) == [True, None, 7.5]


def test_a_long_secret_goes_wherever_it_stands(tmp_path):
    hide = hider(tmp_path, "sunny Day+42", "password").hide
    assert hide("I typed sunny Day+42.") == "I typed •••."
    assert hide("/a?x=sunny%20Day%2B42&y=sunny+Day%2B42") == "/a?x=•••&y=•••"


@pytest.mark.parametrize(
    ("instruction", "hidden"),
    [
        ('Set the password of my network to "rainy-Day-43!" today.', True),
        ("Mein neues Passwort lautet „rainy-Day-43!“.", True),
        ('Change my password and post "rainy-Day-43!".', False),
        ('Name the network "rainy-Day-43!".', False),
    ],
)
def test_an_instruction_gives_a_password_away(tmp_path, instruction, hidden):
    shown = hider(tmp_path, "x", "remark", instruction).hide("it says rainy-Day-43! here")
    assert ("rainy" not in shown) is hidden


def test_what_stands_in_the_place_of_a_secret_is_one(tmp_path):
    run = changed(tmp_path / "run", "right-order", "rainy-Day-43!", "value")
    reference = changed(tmp_path / "reference", "reference", "sunny-Day-42!", "value")
    case = build_case(Trace(run), Trace(reference))
    assert KnownSecrets(case).hide("rainy-Day-43!") == "rainy-Day-43!"
    case.sources.instruction = 'Set the Wi-Fi password to "sunny-Day-42!".'
    assert KnownSecrets(case).hide("rainy-Day-43!") == "•••"


def test_a_case_without_secrets_keeps_its_verdict_as_it_is(tmp_path):
    case = build_case(Trace(EXAMPLES / "right-order"), Trace(EXAMPLES / "reference"))
    verdict = OfflineJudge().judge(case)
    assert KnownSecrets(case).in_verdict(verdict) is verdict


def with_body(folder: Path, body: dict[str, Any], url: str = "") -> KnownSecrets:
    def change(sent: dict[str, Any]) -> None:
        sent.update(body)

    run = changed(folder, "right-order", "x", "remark", change)
    log = run / "data" / "requests.jsonl"
    if url:
        line = {"timestamp": 1796023434.5, "url": f"http://noodlerun.test{url}", "method": "POST", "headers": {}}
        log.write_text(log.read_text("utf-8") + json.dumps(line) + "\n")
    return KnownSecrets(build_case(Trace(run), Trace(EXAMPLES / "reference")))


@pytest.mark.parametrize(
    ("body", "url", "shown", "expected"),
    [
        ({"code": "831940"}, "", "entered '831940'", "entered '•••'"),
        ({"code": "831940"}, "", 831940, "•••"),
        (
            {},
            "/confirm?code=831940&x=1",
            "http://noodlerun.test/confirm?code=831940&x=1",
            "http://noodlerun.test/confirm?code=•••&x=1",
        ),
        (
            {"codes": {"a": "4519", "b": "8734", "c": "2460", "d": "4532"}},
            "",
            ["4519", "8734", "2460", "4532"],
            ["•••"] * 4,
        ),
        # A product's code, an amount and numbers that make no card are what was ordered.
        ({"code": "CS1402"}, "", "CS1402", "CS1402"),
        ({"productCode": "831940"}, "", "831940", "831940"),
        ({"a": "4519", "b": "8734", "c": "2460", "d": "4533"}, "", "8734", "8734"),
    ],
)
def test_codes_and_cards_in_parts(tmp_path, body, url, shown, expected):
    assert with_body(tmp_path / "run", body, url).hide(shown) == expected


def test_a_code_that_the_task_gives_is_no_secret(tmp_path):
    def change(sent: dict[str, Any]) -> None:
        sent["code"] = "20270"

    case = build_case(
        Trace(changed(tmp_path / "run", "right-order", "x", "remark", change)), Trace(EXAMPLES / "reference")
    )
    assert KnownSecrets(case).hide("20270") == "•••"
    case.sources.instruction = "Use the voucher code 20270."
    assert KnownSecrets(case).hide("20270") == "20270"
