"""Templates in a sandbox: checked against the names of their variables, and rendered."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from investigator.asking.untrusted import as_attribute, as_data, as_line
from investigator.errors import TemplateError
from investigator.records import Record


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
