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
"""Default number of repetitions of an exchange that make a loop, for the option `loop_repeats`."""

LONGEST_LOOP = 8
"""Most exchanges in a loop before it repeats."""

_GIST = 40

_log = logging.getLogger(__name__)


@runtime_checkable
class HasExamples(Protocol):
    """An agent that reads data, and may know how much there is."""

    def num_examples(self) -> int | None:
        """Return the number of examples; None if unknown."""
        ...

    def num_episodes(self) -> int | None:
        """Return the number of episodes; None if unknown."""
        ...


class Exchanges:
    """The turns of an episode, a text for each agent; detects loops. A loop is a sequence of at most LONGEST_LOOP
    exchanges that has been repeated `repeats` times in succession. Case and spaces are ignored. `repeats` of 0 turns
    the check off. Raises DialogueValueError if it is below 0.
    """

    def __init__(self, repeats: int = REPEATS) -> None:
        if repeats < 0:
            hint = f"Leave it out for {REPEATS}; with 0 nothing is a loop."
            raise DialogueValueError(f"loop_repeats must be 0 or more, not {repeats}", hint=hint)
        self._repeats = repeats
        self._said: deque[tuple[str, ...]] = deque(maxlen=(repeats + 1) * LONGEST_LOOP)

    def add(self, texts: Sequence[str]) -> str:
        """Record an exchange; return why the episode ends with it, or an empty text."""
        self._said.append(tuple(" ".join(text.split()).casefold() for text in texts))
        length = next(filter(self._came_again, range(1, LONGEST_LOOP + 1)), None) if self._repeats else None
        if length is None:
            return ""
        what = "the same exchange" if length == 1 else f"the same {length} exchanges"
        gist = " / ".join(text if len(text) <= _GIST else f"{text[:_GIST]}…" for text in texts)
        times = "once" if self._repeats == 1 else f"{self._repeats} times"
        return f"{what} repeated {times}, last: {gist!r}"

    def forget(self) -> None:
        """Forget the episode, before another one begins."""
        self._said.clear()

    def _came_again(self, length: int) -> bool:
        """Return True if the last `length` exchanges have been repeated often enough to make a loop."""
        needed = (self._repeats + 1) * length
        if len(self._said) < needed:
            return False
        newest = list(islice(reversed(self._said), needed))
        return all(newest[place] == newest[place - length] for place in range(length, needed))


class LoopWatch:
    """Detects loops among the agents of one world, act by act. Only agents that talk freely are watched: data may
    repeat, and humans may say what they like. The option `loop_repeats` is the `repeats` of Exchanges; by default the
    copies in a HogwildWorld are not watched, because there each parley must be a turn. `why` is the reason for the end
    of the episode, or empty; `ended` is True if any episode has ended this way since `reset`.
    """

    def __init__(self, opt: Opt, agents: Sequence[Agent]) -> None:
        usual = 0 if "threadindex" in opt else REPEATS
        self._exchanges = Exchanges(opt.number("loop_repeats", usual))
        self._watches = len(agents) > 1 and all(map(_talks_freely, agents))
        self._texts: list[str | None] = [None] * len(agents)
        self.why = ""
        self.ended = False

    def take(self, place: int, act: Message) -> None:
        """Record the act of the agent at an index; an exchange is complete with the last agent's act."""
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
        """Forget the episode, before another one begins."""
        self._exchanges.forget()
        self.why = ""

    def reset(self) -> None:
        """Start over completely."""
        self.begin()
        self.ended = False


def _said(act: Message) -> str | None:
    """Return the text of an act; None if it has no text or ends the episode."""
    silent = act.is_padding() or act.get("text") is None or bool(act.get(EPISODE_DONE))
    return None if silent else act.text


def _talks_freely(agent: Agent) -> bool:
    """Return True if an agent's messages come neither from data nor from a human."""
    return not isinstance(agent, HumanAgent | DataAgent | HasExamples)
