"""Reads template files safely, and renders templates with Jinja2's sandbox from plain values.

The text of documents reaches templates only as values.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from jinja2 import StrictUndefined, Template, nodes
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from investigator.asking.template_filters import FILTERS
from investigator.errors import TemplateError, in_words
from investigator.records.base import Plain

SUFFIX = ".j2"
MOST_OCTETS = 200_000
"""Size limit for a template file, in bytes."""
MOST_CHARACTERS = 4_000_000
"""Maximum number of characters of a rendered template: about a million tokens."""

_FAILURES = (
    *(JinjaError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, NameError),
    *(SyntaxError, RecursionError, MemoryError, TimeoutError),
)


class Fault(NamedTuple):
    """A fault in a template, and its line, if known."""

    line: int | None
    problem: str


class ReadTemplate(NamedTuple):
    """What is known of a template: the names that it uses without setting them, each with its first line, and its fixed
    text, or else its text with values; and its fault, if any.
    """

    names: Mapping[str, int] = {}
    own_words: str = ""
    text: str = ""
    fault: Fault | None = None


class _Environment(ImmutableSandboxedEnvironment):
    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
        self.filters |= FILTERS

    def getattr(self, obj: object, attribute: str) -> object:
        """Return a field of a record, even if dict has a method of that name."""
        return self.getitem(obj, attribute)


_ENVIRONMENT = _Environment()


def read_template(source: str, values: Mapping[str, Plain] | None = None) -> ReadTemplate:
    """Render a template or, if no values are given, return its names and words. Has no limits on time or memory."""
    try:
        template = _compiled(source)
        if values is not None:
            return ReadTemplate(text=_rendered(template, values))
        tree = _ENVIRONMENT.parse(source)
    except _FAILURES as error:
        return ReadTemplate(fault=_fault(error))
    lines: dict[str, int] = {}
    for node in tree.find_all(nodes.Name):
        lines[node.name] = min(node.lineno, lines.get(node.name, node.lineno))
    names = {name: lines.get(name, 1) for name in find_undeclared_variables(tree)}
    return ReadTemplate(names, "".join(words.data for words in tree.find_all(nodes.TemplateData)))


@lru_cache(maxsize=128)
def _compiled(source: str) -> Template:
    return _ENVIRONMENT.from_string(source)


def _rendered(template: Template, values: Mapping[str, Plain]) -> str:
    pieces, length = [], 0
    for piece in template.generate(values):
        length += len(piece)
        if length > MOST_CHARACTERS:
            raise ValueError(f"its text has more than {MOST_CHARACTERS:,} characters")
        pieces.append(piece)
    return "".join(pieces).strip()


def _fault(error: BaseException) -> Fault:
    if isinstance(error, JinjaError):
        return Fault(getattr(error, "lineno", None) or _line(error.__traceback__), error.message or "it cannot be read")
    return Fault(_line(error.__traceback__), str(error) or type(error).__name__)


def _line(trace: TracebackType | None) -> int | None:
    """Return the innermost line of the template in a traceback, whose frames Jinja2 has mapped to the template."""
    line = None
    while trace is not None:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == "<template>" else line
        trace = trace.tb_next
    return line


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
