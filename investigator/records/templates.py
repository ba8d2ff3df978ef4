"""Templates of a folder, and their problems."""

from __future__ import annotations

from investigator.records.base import Record


class TemplateProblem(Record):
    """A problem that makes a template unusable, its place, and what is allowed there."""

    file: str
    line: int | None = None
    problem: str
    hint: str = ""

    @property
    def text(self) -> str:
        """The place and the problem in one line."""
        return f"{self.file}{f', line {self.line}' if self.line else ''}: {self.problem}"


class TemplateVersion(Record):
    """A template by its name, `owner/name`, with the sha256 of its text.

    `tokens` are those of its fixed text, estimated; it is `own` if it is in place of a shipped one.
    """

    name: str
    sha256: str
    tokens: int
    own: bool = False


class TemplateFolder(Record):
    """A folder of templates: the readable templates, and the problems of all its files."""

    folder: str
    templates: tuple[TemplateVersion, ...] = ()
    problems: tuple[TemplateProblem, ...] = ()
