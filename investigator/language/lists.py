"""Reads the word lists of this package, which are TOML files in `data/`, on first use.

Each file maps languages (ISO 639-1) to words separated by spaces, some in sections.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import TypeAdapter

_SECTIONS = TypeAdapter(dict[str, dict[str, str]])


@cache
def data_file(name: str, package: str = "investigator.language") -> dict[str, Any]:
    """Return the contents of `data/<name>.toml` in a package."""
    return tomllib.loads(files(package).joinpath("data", f"{name}.toml").read_text(encoding="utf-8"))


@cache
def listed_lines(name: str, package: str) -> tuple[str, ...]:
    """Return the lines of a text file in a package, without empty lines and comments, which begin with "#"."""
    lines = files(package).joinpath(name).read_text(encoding="utf-8").splitlines()
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))


@cache
def texts_by_section(name: str, package: str = "investigator.language") -> Mapping[str, Mapping[str, str]]:
    """Return the texts in a sectioned file, by section and name."""
    return _SECTIONS.validate_python(data_file(name, package))


@cache
def listed(name: str) -> dict[str, tuple[str, ...]]:
    """Return the words in `data/<name>.toml` by language, unchanged and in order."""
    return {language: tuple(words.split()) for language, words in data_file(name).items()}


@cache
def listed_by_section(name: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the words in a sectioned file, grouped by section."""
    sections = data_file(name).items()
    return {section: {key: tuple(words.split()) for key, words in table.items()} for section, table in sections}


@cache
def month_numbers() -> dict[str, int]:
    """Map each month name in lower case, including short forms, to its number, 1 to 12."""
    years = listed("months").values()
    return {name: number for months in years for number, names in enumerate(months, 1) for name in names.split("|")}
