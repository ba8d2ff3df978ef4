"""The settings of one command, with a remark where they cannot be followed here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from investigator.settings import Settings


def chosen_settings(file: Path | None, overrides: Sequence[str]) -> Settings:
    """What `load_settings` gives, and raises. Languages of text recognition that were chosen and are missing are told.

    Where none were chosen nothing is told: most folders hold no pictures.
    """
    from investigator.documents.readers.base import ReaderSettings  # heavy: it reaches the settings of every part
    from investigator.documents.readers.ocr import why_not
    from investigator.settings import load_settings

    settings = load_settings(file, overrides)
    chosen = settings.reader.ocr_languages != ReaderSettings().ocr_languages
    if chosen and settings.reader.ocr and (obstacle := why_not(settings.reader)):
        typer.echo(f"note: pictures cannot be read in {settings.reader.ocr_languages}: {obstacle}", err=True)
    return settings
