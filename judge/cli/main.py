"""The command `clawjudge`: finds the command asked for, and turns errors into exit codes."""

from __future__ import annotations

import importlib
import logging
import sys
import traceback
from typing import Any, NoReturn

import click

from clawjudge.judge.cli.streams import Exit, NothingMatched, notice, silence_stdout
from clawjudge.judge.show.terminal import plain_lines

COMMANDS = {
    "evaluate": ("evaluate", "Judge a run, or a folder of runs, against a human reference."),
    "rescore": ("rescore", "Judge whole bundles of runs again, with one or several judges."),
    "align": ("align", "Show a run beside its reference, step by step."),
    "compare": ("compare", "Hold new verdicts against old ones: what changed, and does chance explain it."),
    "reproduce": ("reproduce", "Say whether stored verdicts give what a leaderboard row says."),
    "verdicts": ("verdicts", "List, explain, compare and export stored verdicts."),
    "traces": ("traces", "Look into recordings and task definitions, and fetch recordings."),
    "rubrics": ("rubrics", "List the rubrics and show their rules."),
}
"""Name to module and one line of help. A command is imported only when it is used, so that help is instant."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"clawjudge.judge.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        _accept_verbose(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"no command {args[0]!r}; there are: {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


def _be_verbose(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.find_root().meta["verbose"] = True
        handler = logging.StreamHandler()
        handler.setFormatter(_PlainFormatter("%(name)s: %(message)s"))
        logger = logging.getLogger("clawjudge")
        logger.handlers[:] = [handler]
        logger.setLevel(logging.DEBUG)


class _PlainFormatter(logging.Formatter):
    """Log records and tracebacks may quote a recording too."""

    def format(self, record: logging.LogRecord) -> str:
        return plain_lines(super().format(record))


def _verbose_option() -> click.Option:
    about = "Say more on standard error, with tracebacks of errors."
    return click.Option(["-v", "--verbose"], is_flag=True, expose_value=False, callback=_be_verbose, help=about)


def _accept_verbose(command: click.Command) -> None:
    """`-v` is understood at every place of the line."""
    if isinstance(command, click.Group):
        for part in command.commands.values():
            _accept_verbose(part)
    elif not any(parameter.name == "verbose" for parameter in command.params):
        command.params.append(_verbose_option())


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from clawjudge.judge.fingerprint import tool_version

        click.echo(f"clawjudge {tool_version()}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    no_args_is_help=True,
    epilog="""\b
Examples:
  clawjudge evaluate --agent-trace runs/42 --reference-trace humans/42
  clawjudge evaluate --agent-trace runs --format json -o verdicts.json
  clawjudge align runs/42 humans/42
  clawjudge traces info runs/42

\b
Exit codes: 0 done, 1 a gate you asked for failed, 2 usage, 3 some runs are unjudged, 4 input invalid,
5 nothing matched, 6 budget reached, 70 internal error, 130 interrupted.
""",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_print_version, help="Show the version."
)
def cli() -> None:
    """Judge what browser agents really did: hold a recorded run against a human's, decide, cite the evidence."""


cli.params.append(_verbose_option())


def run() -> NoReturn:
    """Run the command line of this process, and end it with the exit code."""
    code = main(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError:
        silence_stdout()
    sys.exit(code)


def main(arguments: list[str]) -> int:
    """Run one command line and return its exit code; whatever goes wrong is said on standard error."""
    from clawjudge.traces.errors import TraceError

    state: dict[str, Any] = {}
    try:
        with cli.make_context("clawjudge", list(arguments)) as ctx:
            state = ctx.meta
            return int(cli.invoke(ctx) or Exit.DONE)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            notice(error.format_message())
            return Exit.USAGE
        if isinstance(error, click.UsageError) and error.ctx is not None:
            notice(error.ctx.get_usage())
            notice(f"Try '{error.ctx.command_path} --help' for examples.\n")
        notice(f"Error: {error.format_message()}")
        return Exit.USAGE
    except (KeyboardInterrupt, click.Abort):
        notice("interrupted")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        silence_stdout()
        return Exit.DONE
    except NothingMatched as error:
        return _failed(str(error), Exit.NOTHING_MATCHED, state)
    except TraceError as error:
        return _failed(str(error), Exit.INVALID_INPUT, state)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _failed(f"{place}{error.strerror or error}", Exit.INVALID_INPUT, state)
    except Exception as error:  # noqa: BLE001 (the last line of defence: one line for people, the rest with -v)
        said = f"internal error: {type(error).__name__}: {error}"
        return _failed(
            said if state.get("verbose") else f"{said}; run again with -v to see where", Exit.INTERNAL, state
        )


def _failed(message: str, code: Exit, state: dict[str, Any]) -> int:
    if state.get("verbose"):
        notice(traceback.format_exc().rstrip())
    notice(f"clawjudge: {message}")
    return code
