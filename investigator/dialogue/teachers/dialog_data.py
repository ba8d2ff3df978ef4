"""Defines DialogData and StreamDialogData, which hold the examples for a DialogTeacher: all of them, or one episode at
a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from threading import Lock

from investigator.dialogue.agents import Shared
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.errors import DialogueError

Entry = Sequence[object] | Mapping[str, object]
"""(text, labels, reward, label candidates, path of an image), or fields by name."""

Entries = Iterable[tuple[Entry, bool]]
"""Entries in order; the flag of an entry is True if an episode starts with it."""

MakeMessage = Callable[[Entry], Message]


class DialogData:
    """All episodes of a data file, in memory; copies share the same episodes. `data_loader` yields the entries of the
    file that the `datafile` option names; `make_message` converts an entry to a message.
    """

    def __init__(
        self,
        opt: Mapping[str, object],
        data_loader: Callable[[str], Entries] | None = None,
        make_message: MakeMessage | None = None,
        shared: Shared | None = None,
    ) -> None:
        common = (shared or {}).get("data")
        if isinstance(common, DialogData):
            self._episodes: Sequence[Sequence[Entry]] = common._episodes
            self._make_message: MakeMessage = common._make_message
            return
        if data_loader is None or make_message is None:
            raise DialogueError("DialogData needs a data_loader and a make_message, or shared data")
        self._episodes = list(episodes_of(data_loader(str(opt.get("datafile", "")))))
        self._make_message = make_message

    def get(self, episode_idx: int, entry_idx: int = 0) -> tuple[Message, bool]:
        """Return one example, and True if it is the last one. Raises DialogueError if the example does not exist."""
        if not 0 <= episode_idx < len(self._episodes) or not 0 <= entry_idx < len(self._episodes[episode_idx]):
            raise DialogueError(f"episode {episode_idx} has no example {entry_idx}")
        episode = self._episodes[episode_idx]
        done = entry_idx == len(episode) - 1
        message = self._make_message(episode[entry_idx])
        message.force_set(EPISODE_DONE, done)
        return message, done and episode_idx == len(self._episodes) - 1

    def num_episodes(self) -> int:
        return len(self._episodes)

    def num_examples(self) -> int:
        return sum(len(episode) for episode in self._episodes)

    def share(self) -> dict[str, object]:
        return {"data": self}


class StreamDialogData:
    """The episodes of a data file, read on demand: only the current one and the next are in memory. Copies of a teacher
    share one instance and take whole episodes in turn. Thread-safe. With `restarts`, reading starts over after the end
    of the file, unless the file has no episodes.
    """

    def __init__(self, load: Callable[[], Entries], *, restarts: bool) -> None:
        self._load = load
        self._restarts = restarts
        self._lock = Lock()
        self._counts: tuple[int, int] | None = None
        self._episodes: Iterator[list[Entry]] = iter(())
        self._ahead: list[Entry] | None = None
        self._broken = False
        self._begin()

    def next_episode(self) -> tuple[list[Entry], bool] | None:
        """Return the entries of the next episode, and True if it is the last one of the file; None if no episode is
        left. Raises any error that occurs while the file is read; after such an error, every call raises DialogueError
        until `reset`.
        """
        with self._lock:
            if self._broken:
                raise DialogueError(
                    "the data could not be read completely", hint="Correct the file, and reset the teacher."
                )
            if self._ahead is None and self._restarts:
                self._begin()
            episode, self._ahead = self._ahead, self._read()
            return None if episode is None else (episode, self._ahead is None)

    def reset(self) -> None:
        """Start again with the first episode."""
        with self._lock:
            self._begin()

    def num_episodes(self) -> int:
        """Return the number of episodes; the file is read once to count them."""
        return self._counted()[0]

    def num_examples(self) -> int:
        """Return the number of examples; the file is read once to count them."""
        return self._counted()[1]

    def _begin(self) -> None:
        self._broken = False
        self._episodes = episodes_of(self._load())
        self._ahead = self._read()

    def _read(self) -> list[Entry] | None:
        try:
            return next(self._episodes, None)
        except BaseException:
            self._broken = True
            raise

    def _counted(self) -> tuple[int, int]:
        if self._counts is None:
            lengths = [len(episode) for episode in episodes_of(self._load())]
            self._counts = len(lengths), sum(lengths)
        return self._counts


def episodes_of(entries: Entries) -> Iterator[list[Entry]]:
    """Group entries into episodes. Raises DialogueError if an entry has no episode flag."""
    episode: list[Entry] = []
    for pair in entries:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise DialogueError(
                f"setup_data yielded {str(pair)[:80]}",
                hint="It must yield pairs: an entry, and True if it begins an episode.",
            )
        entry, begins = pair
        if begins and episode:
            yield episode
            episode = []
        episode.append(entry)
    if episode:
        yield episode
