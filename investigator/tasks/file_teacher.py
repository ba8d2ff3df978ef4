"""Defines the base class of the built-in tasks, whose examples come from files named by options. A task without
examples is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import ClassVar

from investigator.dialogue.agents import Shared
from investigator.dialogue.metrics.teacher_metrics import AUTOMATIC_METRICS, named_metrics
from investigator.dialogue.options import Opt
from investigator.dialogue.task_strings import SplitTask
from investigator.dialogue.teachers import DialogTeacher
from investigator.dialogue.teachers.dialog import Entry
from investigator.errors import DialogueFormatError, DialogueValueError, EvaluationDataError
from investigator.tasks.reading import data_file

Fields = Mapping[str, object]
"""The fields of a message: `text`, `labels`, and any others that the task adds."""

OPTIONS = frozenset({"datafile", "datapath", "datatype", "batchsize", "seed", "hide_labels", "metrics"})
"""The options of every task."""


class FileTeacher(DialogTeacher):
    """Base class of the built-in teachers. Subclasses define `expected`, a description of their files, and `examples`.
    Unlike other teachers, these teachers reject data without examples, because the results would be misleading. Raises
    DialogueError if no file is given or suitable, and DialogueFormatError, with the description, if a file cannot be
    read or the files have no example.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".jsonl",)
    """The suffixes of the teacher's files, which are used to find a file in a folder."""
    expected: ClassVar[str]
    """The contents of the files, in words that complete the sentence "It must contain ..."."""
    own_options: ClassVar[frozenset[str]] = frozenset()
    """The teacher's own options, in addition to OPTIONS."""
    most_parts: ClassVar[int] = 2
    """Maximum number of parts of a task string besides options; by default two, for the task and the teacher."""

    def __init__(self, opt: Mapping[str, object], shared: Shared | None = None) -> None:
        options = Opt.of(opt)
        _check_values(options)
        self.files = self.chosen(options)
        super().__init__(options, shared)

    @property
    def file(self) -> Path:
        """Return the file, or the first one if there are several."""
        return self.files[0]

    @property
    def datafile(self) -> str:
        return str(self.file)

    def chosen(self, opt: Opt) -> tuple[Path, ...]:
        """Return the files to read, at least one; by default the file that `datafile` or `datapath` names."""
        return (data_file(opt, *self.suffixes),)

    @classmethod
    def check(cls, split: SplitTask) -> None:
        """Raise DialogueValueError if a task string has unknown parts or options."""
        task, options = split
        if task.count(":") >= cls.most_parts:
            extra = task.split(":")[cls.most_parts]
            hint = f"Options are written name=value: {task.rpartition(':')[0]}:datafile=PATH"
            raise DialogueValueError(f"the task string {task} has an unknown part: {extra!r}", hint=hint)
        known = sorted(OPTIONS | cls.own_options)
        unknown = next((name for name in options if name not in known), None)
        if unknown is not None:
            near = get_close_matches(unknown, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Options: {', '.join(known)}."
            raise DialogueValueError(f"the task {task} has no option {unknown!r}", hint=hint)

    def examples(self) -> Iterator[tuple[Entry, bool]]:
        """Yield the fields of each example, and True if an episode starts with it; by default, delegate to the next
        class in the method resolution order.
        """
        return super().setup_data(self.datafile)

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
        are_there = False
        try:
            for example in self.examples():
                are_there = True
                yield example
        except (DialogueFormatError, EvaluationDataError) as error:
            hint = self._hint() if error.hint == error.default_hint else error.hint
            raise DialogueFormatError(error.message, hint=hint) from error
        if not are_there:
            others = f" and {len(self.files) - 1} more" if len(self.files) > 1 else ""
            told = f"{self.file}{others} {'have' if others else 'has'} no example for the task {self.id}"
            raise DialogueFormatError(told, hint=self._hint())

    def _hint(self) -> str:
        return f"It must contain {self.expected}."


def _check_values(opt: Opt) -> None:
    """Raise DialogueError if an option common to all tasks has an invalid value."""
    opt.switch("hide_labels")
    batchsize = opt.number("batchsize", 1)
    if batchsize < 1:
        raise DialogueValueError(
            f"batchsize must be 1 or more, not {batchsize}", hint="Omit the option for the default of 1."
        )
    unknown = sorted(named_metrics(opt.text("metrics", "default")) - named_metrics("all") - AUTOMATIC_METRICS)
    if unknown:
        hint = (
            f"Metrics: {', '.join(sorted(named_metrics('all')))}, and the groups default, rouge, bleu, distinct, all."
        )
        raise DialogueValueError(f"unknown metric {unknown[0]!r}", hint=hint)
