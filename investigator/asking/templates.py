"""Template files: read with care, checked against the names of their variables, and rendered.

Nobody has to trust a template: it computes on plain values, in a language that calls nothing and comes to an end. What
documents say enters it only as values.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from jinja2 import Template, nodes
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.exceptions import TemplateSyntaxError
from jinja2.meta import find_undeclared_variables

from investigator.asking.template_language import WHAT_IS_ALLOWED, SpentError, TemplateLanguage
from investigator.errors import TemplateError, in_words
from investigator.records import Record

MOST_OCTETS = 200_000
"""A longer file is no template."""

_WRONG_VALUES = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, NameError)
_UNBOUNDED = (RecursionError, MemoryError)


class Sandbox:
    """Renders templates that nobody has to trust. `clock` tells the seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock

    def check(self, template: Path, variables: type[Record]) -> None:
        """Check a template against the names it will be given. Raises TemplateError with file, line and variable."""
        read = _template(template, source_of(template))
        known = set(variables.model_fields)
        for name in sorted(read.names.keys() - known):
            raise TemplateError(
                f"{template}, line {read.names[name]}: unknown variable {name!r}",
                hint=f"This template may use: {', '.join(sorted(known))}.",
            )

    def render(self, template: Path, variables: Record) -> str:
        """Return the text of a template with its variables put in. Raises TemplateError."""
        compiled = _template(template, source_of(template)).compiled
        try:
            return "".join(_language().pieces(compiled, variables.plain(), self._clock)).strip()
        except SpentError as error:
            hint = "Templates hold what a prompt needs and no more: shorten its loops and texts."
            raise TemplateError(f"{_place(template, compiled, error)}: {error}", hint=hint) from error
        except (JinjaError, *_WRONG_VALUES, *_UNBOUNDED) as error:
            message = f"{_place(template, compiled, error)}: {error or type(error).__name__}"
            raise TemplateError(message, hint=WHAT_IS_ALLOWED) from error

    def own_words(self, template: Path) -> str:
        """Return what a template says whatever its variables are. Raises TemplateError."""
        return _template(template, source_of(template)).own_words


@dataclass(frozen=True)
class _ReadTemplate:
    """A template that was checked: what renders, the names that it uses with the line of each, and its own words."""

    compiled: Template
    names: Mapping[str, int]
    own_words: str


def _template(template: Path, source: str) -> _ReadTemplate:
    try:
        return _read(source)
    except TemplateSyntaxError as error:
        raise TemplateError(f"{template}, line {error.lineno}: {error.message}", hint=WHAT_IS_ALLOWED) from error


@lru_cache(maxsize=128)
def _read(source: str) -> _ReadTemplate:
    """Read the text of a template once: a process that opens many folders uses the same ones. Raises JinjaError."""
    compiled, tree = _language().compiled(source), _language().checked(source)
    names: dict[str, int] = {}
    for node in tree.find_all(nodes.Name):
        names[node.name] = min(node.lineno, names.get(node.name, node.lineno))
    used = {name: names.get(name, 1) for name in find_undeclared_variables(tree)}
    return _ReadTemplate(compiled, used, "".join(words.data for words in tree.find_all(nodes.TemplateData)))


@cache
def _language() -> TemplateLanguage:
    return TemplateLanguage()


def file_in(folder: Path, name: str) -> Path | None:
    """Return a file of a folder of prompts if it is there. Raises TemplateError for a link that leads out of it."""
    path = folder / name
    if not os.path.lexists(path):
        return None
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise TemplateError(
            f"{path} is a link that leads out of the prompts folder", hint="Copy the file there instead."
        )
    return path


def source_of(template: Path) -> str:
    """Return the text of a template file. Raises TemplateError for what is no regular file, or too long a one."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(template, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise TemplateError(f"the template {template} is not a regular file")
            content = file.read(MOST_OCTETS + 1)
        if len(content) > MOST_OCTETS:
            raise TemplateError(f"the template {template} is longer than {MOST_OCTETS:,} bytes")
        return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, ValueError) as error:
        raise TemplateError(f"the template {template} cannot be read: {in_words(error)}") from error


def _place(template: Path, compiled: Template, error: BaseException) -> str:
    """Return the file, and the line of it that an error comes from if that is known."""
    line = getattr(error, "lineno", None)
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = compiled.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return f"{template}{f', line {line}' if line else ''}"
