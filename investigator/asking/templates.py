"""Template files, read safely, and what is known of a template."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from investigator.errors import TemplateError, in_words

SUFFIX = ".j2"
MOST_OCTETS = 200_000
"""Size limit for a template file, in bytes."""


class Fault(NamedTuple):
    """A fault in a template, and its line, if known."""

    line: int | None
    problem: str


class ReadTemplate(NamedTuple):
    """The content of a template: the names that it uses without setting them, each with its first line, and its fixed
    text; or else its text with values. `fault` says why it has neither.
    """

    names: Mapping[str, int] = {}
    own_words: str = ""
    text: str = ""
    fault: Fault | None = None


def file_in(folder: Path, name: str) -> Path | None:
    """Return a file in a prompts folder, if it exists. Raises TemplateError for a link that leads out of the folder."""
    path = folder / name
    if not os.path.lexists(path):
        return None
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise TemplateError(f"{path}: it is a link that points outside the prompts folder", hint="Copy the file there.")
    return path


def source_of(template: Path) -> str:
    """Return the text of a template file. Raises TemplateError if it is not a regular file, or is too long."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(template, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise TemplateError(f"{template}: it is not a regular file")
            content = file.read(MOST_OCTETS + 1)
        if len(content) > MOST_OCTETS:
            raise TemplateError(f"{template}: it is longer than {MOST_OCTETS:,} bytes")
        return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, ValueError) as error:
        raise TemplateError(f"{template}: it cannot be read: {in_words(error)}") from error
