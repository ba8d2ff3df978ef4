"""Defines DialogTeacher, which asks questions from the data that its `setup_data` reads from a file."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import EPISODE_DONE, Message, texts_of
from investigator.dialogue.teachers.dialog_data import DialogData, Entry, StreamDialogData
from investigator.dialogue.teachers.fixed import FixedDialogTeacher, missing
from investigator.dialogue.teachers.image import ImageLoader
from investigator.errors import DialogueError, DialogueTypeError


class DialogTeacher(FixedDialogTeacher):
    """A base class; subclasses implement `setup_data`. The `datafile` option names the file.

    With a streaming datatype, the file is read on demand, never as a whole. Further options: `image_mode`. Raises
    DialogueError if no data file is given.
    """

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self._episode: deque[Entry] = deque()
        self._is_last_episode = False
        self._images = ImageLoader(self.opt)
        candidates = self.label_candidates()
        self._candidates = None if candidates is None else frozenset(candidates)
        self.stream: StreamDialogData | None = None
        self.data: DialogData | None = None
        if self.datatype.streams:
            common = (shared or {}).get("stream")
            self.stream = common if isinstance(common, StreamDialogData) else self._opened_stream()
        else:
            given = shared if shared and "data" in shared else None
            self.data = DialogData(
                self.opt if given else {"datafile": self.datafile}, self.setup_data, self.make_message, given
            )

    @property
    def datafile(self) -> str:
        """Return the path of the data file."""
        path = self.opt.text("datafile")
        if not path:
            raise DialogueError(
                f"{type(self).__name__} has no data file",
                hint='Set the option "datafile" in opt before calling DialogTeacher.__init__.',
            )
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
        return message_of(entry, self._candidates, self._images.load)

    def restarts(self) -> bool:
        """Return True if a stream starts over after its end."""
        return self.datatype.cycles

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        """Return one example. Raises DialogueError if the example does not exist, or if the data is streamed."""
        if self.data is None:
            raise DialogueError("a stream has no numbered episodes", hint="Use a datatype without :stream.")
        return self.data.get(episode_idx, entry_idx)[0]

    def next_example(self) -> tuple[Message, bool]:
        if self.stream is None:
            return super().next_example()
        if not self._episode:
            taken = self.stream.next_episode()
            if taken is None:
                return Message.padding_example(), True
            episode, self._is_last_episode = taken
            self._episode.extend(episode)
        example = self.make_message(self._episode.popleft())
        example.force_set(EPISODE_DONE, not self._episode)
        ends = not self._episode and self._is_last_episode
        return example, ends and not self.datatype.cycles

    def num_episodes(self) -> int:
        return self._source().num_episodes()

    def num_examples(self) -> int:
        return self._source().num_examples()

    def reset(self) -> None:
        super().reset()
        self._episode.clear()
        if self.stream is not None:
            self.stream.reset()

    def share(self) -> dict[str, object]:
        held = {"stream": self.stream} if self.data is None else self.data.share()
        return {**super().share(), **held}

    def _source(self) -> DialogData | StreamDialogData:
        source = self.data or self.stream
        if source is None:
            raise DialogueError(f"{type(self).__name__} has no data yet", hint="Call DialogTeacher.__init__ first.")
        return source

    def _opened_stream(self) -> StreamDialogData:
        path = self.datafile
        return StreamDialogData(lambda: self.setup_data(path), restarts=self.restarts())


_FIELDS = ("text", "labels", "reward", "label_candidates")

LoadImage = Callable[[str], object | None]
"""Loads the image at a path in the requested form; None if no image is requested."""


def message_of(entry: object, candidates: frozenset[str] | None, load_image: LoadImage) -> Message:
    """Return the message for an entry: a tuple of up to five parts, or fields by name.

    `candidates` are the candidates for the whole task: each example with labels gets them, plus any label that is
    missing from them. Raises DialogueError if the entry has a different form, sets a field that is set automatically,
    or has candidates that do not include its label.
    """
    if isinstance(entry, Mapping):
        message = _of_fields(entry)
    elif isinstance(entry, tuple | list):
        message = _of_parts(entry, load_image)
    else:
        raise DialogueTypeError(
            f"an entry must be a tuple or a mapping of fields, not {str(entry)[:80]!r}",
            hint="Yield (text, labels, reward, label candidates, path of an image) or a dict.",
        )
    labels = texts_of(message.get("labels"))
    if labels and candidates is not None:
        message.force_set("label_candidates", candidates if candidates.issuperset(labels) else candidates.union(labels))
    own = message.get("label_candidates")
    if labels and isinstance(own, Collection) and labels[0] not in own:
        raise DialogueError(
            f"the label {labels[0][:80]!r} is missing from the label candidates", hint="Add it to the candidates."
        )
    return message


def _of_fields(entry: Mapping[str, object]) -> Message:
    for field, reason in (
        ("eval_labels", "labels become eval_labels automatically"),
        ("eval_label", "labels become eval_labels automatically"),
        (EPISODE_DONE, "it is derived from where episodes begin"),
    ):
        if field in entry:
            raise DialogueError(f"setup_data must not set {field}: {reason}", hint=f"Leave {field} out.")
    fields = dict(entry)
    if "label" in fields:
        fields["labels"] = fields.pop("label")
    if isinstance(fields.get("labels"), str):
        fields["labels"] = (fields["labels"],)
    return Message(fields)


def _of_parts(entry: Collection[object], load_image: LoadImage) -> Message:
    parts = list(entry)
    message = Message({name: part for name, part in zip(_FIELDS, parts, strict=False) if part is not None})
    if isinstance(message.get("labels"), str):
        message.force_set("labels", (message["labels"],))
    if len(parts) > len(_FIELDS) and parts[4] is not None:
        image = load_image(str(parts[4]))
        if image is not None:
            message["image"] = image
    return message
