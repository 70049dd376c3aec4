"""The program's place: under bubblewrap a file system of its own and no network, or with the tools' confinement alone.

Inside the sandbox there are the system's libraries, the program, the evidence (read-only) and an empty folder in memory
for the program's own files; no home, no other project, no network but the way to the gateway. Nothing of our
environment goes in.
"""

from __future__ import annotations

import functools
import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from clawjudge.judge.agentic.confinement import forward, launch
from clawjudge.judge.agentic.confinement.gateway import Gateway
from clawjudge.traces.errors import InvalidInput

Kind = Literal["os", "tools"]
EVIDENCE = "/evidence"
"""Where the evidence is inside the sandbox."""
_PROGRAM = "/judge/program"
_FORWARD = "/judge/forward.py"
_SOCKET = "/judge/model.sock"
_HOME = "/judge/home"
_PORT = 8088
"""On the loopback of a network that nothing else is in."""
_SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/sbin")
_PROBE_SECONDS = 20
REMEDY = (
    "install bubblewrap (Debian and Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap), or choose"
    " --sandbox tools, which keeps the judge to its evidence by its tools alone"
)


class NoSandbox(InvalidInput):
    """The operating system's sandbox cannot be had here. The text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where and how the program runs."""

    kind: Kind
    evidence: Path
    """The evidence folder as we see it."""
    root: str
    """The evidence folder as the program sees it."""
    launcher: Path
    """What the SDK starts."""


def choose(wanted: Literal["auto", "os", "tools"]) -> tuple[Kind, str]:
    """The kind of confinement that can be had, and a notice if it is less than the full one.

    Raises `NoSandbox` where `os` was asked for and cannot be had.
    """
    if wanted == "tools":
        return "tools", "the judge is confined by its tools only (--sandbox tools)"
    why = unavailable()
    if not why:
        return "os", ""
    if wanted == "os":
        raise NoSandbox(f"{why}; {REMEDY}")
    return "tools", f"the judge is confined by its tools only, because {why}"


@functools.cache
def unavailable() -> str:
    """Why bubblewrap cannot be used here; empty if it can. Tried out, because kernels and containers may forbid it."""
    if sys.platform != "linux":
        return "the sandbox needs Linux"
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None:
        return "bubblewrap (bwrap) is not installed"
    command = [bubblewrap, *_walls(), "--", os.path.realpath(sys.executable), "-I", "-S", "-c", ""]
    try:
        done = subprocess.run(command, env={}, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not work here ({type(error).__name__})"
    said = " ".join(done.stderr.split())[:200]
    return f"bubblewrap does not work here ({said})" if done.returncode else ""


def prepare(kind: Kind, folder: Path, evidence: Path, program: Path, socket: Path) -> Place:
    """Write what the SDK starts into `folder`, a private one. `evidence` is the staged folder."""
    launcher = folder / "start"
    specification = folder / "start.json"
    if kind == "os":
        argv, root = _bubblewrapped(evidence, program, socket), EVIDENCE
    else:
        argv, root = [str(program)], str(evidence.resolve())
        (folder / "home").mkdir()
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"} | _homes(kind, folder)
    specification.write_text(json.dumps({"argv": argv, "env": environment, "parent": os.getpid()}), "utf-8")
    python = [sys.executable, "-I", "-S", launch.__file__, str(specification)]
    launcher.write_text(f'#!/bin/sh\nexec {shlex.join(python)} "$@"\n', "utf-8")
    launcher.chmod(0o700)
    return Place(kind, evidence, root, launcher)


def add_environment(place: Place, variables: dict[str, str]) -> None:
    """Add to the environment of the program."""
    specification = place.launcher.with_suffix(".json")
    wanted = json.loads(specification.read_text("utf-8"))
    wanted["env"] |= variables
    specification.write_text(json.dumps(wanted), "utf-8")


def model_url(kind: Kind, gateway: Gateway) -> str:
    """Where the program finds the model."""
    return f"http://127.0.0.1:{_PORT}" if kind == "os" else gateway.url


def _homes(kind: Kind, folder: Path) -> dict[str, str]:
    home = _HOME if kind == "os" else str(folder / "home")
    return {"HOME": home, "CLAUDE_CONFIG_DIR": home, "TMPDIR": "/tmp" if kind == "os" else home}


def _bubblewrapped(evidence: Path, program: Path, socket: Path) -> list[str]:
    bound = [
        *("--ro-bind", str(evidence.resolve()), EVIDENCE),
        *("--ro-bind", str(program.resolve()), _PROGRAM),
        *("--ro-bind", os.path.realpath(forward.__file__), _FORWARD),
        *("--ro-bind", str(socket), _SOCKET),
        *("--tmpfs", _HOME, "--chdir", EVIDENCE, "--remount-ro", "/"),
    ]
    inside = [os.path.realpath(sys.executable), "-I", "-S", _FORWARD, str(_PORT), _SOCKET, _PROGRAM]
    return [shutil.which("bwrap") or "bwrap", *_walls(), *bound, "--", *inside]


def _walls() -> list[str]:
    """Namespaces of its own for everything, and the file system without what belongs to a person or a project."""
    walls = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "judge"]
    # Not root inside either: some programs trust root with more.
    walls += ["--unshare-user", "--uid", "1000", "--gid", "1000", "--ro-bind", "/usr", "/usr"]
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            walls += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            walls += ["--ro-bind", str(path), str(path)]
    walls += ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]
    for path in _python():
        walls += ["--ro-bind", str(path), str(path)]
        if (path / "site-packages").is_dir():
            walls += ["--tmpfs", str(path / "site-packages")]
    return [*walls, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/judge"]


def _python() -> list[Path]:
    """What the interpreter needs, where it does not belong to the system: it and its standard library, no packages."""
    prefix = Path(sys.base_prefix).resolve()
    if prefix.is_relative_to("/usr"):
        return []
    library = Path(os.__file__).resolve().parent
    shared = sorted((prefix / "lib").glob("libpython*"))
    return [Path(os.path.realpath(sys.executable)), library, *shared]
