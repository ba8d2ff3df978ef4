"""Commands that import their modules when they are called, not when the command line is set up, and that report their
errors.

A group of options is a frozen dataclass; each field is an option or another group. A command takes the group as one
parameter; typer, which needs one parameter per option, sees the fields of the group instead.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
import signal
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ParamSpec, TypeGuard, TypeVar, get_type_hints

import typer
from pydantic import ValidationError
from typer.core import TyperCommand

from investigator.cli.streams import StreamOptions
from investigator.errors import InvestigatorError
from investigator.reports.inert import inert

T = TypeVar("T")


Around = Callable[[Callable[[], None], Mapping[str, object]], None]
"""Runs a command; also gets the values of its options."""


def with_groups(command: Callable[..., None], around: Callable[..., Around] | None = None) -> Callable[..., None]:
    """Return a version of the command for typer, in which each group among the parameters is replaced by its fields.

    The options of a group `around` are added; the group then runs the command. Raises ValueError if two options have
    the same name.
    """

    @functools.wraps(command)
    def typed(**given: object) -> None:
        if around is None:
            _call(command, given)
        else:
            _call(around, given)(functools.partial(_call, command, given), given)

    options = [*_options(command), *(_options(around) if around is not None else ())]
    typed.__dict__["__signature__"] = inspect.Signature(options)
    typed.__annotations__ = {option.name: option.annotation for option in options}
    return typed


def _options(taker: Callable[..., object]) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a command or a group; each inner group is replaced by its own parameters."""
    kinds = get_type_hints(taker, include_extras=True)
    for parameter in inspect.signature(taker).parameters.values():
        kind = kinds[parameter.name]
        if _is_group(kind):
            yield from _options(kind)
        else:
            yield parameter.replace(annotation=kind, kind=inspect.Parameter.KEYWORD_ONLY)


def _call(taker: Callable[..., T], given: Mapping[str, object]) -> T:
    """Call a command, or create a group, with values from the command line."""
    kinds = get_type_hints(taker, include_extras=True)
    names = inspect.signature(taker).parameters
    return taker(**{name: _call(kind, given) if _is_group(kind := kinds[name]) else given[name] for name in names})


def _is_group(kind: object) -> TypeGuard[Callable[..., object]]:
    return isinstance(kind, type) and is_dataclass(kind)


_WANTED: Mapping[str, str] = {
    "int_parsing": "a whole number",
    "float_parsing": "a number",
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
}
"""Descriptions of valid values, keyed by pydantic error type; typer parses options with pydantic."""
_EXTRA = re.compile(r"unexpected extra argument\(s\) \((.*)\)")

_Options = ParamSpec("_Options")


class LazyCommand(TyperCommand):
    """A command whose name and one-line help are known before its module is imported. `place` is the `module:function`
    in this package to import when the command is called. If `prints` is True, the command prints a result, and so
    accepts `--quiet` and `--verbose`.
    """

    def __init__(self, name: str, place: str, summary: str, *, prints: bool = True, **context_settings: bool) -> None:
        super().__init__(name, short_help=summary, context_settings=dict(context_settings))
        self.place = f"investigator.{place}"
        self._prints = prints

    def make_context(self, *words: Any, **extra: Any) -> Any:
        """Return the context of the loaded command, which then runs in place of this command."""
        try:
            return self.load().make_context(*words, **extra)
        except typer.TyperException as error:
            error.message = _in_words(error)
            if unknown := _EXTRA.search(error.message):
                error.message += _help_for_extra(self.name or "", unknown[1])
            raise

    def load(self) -> Any:
        """Load and return the command with its options."""
        module, _, function = self.place.partition(":")
        command = getattr(import_module(module), function)
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        alone.command(self.name, context_settings=dict(self.context_settings))(
            guarded(with_groups(command, StreamOptions if self._prints else None))
        )
        return typer.main.get_command(alone)


def _in_words(error: typer.TyperException) -> str:
    """Return the message for a usage error, including the number if it is invalid or out of range."""
    problem = error.__cause__
    first = problem.errors(include_url=False)[0] if isinstance(problem, ValidationError) else None
    if first is None or first["type"] not in _WANTED:
        return error.message.replace("Value error, ", "")
    return f"must be {_WANTED[first['type']].format(**first.get('ctx', {}))}, not {first['input']!r}"


def _help_for_extra(command: str, words: str) -> str:
    """Return a hint about extra words that a command does not accept."""
    if Path(words).expanduser().exists():
        return f". It takes no file or folder here; see: investigator {command} --help"
    return '. Put a question or text in quotes: "What is the rent?"'


def guarded(command: Callable[_Options, None]) -> Callable[_Options, None]:
    """Wrap a command so that an error is printed as `error:` and `hint:` lines on standard error, and sets the exit
    code.
    """

    @functools.wraps(command)
    def shell(*args: _Options.args, **options: _Options.kwargs) -> None:
        try:
            if callable(signal.getsignal(signal.SIGINT)):  # not ignored; until now, Ctrl-C ended the process at once
                signal.signal(signal.SIGINT, signal.default_int_handler)
            command(*args, **options)
        except (typer.Exit, BrokenPipeError):  # typer ends the process silently for both exceptions
            raise
        except InvestigatorError as error:
            report(error.message, error.hint)
            raise typer.Exit(error.exit_code) from error
        except KeyboardInterrupt as stop:
            typer.echo("interrupted", err=True)
            raise typer.Exit(130) from stop
        except Exception as error:  # the outermost handler: no traceback unless requested
            if os.environ.get("INVESTIGATOR_DEBUG"):
                typer.echo(inert(traceback.format_exc()), err=True)
            message = f"unexpected error: {type(error).__name__}: {error}"
            report(message, "Run the command again with INVESTIGATOR_DEBUG=1 to see the traceback.", mark="")
            raise typer.Exit(1) from error

    return shell


def report(message: str, hint: str, mark: str = "error: ") -> None:
    """Print a message and a hint on standard error, with control characters escaped."""
    typer.echo(f"{mark}{inert(message)}", err=True)
    if hint:
        typer.echo(f"hint: {inert(hint)}", err=True)
