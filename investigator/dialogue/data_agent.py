"""DataAgent: messages that are there already, read out one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.errors import DialogueError

Episode = tuple[Message, ...]


class DataAgent(Agent):
    """Says the messages it is given, in order; then padding.

    An episode ends with a message that has `episode_done`. Copies share the messages and take episodes in turn, so that
    together they say each of them once.
    """

    def __init__(
        self,
        opt: Mapping[str, object] | None = None,
        shared: Shared | None = None,
        *,
        messages: Iterable[Mapping[str, object]] = (),
    ) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("id", "data")
        common = (shared or {}).get("episodes")
        self._episodes = common if isinstance(common, _Episodes) else _Episodes(_episodes(messages))
        self._left: list[Message] = []
        self._round = 0

    def act(self) -> Message:
        """The next message, with the agent's id where it has none."""
        if not self._left or self._round != self._episodes.round:
            self._round, episode = self._episodes.take()
            self._left = list(episode)
        if not self._left:
            return Message.padding_example()
        said = self._left.pop(0).copy()
        self._episodes.count_said()
        said.setdefault("id", self.id)
        said.setdefault(EPISODE_DONE, False)
        return said

    def epoch_done(self) -> bool:
        """Whether all copies together have said everything."""
        return self._episodes.unsaid <= 0

    def reset(self) -> None:
        """Begin anew with the first message, for all copies."""
        super().reset()
        self._left = []
        self._episodes.rewind()

    def share(self) -> dict[str, object]:
        """As of every agent, and the episodes."""
        return {**super().share(), "episodes": self._episodes}


class _Episodes:
    """Episodes that several agents take in turn, perhaps in threads; each rewinding begins another round."""

    def __init__(self, episodes: Sequence[Episode]) -> None:
        self._episodes = episodes
        self._lock = Lock()
        self.round = 0
        self._next = 0
        self.unsaid = sum(map(len, episodes))

    def take(self) -> tuple[int, Episode]:
        """The round, and its next episode; that is empty where there is none."""
        with self._lock:
            self._next += 1
            return self.round, next(iter(self._episodes[self._next - 1 : self._next]), ())

    def count_said(self) -> None:
        """A message of an episode was said."""
        with self._lock:
            self.unsaid -= 1

    def rewind(self) -> None:
        """Begin with the first episode again."""
        with self._lock:
            self.round += 1
            self._next = 0
            self.unsaid = sum(map(len, self._episodes))


def _episodes(messages: Iterable[Mapping[str, object]]) -> list[Episode]:
    episodes: list[Episode] = []
    episode: list[Message] = []
    for number, message in enumerate(messages):
        if not isinstance(message, Mapping):
            raise DialogueError(f"message {number} is no message but {type(message).__name__}", hint="Give dicts.")
        episode.append(Message(message))
        if message.get(EPISODE_DONE):
            episodes.append(tuple(episode))
            episode = []
    return [*episodes, tuple(episode)] if episode else episodes
