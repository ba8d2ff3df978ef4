"""Templates in a sandbox: checked against the names of their variables, and rendered.

Filters keep text of documents from passing for a part of the prompt.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from investigator.errors import TemplateError
from investigator.language.undisguised import undisguised
from investigator.records import Record

_DELIMITER = re.compile(r"<(?=\s*/?\s*(?:passage|document|memory|evidence|turn|fact)\b)")
_HIDDEN = re.compile(
    "(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0020-\U000e007f]+|(?<=\U0001f3f4)[\U000e0020-\U000e007f]{8,}"
)
"""Tag characters except those of flags: invisible to a human who reads a document, and words to many a model."""
_NO_WIDTH = "\u200b"


class Sandbox:
    """Runs templates that nobody has to trust; what documents say enters them only as values."""

    def __init__(self) -> None:
        self._environment = ImmutableSandboxedEnvironment(
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
        )
        self._environment.filters.update(data=as_data, line=as_line, attribute=as_attribute)
        self._compiled = lru_cache(maxsize=64)(self._environment.from_string)

    def check(self, template: Path, variables: type[Record]) -> None:
        """Check a template against the names it will be given. Raises TemplateError with file, line and variable."""
        source = source_of(template)
        try:
            tree = self._environment.parse(source)
        except TemplateSyntaxError as error:
            raise TemplateError(f"{template}, line {error.lineno}: {error.message}") from error
        for node in tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)):
            raise TemplateError(f"{template}, line {node.lineno}: a template cannot load another one")
        known = set(variables.model_fields)
        for name in sorted(find_undeclared_variables(tree) - known):
            line = min((node.lineno for node in tree.find_all(nodes.Name) if node.name == name), default=1)
            raise TemplateError(
                f"{template}, line {line}: unknown variable {name!r}",
                hint=f"This template may use: {', '.join(sorted(known))}.",
            )

    def render(self, template: Path, variables: Record) -> str:
        """Return the text of a template with its variables put in. Raises TemplateError."""
        values = {name: getattr(variables, name) for name in type(variables).model_fields}
        source = source_of(template)
        try:
            return self._compiled(source).render(values).strip()
        except JinjaError as error:
            line = getattr(error, "lineno", None)
            raise TemplateError(f"{template}{f', line {line}' if line else ''}: {error}") from error
        except (TypeError, ValueError, AttributeError, ZeroDivisionError, OverflowError) as error:
            raise TemplateError(f"{template}: {error}") from error


def source_of(template: Path) -> str:
    """Return the text of a template file. Raises TemplateError."""
    try:
        return template.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TemplateError(f"the template {template} cannot be read: {error}") from error


def as_data(value: object) -> str:
    """Return text of a document that cannot close the tags around it, and holds nothing that only a model sees.

    A character without width is put into tags that look like ours, even if they are written with blanks, or in wide or
    look-alike letters. Quotes are compared without such characters, so a quote that runs over one is still found in the
    source.
    """
    text = _HIDDEN.sub("", str(value))
    folded = undisguised(text)
    marks = [folded.span(mark.start(), mark.end())[1] for mark in _DELIMITER.finditer(folded.text)]
    return _NO_WIDTH.join(text[start:end] for start, end in pairwise((0, *marks, len(text))))


def as_line(value: object) -> str:
    """Return text of a document or of a model that cannot leave its line, for places without tags around it."""
    return " ".join(as_data(value).split())


def as_attribute(value: object) -> str:
    """Return text of a document that cannot leave the attribute it is in."""
    return as_line(value).replace('"', "'")
