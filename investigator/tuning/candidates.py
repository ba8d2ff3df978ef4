"""Creates candidates from a folder of variants and from a space of settings, and writes their templates."""

from __future__ import annotations

import hashlib
import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any

from pydantic import Field

from investigator.asking.contracts import METHOD
from investigator.asking.prompts import Prompts
from investigator.asking.templates import SUFFIX, source_of
from investigator.errors import SettingsError, TemplateError
from investigator.evaluation.lines import storing
from investigator.files import make_private_folder, write_private
from investigator.records import Record

_MOST = 100_000  # maximum number of combinations that are considered
_SPACE_HINT = 'Write the values of each setting as a list: "research.threshold" = [25, 50, 75]'

Space = Mapping[str, Sequence[str]]

COMMON: Space = {
    "research.threshold": ("25", "75"),
    "research.rounds": ("1", "4"),
    "research.planner.steps": ("4", "16"),
    "research.query.characters": ("2500", "10000"),
}
"""The values, above and below the defaults, that are tried one at a time if no candidates are given."""


class Variant(Record):
    """Templates and settings that are tried in place of the user's own."""

    name: str
    templates: dict[str, str] = Field(default_factory=dict, description="texts, keyed by name (`owner/name`)")
    settings: tuple[str, ...] = Field(default=(), description="changes part.field=value")

    @property
    def key(self) -> str:
        """Return an identity for the candidate that does not depend on its name."""
        texts = (text for template in sorted(self.templates.items()) for text in template)
        return digest("", *texts, "", *sorted(self.settings))


def digest(*parts: str) -> str:
    """Return a short hash of some texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def variants(folder: Path, names: Sequence[str]) -> Iterator[Variant]:
    """Yield the variants in a folder, sorted by name: subfolders with templates `owner/name.j2` and, if one template is
    tuned, files `*.j2`. Raises TemplateError if there are none, or if a file cannot be read.
    """
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    is_empty = True
    for path in paths:
        files = {file.relative_to(path).with_suffix("").as_posix(): file for file in sorted(path.rglob(f"*{SUFFIX}"))}
        if path.suffix == SUFFIX and path.is_file() and len(names) == 1:
            files = {names[0]: path}
        if files:
            is_empty = False
            texts = {name: source_of(file) for name, file in files.items()}
            yield Variant(name=path.name.removesuffix(SUFFIX), templates=texts)
    if is_empty:
        raise TemplateError(
            f"{folder} contains no template variants",
            hint=f"Put each variant into its own folder there: {folder}/shorter/query/ask.j2",
        )


def read_space(file: Path | None, vary: Sequence[str]) -> Space:
    """Return the values to try for each setting, from a TOML file and from strings such as `part.field=a,b,c`. Raises
    SettingsError if the file or a string cannot be parsed.
    """
    space: dict[str, Sequence[str]] = {}
    if file is not None:
        try:
            space.update(_flat(tomllib.loads(file.read_text(encoding="utf-8"))))
        except (OSError, ValueError) as error:
            raise SettingsError(f"the space of settings {file} cannot be read: {error}", hint=_SPACE_HINT) from error
    for text in vary:
        name, _, values = (part.strip() for part in text.partition("="))
        if not name or not values:
            raise SettingsError(
                f"{text!r} does not give the values of a setting", hint="Write --vary research.threshold=25,50,75"
            )
        space[name] = tuple(value.strip() for value in values.split(","))
    return space


def settings_of_space(space: Space, seed: int) -> Iterator[Variant]:
    """Yield the combinations of a space, at most 100,000, in an order determined by the seed."""
    every = product(*([f"{name}={value}" for value in values] for name, values in space.items()))
    for settings in sorted(islice(every, _MOST), key=lambda settings: digest(str(seed), *settings)):
        yield Variant(name=" ".join(settings), settings=settings)


def templates_of(folder: Path | None, names: Sequence[str]) -> dict[str, str]:
    """Return the templates that are used with a folder: its own, otherwise the shipped ones. Raises TemplateError."""
    prompts = Prompts(folder)
    return {name: source_of(prompts.path(name)) for name in names}


def lay_templates(folder: Path, templates: Mapping[str, str], base: Path | None) -> None:
    """Write templates into a folder, along with the remaining templates from the `base` folder. Raises StoreError."""
    own = {} if base is None else templates_of(base, [name for name in METHOD if (base / f"{name}{SUFFIX}").exists()])
    draft = folder.with_name(f".{folder.name}.draft")
    with storing(folder):
        shutil.rmtree(draft, ignore_errors=True)
        for name, text in {**own, **templates}.items():
            file = draft / f"{name}{SUFFIX}"
            make_private_folder(file.parent)
            write_private(file, text.encode("utf-8", "surrogatepass"))
        shutil.rmtree(folder, ignore_errors=True)
        draft.replace(folder)


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Sequence[str]]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        elif isinstance(value, list) and value:
            yield before + name, tuple(str(each).lower() if isinstance(each, bool) else str(each) for each in value)
        else:
            raise ValueError(f"{before}{name} is not a list of values")
