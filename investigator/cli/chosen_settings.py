"""The settings of one command, with a remark where they cannot be followed here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from investigator.documents.readers.base import ReaderSettings
from investigator.documents.readers.pictures.ocr import why_not
from investigator.settings import Settings, load_settings


def chosen_settings(file: Path | None, overrides: Sequence[str]) -> Settings:
    """What `load_settings` gives, and raises. Languages of text recognition that were chosen and are missing are told.

    Where none were chosen nothing is told: most folders hold no pictures.
    """

    settings = load_settings(file, overrides)
    chosen = settings.reader.ocr_languages != ReaderSettings().ocr_languages
    if chosen and settings.reader.ocr and (obstacle := why_not(settings.reader)):
        typer.echo(f"note: pictures cannot be read in {settings.reader.ocr_languages}: {obstacle}", err=True)
    return settings
