"""Reads template files safely, checks which variables they use, and renders them.

Templates are untrusted: they work on plain values, in a language that has no calls and always terminates. Document text
reaches them only as values.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path

from jinja2 import Template, nodes
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.meta import find_undeclared_variables

from investigator.asking.template_language import Fault, SpentError, TemplateLanguage
from investigator.errors import TemplateError, in_words
from investigator.records import Record

MOST_OCTETS = 200_000
"""Size limit for a template file, in bytes."""

_WRONG_VALUES = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, NameError)
_UNBOUNDED = (RecursionError, MemoryError)


class Sandbox:
    """Renders untrusted templates. `clock` returns the time in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock

    def render(self, template: Path, variables: Record) -> str:
        """Return the text of a template with its variables filled in. Raises TemplateError."""
        text = self.rendered(source_of(template), variables)
        if isinstance(text, Fault):
            place = f"{template}, line {text.line}" if text.line else str(template)
            raise TemplateError(f"{place}: {text.problem}", hint=text.hint)
        return text

    def rendered(self, source: str, variables: Record) -> str | Fault:
        """Return the text of a template with its variables filled in, or its first fault."""
        read = read_template(source)
        if read.compiled is None:
            return read.faults[0]
        try:
            return "".join(_language().pieces(read.compiled, variables.plain(), self._clock)).strip()
        except SpentError as error:
            hint = "Shorten the loops and the text of the template."
            return Fault(_line_of(read.compiled, error), str(error), hint)
        except (JinjaError, *_WRONG_VALUES, *_UNBOUNDED) as error:
            return Fault(_line_of(read.compiled, error), str(error) or type(error).__name__)

    def own_words(self, template: Path) -> str:
        """Return the fixed text of a template. Raises TemplateError."""
        return read_template(source_of(template)).own_words


@dataclass(frozen=True)
class ReadTemplate:
    """A parsed template: its faults, and its syntax tree unless a syntax error prevented all further analysis.

    A template with faults is not `compiled`.
    """

    faults: tuple[Fault, ...]
    tree: nodes.Template | None = None
    compiled: Template | None = None

    @cached_property
    def names(self) -> Mapping[str, int]:
        """Return the names that the template uses, with their lines."""
        return _lines_of_names(self.tree) if self.tree is not None else {}

    @cached_property
    def own_words(self) -> str:
        """Return the fixed text of the template."""
        return "".join(words.data for words in self.tree.find_all(nodes.TemplateData)) if self.tree is not None else ""


@lru_cache(maxsize=128)
def read_template(source: str) -> ReadTemplate:
    """Parse the text of a template; cached, because a process that opens many folders uses the same templates."""
    try:
        tree = _language().parsed(source)
        faults = tuple(sorted(set(_language().faults(tree)), key=lambda fault: (fault.line, fault.problem)))
        return ReadTemplate(faults, tree, None if faults else _language().compiled(tree))
    except JinjaError as error:  # raised by the parser, or by the compiler while it folds constants
        return ReadTemplate((Fault(getattr(error, "lineno", 1), error.message or "it cannot be read"),))


def _lines_of_names(tree: nodes.Template) -> Mapping[str, int]:
    """Return the names that a template uses without setting them, mapped to the lines on which they first occur."""
    lines: dict[str, int] = {}
    for node in tree.find_all(nodes.Name):
        lines[node.name] = min(node.lineno, lines.get(node.name, node.lineno))
    try:
        undeclared = find_undeclared_variables(tree)
    except JinjaError:  # raised as above, or for an unknown filter
        undeclared = lines.keys() - {node.name for node in tree.find_all(nodes.Name) if node.ctx == "store"} - {"loop"}
    return {name: lines.get(name, 1) for name in undeclared}


@cache
def _language() -> TemplateLanguage:
    return TemplateLanguage()


def file_in(folder: Path, name: str) -> Path | None:
    """Return a file in a prompts folder, if it exists. Raises TemplateError for a link that leads out of the folder."""
    path = folder / name
    if not os.path.lexists(path):
        return None
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise TemplateError(f"{path}: it is a link that points outside the prompts folder", hint="Copy the file there.")
    return path


def source_of(template: Path) -> str:
    """Return the text of a template file. Raises TemplateError if it is not a regular file, or is too long."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(template, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise TemplateError(f"{template}: it is not a regular file")
            content = file.read(MOST_OCTETS + 1)
        if len(content) > MOST_OCTETS:
            raise TemplateError(f"{template}: it is longer than {MOST_OCTETS:,} bytes")
        return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, ValueError) as error:
        raise TemplateError(f"{template}: it cannot be read: {in_words(error)}") from error


def _line_of(compiled: Template, error: BaseException) -> int | None:
    """Return the line of a template in which an error occurred, if known."""
    line: int | None = getattr(error, "lineno", None)
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = compiled.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return line
