"""Defines agents without a model, for baselines, examples, and tests of worlds and teachers."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import EPISODE_DONE, Message, texts_of
from investigator.errors import DialogueError

DONT_KNOW = "I don't know."
NOTHING_HEARD = "I have heard nothing."


class _SimpleAgent(Agent, ABC):
    """An agent that can reply at any time; its id is its class name unless the options set another one. The `seed`
    option (default 0) seeds its random choices; copies share one generator.
    """

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("id", type(self).__name__)
        common = (shared or {}).get("random")
        self._random = common if isinstance(common, random.Random) else random.Random(self.opt.number("seed", 0))

    def act(self) -> Message:
        reply = Message(id=self.id, episode_done=False)
        reply.update(self._said(self.observation or Message()))
        return reply

    def share(self) -> dict[str, object]:
        return {**super().share(), "random": self._random}

    @abstractmethod
    def _said(self, observation: Message) -> Mapping[str, object]:
        """Return the text and any other fields of the reply; the observation is empty if nothing was observed."""


class RepeatLabelAgent(_SimpleAgent):
    """Replies with the labels, which is the best possible reply.

    Options: `return_one_random_answer` (default true; if false, the reply is all labels, separated by commas),
    `cant_answer_percent` (despite its name, a probability between 0 and 1; default 0), `cant_answer_message`.
    """

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self._one = self.opt.switch("return_one_random_answer", True)
        self._cannot = _chance(self.opt.get("cant_answer_percent", 0))
        self._message = self.opt.text("cant_answer_message", DONT_KNOW)

    def _said(self, observation: Message) -> Mapping[str, object]:
        labels = observation.known_labels()
        if not labels or self._random.random() < self._cannot:
            return {"text": self._message}
        return {"text": self._random.choice(labels) if self._one else ", ".join(labels)}


class FixedResponseAgent(_SimpleAgent):
    """Always gives the same reply, which the `fixed_response` option sets."""

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self._response = self.opt.text("fixed_response", DONT_KNOW)

    def _said(self, observation: Message) -> Mapping[str, object]:
        return {"text": self._response}


class RepeatQueryAgent(_SimpleAgent):
    """Repeats every message."""

    def _said(self, observation: Message) -> Mapping[str, object]:
        return {"text": observation.text or NOTHING_HEARD}


class RandomCandidateAgent(_SimpleAgent):
    """Ranks the candidates at random, as a baseline for agents that rank."""

    def _said(self, observation: Message) -> Mapping[str, object]:
        ranked = texts_of(observation.get("label_candidates"))
        self._random.shuffle(ranked)
        return {"text": ranked[0], "text_candidates": ranked} if ranked else {"text": DONT_KNOW}


def _chance(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise DialogueError(
            f"the option cant_answer_percent cannot be {value!r}",
            hint="Give a probability between 0 and 1, such as 0.25.",
        )
    return float(value)


Episode = tuple[Message, ...]


class DataAgent(Agent):
    """Sends the given messages, in order, and then padding. An episode ends with a message that has `episode_done`.
    Copies share the messages and take episodes in turn, so that together they send each message once.
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
        return self._episodes.unsaid <= 0

    def reset(self) -> None:
        """Start again with the first message, for all copies."""
        super().reset()
        self._left = []
        self._episodes.rewind()

    def share(self) -> dict[str, object]:
        return {**super().share(), "episodes": self._episodes}


class _Episodes:
    """Hands out episodes to several agents, which may run in different threads; each rewind starts a new round."""

    def __init__(self, episodes: Sequence[Episode]) -> None:
        self._episodes = episodes
        self._lock = Lock()
        self.round = 0
        self._next = 0
        self.unsaid = sum(map(len, episodes))

    def take(self) -> tuple[int, Episode]:
        """Return the number of the round and its next episode, which is empty if no episode is left."""
        with self._lock:
            self._next += 1
            return self.round, next(iter(self._episodes[self._next - 1 : self._next]), ())

    def count_said(self) -> None:
        """Record that a message from an episode was sent."""
        with self._lock:
            self.unsaid -= 1

    def rewind(self) -> None:
        """Start again with the first episode."""
        with self._lock:
            self.round += 1
            self._next = 0
            self.unsaid = sum(map(len, self._episodes))


def _episodes(messages: Iterable[Mapping[str, object]]) -> list[Episode]:
    episodes: list[Episode] = []
    episode: list[Message] = []
    for number, message in enumerate(messages):
        if not isinstance(message, Mapping):
            raise DialogueError(f"item {number} is not a message but {type(message).__name__}", hint="Give dicts.")
        episode.append(Message(message))
        if message.get(EPISODE_DONE):
            episodes.append(tuple(episode))
            episode = []
    return [*episodes, tuple(episode)] if episode else episodes
