"""Lists all templates by name: the shipped templates, and those in a folder that replace them."""

from __future__ import annotations

import difflib
import json
import re
import types
import typing
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import BaseModel

from investigator.asking.contracts import example_of
from investigator.asking.prompts import Prompts, nearest, template_version
from investigator.asking.templates import SUFFIX, file_in, source_of
from investigator.bb3.records import CONTRACTS
from investigator.errors import TemplateError, UserError
from investigator.files import write_private
from investigator.resources import prompts_folder
from investigator.workbench.records import TemplateCard, VariableCard

_HEAD = re.compile(r"\{#-?\s*Purpose:\s*(.+?)\.?\s*Variables:", re.DOTALL)
_OWNERS = {"bb3": "chat"}
_WORDS = {str: "text", int: "whole number", float: "number", bool: "truth value", type(None): "nothing"}
_LONGEST_EXAMPLE = 200  # maximum number of characters


def named(patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the names of templates that match the given names or patterns, such as `query/*`. Raises TemplateError."""
    found: dict[str, None] = {}
    for pattern in patterns:
        wanted = pattern.removesuffix(SUFFIX)
        names = [name for name in CONTRACTS if fnmatchcase(name, wanted)]
        if not names:
            near = nearest(wanted, tuple(CONTRACTS))
            meant = f"Did you mean {near}? " if near else ""
            raise TemplateError(f"unknown template {pattern}", hint=f"{meant}To list all: investigator prompts list")
        found.update(dict.fromkeys(names))
    return tuple(found)


def cards(prompts: Prompts) -> tuple[TemplateCard, ...]:
    """Return the card of each template: first the method's templates, in order, then the chat's. Raises
    TemplateError.
    """
    return tuple(card(name, prompts) for name in CONTRACTS)


def card(name: str, prompts: Prompts) -> TemplateCard:
    """Return the card of a template. Raises TemplateError if its file cannot be read."""
    contract, file = CONTRACTS[name], prompts.path(name)
    example = example_of(contract.variables).model_dump(mode="json", exclude_defaults=True)
    owner = name.partition("/")[0]
    head = _HEAD.search(source_of(shipped(name)))
    return TemplateCard(
        name=name,
        owner=_OWNERS.get(owner) or owner.title().replace("_", ""),
        purpose=" ".join(head[1].split()) if head else "",
        file=str(file),
        own=file != shipped(name),
        tokens=template_version(name, source_of(file)).tokens,
        variables=tuple(
            VariableCard(
                name=field,
                kind=kind_words(info.annotation),
                example=_example(example.get(field)),
                must_use=field in contract.must_use,
            )
            for field, info in contract.variables.model_fields.items()
        ),
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


def differences(folder: Path) -> tuple[str, ...]:
    """Return a unified diff between the shipped templates and the templates in a folder. Raises TemplateError."""
    if not folder.is_dir():
        raise TemplateError(
            f"the prompts folder {folder} does not exist",
            hint="Create one with: investigator prompts copy query/ask DIR",
        )
    lines: list[str] = []
    for name in CONTRACTS:
        own = file_in(folder, f"{name}{SUFFIX}")
        if own is not None:
            texts = (source_of(shipped(name)).splitlines(), source_of(own).splitlines())
            lines += difflib.unified_diff(*texts, f"shipped/{name}{SUFFIX}", str(own), lineterm="")
    return tuple(lines)


def kind_words(kind: object) -> str:
    """Describe a type in the terms of a template; for a record, give its name and fields."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return kind_words(inner[0])
    if origin is tuple:
        return f"list of {kind_words(inner[0])}"
    if origin in (typing.Union, types.UnionType):
        return " or ".join(map(kind_words, inner))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return f"{kind.__name__} ({', '.join(kind.model_fields)})"
    return _WORDS.get(kind, "text") if isinstance(kind, type) else "text"


def _example(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_EXAMPLE else f"{text[:_LONGEST_EXAMPLE]}…"
