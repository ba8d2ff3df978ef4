"""Lists all templates by name: the shipped templates, and those in a folder that replace them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from investigator.asking.prompts import Prompts, nearest, template_version
from investigator.asking.templates import SUFFIX, file_in, source_of
from investigator.bb3.records import CONTRACTS
from investigator.errors import TemplateError, UserError
from investigator.files import write_private
from investigator.resources import prompts_folder
from investigator.workbench.records import TemplateCard

_HEAD = re.compile(r"\{#-?\s*Purpose:\s*(.+?)\.?\s*Variables:", re.DOTALL)
_OWNERS = {"bb3": "chat"}


def named(patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the names of templates that match the given names or patterns, such as `query/*`. Raises TemplateError."""
    matches: dict[str, None] = {}
    for pattern in patterns:
        wanted = pattern.removesuffix(SUFFIX)
        names = [name for name in CONTRACTS if fnmatchcase(name, wanted)]
        if not names:
            near = nearest(wanted, tuple(CONTRACTS))
            meant = f"Did you mean {near}? " if near else ""
            raise TemplateError(f"unknown template {pattern}", hint=f"{meant}To list all: investigator prompts list")
        matches.update(dict.fromkeys(names))
    return tuple(matches)


def card(name: str, prompts: Prompts) -> TemplateCard:
    """Return the card of a template. Raises TemplateError if its file cannot be read."""
    contract, file = CONTRACTS[name], prompts.path(name)
    owner = name.partition("/")[0]
    head = _HEAD.search(source_of(shipped(name)))
    return TemplateCard(
        name=name,
        owner=_OWNERS.get(owner) or owner.title().replace("_", ""),
        purpose=" ".join(head[1].split()) if head else "",
        file=str(file),
        own=file != shipped(name),
        tokens=template_version(name, source_of(file)).tokens,
        variables=tuple(contract.variables.model_fields),
        must_use=contract.must_use,
        reply=contract.reply.__name__ if contract.reply else "",
        must_name=contract.must_name,
    )


def shipped(name: str) -> Path:
    """Return the path of the shipped template."""
    return prompts_folder() / f"{name}{SUFFIX}"


def copy_templates(names: Sequence[str], folder: Path, *, force: bool = False) -> tuple[Path, ...]:
    """Copy shipped templates into a folder; return the files. Raises UserError if any of them already exist, unless
    `force` is True.
    """
    places = {name: folder / f"{name}{SUFFIX}" for name in names}
    there = [str(place) for name, place in places.items() if file_in(folder, f"{name}{SUFFIX}") is not None]
    if there and not force:
        raise UserError(f"files already exist: {', '.join(there)}", hint="Choose another folder, or add --force.")
    for name, place in places.items():
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            write_private(place, shipped(name).read_bytes())
        except OSError as error:
            raise UserError(f"{place} cannot be written: {error.strerror}", hint="Choose another folder.") from error
    return tuple(places.values())
