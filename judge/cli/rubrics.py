"""`clawjudge rubrics`."""

from __future__ import annotations

import dataclasses

import click

from clawjudge.judge.cli.streams import Exit, emit, show

_FORMAT = click.option(
    "--format", "form", type=click.Choice(["human", "json"]), default="human", show_default=True, help="What to print."
)


@click.group()
def rubrics() -> None:
    """List the rubrics and show their rules."""


@rubrics.command("list", epilog="\b\nExample:\n  clawjudge rubrics list --format json")
@_FORMAT
def list_rubrics(form: str) -> Exit:
    """List the rubrics: id, version, number of rules, hash and title."""
    from clawjudge.judge.show.documents import dumps
    from clawjudge.rubrics.load import load_rubric, rubric_ids

    loaded = [load_rubric(rubric_id) for rubric_id in rubric_ids()]
    if form == "json":
        keys = ("id", "version", "title", "sha256")
        rows = [{**{key: getattr(r, key) for key in keys}, "n_rules": len(r.rules)} for r in loaded]
        emit(dumps({"schema_version": 1, "rubrics": rows}, indent=2) + "\n")
        return Exit.DONE
    from clawjudge.judge.show.layout import Screen, count, line

    width = max((len(r.id) for r in loaded), default=0)
    parts = []
    for r in loaded:
        parts.append(line(f"{r.id:<{width}}  {r.version}  {count(len(r.rules), 'rule'):>7}  {r.sha256[:12]}"))
        parts.append(line(r.title, indent=2))
    show(Screen.of_stdout().render(parts))
    return Exit.DONE


@rubrics.command("show", epilog="\b\nExample:\n  clawjudge rubrics show v1-agentic")
@click.argument("rubric_id", metavar="ID")
@_FORMAT
def show_rubric(rubric_id: str, form: str) -> Exit:
    """Show the rules of the rubric ID, as every judge is given them."""
    from clawjudge.judge.show.documents import dumps
    from clawjudge.judge.show.layout import Line, Screen, line
    from clawjudge.rubrics.load import load_rubric, rubric_ids

    if rubric_id not in rubric_ids():
        raise click.UsageError(f"no rubric {rubric_id!r}; there are: {', '.join(rubric_ids())}")
    rubric = load_rubric(rubric_id)
    if form == "json":
        emit(dumps({"schema_version": 1, **dataclasses.asdict(rubric)}, indent=2) + "\n")
        return Exit.DONE
    parts: list[Line] = [
        line((rubric.title, "bold")),
        line((f"{rubric.id}, version {rubric.version}, sha256 {rubric.sha256}", "dim")),
        line(""),
        line(rubric.preamble),
    ]
    for rule in rubric.rules:
        needs = f"  (needs: {', '.join(rule.needs)})" if rule.needs else ""
        parts += [line(""), line((f"{rule.id} {rule.title}", "bold"), (needs, "dim")), line(rule.text, indent=2)]
    show(Screen.of_stdout().render(parts))
    return Exit.DONE
