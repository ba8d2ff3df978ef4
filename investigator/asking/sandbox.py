"""Renders templates with Jinja2's sandbox from plain values; the text of documents reaches templates only as values.

It is imported when the first template is rendered, because a run is shown as begun before that.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import TracebackType

from jinja2 import StrictUndefined, Template, nodes
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from investigator.asking.template_filters import FILTERS
from investigator.asking.templates import Fault, ReadTemplate
from investigator.records.base import Plain

MOST_CHARACTERS = 4_000_000
"""Maximum number of characters of a rendered template: about a million tokens."""

_FAILURES = (
    *(JinjaError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, NameError),
    *(SyntaxError, RecursionError, MemoryError, TimeoutError),
)


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
