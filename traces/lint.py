"""Checks a task's submission target for the mistakes that let a run pass or fail for no fault of the agent.

code                  severity  what is wrong
never_matches         note      the pattern was made never to match; stage 1 says nothing about this task
matches_everything    error     the pattern matches requests to any site
slow_pattern          error     a URL can keep the search busy until it is given up, so runs cannot be judged
matches_start_page    error     the page on which the agent starts would be taken for the submission
whole_site            warning   the pattern alone accepts every request of its method to a site of the task
unanchored_host       warning   a branch of the pattern names no host before the path
unescaped_host_dot    warning   a dot in the host is a wildcard
get_without_params    warning   a GET that nothing but its path tells from opening a page
any_graphql_call      warning   a GraphQL endpoint without anything that says which operation
foreign_host          note      the host is not one of the sites that the task names
open_host             note      another host meets it too: `shop.test` also stands in `notshop.test`
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from clawjudge.traces.matcher import MAX_URL, match_request
from clawjudge.traces.pattern_texts import example, hard_texts
from clawjudge.traces.patterns import SEARCH_SECONDS, Pattern, TooSlow, split_alternatives
from clawjudge.traces.task import EvalSchema, Task, load_corpus
from clawjudge.traces.urls import same_site

Severity = Literal["error", "warning", "note"]

_SLOW_SECONDS = SEARCH_SECONDS / 4
_MAX_TEXTS = 60
_PATTERN_FIELD = "eval_schema.url_pattern"
# No task can mean these two; the reserved domain keeps them from being a real site.
_UNRELATED = ("https://unrelated.invalid/", "https://unrelated.invalid/a/b.html?c=d")
_LEAD = re.compile(
    r"\^?(?:\(\?:)?(?:https?\??\)?:?(?:\\?/){2}\)?\??)?"
    r"(?:\.[*+]\??|\[\^[^\]]*\][*+]\??|\((?:\?:)?[^()]*\)\?)?(?:\\\.)?"
)
_HOST = re.compile(r"[A-Za-z0-9-]+(?:\\?\.(?:[A-Za-z0-9-]+|\((?:\?:)?[A-Za-z0-9|.\\-]+\)))+|localhost\b")
_FILE_NAME = re.compile(r"\.(?:php|html?|json|aspx?|jsp|cgi|xml|js)$", re.IGNORECASE)
_BARE_DOT = re.compile(r"(?<!\\)\.")
_GROUP = re.compile(r"\((?:\?:)?([^()|]*)[^()]*\)")
_OPEN_GRAPHQL = re.compile(r"(?:/|\\\.|\b)(?:graphql|gql)/?\$?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing to look at in a task definition."""

    code: str
    severity: Severity
    message: str
    field: str
    """Dotted path in the task definition."""


def lint_task(task: Task) -> list[LintFinding]:
    """The findings for one task, the gravest first; empty if there is nothing to say."""
    schema = task.eval_schema
    if schema.never_matches:
        return [
            LintFinding(
                "never_matches", "note", "made never to match; the run is judged without stage 1", _PATTERN_FIELD
            )
        ]
    slow = list(_slow(schema))
    if slow:
        # Nothing else can be tried on it.
        return slow
    findings = [*_too_wide(schema, task.sites), *_hosts(schema, task.sites), *_undistinguished(schema)]
    gravity: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}
    return sorted(findings, key=lambda finding: gravity[finding.severity])


def lint_corpus(path: Path) -> Iterator[tuple[str, list[LintFinding]]]:
    """Slug and findings of every task of a JSON lines corpus, in file order. Raises `InvalidTask`."""
    for slug, task in load_corpus(path):
        yield slug, lint_task(task)


def _slow(schema: EvalSchema) -> Iterator[LintFinding]:
    for text in islice(hard_texts(schema.url_pattern, MAX_URL - len("https://")), _MAX_TEXTS):
        url = text if "://" in text else f"https://{text}"
        try:
            schema.pattern.search(url, seconds=_SLOW_SECONDS)
        except TooSlow:
            message = f"a URL such as {url[:60]}… keeps the search busy; no repeat inside a repeat, fewer wildcards"
            yield LintFinding("slow_pattern", "error", message, _PATTERN_FIELD)
            return


def _too_wide(schema: EvalSchema, sites: tuple[str, ...]) -> Iterator[LintFinding]:
    alone = EvalSchema(url_pattern=schema.url_pattern)
    if all(match_request(alone, "GET", url, None).matched for url in _UNRELATED):
        yield LintFinding(
            "matches_everything", "error", "matches requests to any site; name the host and the path", _PATTERN_FIELD
        )
        return
    pages = [page for site in sites for page in (f"https://{site}/", f"https://www.{site}/")]
    by_url = [page for page in pages if match_request(alone, "GET", page, None).matched]
    if not by_url:
        return
    without_body = schema.model_copy(update={"body": None})
    if any(match_request(without_body, "GET", page, None).matched for page in by_url):
        message = f"matches the start page {by_url[0]}, so the run would end before it began; name the final request"
        yield LintFinding("matches_start_page", "error", message, _PATTERN_FIELD)
    elif not schema.body and not schema.params:
        message = f"accepts any {' or '.join(schema.methods)} request to {by_url[0]}; name the path"
        yield LintFinding("whole_site", "warning", message, _PATTERN_FIELD)


def _hosts(schema: EvalSchema, sites: tuple[str, ...]) -> Iterator[LintFinding]:
    branches = {_host_pattern(branch): branch for branch in reversed(split_alternatives(schema.url_pattern))}
    for written, branch in reversed(branches.items()):
        if written is None:
            message = f"{branch!r} names no host before the path; other sites with that path match too"
            yield LintFinding("unanchored_host", "warning", message, _PATTERN_FIELD)
            continue
        if _BARE_DOT.search(written):
            message = f"a dot in {written!r} stands for any character; write \\."
            yield LintFinding("unescaped_host_dot", "warning", message, _PATTERN_FIELD)
        host = _GROUP.sub(r"\1", written).replace("\\", "").lower()
        yield from _open_host(branch, host)
        if sites and not any(same_site(host, site) for site in sites):
            message = f"{host} is not among the task's sites ({', '.join(sites)}); right for an API host, else a slip"
            yield LintFinding("foreign_host", "note", message, _PATTERN_FIELD)


def _open_host(branch: str, host: str) -> Iterator[LintFinding]:
    """Tries the branch on hosts that only begin or end like the one it names."""
    meant = example(branch)
    meant = meant if "://" in meant else f"https://{meant}"
    others = (f"not{host}", f"{host}.other.invalid")
    tried = [(other, meant.replace(host, other, 1)) for other in others if host in meant]
    found = [other for other, url in tried if Pattern(branch).search(url) is not None]
    if found:
        message = (
            f"the host is open, {' and '.join(found)} would do as well; write ^https?://([^/?#]+\\.)?{re.escape(host)}/"
        )
        yield LintFinding("open_host", "note", message, _PATTERN_FIELD)


def _host_pattern(branch: str) -> str | None:
    """The part of a branch that spells a host, as written, or None."""
    lead = _LEAD.match(branch)
    rest = branch[lead.end() :] if lead else branch
    host = _HOST.match(rest)
    return host.group() if host and not _FILE_NAME.search(host.group()) else None


def _undistinguished(schema: EvalSchema) -> Iterator[LintFinding]:
    get = not schema.methods or "GET" in schema.methods
    if get and not schema.params and not schema.body and not re.search(r"\\\?|=", schema.url_pattern):
        message = "a GET without params: opening a page with this address counts as the submission; add params"
        yield LintFinding("get_without_params", "warning", message, "eval_schema.params")
    if not schema.body and any(_OPEN_GRAPHQL.search(branch) for branch in split_alternatives(schema.url_pattern)):
        message = "every call to this GraphQL endpoint matches; add the operationName as a body constraint"
        yield LintFinding("any_graphql_call", "warning", message, "eval_schema.body")
