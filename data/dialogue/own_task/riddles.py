"""A task of one's own: a riddle a line, then a TAB and its answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from investigator.dialogue.teachers import DialogTeacher


class DefaultTeacher(DialogTeacher):
    """Asks the riddles of the file."""

    def setup_data(self, datafile: str) -> Iterator[tuple[tuple[str, list[str]], bool]]:
        """Each riddle with its answer; each begins an episode."""
        for line in Path(datafile).read_text(encoding="utf-8").splitlines():
            riddle, answer = line.split("\t")
            yield (riddle, [answer]), True
