"""Stage 1 for judges that look at one request: which request that is, from the small files of a run.

`interception.json` says what was blocked, and the one matcher confirms it where the task's schema is known. Where that
file is missing, damaged or at odds with `run-meta.json`, the request log decides; it is not read otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

from clawjudge.judge.verdict import Stage1
from clawjudge.traces.digest import is_commit, without_body
from clawjudge.traces.matcher import match_request
from clawjudge.traces.records import RequestEvent
from clawjudge.traces.task import EvalSchema
from clawjudge.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Terminal:
    """What is known of a run's terminal request."""

    stage: Stage1
    request: RequestEvent | None = None
    """None if there is none to be judged."""
    file: str = ""
    """Where the request stands, below the run folder."""
    problem: str = ""
    """Reason code if nothing can be said: the run is then unjudged."""

    @property
    def why(self) -> str:
        return self.stage.note


def find_terminal(trace: Trace) -> Terminal:
    """The request that commits the task, or why there is none."""
    schema = trace.task.eval_schema if trace.task else None
    if schema is not None and schema.never_matches:
        return _cannot("not_applicable", "stage1_not_applicable", "the task declares a pattern that never matches")
    claim = trace.interception
    if claim is not None and claim.intercepted and claim.request is not None:
        return _confirmed(trace, claim.request, schema)
    said = trace.meta.raw.get("intercepted")
    told = claim is not None and bool(trace.interception_document)
    if told and said is not True:
        return Terminal(Stage1(status="not_intercepted", note="no request that commits the task was intercepted"))
    return _from_the_log(trace, schema, said)


def _confirmed(trace: Trace, request: RequestEvent, schema: EvalSchema | None) -> Terminal:
    file = trace.files.relative("interception")
    if schema is not None:
        if match_request(without_body(schema), request.method, request.url, None).undecided:
            return _cannot("unknown", "undecidable_pattern", "the task's pattern takes too long on this request")
        if not is_commit(schema, request):
            why = "interception.json claims a block, but its request does not match the task's terminal request"
            return _cannot("unknown", "evidence_conflict", why)
    if _body_is_missing(trace, request):
        return _cannot("intercepted", "missing_evidence", "the request had a body, and it was not recorded", commits=1)
    return Terminal(Stage1(status="intercepted", commits=1), request, file)


def _from_the_log(trace: Trace, schema: EvalSchema | None, said: object) -> Terminal:
    """Where `interception.json` is of no use."""
    what = "cannot be read" if trace.has("interception") else "is missing"
    if schema is None or not trace.has("http"):
        if said is False and not trace.has("interception"):
            return Terminal(Stage1(status="not_intercepted", note="run-meta.json says that nothing was intercepted"))
        lacking = "the task's schema is not known" if trace.has("http") else "there is no request log"
        return _cannot("unknown", "missing_evidence", f"interception.json {what}, and {lacking}")
    last, count = None, 0
    try:
        for event in trace.requests():
            if is_commit(schema, event):
                last, count = event, count + 1
    except OSError as error:
        return _cannot("unknown", "missing_evidence", f"the request log cannot be read: {error.strerror}")
    if last is not None:
        return Terminal(Stage1(status="intercepted", commits=count), last, trace.files.relative("http"))
    if said is True:
        why = "run-meta.json claims a block, but no recorded request matches the task's terminal request"
        return _cannot("unknown", "evidence_conflict", why)
    return Terminal(Stage1(status="not_intercepted", note="no recorded request commits the task"))


def _body_is_missing(trace: Trace, request: RequestEvent) -> bool:
    """Whether the recorder lost a body: the request announces one, and there is none."""
    if request.body is not None:
        return False
    document = trace.interception_document
    inner = document.get("request")
    source = inner if isinstance(inner, dict) else document
    if any(source.get(name) is True for name in ("hasPostData", "has_post_data", "body_missing")):
        return True
    headers = {name.lower(): value for name, value in request.headers.items()}
    return headers.get("content-length", "0").strip() not in ("", "0")


def _cannot(status: str, code: str, why: str, commits: int = 0) -> Terminal:
    stage = Stage1.model_validate({"status": status, "commits": commits, "note": why})
    return Terminal(stage, problem=code)
