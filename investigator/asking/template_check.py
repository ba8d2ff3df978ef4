"""Checks templates against their contracts before any call, and reports all problems in all files at once."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from investigator.asking.contracts import Contract, example_of
from investigator.asking.template_language import Fault
from investigator.asking.templates import Sandbox, file_in, read_template, source_of
from investigator.engines.base import guessed_tokens
from investigator.errors import TemplateError
from investigator.records import TemplateFolder, TemplateProblem, TemplateVersion
from investigator.resources import prompts_folder

SUFFIX = ".j2"
_MOST_PROBLEMS = 20  # maximum number of problems reported for one file
_MOST_FILES = 10_000


def check_templates(folder: Path, contracts: Mapping[str, Contract], room: int | None = None) -> TemplateFolder:
    """Check a folder of templates against their contracts, and its other files for misspelt names.

    `contracts` are keyed by name, `owner/name`; other shipped templates are allowed and not checked. The fixed text of
    each template may have at most `room` tokens; each is rendered with example values. Raises TemplateError if the
    folder does not exist.
    """
    if not folder.is_dir():
        raise TemplateError(
            f"the prompts folder {folder} does not exist",
            hint="Create one with: investigator prompts copy query/ask DIR",
        )
    templates, problems = [], list(_strangers(folder, contracts))
    for name, contract in contracts.items():
        try:
            file = file_in(folder, f"{name}{SUFFIX}")
            source = source_of(file) if file is not None else None
        except TemplateError as error:
            problem = error.message.removeprefix(f"{folder / name}{SUFFIX}: ")
            problems.append(TemplateProblem(file=f"{folder / name}{SUFFIX}", problem=problem, hint=error.hint))
            continue
        if source is not None:
            templates.append(template_version(name, source, own=True))
            problems += check_template(str(file), source, contract, room)
    return TemplateFolder(folder=str(folder), templates=tuple(templates), problems=tuple(problems))


def check_template(file: str, source: str, contract: Contract, room: int | None = None) -> tuple[TemplateProblem, ...]:
    """Check the text of one template against its contract; the problems refer to it as `file`."""
    faults = islice(_broken_terms(source, contract, room), _MOST_PROBLEMS)
    return tuple(TemplateProblem(file=file, line=one.line, problem=one.problem, hint=one.hint) for one in faults)


def template_version(name: str, source: str, *, own: bool = False) -> TemplateVersion:
    """Return the version record for a template with this text."""
    sha256 = hashlib.sha256(source.encode()).hexdigest()
    return TemplateVersion(name=name, sha256=sha256, tokens=guessed_tokens(read_template(source).own_words), own=own)


def refuse(problems: tuple[TemplateProblem, ...], folder: Path) -> None:
    """Raise TemplateError with the first problem, if any."""
    if problems:
        first, more = problems[0], len(problems) - 1
        every = f" And {more} more: investigator prompts check {folder}" if more else ""
        raise TemplateError(first.text, hint=f"{first.hint}{every}".strip())


def _broken_terms(source: str, contract: Contract, room: int | None) -> Iterator[Fault]:
    """Yield a fault for each requirement of the contract that a template does not meet."""
    read, known = read_template(source), contract.variables.model_fields
    unknown = sorted((line, name) for name, line in read.names.items() if name not in known)
    yield from read.faults
    for line, name in unknown:
        yield Fault(line, f"unknown variable {name!r}", f"This template may use: {', '.join(sorted(known))}.")
    if read.tree is None:
        return
    for name in contract.must_use:
        if name not in read.names:
            yield Fault(None, f"the variable {name!r} is missing", f"Add {{{{ {name} }}}}: the engine needs it.")
    for field in contract.must_name:
        if not re.search(rf"\b{field}\b", read.own_words):
            fields = ", ".join(map(repr, contract.must_name))
            yield Fault(None, f"the reply field {field!r} is not requested", f"Name the fields of the reply: {fields}.")
    tokens = guessed_tokens(read.own_words)
    if room is not None and tokens > room:
        yield Fault(None, f"its fixed text has about {tokens:,} tokens, but there is room for {room:,}", "Shorten it.")
    if not read.faults and not unknown:
        tried = Sandbox().rendered(source, example_of(contract.variables))
        yield from [tried] if isinstance(tried, Fault) else []


def shipped_names() -> tuple[str, ...]:
    """Return the names of all shipped templates, in order."""
    shipped = prompts_folder()
    return tuple(sorted(file.relative_to(shipped).with_suffix("").as_posix() for file in shipped.rglob(f"*{SUFFIX}")))


def _strangers(folder: Path, contracts: Mapping[str, Contract]) -> Iterator[TemplateProblem]:
    """Yield the files that look like templates but would not be used."""
    known = tuple(dict.fromkeys((*contracts, *shipped_names())))
    for count, file in enumerate(_files(folder)):
        if count == _MOST_FILES:
            yield TemplateProblem(
                file=str(folder),
                problem=f"it contains more than {_MOST_FILES:,} files",
                hint="Choose a folder that contains only templates.",
            )
            return
        name = file.relative_to(folder).with_suffix("").as_posix()
        is_named = name in known
        if is_named != (file.suffix == SUFFIX):
            meant = name if is_named else nearest(name, known)
            hint = f"Did you mean {meant}{SUFFIX}?" if meant else f"Templates: {', '.join(contracts)}."
            yield TemplateProblem(file=str(file), problem="no template has this name", hint=hint)


def nearest(name: str, known: tuple[str, ...]) -> str:
    """Return the name that was probably meant: the only known name with the same ending, or a similar name."""
    last = name.rpartition("/")[2]
    alike = [one for one in known if one.rpartition("/")[2] == last]
    near = alike if len(alike) == 1 else get_close_matches(name, known, n=1)
    return near[0] if near else ""


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, sorted by name; links to folders are not followed."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(place, name) for name in sorted(names))
