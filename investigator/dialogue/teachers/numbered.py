"""FbDeprecatedDialogTeacher: asks from a file in the old numbered format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from investigator.dialogue.teachers.dialog import DialogTeacher
from investigator.dialogue.teachers.dialog_data import Entry
from investigator.dialogue.text_lines import malformed, text_lines


@dataclass(frozen=True)
class NumberedLine:
    """`number text<TAB>label|label<TAB>reward<TAB>candidate|candidate`, of which only the number must be there."""

    number: int
    text: str
    labels: tuple[str, ...]
    reward: float | None
    candidates: tuple[str, ...]

    @classmethod
    def read(cls, line: str) -> NumberedLine:
        """The parts of a line. Raises ValueError where the number or the reward is none."""
        number, _, rest = line.strip().replace("\\n", "\n").partition(" ")
        text, labels, reward, candidates, *_ = *(part.strip() for part in rest.split("\t")), "", "", ""
        return cls(int(number), text, _listed(labels), float(reward) if reward else None, _listed(candidates))


class FbDeprecatedDialogTeacher(DialogTeacher):
    """Reads the file of the option `datafile`, one numbered line after the other.

    A number that is not above the one before begins an episode. Lines without labels are put before the text of the
    next one, with a line break, and their rewards are added to its own; what is left over at the end of an episode is
    asked without labels. Raises DialogueFormatError, naming file, line and gist, where a number or a reward is none.
    """

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
        """The examples of the file."""
        waiting: list[str] = []
        reward: float = 0
        begins, last = True, None
        for number, line in text_lines(datafile):
            read = _read(datafile, number, line)
            if last is None or read.number <= last:
                if any(waiting):
                    yield ("\n".join(waiting), None, reward), begins
                waiting, reward, begins = [], 0, True
            last = read.number
            waiting += [read.text] if read.text else []
            reward += read.reward or 0
            if read.labels:
                yield ("\n".join(waiting), read.labels, reward, read.candidates or None), begins
                waiting, reward, begins = [], 0, False
        if waiting:
            yield ("\n".join(waiting), None, reward), begins


def _read(datafile: str, number: int, line: str) -> NumberedLine:
    try:
        return NumberedLine.read(line)
    except ValueError as error:
        raise malformed(
            datafile, number, f"it must be: number text TAB labels TAB reward TAB candidates ({error})", line
        ) from error


def _listed(written: str) -> tuple[str, ...]:
    return tuple(written.split("|")) if written else ()
