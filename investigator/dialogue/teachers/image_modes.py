"""How images are given: as pixels, as characters, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from investigator.dialogue.options import Opt
from investigator.errors import DialogueError, DialogueValueError, MissingPackageError

if TYPE_CHECKING:
    from PIL.Image import Image

COLUMNS = 60
"""Width of an image made of characters."""

LARGEST = 50_000_000
"""An image of more pixels than this is not loaded: it would take over 150 MB."""

_DARK_TO_LIGHT = "@%#*+=-:. "
_CHARACTER_RATIO = 0.5  # a character is about twice as high as it is wide


class ImageMode(StrEnum):
    """What the field `image` of a message holds."""

    RAW = "raw"
    """The pixels, as an RGB image of Pillow."""
    ASCII = "ascii"
    """Lines of characters, light ones for light pixels."""
    NO_IMAGE_MODEL = "no_image_model"
    """No image."""


class ImageLoader:
    """Loads images in the mode of the option `image_mode`, by default `raw`."""

    def __init__(self, opt: Mapping[str, object]) -> None:
        name = Opt.of(opt).text("image_mode", ImageMode.RAW)
        if name not in list(ImageMode):
            raise DialogueValueError(f"there is no image mode {name!r}", hint=f"Choose one of {', '.join(ImageMode)}.")
        self.mode = ImageMode(name)

    def load(self, path: str) -> object | None:
        """The image of a file in the loader's mode; None where no image is wanted.

        Raises DialogueError where the file is missing or no image, MissingPackageError where Pillow is not installed.
        """
        if self.mode is ImageMode.NO_IMAGE_MODEL:
            return None
        image = _opened(path)
        return image if self.mode is ImageMode.RAW else as_characters(image)


def as_characters(image: Image) -> str:
    """An image as lines of characters, at most COLUMNS wide."""
    columns = min(COLUMNS, image.width)
    rows = max(1, round(image.height * columns / image.width * _CHARACTER_RATIO))
    shades = image.convert("L").resize((columns, rows)).tobytes()
    characters = [_DARK_TO_LIGHT[shade * len(_DARK_TO_LIGHT) // 256] for shade in shades]
    return "\n".join("".join(characters[start : start + columns]) for start in range(0, len(characters), columns))


def _opened(path: str) -> Image:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise MissingPackageError(
            "images need the package pillow",
            hint="Install it: pip install pillow, or set image_mode to no_image_model.",
        ) from error
    try:
        with Image.open(path) as image:
            if image.width * image.height > LARGEST:
                raise DialogueError(f"the image {path} is too large: {image.width} by {image.height} pixels")
            return image.convert("RGB")
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError, ValueError, SyntaxError) as error:
        raise DialogueError(
            f"the image {path} cannot be read: {error}", hint="Name an image file that exists and is whole."
        ) from error
