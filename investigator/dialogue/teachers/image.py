"""Defines AbstractImageTeacher, which asks about images and sends them as pixels, as characters, or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.options import Opt
from investigator.dialogue.teachers.fixed import FixedDialogTeacher, missing
from investigator.errors import DialogueError, DialogueFormatError, in_words

if TYPE_CHECKING:
    from PIL.Image import Image


COLUMNS = 60
"""Width of an image in characters."""

LARGEST = 50_000_000
"""Maximum number of pixels in an image; a larger one would take over 150 MB."""

_DARK_TO_LIGHT = "@%#*+=-:. "
_CHARACTER_RATIO = 0.5  # a character is about twice as high as it is wide


class ImageMode(StrEnum):
    """The value of a message's `image` field."""

    RAW = "raw"
    """The pixels, as a Pillow RGB image."""
    ASCII = "ascii"
    """Lines of characters; sparse characters represent light pixels."""
    NO_IMAGE_MODEL = "no_image_model"
    """No image."""


class ImageLoader:
    """Loads images in the mode that the `image_mode` option sets, by default `raw`."""

    def __init__(self, opt: Mapping[str, object]) -> None:
        self.mode = ImageMode(Opt.of(opt).choice("image_mode", list(ImageMode), ImageMode.RAW))

    def load(self, path: str) -> object | None:
        """Return the image in a file, in the loader's mode; None if the mode is `no_image_model`. Raises DialogueError
        if the file is missing or not an image.
        """
        if self.mode is ImageMode.NO_IMAGE_MODEL:
            return None
        image = _opened(path)
        return image if self.mode is ImageMode.RAW else as_characters(image)


def as_characters(image: Image) -> str:
    """Return an image as lines of characters, at most COLUMNS wide."""
    columns = min(COLUMNS, image.width)
    rows = max(1, round(image.height * columns / image.width * _CHARACTER_RATIO))
    shades = image.convert("L").resize((columns, rows)).tobytes()
    characters = [_DARK_TO_LIGHT[shade * len(_DARK_TO_LIGHT) // 256] for shade in shades]
    return "\n".join("".join(characters[start : start + columns]) for start in range(0, len(characters), columns))


def _opened(path: str) -> Image:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            if image.width * image.height > LARGEST:
                raise DialogueError(f"the image {path} is too large: {image.width} by {image.height} pixels")
            return image.convert("RGB")
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError, ValueError, SyntaxError) as error:
        raise DialogueError(
            f"the image {path} cannot be read: {in_words(error)}",
            hint="Choose an image file that exists and is complete.",
        ) from error


class AbstractImageTeacher(FixedDialogTeacher):
    """A base class; subclasses implement `image_id_to_image_path`. Each item of the data is an episode with one
    example.

    The data is a JSON file with a list of objects: an image's id in `image_id_key`, the text in `text_key`, the labels
    in `label_key`, and any other fields. Options: `datafile`, `image_mode` (`raw`, `ascii`, `no_image_model`). The
    image is loaded when its example is used. Raises DialogueError if the data or an image cannot be read.
    """

    image_id_key = "image_id"
    text_key = "text"
    label_key = "labels"

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self._loader = ImageLoader(self.opt)
        common = (shared or {}).get("data")
        self.data: Sequence[Mapping[str, object]] = (
            common if isinstance(common, list) else list(self.load_data(self.get_data_path(self.opt), self.opt))
        )

    def get_data_path(self, opt: Opt) -> str:
        """Return the path of the data: the `datafile` option, unless overridden."""
        path = opt.text("datafile")
        if not path:
            raise DialogueError(f"{type(self).__name__} has no data file", hint='Set the "datafile" option.')
        return path

    def image_id_to_image_path(self, image_id: str) -> str:
        """Return the path of the image with this id. To be overridden."""
        raise missing("image_id_to_image_path", self)

    def load_data(self, data_path: str, opt: Opt) -> Sequence[Mapping[str, object]]:
        """Return the items of the data."""
        try:
            items = json.loads(Path(data_path).read_text(encoding="utf-8"))
        except OSError as error:
            raise DialogueError(f"the data file {data_path} cannot be read: {error.strerror or error}") from error
        except (ValueError, RecursionError) as error:
            raise DialogueFormatError(f"{data_path} is not JSON: {error}") from error
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise DialogueFormatError(f"{data_path} must contain a list of objects")
        return items

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        """Return one item as an example that contains the image, in the loader's mode, and the image's id."""
        item = dict(self.data[episode_idx])
        image_id = item.get(self.image_id_key)
        if image_id is None:
            raise DialogueFormatError(f"item {episode_idx} of the data has no {self.image_id_key!r}")
        labels = item.pop(self.label_key, None)
        example = Message(text=item.pop(self.text_key, ""), **{EPISODE_DONE: True})
        if labels is not None:
            example["labels"] = [labels] if isinstance(labels, str) else labels
        for name, value in item.items():
            example.setdefault(name, value)
        image = self._loader.load(self.image_id_to_image_path(str(image_id)))
        if image is not None:
            example.force_set("image", image)
        return example

    def num_episodes(self) -> int:
        return len(self.data)

    def num_examples(self) -> int:
        return len(self.data)

    def share(self) -> dict[str, object]:
        return {**super().share(), "data": self.data}
