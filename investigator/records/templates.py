"""Records of the templates in a folder, and their problems."""

from __future__ import annotations

from investigator.records.base import Record


class TemplateProblem(Record):
    """A problem that makes a template unusable, with its place and the allowed values."""

    file: str
    line: int | None = None
    problem: str
    hint: str = ""

    @property
    def text(self) -> str:
        """Return the place and the problem in one line."""
        return f"{self.file}{f', line {self.line}' if self.line else ''}: {self.problem}"


class TemplateVersion(Record):
    """The name of a template, `owner/name`, and the sha256 of its text.

    `tokens` is the estimated number of tokens in the template's fixed text; `own` is True if the template replaces a
    shipped one.
    """

    name: str
    sha256: str
    tokens: int
    own: bool = False


class TemplateFolder(Record):
    """A folder of templates: the templates that can be read, and the problems in all files."""

    folder: str
    templates: tuple[TemplateVersion, ...] = ()
    problems: tuple[TemplateProblem, ...] = ()
