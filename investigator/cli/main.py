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

from investigator.cli.ask import ask
from investigator.cli.chat import chat
from investigator.cli.display import display
from investigator.cli.doctor import doctor
from investigator.cli.eval_folder import eval_folder
from investigator.cli.eval_retrieval import eval_retrieval
from investigator.cli.eval_task import eval_task
from investigator.cli.export import export
from investigator.cli.index import index
from investigator.cli.memory import memory
from investigator.cli.module import module
from investigator.cli.replay import replay
from investigator.cli.runs import runs
from investigator.cli.search import search
from investigator.cli.search_server import search_server
from investigator.cli.show import show
from investigator.cli.status import status
from investigator.cli.tasks import tasks
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

app = typer.Typer(
    name="investigator",
    help="Answers questions from a folder of documents, with quotes that are proven to stand in them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("ask")(guarded(ask))
app.command("runs")(guarded(runs))
app.command("show")(guarded(show))
app.command("index")(guarded(index))
app.command("status")(guarded(status))
app.command("search")(guarded(search))
app.command("search-server")(guarded(search_server))
app.command("chat", context_settings=_MODULE_OPTIONS)(guarded(chat))
app.command("memory")(guarded(memory))
app.command("module", context_settings=_MODULE_OPTIONS)(guarded(module))
app.command("export")(guarded(export))
app.command("tasks")(guarded(tasks))
app.command("display")(guarded(display))
app.command("doctor")(guarded(doctor))
app.command("replay")(guarded(replay))

evaluations = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
evaluations.command("retrieval")(guarded(eval_retrieval))
evaluations.command("task")(guarded(eval_task))
evaluations.command("folder")(guarded(eval_folder))
app.add_typer(evaluations, name="eval", help="Measure the search, the method, or an agent at a task.")


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
