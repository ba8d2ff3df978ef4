"""Defines DialogTeacher, which asks questions from the data that its `setup_data` reads from a file, DialogData and
StreamDialogData, which hold these data (all of them, or one episode at a time), and the forms of images.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from investigator.dialogue.agents import Shared, shared_part
from investigator.dialogue.messages import EPISODE_DONE, Message, texts_of
from investigator.dialogue.options import Options
from investigator.dialogue.teachers.base import FixedDialogTeacher, missing
from investigator.errors import DialogueError, in_words

if TYPE_CHECKING:
    from PIL.Image import Image

Entry = Sequence[object] | Mapping[str, object]
"""(text, labels, reward, label candidates, path of an image), or fields by name."""

Entries = Iterable[tuple[Entry, bool]]
"""Entries in order; the flag of an entry is True if an episode starts with it."""

COLUMNS = 60
"""Width of an image in characters."""

LARGEST = 50_000_000
"""Maximum number of pixels in an image; a larger one would take over 150 MB."""

_FIELDS = ("text", "labels", "reward", "label_candidates")
_DARK_TO_LIGHT = "@%#*+=-:. "
_CHARACTER_RATIO = 0.5  # a character is about twice as high as it is wide


class DialogData:
    """All episodes of a data file, in memory; `make_message` converts an entry to a message."""

    def __init__(self, entries: Entries, make_message: Callable[[Entry], Message]) -> None:
        self._episodes = list(episodes_of(entries))
        self._make_message = make_message

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        """Return one example. Raises IndexError if it does not exist."""
        return example_in(self._episodes[episode_idx], entry_idx, self._make_message)

    def num_episodes(self) -> int:
        return len(self._episodes)

    def num_examples(self) -> int:
        return sum(map(len, self._episodes))


class StreamDialogData:
    """The episodes of a data file, read on demand: only the current one and the next are in memory; they are counted in
    a pass of its own. With `restarts`, reading starts over after the end of the file, unless it has no episodes.
    """

    def __init__(self, load: Callable[[], Entries], *, restarts: bool) -> None:
        self._load = load
        self._restarts = restarts

    def episodes(self) -> Generator[tuple[list[Entry], bool]]:
        """Yield the entries of each episode, and True with the last one of the file. Raises the errors of `load`."""
        repeats = True
        while repeats:
            repeats = False
            for episode, following in pairwise(chain(episodes_of(self._load()), [[]])):
                yield episode, not following
                repeats = self._restarts

    def num_episodes(self) -> int:
        return len(self._lengths)

    def num_examples(self) -> int:
        return sum(self._lengths)

    @cached_property
    def _lengths(self) -> list[int]:
        return [len(episode) for episode in episodes_of(self._load())]


class ImageMode(StrEnum):
    """The form of an image: a Pillow RGB image; lines of characters, sparse ones for light pixels; or nothing."""

    RAW = "raw"
    ASCII = "ascii"
    NO_IMAGE_MODEL = "no_image_model"


class DialogTeacher(FixedDialogTeacher):
    """A base class; subclasses implement `setup_data`. Options: `datafile`, `image_mode`. With a streaming datatype,
    the file is read on demand. Raises DialogueError if no data file is given.
    """

    def __init__(self, opt: Options = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self.image_mode = ImageMode(self.opt.choice("image_mode", list(ImageMode), ImageMode.RAW))
        candidates = self.label_candidates()
        self._candidates = None if candidates is None else frozenset(candidates)
        load = partial(self.setup_data, self.datafile)
        self.data: DialogData | StreamDialogData
        if not self.datatype.streams:
            self.data = shared_part(shared, "data", DialogData) or DialogData(load(), self.make_message)
        elif streamed := shared_part(shared, "data", StreamDialogData):
            self.data = streamed
        else:
            self.data = StreamDialogData(load, restarts=self.restarts())
            next(self.data.episodes(), None)  # a file that cannot be read is an error at once

    @property
    def datafile(self) -> str:
        """Return the path of the data file."""
        path = self.opt.text("datafile")
        if not path:
            hint = 'Set the option "datafile" in opt before calling DialogTeacher.__init__.'
            raise DialogueError(f"{type(self).__name__} has no data file", hint=hint)
        return path

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
        """Yield pairs of an entry and a flag that is True if an episode starts with that entry. To be overridden. An
        entry is a dict of fields, or a tuple `(text, labels, reward, label candidates, path of an image)`; any item of
        the tuple may be None, and trailing items may be omitted.
        """
        raise missing("setup_data", self)

    def label_candidates(self) -> Iterable[str] | None:
        """Return the candidates for all examples; None if there are none, or if each example has its own."""
        return None

    def make_message(self, entry: Entry) -> Message:
        """Return the message for one entry."""
        return message_of(entry, self._candidates, partial(load_image, mode=self.image_mode))

    def restarts(self) -> bool:
        """Return True if a stream starts over after its end."""
        return self.datatype.cycles

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        """Return one example. Raises IndexError if it does not exist, and DialogueError if the data is streamed."""
        if isinstance(self.data, StreamDialogData):
            raise DialogueError("a stream has no numbered episodes", hint="Use a datatype without :stream.")
        return self.data.get(episode_idx, entry_idx)

    def episode_stream(self) -> Generator[tuple[Any, bool]]:
        yield from self.data.episodes() if isinstance(self.data, StreamDialogData) else super().episode_stream()

    def example_of(self, episode: Any, entry_idx: int) -> Message:
        if isinstance(self.data, DialogData):
            return super().example_of(episode, entry_idx)
        return example_in(episode, entry_idx, self.make_message)

    def num_episodes(self) -> int:
        return self.data.num_episodes()

    def num_examples(self) -> int:
        return self.data.num_examples()

    def share(self) -> dict[str, object]:
        return {**super().share(), "data": self.data}


def episodes_of(entries: Iterable[object]) -> Iterator[list[Entry]]:
    """Group entries into episodes. Raises DialogueError if an entry has no episode flag."""
    episode: list[Entry] = []
    for pair in entries:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            hint = "It must yield pairs: an entry, and True if it begins an episode."
            raise DialogueError(f"setup_data yielded {str(pair)[:80]}", hint=hint)
        entry, begins = pair
        if begins and episode:
            yield episode
            episode = []
        episode.append(entry)
    if episode:
        yield episode


def example_in(episode: Sequence[Entry], entry_idx: int, make_message: Callable[[Entry], Message]) -> Message:
    """Return the message for one entry of an episode, with `episode_done` at its end."""
    message = make_message(episode[entry_idx])
    message.force_set(EPISODE_DONE, entry_idx == len(episode) - 1)
    return message


def message_of(entry: object, candidates: frozenset[str] | None, load_image: Callable[[str], object | None]) -> Message:
    """Return the message for an entry: a tuple of up to five parts, or fields by name. `candidates` are those of the
    whole task, to which the labels of an example are added. `load_image` returns the image at a path. Raises
    DialogueError if the entry has a different form, sets a field that is set automatically, or has candidates without
    its label.
    """
    if isinstance(entry, Mapping):
        fields = {"labels" if name == "label" else name: value for name, value in entry.items()}
    elif isinstance(entry, tuple | list):
        image = load_image(str(entry[4])) if len(entry) > 4 and entry[4] is not None else None
        parts = [*zip(_FIELDS, entry, strict=False), ("image", image)]
        fields = {name: part for name, part in parts if part is not None}
    else:
        problem = f"an entry must be a tuple or a mapping of fields, not {str(entry)[:80]!r}"
        hint = "Yield (text, labels, reward, label candidates, path of an image) or a dict."
        raise DialogueError(problem, hint=hint)
    for field in fields.keys() & {"eval_labels", "eval_label", EPISODE_DONE}:
        raise DialogueError(f"setup_data must not set {field}, which is set automatically", hint=f"Leave {field} out.")
    labels = texts_of(fields.get("labels"))
    if isinstance(fields.get("labels"), str):
        fields["labels"] = tuple(labels)
    if labels and candidates is not None:
        fields["label_candidates"] = candidates.union(labels)
    own = fields.get("label_candidates")
    if labels and isinstance(own, Collection) and labels[0] not in own:
        problem = f"the label {labels[0][:80]!r} is missing from the label candidates"
        raise DialogueError(problem, hint="Add it to the candidates.")
    return Message(fields)


def load_image(path: str, mode: ImageMode) -> Image | str | None:
    """Return the image in a file, in the given form. Raises DialogueError if the file is missing or not an image."""
    if mode is ImageMode.NO_IMAGE_MODEL:
        return None
    from PIL import Image

    try:
        with Image.open(path) as opened:
            width, height = opened.size
            image = opened.convert("RGB") if width * height <= LARGEST else None
    except (OSError, Image.DecompressionBombError, SyntaxError, ValueError) as error:
        hint = "Choose an image file that exists and is complete."
        raise DialogueError(f"the image {path} cannot be read: {in_words(error)}", hint=hint) from error
    if image is None:
        raise DialogueError(f"the image {path} is too large: {width} by {height} pixels")
    if mode is ImageMode.RAW:
        return image
    columns = min(COLUMNS, width)
    rows = max(1, round(height * columns / width * _CHARACTER_RATIO))
    shades = image.convert("L").resize((columns, rows)).tobytes()
    characters = "".join(_DARK_TO_LIGHT[shade * len(_DARK_TO_LIGHT) // 256] for shade in shades)
    return "\n".join(characters[start : start + columns] for start in range(0, len(characters), columns))
