"""Renders prompts from templates, which are stored as `prompts/<owner>/<name>.j2` and use the fields of one record."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from investigator.asking.contracts import METHOD, SYNTAX, Contract, check_template
from investigator.asking.template_process import safely_read
from investigator.asking.templates import SUFFIX, file_in, source_of
from investigator.engines.base import guessed_tokens
from investigator.errors import TemplateError
from investigator.records import Prompt, Record, TemplateFolder, TemplateProblem, TemplateVersion
from investigator.resources import prompts_folder

_MOST_FILES = 10_000


class Prompts:
    """The templates in one folder, with the package's own templates as defaults.

    `contracts` maps the names of the templates in use to their contracts; only these are checked. Raises TemplateError
    if the folder cannot be used or a template breaks its contract, with the file, the line and the allowed names.
    """

    def __init__(self, folder: Path | None = None, contracts: Mapping[str, Contract] = METHOD) -> None:
        if folder is not None and (problems := check_templates(folder, contracts).problems):
            first, *others = problems
            raise TemplateError(first.text, hint="\n".join([first.hint, *(problem.text for problem in others)]).strip())
        self._folder = folder
        self._contracts = contracts

    def of(self, folder: Path | None) -> Prompts:
        """Return the templates in another folder, with the same contracts. Raises TemplateError."""
        return Prompts(folder, self._contracts)

    def path(self, name: str) -> Path:
        """Return the path of the template named `owner/name`. Raises TemplateError."""
        relative = f"{name}{SUFFIX}"
        own = file_in(self._folder, relative) if self._folder is not None else None
        return own or prompts_folder() / relative

    def own(self) -> tuple[TemplateVersion, ...]:
        """Return the user's templates that replace shipped templates."""
        own = (
            (name, path) for name in self._contracts if not (path := self.path(name)).is_relative_to(prompts_folder())
        )
        return tuple(template_version(name, source_of(path), own=True) for name, path in own)

    def fingerprint(self) -> str:
        """Return a hash of the method's templates; an investigation with changed templates counts as a new one."""
        return hashlib.sha256("".join(source_of(self.path(name)) for name in METHOD).encode()).hexdigest()

    def render(self, template: Path, variables: Record) -> str:
        """Return the text of a template with its variables filled in. Raises TemplateError."""
        read = safely_read(source_of(template), variables.plain())
        if read.fault:
            line, problem = read.fault
            raise TemplateError(TemplateProblem(file=str(template), line=line, problem=problem).text, hint=SYNTAX)
        return read.text

    def prompt(self, name: str, variables: Record, template: Path | None = None) -> Prompt:
        """Return a prompt for an engine, from the template with this name or the file that replaces it."""
        reply_type = self._contracts[name].reply
        if reply_type is None:
            raise TemplateError(f"the template {name} is not sent to an engine")
        text = self.render(template or self.path(name), variables)
        return Prompt(template=name, variables=variables, text=text, reply_type=reply_type)


def check_templates(folder: Path, contracts: Mapping[str, Contract]) -> TemplateFolder:
    """Check a folder of templates against their contracts, and its other files for misspelt names.

    `contracts` are keyed by name, `owner/name`; other shipped templates are allowed and not checked. Raises
    TemplateError if the folder does not exist.
    """
    if not folder.is_dir():
        raise TemplateError(
            f"the prompts folder {folder} does not exist",
            hint="Create one with: investigator prompts copy query/ask DIR",
        )
    templates, problems = [], list(_strangers(folder, contracts))
    for name, contract in contracts.items():
        place = f"{folder / name}{SUFFIX}"
        try:
            if (file := file_in(folder, f"{name}{SUFFIX}")) is not None:
                source = source_of(file)
                templates.append(template_version(name, source, own=True))
                problems += check_template(place, source, contract)
        except TemplateError as error:
            problem = error.message.removeprefix(f"{place}: ")
            problems.append(TemplateProblem(file=place, problem=problem, hint=error.hint))
    return TemplateFolder(folder=str(folder), templates=tuple(templates), problems=tuple(problems))


def template_version(name: str, source: str, *, own: bool = False) -> TemplateVersion:
    """Return the version record for a template with this text."""
    sha256 = hashlib.sha256(source.encode()).hexdigest()
    return TemplateVersion(name=name, sha256=sha256, tokens=guessed_tokens(safely_read(source).own_words), own=own)


def _strangers(folder: Path, contracts: Mapping[str, Contract]) -> Iterator[TemplateProblem]:
    """Yield the files that look like templates but would not be used; links to folders are not followed."""
    shipped = prompts_folder()
    names = sorted(file.relative_to(shipped).with_suffix("").as_posix() for file in shipped.rglob(f"*{SUFFIX}"))
    known = tuple(dict.fromkeys((*contracts, *names)))
    files = list(islice((path for path in folder.rglob("*") if not path.is_dir()), _MOST_FILES + 1))
    if len(files) > _MOST_FILES:
        problem = f"it contains more than {_MOST_FILES:,} files"
        yield TemplateProblem(file=str(folder), problem=problem, hint="Choose a folder that contains only templates.")
        return
    for file in sorted(files):
        name = file.relative_to(folder).with_suffix("").as_posix()
        if (name in known) != (file.suffix == SUFFIX):
            meant = name if name in known else nearest(name, known)
            hint = f"Did you mean {meant}{SUFFIX}?" if meant else f"Templates: {', '.join(contracts)}."
            yield TemplateProblem(file=str(file), problem="no template has this name", hint=hint)


def nearest(name: str, known: tuple[str, ...]) -> str:
    """Return the name that was probably meant: the only known name with the same ending, or a similar name."""
    last = name.rpartition("/")[2]
    alike = [name for name in known if name.rpartition("/")[2] == last]
    near = alike if len(alike) == 1 else get_close_matches(name, known, n=1)
    return near[0] if near else ""
