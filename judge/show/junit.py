"""Reports as JUnit XML, for continuous integration: a failed run is a failure, an unjudged one an error."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from clawjudge.judge.show.human import where
from clawjudge.judge.show.terminal import plain
from clawjudge.judge.verdict import JudgeReport, Verdict

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Outside of XML 1.0, even as a reference."""


def junit_document(report: JudgeReport) -> str:
    """One suite with a test case per run. It carries no times: the same runs give the same document."""
    summary, judge = report.summary, report.judge
    counts = {"tests": summary["n_total"], "failures": summary["n_fail"], "errors": summary["n_unjudged"]}
    attributes = {"name": "clawjudge", **{key: str(count) for key, count in counts.items()}}
    root = ET.Element("testsuites", attributes)
    suite = ET.SubElement(root, "testsuite", attributes)
    properties = ET.SubElement(suite, "properties")
    for key in ("requested", "name", "version", "rubric", "rubric_version", "rubric_sha256"):
        ET.SubElement(properties, "property", {"name": f"judge.{key}", "value": _xml(judge.get(key, ""))})
    for verdict in report.verdicts:
        _add_case(suite, verdict)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _add_case(suite: ET.Element, verdict: Verdict) -> None:
    suite_name = f"task {verdict.task_id}" if verdict.task_id else "unknown task"
    case = ET.SubElement(suite, "testcase", {"name": _xml(verdict.run), "classname": _xml(suite_name)})
    if verdict.outcome == "pass":
        return
    tag = "failure" if verdict.outcome == "fail" else "error"
    problem = ET.SubElement(case, tag, {"message": _xml(verdict.justification), "type": _xml(verdict.reason_code)})
    lines = [verdict.justification]
    for finding in verdict.findings:
        if finding.status in ("violated", "cannot_tell"):
            lines.append(f"{finding.rule} {finding.status}: {finding.note}")
            lines += [f"  {where(c)} {c.pointer or ''} {c.quote!r}" for c in finding.citations if c.verified]
    problem.text = "\n".join(_xml(line) for line in lines)


def _xml(text: object) -> str:
    return _NOT_XML.sub("\ufffd", plain(text, limit=4000))
