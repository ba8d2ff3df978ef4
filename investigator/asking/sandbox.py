"""Renders templates with Jinja2's sandbox from plain values; the text of documents reaches templates only as values.

The filters `data`, `line` and `attribute` prevent it from looking like part of the prompt.

It is imported when the first template is rendered, because a run is shown as begun before that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise
from types import TracebackType

from jinja2 import StrictUndefined, Template, nodes
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.exceptions import TemplateSyntaxError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from investigator.asking.templates import Fault, ReadTemplate
from investigator.language.undisguised import undisguised
from investigator.records.base import Plain

_DELIMITER = re.compile(r"<(?=\s*/?\s*(?:document|memory|evidence|turn|fact)\b)|\[(?=\s*/?\s*[en]\s*\d)", re.IGNORECASE)
"""Matches the beginnings of our tags, and of the marks around quotes: `[E1]`, `[/N2]`."""
_HIDDEN = re.compile(
    "(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0020-\U000e007f]+|(?<=\U0001f3f4)[\U000e0020-\U000e007f]{8,}"
)
"""Matches tag characters, except those of flags; they are invisible to people, but many models can read them."""
_NO_WIDTH = "\u200b"


def as_data(value: Plain) -> str:
    """Escape a document's text so that it cannot close the tags around it, and remove what only models can see.

    A zero-width character is inserted into what looks like our tags; quotes are compared without such characters.
    """
    text = str(value)
    return text if text.isascii() and "<" not in text and "[" not in text else _as_data(text)


@lru_cache(maxsize=1024)  # all prompts of a run contain the question, and many contain the same passages
def _as_data(value: str) -> str:
    text = _HIDDEN.sub("", value)
    folded = undisguised(text)
    marks = [folded.span(mark.start(), mark.end())[1] for mark in _DELIMITER.finditer(folded.text)]
    return _NO_WIDTH.join(text[start:end] for start, end in pairwise((0, *marks, len(text))))


def as_line(value: Plain) -> str:
    """Return text from a document or a model as a single line, for use outside tags."""
    return " ".join(as_data(value).split())


def as_attribute(value: Plain) -> str:
    """Escape text from a document or a model so that it cannot end an attribute in double quotes."""
    return as_line(value).replace('"', "'")


def number(value: float, digits: int = 0) -> str:
    """Return a number with the given number of digits after the decimal point, at most 10."""
    if not isinstance(value, int | float) or digits not in range(11):
        raise ValueError("'number' takes a number, and between 0 and 10 digits")
    return f"{value:.{digits}f}"


FILTERS: Mapping[str, Callable[..., str]] = {
    "attribute": as_attribute,
    "data": as_data,
    "line": as_line,
    "number": number,
}

_MOST_CHARACTERS = 4_000_000  # of a rendered template: about a million tokens
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
        if length > _MOST_CHARACTERS:
            raise ValueError(f"its text has more than {_MOST_CHARACTERS:,} characters")
        pieces.append(piece)
    return "".join(pieces).strip()


def _fault(error: BaseException) -> Fault:
    line = getattr(error, "lineno", None) if isinstance(error, JinjaError) else None
    message = str(error) or type(error).__name__
    if isinstance(error, TemplateSyntaxError):
        message = f"this is not correct Jinja2: {message}"
    elif not isinstance(error, ValueError):
        message = f"this cannot be filled in: {message}"
    return Fault(line or _line(error.__traceback__), message)


def _line(trace: TracebackType | None) -> int | None:
    """Return the innermost line of the template in a traceback, whose frames Jinja2 has mapped to the template."""
    line = None
    while trace is not None:
        line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == "<template>" else line
        trace = trace.tb_next
    return line
