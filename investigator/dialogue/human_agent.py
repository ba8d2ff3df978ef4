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
        self._streams = (source, sink)
        common = (shared or {}).get("human")
        if isinstance(common, HumanAgent):
            self._streams = common._streams
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
        said, mark = _before_mark(line.strip())
        if not line or mark == END_OF_ALL:
            self._finished = True
        act = Message(id=self.id, episode_done=bool(self._finished or mark or self._single_turn))
        if self._finished and not said:
            act.update(Message.padding_example())
        else:
            act["text"] = said
        return act

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


def _before_mark(line: str) -> tuple[str, str]:
    """Return the text of a line without its end mark, and the mark itself if there is one."""
    for mark in (END_OF_EPISODE, END_OF_ALL):
        if line.upper().endswith(mark):
            return line[: -len(mark)].rstrip(), mark
    return line, ""
