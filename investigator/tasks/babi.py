"""bAbI (Weston et al. 2015): questions about short stories.

Lines are `N text`, or `N question TAB answer TAB numbers of the supporting lines`.

`babi:datafile=PATH` reads one file. `babi:task1k:15` reads task 15 with 1,000 questions from `datapath`, the unpacked
archive, and `babi:task10k:15` with 10,000. Without a number, all tasks are read, as with `babi:all1k` and
`babi:all10k`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os.path import expanduser
from pathlib import Path
from typing import ClassVar

from investigator.dialogue.options import Opt
from investigator.errors import DialogueError
from investigator.files.text_lines import malformed, text_lines
from investigator.tasks.file_teacher import FOLD_NAMES, Fields, FileTeacher, fold_of

_LINE = re.compile(r"(\d{1,9}) +(.*)")
_TASKS = range(1, 21)


class DefaultTeacher(FileTeacher):
    """Shows the new part of the story, and the question; a story is an episode. All answers are candidates."""

    suffixes = (".txt",)
    expected = "lines of bAbI: a number, then a statement, or a question TAB its answer TAB the supporting lines"

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        for file in self.files:
            questions = list(questions_of(file))
            candidates = tuple(sorted({str(fields["answer"]) for fields, _ in questions}))
            for fields, starts in questions:
                known = {"labels": (fields["answer"],), "label_candidates": candidates}
                yield {"text": fields["text"], **known, "evidence": fields["evidence"]}, starts


class Task1kTeacher(DefaultTeacher):
    """The task with the given number, with 1,000 questions."""

    most_parts = 3
    folders: ClassVar[tuple[str, ...]] = ("en", "en-valid", "en-valid-nosf")

    def chosen(self, opt: Opt) -> tuple[Path, ...]:
        """Return the file of the task in the task string, or the files of all tasks if the string has no number."""
        if not opt.text("datapath") or opt.text("datafile"):
            hint = "Set datapath to the folder of the unpacked archive, which contains the folder en: datapath=FOLDER"
            raise DialogueError("bAbI's tasks by number need datapath, not datafile", hint=hint)
        _, _, number = opt.text("task").partition(":")[2].partition(":")
        if number and (not number.isdecimal() or int(number) not in _TASKS):
            raise DialogueError(f"bAbI has no task {number!r}", hint="Tasks are numbered from 1 to 20: babi:task1k:1")
        folder, fold = Path(expanduser(opt.text("datapath"))), fold_of(opt)
        return tuple(self._file(folder, each, fold) for each in ((int(number),) if number else _TASKS))

    def _file(self, folder: Path, number: int, fold: str) -> Path:
        places = [(name, word) for name in self.folders for word in FOLD_NAMES[fold]]
        files = [file for name, word in places for file in sorted((folder / name).glob(f"qa{number}_*{word}.txt"))]
        if not files:
            hint = f"It should contain {' or '.join(self.folders)} with a file qa{number}_..._{fold}.txt"
            raise DialogueError(f"the folder {folder} has no bAbI task {number} for {fold}", hint=hint)
        return files[0]


class Task10kTeacher(Task1kTeacher):
    """The task with the given number, with 10,000 questions."""

    folders = ("en-10k", "en-valid-10k", "en-valid-10k-nosf")


class All1kTeacher(Task1kTeacher):
    """All tasks, with 1,000 questions each."""


class All10kTeacher(Task10kTeacher):
    """All tasks, with 10,000 questions each."""


def questions_of(file: Path) -> Iterator[tuple[Fields, bool]]:
    """Yield the questions in a file, with `text` (the story since the previous question, and the question), `answer`
    and `evidence`; and True for the first question about a story. Raises DataError for a line without a
    number or a question without an answer.
    """
    lines: dict[str, str] = {}
    story: list[str] = []
    last, starts = 0, True
    for number, line in text_lines(file):
        parts = _LINE.fullmatch(line)
        if parts is None:
            raise malformed(file, number, "it does not begin with a number", line)
        statement, *columns = (column.strip() for column in parts[2].split("\t"))
        if int(parts[1]) <= last:
            lines, story, starts = {}, [], True
        last = int(parts[1])
        lines[str(last)] = statement
        story.append(statement)
        if columns:
            support = " ".join(columns[1:]).split()
            if not columns[0] or not set(support) <= lines.keys():
                problem = "a question must be followed by its answer and the numbers of earlier lines"
                raise malformed(file, number, problem, line)
            evidence = [lines[place] for place in support]
            yield {"text": "\n".join(story), "answer": columns[0], "evidence": evidence}, starts
            story, starts = [], False
