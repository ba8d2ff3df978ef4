"""Turns a record parameter of a command into a group of command-line options.

A group is a frozen dataclass; each field is an option or another group. A command takes the group as one parameter;
typer, which needs one parameter per option, sees the fields of the group instead.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from typing import TypeGuard, TypeVar, get_type_hints

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
