"""Loops: agents that repeat themselves and would never end."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from itertools import islice
from typing import Protocol, runtime_checkable

from investigator.dialogue.agents import Agent
from investigator.dialogue.human_agent import HumanAgent
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.options import Opt
from investigator.dialogue.simple_agents import DataAgent
from investigator.errors import DialogueValueError

REPEATS = 3
"""So many times an exchange may come again before it is a loop, where the option `loop_repeats` says nothing else."""

LONGEST_LOOP = 8
"""The most exchanges that a loop has before it starts over."""

_GIST = 40

_log = logging.getLogger(__name__)


@runtime_checkable
class HasExamples(Protocol):
    """An agent that reads data, and may know how much there is."""

    def num_examples(self) -> int | None:
        """Return the number of examples; None if it is not known."""
        ...

    def num_episodes(self) -> int | None:
        """Return the number of episodes; None if it is not known."""
        ...


class Exchanges:
    """The turns of an episode, a text for each agent; notices when they go round in circles.

    A loop is some exchanges, LONGEST_LOOP at most, that have come again `repeats` times, one after the other. Case and
    blanks make no difference. `repeats` of 0 turns the check off. Raises DialogueValueError if it is below 0.
    """

    def __init__(self, repeats: int = REPEATS) -> None:
        if repeats < 0:
            hint = f"Leave it out for {REPEATS}; with 0 nothing is a loop."
            raise DialogueValueError(f"loop_repeats must be 0 or more, it is {repeats}", hint=hint)
        self._repeats = repeats
        self._said: deque[tuple[str, ...]] = deque(maxlen=(repeats + 1) * LONGEST_LOOP)

    def add(self, texts: Sequence[str]) -> str:
        """Take note of an exchange; why the episode ends with it, or an empty text."""
        self._said.append(tuple(" ".join(text.split()).casefold() for text in texts))
        length = next(filter(self._came_again, range(1, LONGEST_LOOP + 1)), None) if self._repeats else None
        if length is None:
            return ""
        what = "the same exchange" if length == 1 else f"the same {length} exchanges"
        gist = " / ".join(text if len(text) <= _GIST else f"{text[:_GIST]}…" for text in texts)
        times = "once" if self._repeats == 1 else f"{self._repeats} times"
        return f"{what} came again {times}, the last one: {gist!r}"

    def forget(self) -> None:
        """Forget the episode; another one begins."""
        self._said.clear()

    def _came_again(self, length: int) -> bool:
        """Return True if the last exchanges, so many, came as often as makes a loop."""
        needed = (self._repeats + 1) * length
        if len(self._said) < needed:
            return False
        newest = list(islice(reversed(self._said), needed))
        return all(newest[place] == newest[place - length] for place in range(length, needed))


class LoopWatch:
    """Notices loops among the agents of one world, act by act.

    Only agents that talk freely are watched: data may repeat, and humans may say what they like. The option
    `loop_repeats` is the `repeats` of Exchanges; without it the copies in a HogwildWorld are not watched, where so many
    parleys are so many turns. `why` says what ended the episode, empty while nothing did; `ended` whether any episode
    ended so since `reset`.
    """

    def __init__(self, opt: Opt, agents: Sequence[Agent]) -> None:
        usual = 0 if "threadindex" in opt else REPEATS
        self._exchanges = Exchanges(opt.number("loop_repeats", usual))
        self._watches = len(agents) > 1 and all(map(_talks_freely, agents))
        self._texts: list[str | None] = [None] * len(agents)
        self.why = ""
        self.ended = False

    def take(self, place: int, act: Message) -> None:
        """Record the act of the agent at a place; an exchange is complete with the last agent's act."""
        if not self._watches:
            return
        if place == 0:
            if self.why:
                self.begin()
            self._texts = [None] * len(self._texts)
        self._texts[place] = _said(act)
        if place < len(self._texts) - 1:
            return
        texts = [text for text in self._texts if text is not None]
        if len(texts) < len(self._texts):
            self._exchanges.forget()
            return
        self.why = self._exchanges.add(texts)
        if self.why:
            self.ended = True
            _log.warning("the episode ends: %s", self.why)

    def begin(self) -> None:
        """Forget the episode; another one begins."""
        self._exchanges.forget()
        self.why = ""

    def reset(self) -> None:
        """All starts over."""
        self.begin()
        self.ended = False


def _said(act: Message) -> str | None:
    """Return the text of an act; None if it says nothing in words, or ends the episode, so that the next one begins."""
    silent = act.is_padding() or act.get("text") is None or bool(act.get(EPISODE_DONE))
    return None if silent else act.text


def _talks_freely(agent: Agent) -> bool:
    """Return True if an agent's messages come neither from data nor from a human."""
    return not isinstance(agent, HumanAgent | DataAgent | HasExamples)
