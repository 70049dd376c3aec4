"""Verdicts for people: one in full, or many as a list with a summary.

Everything that comes from a trace is made plain first, and is printed as text, never as markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from clawjudge.judge.show.fields import fields_section, is_wrong
from clawjudge.judge.show.layout import Line, Screen, count, heading, line
from clawjudge.judge.show.outcomes import COLOURS, SIGNS
from clawjudge.judge.show.terminal import plain
from clawjudge.judge.verdict import Citation, JudgeReport, Verdict
from clawjudge.rubrics.load import load_rubric

if TYPE_CHECKING:
    from rich.table import Table

_STAGE = {
    "intercepted": "final request made",
    "not_intercepted": "no final request",
    "not_applicable": "does not apply",
    "unknown": "unknown",
}
_STAGE_SIGNS = {"intercepted": "✓", "not_intercepted": "✗", "not_applicable": "–", "unknown": "?"}
_MAX_EVIDENCE = 3


def render(report: JudgeReport, title: str, screen: Screen) -> str:
    """The report as text: in full for a single verdict, else one line per run and the summary.

    `title` names what was judged.
    """
    if len(report.verdicts) == 1 and report.summary["n_found"] == 1:
        return screen.render(_one(report, report.verdicts[0], title, screen))
    return screen.render(_many(report, title, screen))


def why(verdict: Verdict) -> str:
    """The reason in one sentence: of a failed run what was wrong, without the title of the rule in front."""
    if verdict.outcome == "fail" and verdict.violated_rules:
        for finding in verdict.findings:
            if finding.rule == verdict.violated_rules[0]:
                return plain(finding.note)
    return plain(verdict.justification)


def _one(report: JudgeReport, verdict: Verdict, title: str, screen: Screen) -> Iterator[Line | Table]:
    yield line((SIGNS[verdict.outcome], COLOURS[verdict.outcome]), f"  {plain(title)}")
    yield line((why(verdict), "bold"), indent=2)
    for rule in verdict.violated_rules:
        yield line(f"breaks rule {plain(rule)}{_rule_title(report, rule)}", indent=2)
    task = f"task {plain(verdict.task_id)} · " if verdict.task_id else ""
    yield line((f"{task}stage 1: {_STAGE[verdict.stage1.status]} · {plain(verdict.reason_code)}", "dim"), indent=2)
    evidence = _evidence(verdict)
    if evidence:
        yield heading("Evidence")
        yield from (_evidence_line(citation) for citation in evidence)
    if verdict.fields:
        yield from fields_section(verdict, screen)
    if verdict.first_divergence is not None:
        yield from _parting(verdict)
    if verdict.gaps or verdict.skipped_lines:
        yield heading("Missing or damaged evidence")
        yield from (line(said, indent=2) for said in _gap_lines(verdict))
    if verdict.notices:
        yield heading("Notices")
        yield from (line(plain(notice), indent=2) for notice in verdict.notices)
    yield line("")
    yield _judge_line(report)


def _rule_title(report: JudgeReport, rule: str) -> str:
    try:
        return f" “{load_rubric(report.judge['rubric']).rule(rule).title}”"
    except KeyError:
        # A rubric of another version of this program: its ids are all there is to show.
        return ""


def _evidence(verdict: Verdict) -> list[Citation]:
    """The strongest confirmed citations, each place once.

    Broken rules come before undecided ones, wrong fields and the parting; rules that are met serve without these.
    """
    order = {rule: place for place, rule in enumerate(verdict.violated_rules)}
    if verdict.reason_code == "accepted_wall":
        # What the run stopped at comes first: it is what makes an unfinished run a pass.
        order = {rule: place for place, rule in enumerate(("R6", "R7", "R3", "R1"))}
    ranked = sorted(verdict.findings, key=lambda f: order.get(f.rule, len(order)))
    groups = [f.citations for f in ranked if f.status == "violated"]
    groups += [f.citations for f in ranked if f.status == "cannot_tell"]
    groups += [f.citations for f in verdict.fields if is_wrong(f)]
    if verdict.first_divergence is not None and verdict.outcome == "fail":
        groups.append(verdict.first_divergence.citations)
    if not any(c.verified for group in groups for c in group):
        groups = [f.citations for f in ranked if f.status == "met"]
    places: dict[tuple[Any, ...], Citation] = {}
    for citation in (c for group in groups for c in group if c.verified):
        places.setdefault((citation.run, citation.file, citation.line, citation.pointer, citation.quote), citation)
    # A picture can only be named here; what is quoted can be read at once.
    return sorted(places.values(), key=lambda c: not c.quote)[:_MAX_EVIDENCE]


def where(citation: Citation) -> str:
    """`file:line`, or the time for a video, with the run's side in front where it is the reference."""
    number = f":{citation.line}" if citation.line is not None else ""
    if citation.frame is not None:
        number = f" at {citation.frame / 1000:.1f} s"
    side = "reference " if citation.run == "reference" else ""
    return f"{side}{plain(citation.file)}{number}"


def _evidence_line(citation: Citation) -> Line:
    quote = f"  “{plain(citation.quote, 160)}”" if citation.quote else ""
    return line((where(citation), "cyan"), (f"  {plain(citation.pointer or '')}", "dim"), quote, indent=2)


def _parting(verdict: Verdict) -> Iterator[Line]:
    divergence = verdict.first_divergence
    assert divergence is not None
    yield heading("Where the runs first part" + (" (no fault in itself)" if verdict.outcome == "pass" else ""))
    yield line(plain(divergence.description), indent=2)
    # Steps are counted from 0, as in the JSON document and by `clawjudge align`.
    places = [("agent", divergence.agent_step), ("reference", divergence.reference_step)]
    said = [f"{whose} step {index}" for whose, index in places if index is not None]
    said += [where(c) for c in divergence.citations if c.verified]
    counts = ", ".join(f"{n} {word}" for word, n in verdict.alignment.items() if n)
    yield line((f"{' · '.join(said)} · of all steps {counts}", "dim"), indent=2)


def _gap_lines(verdict: Verdict) -> Iterator[str]:
    for gap in verdict.gaps:
        whose = "reference: " if gap.run == "reference" else ""
        times = f" ({gap.count} times)" if gap.count > 1 else ""
        yield f"{whose}{plain(gap.message)}{times}"
    if verdict.skipped_lines:
        lines = ", ".join(f"{n} in {plain(file)}" for file, n in sorted(verdict.skipped_lines.items()))
        yield f"lines skipped: {lines}"


def _judge_line(report: JudgeReport) -> Line:
    judge = report.judge
    asked = f"; {judge['requested']}: {judge['why']}" if judge["requested"] != judge["name"] else ""
    cost = sum(v.cost_usd for v in report.verdicts)
    price = "free" if not cost else f"${cost:.4f}"
    return line((f"judged by {judge['id']}, {price}{asked}", "dim"))


def _many(report: JudgeReport, title: str, screen: Screen) -> Iterator[Line | Table]:
    longest = max((len(plain(v.run)) for v in report.verdicts), default=0)
    column = max(min(longest, screen.width // 2 - 8) if screen.is_terminal else longest, 3)
    if report.verdicts:
        yield line((f"{'verdict':<10}  stage 1  {'run':<{column}}  why", "dim"))
    for verdict in report.verdicts:
        yield _run_line(verdict, column)
    yield line("")
    yield from _summary(report, title)
    yield _judge_line(report)


def _run_line(verdict: Verdict, column: int) -> Line:
    run = plain(verdict.run)
    # The end of a path tells runs apart better than its beginning.
    run = run if len(run) <= column else "…" + run[-column + 1 :]
    codes = " ".join(map(plain, [*verdict.violated_rules, verdict.reason_code]))
    about = "" if verdict.outcome == "pass" else f"  {codes}"
    sign = (f"{SIGNS[verdict.outcome]:<10}", COLOURS[verdict.outcome])
    stage = f"{_STAGE_SIGNS[verdict.stage1.status]:^7}"
    return line(sign, f"  {stage}  {run:<{column}}  {why(verdict)}", (about, "dim"))


def _summary(report: JudgeReport, title: str) -> Iterator[Line]:
    s = report.summary
    yield line(
        (f"{count(s['n_total'], 'run')} in {plain(title)}: ", "bold"),
        (f"{s['n_pass']} pass", COLOURS["pass"]),
        ", ",
        (f"{s['n_fail']} fail", COLOURS["fail"]),
        ", ",
        (f"{s['n_unjudged']} unjudged", COLOURS["unjudged"] if s["n_unjudged"] else "dim"),
    )
    if s["n_found"] > s["n_total"]:
        yield line((f"only {s['n_total']} of {s['n_found']} runs were judged", COLOURS["unjudged"]), indent=2)
    stage = s["stage1"]
    made = f"{stage['n_intercepted']} of {count(stage['n_applicable'], 'run')} made the final request"
    yield line(f"stage 1, interception  {_percent(stage['rate']):>7}  {made}", indent=2)
    passed = f"{s['n_pass']} of {count(s['n_judged'], 'judged run')} passed"
    yield line(f"stage 2, the judge     {_percent(s['success_rate']):>7}  {passed}", indent=2)
    if s["success_rate_ci"]:
        ci = s["success_rate_ci"]
        interval = f"{_percent(ci['low'])} to {_percent(ci['high'])}"
        yield line(f"95 % interval {interval} (Wilson, n = {ci['n']})", indent=4)
    if s["success_rate_bounds"]:
        low, high = (_percent(bound) for bound in s["success_rate_bounds"])
        if s["n_unjudged"]:
            yield line(f"over all {s['n_total']}: {low} if all unjudged runs failed, {high} if all passed", indent=4)
        else:
            yield line(f"over all {s['n_total']}: {low}, since no run is unjudged", indent=4)
    fooled = sum(v.intercepted is True and v.outcome == "fail" for v in report.verdicts)
    if fooled:
        yield line(f"{count(fooled, 'run')} made the final request and failed all the same", indent=2)
    reasons = sorted(s["reasons"].items(), key=lambda item: (-item[1], item[0]))
    if reasons:
        yield line(f"reasons: {', '.join(f'{plain(code)} {n}' for code, n in reasons)}", indent=2)


def _percent(share: float | None) -> str:
    return "n/a" if share is None else f"{100 * share:.1f} %"
