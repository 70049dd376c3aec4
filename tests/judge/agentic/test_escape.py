"""Attempts to get out, one each, with either of the two walls taken away: the other one alone must hold.

The hook off: the program would do as it is told, and only the operating system stops it. The sandbox off: the program
runs in our own file system, and only the hook stops it.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from play import KEY, answer, hands_in, needs_sandbox, scripted
from servers.messages import Reply, ScriptedModel, ToolResult, call

from clawjudge.judge.agentic import program
from clawjudge.judge.agentic.answer import answer_schema
from clawjudge.judge.agentic.confinement import sandbox
from clawjudge.judge.agentic.confinement.gateway import Gateway
from clawjudge.judge.agentic.confinement.guard import Guard
from clawjudge.judge.agentic.credentials import Endpoint
from clawjudge.judge.agentic.session import Conversation

SECRET = "canary-4711-of-another-project"


@dataclasses.dataclass
class World:
    """Evidence with traps in it, and things around it that nobody may see."""

    evidence: Path
    home: Path
    other_run: Path


@pytest.fixture
def world(tmp_path: Path) -> World:
    evidence = tmp_path / "judge" / "evidence"
    home, other = tmp_path / "home", tmp_path / "judge" / "other-run"
    for folder in (evidence, home / ".ssh", other):
        folder.mkdir(parents=True)
    (evidence / "task.json").write_text('{"instruction": "order noodles"}')
    (home / ".ssh" / "id_ed25519").write_text(SECRET)
    (other / "requests.jsonl").write_text(SECRET)
    (evidence / "link").symlink_to(other / "requests.jsonl")
    (evidence / "linked").symlink_to(other)
    return World(evidence, home, other)


def attempts(world: World, root: str) -> list[dict[str, Any]]:
    """Everything that is tried, as one message with many tool calls."""
    outside = str(world.other_run)
    reads = ["/etc/passwd", "/etc/shadow", str(world.home / ".ssh/id_ed25519"), f"{outside}/requests.jsonl"]
    reads += ["../other-run/requests.jsonl", f"{root}/../other-run/requests.jsonl", "link", f"{root}/link"]
    reads += ["linked/requests.jsonl", "/proc/self/environ", "/proc/1/environ", "/proc/self/root/etc/passwd"]
    reads += ["/proc/self/cwd/../other-run/requests.jsonl", "~/.ssh/id_ed25519", sys.executable]
    greps = ["/etc", outside, "../other-run", str(world.home), "linked"]
    globs = [{"pattern": "*", "path": "/etc"}, {"pattern": "/etc/*"}, {"pattern": "../other-run/*"}]
    globs += [{"pattern": "{/etc/*,x}"}, {"pattern": "**/*", "path": outside}, {"pattern": "~/*"}]
    calls = [call("Read", {"file_path": path}) for path in reads]
    calls += [call("Grep", {"pattern": "canary|root:", "path": path, "output_mode": "content"}) for path in greps]
    calls += [call("Grep", {"pattern": "canary", "glob": "../**", "output_mode": "content"})]
    calls += [call("Glob", arguments) for arguments in globs]
    calls += [
        call("Bash", {"command": f"cat {outside}/requests.jsonl"}),
        call("Write", {"file_path": "x", "content": ""}),
    ]
    calls += [call("Edit", {"file_path": "task.json", "old_string": "order", "new_string": "x"})]
    calls += [call("WebFetch", {"url": "http://127.0.0.1/", "prompt": "x"}), call("WebSearch", {"query": "x"})]
    calls += [call("Agent", {"prompt": "x", "description": "x"}), call("Skill", {"skill": "run"})]
    return [*calls, call("mcp__evil__run", {"command": "id"}), call("CronCreate", {"prompt": "x"})]


def tried(world: World, kind: Any, *, hook: bool) -> tuple[list[tuple[dict[str, Any], ToolResult]], Guard]:
    """Every attempt with what came back."""
    folder = world.evidence.parent / "private"
    folder.mkdir(mode=0o700)
    root = sandbox.EVIDENCE if kind == "os" else str(world.evidence)
    calls = attempts(world, root)
    model = scripted(Reply(tuple(calls)), hands_in(answer()))

    async def run() -> Guard:
        with (
            Gateway(Endpoint(model.url, ("x-api-key", KEY)), folder, tcp=kind == "tools") as gateway,
            gateway.session(program.tool_names(frozenset())) as session,
        ):
            place = sandbox.prepare(kind, folder, world.evidence, program.find_program(), gateway.socket)
            assert place.root == root
            sandbox.add_environment(place, program.environment(sandbox.model_url(kind, gateway), session.token))
            guard = Guard(place.root, world.evidence, frozenset())
            options = program.options(
                place, guard, None, model="m", system_prompt="x", schema=answer_schema(), max_turns=9, max_cost=None
            )
            # The program's own permissions are no wall of ours: everything that it offers is allowed unasked.
            free = sorted({attempt["name"] for attempt in calls})
            options = dataclasses.replace(options, allowed_tools=free, permission_mode="default")
            if not hook:
                options = dataclasses.replace(options, hooks=None)
            async with Conversation(options, session) as conversation:
                await conversation.ask("go on", 60)
            return guard

    with model:
        guard = asyncio.run(run())
    results = {result.id: result for result in model.requests[1].tool_results}
    sent = [b for m in model.requests[1].body["messages"] if m["role"] == "assistant" for b in m["content"]]
    return [(block, results[block["id"]]) for block in sent if block["type"] == "tool_use"], guard


def leaks(results: list[tuple[dict[str, Any], ToolResult]]) -> list[str]:
    """Attempts that brought back something of the outside."""
    signs = (SECRET, "root:x:0", "root:*:", "passwd", "PATH=", "id_ed25519", "requests.jsonl")
    found = []
    for block, result in results:
        said = result.text
        for path in block["input"].values():
            # The name that was asked for may come back in a refusal.
            said = said.replace(str(path), "")
        if result.images or (not result.is_error and any(sign in said for sign in signs)):
            found.append(f"{block['name']} {block['input']}: {said[:200]}")
    return found


@needs_sandbox
def test_without_the_hook_the_operating_system_holds(world: World) -> None:
    results, guard = tried(world, "os", hook=False)
    assert len(results) == len(attempts(world, sandbox.EVIDENCE))
    assert not guard.refused
    assert leaks(results) == []
    assert (world.evidence / "task.json").read_text() == '{"instruction": "order noodles"}'


def test_without_the_operating_system_the_hook_holds(world: World) -> None:
    results, guard = tried(world, "tools", hook=True)
    assert leaks(results) == []
    assert len(guard.refused) >= 25
    assert not any(not result.is_error for block, result in results)


def test_the_attempts_succeed_where_nothing_holds(world: World) -> None:
    """Else the two tests above would prove nothing."""
    results, _ = tried(world, "tools", hook=False)
    found = "\n".join(leaks(results))
    for expected in ("/etc/passwd", "id_ed25519", "../other-run/requests.jsonl", "'link'", "Grep", "Glob"):
        assert expected in found, expected


@contextlib.contextmanager
def listening() -> Iterator[tuple[int, list[bytes]]]:
    """A server on our loopback that nobody may reach."""
    heard: list[bytes] = []
    server = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = server.accept()
                heard.append(connection.recv(100))
                connection.close()

    threading.Thread(target=accept, daemon=True).start()
    yield server.getsockname()[1], heard
    server.close()


def inside(world: World, code: str) -> str:
    """What a Python program says that runs where the judge's program would."""
    folder = world.evidence.parent / "private"
    folder.mkdir(mode=0o700)
    model = ScriptedModel([])
    with model, Gateway(Endpoint(model.url, ("x-api-key", KEY)), folder) as gateway:
        os.environ["CANARY"] = SECRET
        try:
            python = Path(os.path.realpath(sys.executable))
            place = sandbox.prepare("os", folder, world.evidence, python, gateway.socket)
            command = [str(place.launcher), "-I", "-S", "-c", code]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        finally:
            del os.environ["CANARY"]
    return done.stdout + done.stderr


@needs_sandbox
def test_inside_there_is_nothing_but_the_evidence(world: World) -> None:
    code = (
        "import os\n"
        "print(sorted(os.listdir('/')), sorted(os.listdir('/evidence')), sorted(os.listdir('/judge')))\n"
        "print(dict(os.environ), open('/proc/1/environ').read(), os.getuid())\n"
        "for path in ('/etc/passwd', '/work', '/var', '/run', '/sys', '/mnt', '/srv', '/opt'):\n"
        "    print(path, os.path.exists(path))\n"
        "files = [os.path.join(d, f) for top in ('/home', '/root', '/tmp') for d, _, fs in os.walk(top) for f in fs]\n"
        f"print('FOREIGN', [f for f in files if not f.startswith({sys.base_prefix!r})])\n"
        "for path in ('/evidence/new', '/usr/new', '/new'):\n"
        "    try: open(path, 'w'); print('WROTE', path)\n"
        "    except OSError as error: print(path, error.strerror)\n"
        "print(sorted(p for p in os.listdir('/proc') if p.isdigit()))\n"
    )
    said = inside(world, code)
    assert "['link', 'linked', 'task.json']" in said
    assert SECRET not in said
    assert KEY not in said
    assert "True" not in said
    assert "FOREIGN []" in said
    assert "WROTE" not in said
    assert "'CLAUDE_CONFIG_DIR': '/judge/home'" in said


@needs_sandbox
def test_inside_there_is_no_network_but_the_gateway(world: World) -> None:
    with listening() as (port, heard):
        code = (
            "import socket\n"
            f"for place in (('127.0.0.1', {port}), ('1.1.1.1', 443), ('169.254.169.254', 80)):\n"
            "    try: socket.create_connection(place, 2).send(b'hello'); print('REACHED', place)\n"
            "    except OSError as error: print(place, error)\n"
            "try: print(socket.getaddrinfo('example.com', 80), 'RESOLVED')\n"
            "except OSError as error: print(error)\n"
            "s = socket.create_connection(('127.0.0.1', 8088), 5)\n"
            "s.send(b'GET /v1/models HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'); print(s.recv(300))\n"
        )
        said = inside(world, code)
        assert "REACHED" not in said
        assert "RESOLVED" not in said
        assert heard == []
    assert "404" in said
