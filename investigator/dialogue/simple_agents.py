"""Defines agents without a model: a person at a terminal, and agents for baselines, examples and tests."""

from __future__ import annotations

import random
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TextIO

from investigator.dialogue.agents import Agent, Shared, shared_part
from investigator.dialogue.messages import Message, texts_of
from investigator.dialogue.options import Options
from investigator.errors import DialogueError
from investigator.reports.inert import inert

DONT_KNOW = "I don't know."
NOTHING_HEARD = "I have heard nothing."
END_OF_EPISODE = "[DONE]"
END_OF_ALL = "[EXIT]"


class _SimpleAgent(Agent, ABC):
    """An agent that can reply at any time. Options: `id` (default: the class name), `seed` (0; copies share it)."""

    def __init__(self, opt: Options = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("id", type(self).__name__)
        self._random = shared_part(shared, "random", random.Random) or random.Random(self.opt.number("seed", 0))

    def act(self) -> Message:
        return Message({"id": self.id, "episode_done": False, **self._reply(self.observation or Message())})

    def share(self) -> dict[str, object]:
        return {**super().share(), "random": self._random}

    @abstractmethod
    def _reply(self, observation: Message) -> Mapping[str, object]:
        """Return the text and any other fields of the reply; the observation is empty if nothing was observed."""


class RepeatLabelAgent(_SimpleAgent):
    """Replies with the labels. Options: `return_one_random_answer` (default true; if false, all labels are given,
    separated by commas), `cant_answer_percent` (a probability from 0 to 1; default 0), `cant_answer_message`.
    """

    def __init__(self, opt: Options = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        chance = self.opt.get("cant_answer_percent", 0)
        if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 <= chance <= 1:
            hint = "Give a probability between 0 and 1, such as 0.25."
            raise DialogueError(f"the option cant_answer_percent cannot be {chance!r}", hint=hint)
        self._cannot = chance

    def _reply(self, observation: Message) -> Mapping[str, object]:
        labels = observation.known_labels()
        if not labels or self._random.random() < self._cannot:
            return {"text": self.opt.text("cant_answer_message", DONT_KNOW)}
        single = self.opt.switch("return_one_random_answer", True)
        return {"text": self._random.choice(labels) if single else ", ".join(labels)}


class FixedResponseAgent(_SimpleAgent):
    """Always gives the same reply, which the `fixed_response` option sets."""

    def _reply(self, observation: Message) -> Mapping[str, object]:
        return {"text": self.opt.text("fixed_response", DONT_KNOW)}


class RepeatQueryAgent(_SimpleAgent):
    """Repeats every message."""

    def _reply(self, observation: Message) -> Mapping[str, object]:
        return {"text": observation.text or NOTHING_HEARD}


class RandomCandidateAgent(_SimpleAgent):
    """Ranks the candidates at random, as a baseline for agents that rank."""

    def _reply(self, observation: Message) -> Mapping[str, object]:
        ranked = texts_of(observation.get("label_candidates"))
        self._random.shuffle(ranked)
        return {"text": ranked[0], "text_candidates": ranked} if ranked else {"text": DONT_KNOW}


class HumanAgent(Agent):
    """Writes messages to `sink`, and sends lines from `source`; by default, the terminal's. A line that ends with
    `[DONE]` ends the episode; `[EXIT]` or the end of the source also ends the epoch, after which acts are padding. With
    the `single_turn` option, each line is an episode.
    """

    def __init__(
        self,
        opt: Options = None,
        shared: Shared | None = None,
        *,
        source: TextIO | None = None,
        sink: TextIO | None = None,
    ) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("id", "human")
        self._streams = shared_part(shared, "streams", tuple) or (source, sink)
        self._single_turn = self.opt.switch("single_turn")
        self._finished = False

    def observe(self, observation: Message) -> Message:
        """Show a message from another agent, unless it has no text."""
        super().observe(observation)
        if observation.text:
            speaker = str(observation.get("id") or "partner")
            self._write(f"{inert(speaker)}: {inert(observation.text)}\n")
        return observation

    def act(self) -> Message:
        """Return the next line. Raises DialogueError if it cannot be decoded."""
        self._write("" if self._finished else "> ")
        try:
            line = "" if self._finished else (self._streams[0] or sys.stdin).readline()
        except UnicodeDecodeError as error:
            raise DialogueError("the input is not text", hint="Write it in the encoding of the terminal.") from error
        text = line.strip()
        mark = next((mark for mark in (END_OF_EPISODE, END_OF_ALL) if text.upper().endswith(mark)), "")
        text = text[: len(text) - len(mark)].rstrip()
        self._finished = self._finished or not line or mark == END_OF_ALL
        if self._finished and not text:
            return Message(Message.padding_example(), id=self.id)
        return Message(id=self.id, text=text, episode_done=bool(self._finished or mark or self._single_turn))

    def epoch_done(self) -> bool:
        return self._finished

    def share(self) -> dict[str, object]:
        return {**super().share(), "streams": self._streams}

    def _write(self, text: str) -> None:
        sink = self._streams[1] or sys.stdout
        sink.write(text)
        sink.flush()
