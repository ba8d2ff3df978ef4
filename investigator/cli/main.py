"""The command `investigator`: its commands, and what the shell is told when one fails.

Results go to standard output, talk and errors to standard error. Exit codes: 0 answered, 3 not in the documents,
4 not found so far, 1 the run failed, 2 wrong use, 130 interrupted.
"""

from __future__ import annotations

import functools
import io
import os
import sys
import traceback
from collections.abc import Callable
from typing import Annotated, ParamSpec

import typer

from investigator.cli.lazy_group import LazyCommand, LazyCommands, lazy_group
from investigator.errors import InvestigatorError
from investigator.reports.inert import inert

_Options = ParamSpec("_Options")


def run() -> None:
    """Run the command line of this process; ends the process with the exit code."""
    _write_anything()
    app(prog_name="investigator")


def guarded(command: Callable[_Options, None]) -> Callable[_Options, None]:
    """The command with its errors turned into `error:` and `hint:` on standard error and an exit code."""

    @functools.wraps(command)
    def shell(*args: _Options.args, **options: _Options.kwargs) -> None:
        try:
            command(*args, **options)
        except (typer.Exit, BrokenPipeError):  # typer ends the process for both, without a word
            raise
        except InvestigatorError as error:
            _tell(error.message, error.hint)
            raise typer.Exit(error.exit_code) from error
        except KeyboardInterrupt as stop:
            typer.echo("interrupted", err=True)
            raise typer.Exit(130) from stop
        except Exception as error:  # the outermost shell: no traceback unasked
            if os.environ.get("INVESTIGATOR_DEBUG"):
                typer.echo(inert(traceback.format_exc()), err=True)
            told = f"unexpected error: {type(error).__name__}: {error}"
            _tell(told, "Run it again with INVESTIGATOR_DEBUG=1 to see where it comes from.", mark="")
            raise typer.Exit(1) from error

    return shell


_MODULE_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}  # --srm-topp 0.8, see module_arguments


def _in(package: str, name: str, summary: str, **context_settings: bool) -> LazyCommand:
    return LazyCommand(f"investigator.{package}.{name}", name, summary, context_settings)


COMMANDS = {
    "ask": _in("cli", "ask", "Answer a question from a folder of documents."),
    "runs": _in("cli", "runs", "List the investigations of a folder, the newest first."),
    "show": _in("cli", "show", "Show a kept investigation again, finished or not."),
    "replay": _in("cli", "replay", "Repeat a finished run from its journal, without a model."),
    "index": _in("cli", "index", "Bring the index of a folder up to date."),
    "status": _in("cli", "status", "Show what the index holds and what has changed in the folder."),
    "search": _in("cli", "search", "Show the passages that a query finds, best first."),
    "chat": _in("bb3.commands", "chat", "Talk to a folder of documents.", **_MODULE_OPTIONS),
    "memory": _in("bb3.commands", "memory", "See and change what chats remember of a user."),
    "export": _in("bb3.commands", "export", "Make a release of saved conversations."),
    "search-server": _in("bb3.commands", "search_server", "Serve the search of a folder in BlenderBot 3's protocol."),
    "module": _in("bb3.commands", "module", "Ask one module of BlenderBot 3 by itself.", **_MODULE_OPTIONS),
    "tasks": _in("tasks.commands", "tasks", "List the tasks that can be displayed and evaluated."),
    "display": _in("tasks.commands", "display", "Show the examples of a task."),
    "doctor": LazyCommand(
        "investigator.doctor.command", "doctor", "Try the model of each role, and show what is installed."
    ),
    "eval": LazyCommand(
        "investigator.cli.main", "evaluations", "Measure the search, the method, or an agent at a task."
    ),
}
EVALUATIONS = {
    "retrieval": _in("cli", "eval_retrieval", "Measure the search on a test collection in the layout of BEIR."),
    "task": _in("tasks.commands", "eval_task", "Let an agent answer what a task asks, and print how well it did."),
    "folder": _in("cli", "eval_folder", "Ask each question of a file and measure the answers."),
}
evaluations = typer.Typer(
    cls=lazy_group(LazyCommands(EVALUATIONS, guarded)), no_args_is_help=True, rich_markup_mode=None
)
app = typer.Typer(
    name="investigator",
    cls=lazy_group(LazyCommands(COMMANDS, guarded)),
    help="Answers questions from a folder of documents, with quotes that are proven to stand in them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@evaluations.callback()
def _measure() -> None:
    """Measure the search, the method, or an agent at a task."""


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version  # slow to import, and rarely wanted

        try:
            typer.echo(f"investigator {version('investigator')}")
        except PackageNotFoundError:
            typer.echo("investigator (run from its source, not installed)")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def _tell(message: str, hint: str, mark: str = "error: ") -> None:
    typer.echo(f"{mark}{inert(message)}", err=True)
    if hint:
        typer.echo(f"hint: {inert(hint)}", err=True)


def _write_anything() -> None:
    """Let no closed stream and no character stop the output.

    Files and pipes get UTF-8; a terminal gets what it cannot show written out.
    """
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")
