"""Loads images as pixels, as characters, or not at all."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from investigator.errors import DialogueError, in_words

if TYPE_CHECKING:
    from PIL.Image import Image

COLUMNS = 60
"""Width of an image in characters."""

LARGEST = 50_000_000
"""Maximum number of pixels in an image; a larger one would take over 150 MB."""

_DARK_TO_LIGHT = "@%#*+=-:. "
_CHARACTER_RATIO = 0.5  # a character is about twice as high as it is wide


class ImageMode(StrEnum):
    """The form of an image: a Pillow RGB image; lines of characters, sparse ones for light pixels; or nothing."""

    RAW = "raw"
    ASCII = "ascii"
    NO_IMAGE_MODEL = "no_image_model"


def load_image(path: str, mode: ImageMode) -> Image | str | None:
    """Return the image in a file, in the given form. Raises DialogueError if the file is missing or not an image."""
    if mode is ImageMode.NO_IMAGE_MODEL:
        return None
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as opened:
            if opened.width * opened.height > LARGEST:
                raise DialogueError(f"the image {path} is too large: {opened.width} by {opened.height} pixels")
            image = opened.convert("RGB")
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError, ValueError, SyntaxError) as error:
        hint = "Choose an image file that exists and is complete."
        raise DialogueError(f"the image {path} cannot be read: {in_words(error)}", hint=hint) from error
    return image if mode is ImageMode.RAW else _as_characters(image)


def _as_characters(image: Image) -> str:
    columns = min(COLUMNS, image.width)
    rows = max(1, round(image.height * columns / image.width * _CHARACTER_RATIO))
    shades = image.convert("L").resize((columns, rows)).tobytes()
    characters = "".join(_DARK_TO_LIGHT[shade * len(_DARK_TO_LIGHT) // 256] for shade in shades)
    return "\n".join(characters[start : start + columns] for start in range(0, len(characters), columns))
