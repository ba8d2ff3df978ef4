"""bAbI (Weston et al. 2015): questions about short stories.

Lines are `N text`, or `N question TAB answer TAB numbers of the supporting lines`.

`babi:datafile=PATH` reads one file. `babi:task1k:15` reads task 15 with 1,000 questions from `datapath`, the unpacked
archive, and `babi:task10k:15` with 10,000. Without a number, all tasks are read, as with `babi:all1k` and
`babi:all10k`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, NamedTuple

from investigator.dialogue.options import Opt
from investigator.errors import DialogueError
from investigator.files.text_lines import malformed, text_lines
from investigator.tasks.file_teacher import Fields, FileTeacher
from investigator.tasks.reading import FOLD_NAMES, expanded, fold_of

_LINE = re.compile(r"(\d{1,9}) +(.*)")
_TASKS = range(1, 21)


class StoryQuestion(NamedTuple):
    """A question with its answer, the supporting lines, and the part of the story since the previous question."""

    story: tuple[str, ...]
    question: str
    answer: str
    support: tuple[str, ...]
    starts: bool


class DefaultTeacher(FileTeacher):
    """Shows the story since the last question, and then the question; each story is an episode. The candidates are all
    answers in the file.
    """

    suffixes = (".txt",)
    expected = "lines of bAbI: a number, then a statement, or a question TAB its answer TAB the supporting lines"

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        for file in self.files:
            questions = list(questions_of(file))
            candidates = tuple(sorted({question.answer for question in questions}))
            for asked in questions:
                fields = {
                    "text": "\n".join((*asked.story, asked.question)),
                    "labels": (asked.answer,),
                    "label_candidates": candidates,
                    "evidence": list(asked.support),
                }
                yield fields, asked.starts


class Task1kTeacher(DefaultTeacher):
    """The task with the given number, with 1,000 questions."""

    most_parts = 3
    folders: ClassVar[tuple[str, ...]] = ("en", "en-valid", "en-valid-nosf")

    def chosen(self, opt: Opt) -> tuple[Path, ...]:
        """Return the file of the task in the task string, or the files of all tasks if the string has no number."""
        if not opt.text("datapath") or opt.text("datafile"):
            hint = "Set datapath to the folder of the unpacked archive, which contains the folder en: datapath=FOLDER"
            raise DialogueError("bAbI's tasks by number need datapath, not datafile", hint=hint)
        folder, fold = expanded(opt.text("datapath")), fold_of(opt)
        return tuple(self._file(folder, number, fold) for number in self._numbers(opt.text("task")))

    def _numbers(self, task: str) -> tuple[int, ...]:
        _, _, number = task.partition(":")[2].partition(":")
        if not number:
            return tuple(_TASKS)
        if not number.isdecimal() or int(number) not in _TASKS:
            raise DialogueError(f"bAbI has no task {number!r}", hint="Tasks are numbered from 1 to 20: babi:task1k:1")
        return (int(number),)

    def _file(self, folder: Path, number: int, fold: str) -> Path:
        for name in self.folders:
            for known in FOLD_NAMES.get(fold, (fold,)):
                for file in sorted((folder / name).glob(f"qa{number}_*{known}.txt")):
                    return file
        looked = " or ".join(self.folders)
        hint = f"It should contain {looked} with a file qa{number}_..._{fold}.txt"
        raise DialogueError(f"the folder {folder} has no bAbI task {number} for {fold}", hint=hint)


class Task10kTeacher(Task1kTeacher):
    """The task with the given number, with 10,000 questions."""

    folders = ("en-10k", "en-valid-10k", "en-valid-10k-nosf")


class All1kTeacher(Task1kTeacher):
    """All tasks, with 1,000 questions each."""


class All10kTeacher(Task10kTeacher):
    """All tasks, with 10,000 questions each."""


def questions_of(file: Path) -> Iterator[StoryQuestion]:
    """Yield the questions in a file. Raises DialogueFormatError for a line without a number or a question without an
    answer.
    """
    told: dict[int, str] = {}
    story: list[str] = []
    last, starts = 0, True
    for number, line in text_lines(file):
        parts = _LINE.fullmatch(line)
        if parts is None:
            raise malformed(file, number, "it does not begin with a number", line)
        index, (said, *columns) = int(parts[1]), parts[2].split("\t")
        if index <= last:
            told, story, starts = {}, [], True
        last = index
        told[index] = said.strip()
        if not columns:
            story.append(said.strip())
            continue
        support = _support(columns[1:], told)
        if not columns[0].strip() or support is None:
            problem = "a question must be followed by its answer and the numbers of earlier lines"
            raise malformed(file, number, problem, line)
        yield StoryQuestion(tuple(story), said.strip(), columns[0].strip(), support, starts)
        story, starts = [], False


def _support(columns: list[str], told: Mapping[int, str]) -> tuple[str, ...] | None:
    numbers = " ".join(columns).split()
    if not all(number.isdecimal() and int(number) in told for number in numbers):
        return None
    return tuple(told[int(number)] for number in numbers)
