"""Defines HumanAgent: a person at a terminal, or any stream of lines."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TextIO

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import Message
from investigator.errors import DialogueError
from investigator.reports.inert import inert

END_OF_EPISODE = "[DONE]"
END_OF_ALL = "[EXIT]"


class HumanAgent(Agent):
    """Writes messages from others to `sink`, and sends the lines that it reads from `source`.

    A line that ends with `[DONE]` ends the episode. A line that ends with `[EXIT]`, or the end of the source, ends the
    episode and the epoch; all further acts are padding. With the `single_turn` option, each line is an episode. The
    default streams are the current standard input and output.
    """

    def __init__(
        self,
        opt: Mapping[str, object] | None = None,
        shared: Shared | None = None,
        *,
        source: TextIO | None = None,
        sink: TextIO | None = None,
        prompt: str = "> ",
    ) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("id", "human")
        original = (shared or {}).get("human")
        self._streams: tuple[TextIO | None, TextIO | None]
        self._streams = original._streams if isinstance(original, HumanAgent) else (source, sink)
        self._prompt = prompt
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
        line = "" if self._finished else self._line()
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
        return {**super().share(), "human": self}

    def _line(self) -> str:
        self._write(self._prompt)
        try:
            return (self._streams[0] or sys.stdin).readline()
        except UnicodeDecodeError as error:
            raise DialogueError("the input is not text", hint="Write it in the encoding of the terminal.") from error

    def _write(self, text: str) -> None:
        sink = self._streams[1] or sys.stdout
        sink.write(text)
        sink.flush()
