"""ParlAIDialogTeacher: asks from a file in ParlAI's text format."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping

from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.teachers.dialog import DialogTeacher
from investigator.dialogue.teachers.dialog_data import Entry
from investigator.dialogue.text_format import str_to_msg
from investigator.dialogue.text_lines import malformed, text_lines
from investigator.errors import DialogueFormatError

LONG_EPISODE = 100
"""An episode of more examples than this has probably lost its `episode_done`."""

_log = logging.getLogger(__name__)


class ParlAIDialogTeacher(DialogTeacher):
    """Reads the file of the option `datafile`, one example a line (see `text_format`).

    An episode ends where a line says `episode_done:True`, and with the file. Blank lines are skipped. Raises
    DialogueError where the file cannot be read, and DialogueFormatError, naming file, line and gist, where a line has
    no text, no labels, `eval_labels`, or cannot be read.
    """

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
        """The examples of the file."""
        begins, length = True, 0
        for number, line in text_lines(datafile):
            example = _example(datafile, number, line)
            ends = bool(example.pop(EPISODE_DONE))
            yield example, begins
            length = 1 if begins else length + 1
            if length == LONG_EPISODE + 1:
                _log.warning(
                    "%s: the episode that line %d belongs to is over %d examples long; is episode_done missing?",
                    datafile, number, LONG_EPISODE,
                )  # fmt: skip
            begins = ends

    def make_message(self, entry: Entry) -> Message:
        """The example as the file has it."""
        return Message(entry) if isinstance(entry, Mapping) else super().make_message(entry)

    def restarts(self) -> bool:
        """In training, a stream of the file is begun anew after each pass, in order too."""
        return self.datatype.training


def _example(datafile: str, number: int, line: str) -> Message:
    try:
        example = str_to_msg(line)
    except DialogueFormatError as error:
        raise malformed(datafile, number, error.message, line) from error
    if example is None or "text" not in example:
        raise malformed(datafile, number, "the example has no text", line)
    if "eval_labels" in example:
        raise malformed(datafile, number, "eval_labels must be written as labels, they are renamed when needed", line)
    if "labels" not in example:
        raise malformed(datafile, number, "the example has no labels", line)
    return example
