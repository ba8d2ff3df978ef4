"""Creates candidates from a folder of variants and from a space of settings."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from investigator.asking.template_check import SUFFIX
from investigator.asking.templates import source_of
from investigator.errors import SettingsError, TemplateError
from investigator.tuning.trials import TemplateText, Variant

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


def variants(folder: Path, names: Sequence[str]) -> Iterator[Variant]:
    """Yield the variants in a folder, sorted by name.

    Each subfolder with templates `owner/name.j2` is a variant, and so is each file `*.j2` if a single template is
    tuned. Raises TemplateError if the folder does not exist or is empty, or if a file cannot be read.
    """
    found = False
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        files = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else []
        if path.suffix == SUFFIX and path.is_file() and len(names) == 1:
            texts: tuple[TemplateText, ...] = (TemplateText(name=names[0], text=source_of(path)),)
        else:
            texts = tuple(
                TemplateText(name=file.relative_to(path).with_suffix("").as_posix(), text=source_of(file))
                for file in files
            )
        if texts:
            found = True
            yield Variant(name=path.name.removesuffix(SUFFIX), templates=texts, origin=str(path))
    if not found:
        raise TemplateError(
            f"{folder} contains no template variants",
            hint=f"Put each variant into its own folder there: {folder}/shorter/query/ask.j2",
        )


def read_space(file: Path | None, vary: Sequence[str]) -> Space:
    """Return the values to try for each setting, from a TOML file and from strings such as `part.field=a,b,c`.

    Raises SettingsError if the file or a string cannot be parsed; unknown settings are detected when they are tried.
    """
    space: dict[str, Sequence[str]] = {}
    if file is not None:
        try:
            space.update(_flat(tomllib.loads(file.read_text(encoding="utf-8"))))
        except (OSError, ValueError) as error:
            raise SettingsError(f"the space of settings {file} cannot be read: {error}", hint=_SPACE_HINT) from error
    for text in vary:
        name, equals, values = text.partition("=")
        if not equals or not name.strip() or not values.strip():
            raise SettingsError(
                f"{text!r} does not give the values of a setting", hint="Write --vary research.threshold=25,50,75"
            )
        space[name.strip()] = tuple(value.strip() for value in values.split(","))
    return space


def settings_of_space(space: Space, seed: int) -> Iterator[Variant]:
    """Yield the combinations of a space in an order determined by the seed; of a very large space, only the first
    100,000.
    """
    every = product(*([f"{name}={value}" for value in values] for name, values in space.items()))
    listed = [some for some, _ in zip(every, range(_MOST), strict=False)] if space else []
    for some in sorted(listed, key=lambda one: hashlib.sha256(f"{seed} {one}".encode()).digest()):
        yield Variant(name=" ".join(some), settings=some, origin="settings")


def single_changes(space: Space) -> Iterator[Variant]:
    """Yield a variant for each value in a space, in order; each variant changes a single setting."""
    for name, values in space.items():
        for value in values:
            yield Variant(name=f"{name}={value}", settings=(f"{name}={value}",), origin="settings")


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Sequence[str]]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        elif isinstance(value, list) and value:
            yield before + name, tuple(str(one).lower() if isinstance(one, bool) else str(one) for one in value)
        else:
            raise ValueError(f"{before}{name} is not a list of values")
