"""Prompt templates: found, checked and rendered.

Templates are files `prompts/<owner>/<name>.j2`. Each has a contract: the record of its variables, whose field names
are exactly the names that the template uses. Neither templates nor documents are trusted: templates run in a sandbox,
and what documents say enters only as values.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from investigator.errors import TemplateError
from investigator.language.undisguised import undisguised
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    PlanReply,
    PlanVariables,
    Prompt,
    QuestionVariables,
    Record,
    ReflectReply,
    ReflectVariables,
    RepairVariables,
    ThinkReply,
    ThinkVariables,
)


@dataclass(frozen=True)
class Contract:
    """What a template is given and, where an engine answers it, what must come back."""

    variables: type[Record]
    reply: type[Record] | None = None


METHOD: Mapping[str, Contract] = {
    "critical_thinking/think": Contract(ThinkVariables, ThinkReply),
    "planner/plan": Contract(PlanVariables, PlanReply),
    "tactical_planning/question": Contract(QuestionVariables),
    "tactical_planning/summary": Contract(QuestionVariables),
    "query/ask": Contract(AskVariables, AskReply),
    "reflection/reflect": Contract(ReflectVariables, ReflectReply),
    "answer/answer": Contract(AnswerVariables, AnswerReply),
    "asking/repair": Contract(RepairVariables),
}

_DELIMITER = re.compile(r"<(?=\s*/?\s*(?:passage|document|memory|evidence|turn|fact)\b)")
_HIDDEN = re.compile(
    "(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0020-\U000e007f]+|(?<=\U0001f3f4)[\U000e0020-\U000e007f]{8,}"
)
"""Tag characters but those of flags: invisible to whoever reads a document, and words to many a model."""
_NO_WIDTH = "\u200b"
_JINJA = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)


def shipped_folder() -> Path:
    """The folder of the templates that come with the package: inside it when installed, beside it in a checkout."""
    package = Path(__file__).parents[1]
    installed = package / "_prompts"
    return installed if installed.is_dir() else package.parent / "prompts"


class Prompts:
    """The templates of one folder; those it does not hold are taken from the shipped ones.

    `contracts` are those of the templates that are used, by name; only these are checked.

    Raises TemplateError for a folder or a template that cannot be used: the message names file, line and variable.
    """

    def __init__(self, folder: Path | None = None, contracts: Mapping[str, Contract] = METHOD) -> None:
        if folder is not None and not folder.is_dir():
            raise TemplateError(f"the prompts folder {folder} does not exist")
        self._folder = folder
        self._contracts = contracts
        self._compiled = lru_cache(maxsize=64)(_environment().from_string)
        self._refuse_strangers()
        for name, contract in contracts.items():
            check(self.path(name), contract.variables)

    def _refuse_strangers(self) -> None:
        """A template that nothing would use is a slip of the pen."""
        for file in sorted(self._folder.rglob("*.j2")) if self._folder is not None else ():
            name = file.relative_to(self._folder or file).with_suffix("").as_posix()
            if name not in self._contracts and not (shipped_folder() / f"{name}.j2").is_file():
                names = ", ".join(self._contracts)
                raise TemplateError(f"{file}: no template has this name", hint=f"Names are: {names}.")

    def path(self, name: str) -> Path:
        """The file of a template by its name, `owner/name`."""
        relative = f"{name}.j2"
        if self._folder is not None and (self._folder / relative).is_file():
            return self._folder / relative
        return shipped_folder() / relative

    def own_words(self, name: str) -> str:
        """What a template says whatever its variables are; a model that writes that repeats its prompt."""
        return _JINJA.sub("", _source(self.path(name)))

    def fingerprint(self) -> str:
        """A hash of the templates of the method: a changed one makes another investigation."""
        digest = hashlib.sha256()
        for name in METHOD:
            digest.update(_source(self.path(name)).encode())
        return digest.hexdigest()

    def render(self, template: Path, variables: Record) -> str:
        """The text of a template with its variables put in. Raises TemplateError."""
        values = {name: getattr(variables, name) for name in type(variables).model_fields}
        source = _source(template)
        try:
            return self._compiled(source).render(values).strip()
        except JinjaError as error:
            line = getattr(error, "lineno", None)
            raise TemplateError(f"{template}{f', line {line}' if line else ''}: {error}") from error
        except (TypeError, ValueError, AttributeError, ZeroDivisionError, OverflowError) as error:
            raise TemplateError(f"{template}: {error}") from error

    def prompt(self, name: str, variables: Record, template: Path | None = None) -> Prompt:
        """A prompt for an engine, from the template of that name or from a file that stands in for it."""
        reply_type = self._contracts[name].reply
        if reply_type is None:
            raise TemplateError(f"the template {name} is not for an engine")
        text = self.render(template or self.path(name), variables)
        return Prompt(template=name, variables=variables, text=text, reply_type=reply_type)


def check(template: Path, variables: type[Record]) -> None:
    """Check a template against the names it will be given. Raises TemplateError with file, line and variable."""
    source = _source(template)
    environment = _environment()
    try:
        tree = environment.parse(source)
    except TemplateSyntaxError as error:
        raise TemplateError(f"{template}, line {error.lineno}: {error.message}") from error
    for node in tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)):
        raise TemplateError(f"{template}, line {node.lineno}: a template cannot load another one")
    known = set(variables.model_fields)
    for name in sorted(find_undeclared_variables(tree) - known):
        raise TemplateError(
            f"{template}, line {_line_of(tree, name)}: unknown variable {name!r}",
            hint=f"This template may use: {', '.join(sorted(known))}.",
        )


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    environment.filters["data"] = _as_data
    environment.filters["line"] = _as_line
    environment.filters["attribute"] = _as_attribute
    return environment


def _as_data(value: object) -> str:
    """Text of a document that cannot close the tags it stands between, and holds nothing that only a model sees.

    A character without width is put into tags that look like ours, also where they are written with blanks, in wide or
    look-alike letters. Quotes are compared without such characters, so a quote that runs over one is still found in the
    source.
    """
    text = _HIDDEN.sub("", str(value))
    folded = undisguised(text)
    marks = [folded.span(mark.start(), mark.end())[1] for mark in _DELIMITER.finditer(folded.text)]
    return _NO_WIDTH.join(text[start:end] for start, end in pairwise((0, *marks, len(text))))


def _as_line(value: object) -> str:
    """Text of a document or of a model that cannot leave its line, where no tags are around it."""
    return " ".join(_as_data(value).split())


def _as_attribute(value: object) -> str:
    """Text of a document that cannot leave the attribute it stands in."""
    return _as_line(value).replace('"', "'")


def _source(template: Path) -> str:
    try:
        return template.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TemplateError(f"the template {template} cannot be read: {error}") from error


def _line_of(tree: nodes.Template, name: str) -> int:
    return min((node.lineno for node in _names(tree) if node.name == name), default=1)


def _names(tree: nodes.Template) -> Iterator[nodes.Name]:
    return tree.find_all(nodes.Name)
