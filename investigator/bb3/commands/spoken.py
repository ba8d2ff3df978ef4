"""A reply at a terminal: its steps while it is being made, and its words as soon as they may be said."""

from __future__ import annotations

from typing import TextIO

from investigator.reports.inert import inert

_STEPS = {
    "sdm": "deciding",
    "mdm": "deciding",
    "sgm": "making a query",
    "skm": "reading what was found",
    "mkm": "recalling",
    "srm": "replying",
    "mrm": "replying",
    "crm": "replying",
    "vrm": "replying",
    "mgm": "remembering",
}
_CLEAR = "\r\x1b[K"


class Spoken:
    """Shows one reply after the other: steps on `steps`, where they leave nothing behind, and words on `words`."""

    def __init__(self, steps: TextIO, words: TextIO) -> None:
        self._steps = steps
        self._words = words
        self._said = ""
        self._shows_step = False

    def step(self, module: str) -> None:
        """A module is being asked; while words stand on the line, no step does."""
        if self._said:
            return
        step = _STEPS.get(module, "")
        self._steps.write(f"{_CLEAR}{step and step + ' …'}")
        self._steps.flush()
        self._shows_step = bool(step)

    def hear(self, text: str) -> None:
        """The text of the reply so far."""
        said = inert(text)
        if not said.startswith(self._said):
            return
        self._clear()
        self._words.write(said[len(self._said) :])
        self._words.flush()
        self._said = said

    def end(self, reply: str = "") -> int:
        """How many characters of the whole reply are shown already; none where it begins otherwise than was heard.

        A line that was begun with other words is ended.
        """
        self._clear()
        said, self._said = self._said, ""
        if reply.startswith(said):
            return len(said)
        self._words.write("\n")
        self._words.flush()
        return 0

    def _clear(self) -> None:
        if self._shows_step:
            self._steps.write(_CLEAR)
            self._steps.flush()
            self._shows_step = False
