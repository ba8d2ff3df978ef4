"""A task of one's own: a riddle a line, then a TAB and its answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from investigator.dialogue.teachers import DialogTeacher
from investigator.files.text_lines import malformed, text_lines


class DefaultTeacher(DialogTeacher):
    """Asks the riddles of the file."""

    def setup_data(self, datafile: str) -> Iterator[tuple[tuple[str, list[str]], bool]]:
        """Each riddle with its answer; each begins an episode. Raises DialogueFormatError, which names the line."""
        for number, line in text_lines(Path(datafile)):
            riddle, tab, answer = line.partition("\t")
            if not tab:
                raise malformed(Path(datafile), number, "there is no TAB before an answer", line)
            yield (riddle, [answer]), True
