"""The `investigator` command: its sub-commands, exit codes and errors.

Results go to standard output, progress and errors to standard error. Exit codes: 0 answered, 3 not in the documents or
wrong premise, 4 not found so far, 5 answered in part, passages found or a disagreement, 1 the run failed, 2 usage
error, 130 interrupted.
"""

from __future__ import annotations

import functools
import gc
import io
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Annotated, ParamSpec, TextIO

import typer
from typer.completion import completion_init  # type: ignore[attr-defined]
from typer.core import TyperCommand, TyperGroup

from investigator.cli.lazy_group import LazyCommand, lazy_group
from investigator.errors import InvestigatorError
from investigator.reports.inert import inert
from investigator.resources.distribution import DISTRIBUTION, installed_version, namesake_warning
from investigator.secrets import redacted

_Options = ParamSpec("_Options")


def run() -> None:
    """Run the command given on the command line, then exit with its exit code."""
    _write_anything()
    if "_INVESTIGATOR_COMPLETE" in os.environ:  # set by the script that `investigator completion` prints
        completion_init()
    try:
        app(prog_name="investigator")
    except KeyboardInterrupt:  # Ctrl-C while a command is being loaded, or after its result was printed
        typer.echo("interrupted", err=True)
        sys.exit(130)
    finally:
        gc.freeze()  # avoid garbage collection at the end of the process


def guarded(command: Callable[_Options, None]) -> Callable[_Options, None]:
    """Wrap a command so that an error is printed as `error:` and `hint:` lines on standard error, and sets the exit
    code.
    """

    @functools.wraps(command)
    def shell(*args: _Options.args, **options: _Options.kwargs) -> None:
        try:
            command(*args, **options)
        except (typer.Exit, BrokenPipeError):  # typer ends the process silently for both exceptions
            raise
        except InvestigatorError as error:
            _report(error.message, error.hint)
            raise typer.Exit(error.exit_code) from error
        except KeyboardInterrupt as stop:
            typer.echo("interrupted", err=True)
            raise typer.Exit(130) from stop
        except Exception as error:  # the outermost handler: no traceback unless requested
            if os.environ.get("INVESTIGATOR_DEBUG"):
                typer.echo(inert(traceback.format_exc()), err=True)
            message = f"unexpected error: {type(error).__name__}: {error}"
            _report(message, "Run the command again with INVESTIGATOR_DEBUG=1 to see the traceback.", mark="")
            raise typer.Exit(1) from error

    return shell


def _command(name: str, place: str, summary: str, *, prints: bool = True, **context_settings: bool) -> LazyCommand:
    return LazyCommand(name, f"investigator.{place}", summary, guarded, prints=prints, **context_settings)


def _group(name: str, commands: tuple[LazyCommand, ...], summary: str) -> TyperGroup:
    return TyperGroup(name=name, commands=commands, help=summary, no_args_is_help=True, rich_markup_mode=None)


# as in --srm-topp 0.8; see module_arguments
_MODULE_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}
_EVALUATIONS = (
    _command("retrieval", "cli.eval:eval_retrieval", "Measure the search on a BEIR test collection."),
    _command("task", "tasks.commands.eval_task:eval_task", "Let an agent do a task, and measure its replies."),
    _command("claims", "cli.eval:eval_claims", "Measure how well the check tells true statements from false ones."),
    _command("folder", "cli.eval:eval_folder", "Ask each question in a file, and measure the answers."),
)
_MODELS = (
    _command("pull", "cli.model:pull", "Fetch a model that runs on this machine."),
    _command("list", "cli.model:list_models", "Show the recommended and the pulled models."),
    _command("remove", "cli.model:remove", "Delete a pulled model."),
)
_PROMPTS = (
    _command("list", "workbench.commands:list_templates", "List the prompt templates."),
    _command("copy", "workbench.commands:copy", "Copy shipped templates so that you can change them."),
    _command("render", "workbench.commands:render", "Show the prompt that a template produces for a step."),
    _command("run", "workbench.commands:run_template", "Send a template to a model, and compare the replies."),
)
_COMMANDS: Mapping[str, tuple[TyperCommand | TyperGroup, ...]] = {
    "Daily use": (
        _command("ask", "cli.ask:ask", "Answer a question from a folder of documents."),
        _command("matrix", "cli.matrix:matrix", "Ask every document the same questions, and show a table."),
        _command("chat", "bb3.commands.chat:chat", "Talk to a folder of documents.", prints=False, **_MODULE_OPTIONS),
        _command(
            "serve", "bb3.commands.serve:serve", "Open a page in the browser, with an API for programs.", prints=False
        ),
        _command("runs", "cli.runs:runs", "List the investigations of a folder, newest first."),
        _command("show", "cli.runs:show", "Show an investigation again, finished or not."),
        _command("verify", "cli.runs:verify", "Check the quotes of a report against the files."),
        _command("index", "cli.index:index", "Bring the index of a folder up to date."),
        _command("search", "cli.index:search", "Show the passages that match a query, best first."),
        _command("doctor", "doctor.command:doctor", "Test the model for each role, and list installed packages."),
    ),
    "Investigations, folders, models": (
        _command("replay", "cli.runs:replay", "Repeat a finished run from its journal, without a model."),
        _command("status", "cli.index:status", "Show the contents of the index, and the changes in the folder."),
        _command("completion", "cli.scripts:completion", "Print a script that lets your shell complete commands."),
        _command("schema", "cli.scripts:schema", "List the JSON Schemas of the results, or print one."),
        _command("mcp", "cli.mcp:mcp", "Serve folders to agents over the Model Context Protocol.", prints=False),
        _group("model", _MODELS, "Fetch, list and remove models that run on this machine."),
    ),
    "Prompts and measuring": (
        _group("prompts", _PROMPTS, "List, change and try the prompt templates."),
        _command(
            "compare", "cli.compare:compare", "Compare two templates, models or settings, with a statistical test."
        ),
        _command("tune", "cli.tune:tune", "Search for templates or settings that are proven to be better."),
        _group("eval", _EVALUATIONS, "Measure the search, the method, or an agent on a task."),
    ),
    "Conversations and dialogue research": (
        _command("memory", "bb3.commands.memory:memory", "Show or change what chats remember about a user."),
        _command("export", "bb3.commands.export:export", "Export saved conversations for release."),
        _command("module", "bb3.commands.module:module", "Run a single module of BlenderBot 3.", **_MODULE_OPTIONS),
        _command("tasks", "tasks.commands.tasks:tasks", "List the tasks that can be displayed and evaluated."),
        _command("display", "tasks.commands.tasks:display", "Show the examples of a task."),
    ),
}
app = typer.Typer(
    name="investigator",
    cls=lazy_group(_COMMANDS),
    help="Answer questions from a folder of documents, with quotes that are proven to be in them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        version = installed_version()
        typer.echo(f"{DISTRIBUTION} {version}" if version else f"{DISTRIBUTION} (run from source, not installed)")
        if warning := namesake_warning():
            _report(warning, "", mark="warning: ")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def _report(message: str, hint: str, mark: str = "error: ") -> None:
    typer.echo(f"{mark}{inert(message)}", err=True)
    if hint:
        typer.echo(f"hint: {inert(hint)}", err=True)


def _write_anything() -> None:
    """Prepare the output streams: no closed stream or unprintable character stops the output, and no known secret is
    printed.

    Files and pipes receive UTF-8; characters that a terminal cannot show are escaped.
    """
    sys.stdout = _for_anything(sys.stdout)
    sys.stderr = _for_anything(sys.stderr)


class _WithoutSecrets(io.TextIOWrapper):
    def write(self, text: str, /) -> int:
        super().write(redacted(text))
        return len(text)


def _for_anything(stream: TextIO | None) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream or io.StringIO()
    encoding = stream.encoding if stream.isatty() else "utf-8"
    lines, through = stream.line_buffering, stream.write_through
    return _WithoutSecrets(
        stream.detach(), encoding=encoding, errors="backslashreplace", line_buffering=lines, write_through=through
    )
