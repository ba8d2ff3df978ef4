"""The `investigator` command: its sub-commands, exit codes and errors.

Results go to standard output, progress and errors to standard error. Exit codes: 0 answered, 3 not in the documents or
wrong premise, 4 not found so far, 5 answered in part, passages found or a disagreement, 1 the run failed, 2 usage
error, 130 interrupted.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from typer.completion import completion_init  # type: ignore[attr-defined]
from typer.core import TyperCommand, TyperGroup

from investigator.cli.lazy_command import LazyCommand, report
from investigator.resources.distribution import DISTRIBUTION, installed_version, namesake_warning
from investigator.secrets import redacted


def run() -> None:
    """Run the command given on the command line, then exit with its exit code. No closed stream or unprintable
    character stops the output, and no known secret is printed. Files and pipes receive UTF-8; characters that a
    terminal cannot show are escaped.
    """
    sys.stdout, sys.stderr = _for_anything(sys.stdout), _for_anything(sys.stderr)
    if "_INVESTIGATOR_COMPLETE" in os.environ:  # completion by the shell, as the guide shows
        completion_init()
    try:
        app(prog_name="investigator")
    finally:
        gc.freeze()  # avoid garbage collection at the end of the process


def _group(name: str, commands: tuple[LazyCommand, ...], summary: str) -> TyperGroup:
    return TyperGroup(name=name, commands=commands, help=summary, no_args_is_help=True, rich_markup_mode=None)


# as in --srm-topp 0.8; see module_arguments
_MODULE_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}
_DIALOGUE = (
    LazyCommand("memory", "bb3.commands.memory:memory", "Show or change what chats remember about a user."),
    LazyCommand("export", "bb3.commands.export:export", "Export saved conversations for release."),
    LazyCommand("module", "bb3.commands.module:module", "Run a single module of BlenderBot 3.", **_MODULE_OPTIONS),
    LazyCommand("tasks", "tasks.commands.tasks:tasks", "List the tasks, show one, or measure an agent that does it."),
)
_PROMPTS = (
    LazyCommand("show", "workbench.commands:show", "List the templates, show the prompt of one, or try it on a model."),
    LazyCommand("copy", "workbench.commands:copy", "Copy shipped templates so that you can change them."),
)
_COMMANDS: Mapping[str, tuple[TyperCommand | TyperGroup, ...]] = {
    "Daily use": (
        LazyCommand("ask", "cli.ask:ask", "Answer a question from a folder of documents."),
        LazyCommand("matrix", "cli.matrix:matrix", "Ask every document the same questions, and show a table."),
        LazyCommand("report", "cli.report:report", "Write a report of cited sections on a subject."),
        LazyCommand(
            "chat", "bb3.commands.chat:chat", "Talk to a folder of documents.", prints=False, **_MODULE_OPTIONS
        ),
        LazyCommand(
            "serve", "bb3.commands.serve:serve", "Serve a page for the browser, an API, or agents (MCP).", prints=False
        ),
        LazyCommand("show", "cli.runs:show", "List the investigations of a folder, or show one again."),
        LazyCommand("watch", "cli.watch:watch", "Keep the answers to questions up to date while a folder changes."),
        LazyCommand("verify", "cli.runs:verify", "Check the quotes of a report against the files."),
        LazyCommand("index", "cli.index:index", "Bring the index of a folder up to date."),
        LazyCommand("search", "cli.index:search", "Show the passages that match a query, best first."),
        LazyCommand("doctor", "doctor.command:doctor", "Test the model for each role, and list installed packages."),
    ),
    "Models and settings": (
        LazyCommand("settings", "cli.settings:settings", "List the settings: value, default, source and meaning."),
        LazyCommand("model", "cli.model:model", "List, fetch and remove models that run on this machine."),
    ),
    "Prompts and measuring": (
        _group("prompts", _PROMPTS, "List, change and try the prompt templates."),
        LazyCommand(
            "compare", "cli.compare:compare", "Compare two templates, models or settings, with a statistical test."
        ),
        LazyCommand("tune", "cli.tune:tune", "Search for templates or settings that are proven to be better."),
        LazyCommand("eval", "cli.eval:evaluate", "Measure the answers, the check or the search."),
        _group("dialogue", _DIALOGUE, "Memories and exports of chats, BlenderBot 3's modules, and ParlAI's tasks."),
    ),
}

_FORMER: Mapping[str, str] = {
    "runs": "show FOLDER",
    "mcp": "serve FOLDER --mcp",
    "prompts list": "prompts show",
    "prompts render": "prompts show NAME",
    "prompts check": "prompts show NAME --prompts DIR",
    "prompts run": "prompts show NAME FOLDER QUESTION --model MODEL",
    "eval folder": "eval FOLDER --questions FILE",
    "eval claims": "eval --claims FILE",
    "eval retrieval": "eval --retrieval COLLECTION",
    "eval task": "dialogue tasks TASK --agent NAME",
    "replay": "verify --run RUN --docs FOLDER",
    "status": "index FOLDER --dry-run",
    "display": "dialogue tasks TASK",
    **{name: f"dialogue {name}" for name in ("memory", "export", "module", "tasks")},
}
"""The present spelling of commands that had another name."""


class _Commands(TyperGroup):
    """All commands; its help lists them in titled sections."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for commands in _COMMANDS.values():
            for command in commands:
                self.add_command(command)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name. A former name is a usage error that gives the present one."""
        for words in (args[:1], args[:2]):
            former = " ".join(words)
            if former in _FORMER and not Path(words[-1]).is_dir():
                ctx.fail(f"'{former}' is now: investigator {_FORMER[former]}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, self.commands))
        for title, commands in _COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{each.name:{width}}", each.get_short_help_str(200)) for each in commands])


app = typer.Typer(
    name="investigator",
    cls=_Commands,
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
            report(warning, "", mark="warning: ")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


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
