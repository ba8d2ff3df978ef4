"""Template files: read with care, checked against the names of their variables, and rendered.

A template need not be trusted: it computes on plain values, in a language that calls nothing and always ends. What
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
from jinja2.meta import find_undeclared_variables

from investigator.asking.template_language import Fault, SpentError, TemplateLanguage
from investigator.errors import TemplateError, in_words
from investigator.records import Record

MOST_OCTETS = 200_000
"""A longer file is not a template."""

_WRONG_VALUES = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, NameError)
_UNBOUNDED = (RecursionError, MemoryError)


class Sandbox:
    """Renders templates that need not be trusted. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock

    def render(self, template: Path, variables: Record) -> str:
        """Return the text of a template with its variables put in. Raises TemplateError."""
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
            hint = "Templates hold what a prompt needs and no more: shorten its loops and texts."
            return Fault(_line_of(read.compiled, error), str(error), hint)
        except (JinjaError, *_WRONG_VALUES, *_UNBOUNDED) as error:
            return Fault(_line_of(read.compiled, error), str(error) or type(error).__name__)

    def own_words(self, template: Path) -> str:
        """Return the fixed text of a template. Raises TemplateError."""
        return read_template(source_of(template)).own_words


@dataclass(frozen=True)
class ReadTemplate:
    """The text of a template taken apart: its faults, the names that it uses with their lines, and its own words.

    A template with faults is not `compiled`.
    """

    faults: tuple[Fault, ...]
    names: Mapping[str, int]
    own_words: str
    compiled: Template | None

    @property
    def is_parsed(self) -> bool:
        """False if its syntax is so wrong that nothing else is known of it."""
        return bool(self.names or self.own_words)


@lru_cache(maxsize=128)
def read_template(source: str) -> ReadTemplate:
    """Take the text of a template apart, once: a process that opens many folders uses the same templates."""
    try:
        tree = _language().parsed(source)
        faults = tuple(sorted(set(_language().faults(tree)), key=lambda fault: (fault.line, fault.problem)))
        compiled = None if faults else _language().compiled(source)
    except JinjaError as error:  # from the parser, or from the compiler, which computes constants
        fault = Fault(getattr(error, "lineno", 1), error.message or "it cannot be read")
        return ReadTemplate((fault,), {}, "", None)
    words = "".join(words.data for words in tree.find_all(nodes.TemplateData))
    return ReadTemplate(faults, _lines_of_names(tree), words, compiled)


def _lines_of_names(tree: nodes.Template) -> Mapping[str, int]:
    """Return the names that a template uses and does not set itself, each with its first line."""
    lines: dict[str, int] = {}
    for node in tree.find_all(nodes.Name):
        lines[node.name] = min(node.lineno, lines.get(node.name, node.lineno))
    try:
        undeclared = find_undeclared_variables(tree)
    except JinjaError:  # as above, or for an unknown filter
        undeclared = lines.keys() - {node.name for node in tree.find_all(nodes.Name) if node.ctx == "store"} - {"loop"}
    return {name: lines.get(name, 1) for name in undeclared}


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
            f"{path}: it is a link that points outside the prompts folder", hint="Copy the file there instead."
        )
    return path


def source_of(template: Path) -> str:
    """Return the text of a template file. Raises TemplateError for what is not a regular file, or too long a one."""
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
    """Return the line of a template that an error comes from if that is known."""
    line: int | None = getattr(error, "lineno", None)
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = compiled.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return line
