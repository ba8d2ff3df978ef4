"""DialogTeacher: asks what its `setup_data` reads from a data file."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.teachers.dialog_data import DialogData, Entry, StreamDialogData
from investigator.dialogue.teachers.entries import message_of
from investigator.dialogue.teachers.fixed import FixedDialogTeacher
from investigator.dialogue.teachers.image_modes import ImageLoader
from investigator.errors import DialogueError


class DialogTeacher(FixedDialogTeacher):
    """Derive from it and write `setup_data`; the option `datafile` names the file.

    With a datatype that streams, the file is read while it is used, never as a whole. Further options: `image_mode`.
    Raises DialogueError where there is no datafile.
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
        """The path of the data file."""
        path = self.opt.text("datafile")
        if not path:
            raise DialogueError(
                f"{type(self).__name__} has no data file",
                hint='Name it with the option "datafile", in opt before DialogTeacher.__init__.',
            )
        return path

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
        """Gives pairs of an entry and whether it begins an episode. To be overridden.

        An entry is `(text, labels, reward, label candidates, path of an image)`, of which the last ones may be left out
        and any may be None, or a dict of fields.
        """
        raise DialogueError(
            f'"setup_data" must be overridden by {type(self).__name__}',
            hint="Write the method setup_data in that class.",
        )

    def label_candidates(self) -> Iterable[str] | None:
        """Candidates that all examples have; None where each has its own, or none."""
        return None

    def make_message(self, entry: Entry) -> Message:
        """The message of one entry."""
        return message_of(entry, self._candidates, self._images.load)

    def restarts(self) -> bool:
        """Whether a stream is begun anew after its end."""
        return self.datatype.cycles

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        """One example. Raises DialogueError where there is none, or the data streams."""
        if self.data is None:
            raise DialogueError("a stream has no numbered episodes", hint="Use a datatype without :stream.")
        return self.data.get(episode_idx, entry_idx)[0]

    def next_example(self) -> tuple[Message, bool]:
        """The next example, and whether a pass over the data ends with it."""
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
        """How many episodes there are; a stream is read once to know."""
        return self._source().num_episodes()

    def num_examples(self) -> int:
        """How many examples there are; a stream is read once to know."""
        return self._source().num_examples()

    def reset(self) -> None:
        """Begin the data anew, for all copies, and forget all grades."""
        super().reset()
        self._episode.clear()
        if self.stream is not None:
            self.stream.reset()

    def share(self) -> dict[str, object]:
        """What a copy needs; the data is loaded once for all."""
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
