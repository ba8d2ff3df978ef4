"""Defines FileTeacher, the base class of the built-in tasks, whose examples come from files named by options, and finds
these files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from os.path import expanduser, isdir, isfile  # unlike those of Path, these never raise an error
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, ConfigDict

from investigator.dialogue.agents import Shared
from investigator.dialogue.datatypes import Datatype
from investigator.dialogue.metrics.teacher_metrics import AUTOMATIC_METRICS, named_metrics
from investigator.dialogue.options import Opt
from investigator.dialogue.task_strings import SplitTask
from investigator.dialogue.teachers import DialogTeacher
from investigator.dialogue.teachers.dialog import Entry
from investigator.errors import DataError, DialogueError
from investigator.records import Record

Fields = Mapping[str, object]
"""The fields of a message: `text`, `labels`, and any others that the task adds."""

OPTIONS = frozenset({"datafile", "datapath", "datatype", "batchsize", "seed", "hide_labels", "metrics"})
"""The options of every task."""

FOLD_NAMES = {"train": ("train",), "valid": ("valid", "dev"), "test": ("test",)}
"""The beginnings of words in file names that identify each fold."""


class TaskRow(Record):
    """A row of a data set. Each field must have the declared type, and unknown fields are ignored. If an object
    contains a key twice, the last value is used.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, populate_by_name=True)


Id = Annotated[str, BeforeValidator(lambda value: str(value) if type(value) is int else value)]
"""An id in a data set; some data sets use numbers, which become strings."""


class FileTeacher(DialogTeacher):
    """Base class of the built-in teachers. Subclasses define `expected`, a description of their files, and `examples`.
    Data without examples is an error, because the results would be misleading. Raises DialogueError if no suitable file
    is given, and DataError, with the description, if a file cannot be read or has no example.
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
        known = named_metrics("all")
        unknown = sorted(named_metrics(options.text("metrics", "default")) - known - AUTOMATIC_METRICS)
        if unknown:
            hint = f"Metrics: {', '.join(sorted(known))}, and the groups default, rouge, bleu, distinct, all."
            raise DialogueError(f"unknown metric {unknown[0]!r}", hint=hint)
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
        """Raise DialogueError if a task string has unknown parts or options."""
        task, options = split
        if task.count(":") >= cls.most_parts:
            hint = f"Options are written name=value: {task.rpartition(':')[0]}:datafile=PATH"
            unknown = task.split(":")[cls.most_parts]
            raise DialogueError(f"the task string {task} has an unknown part: {unknown!r}", hint=hint)
        known = sorted(OPTIONS | cls.own_options)
        for name in options.keys() - known:
            raise DialogueError(f"the task {task} has no option {name!r}", hint=f"Options: {', '.join(known)}.")

    def examples(self) -> Iterator[tuple[Entry, bool]]:
        """Yield the fields of each example, and True if an episode starts with it."""
        return super().setup_data(self.datafile)

    def setup_data(self, datafile: str) -> Iterator[tuple[Entry, bool]]:
        requirement = f"It must contain {self.expected}."
        is_empty = True
        try:
            for example in self.examples():
                is_empty = False
                yield example
        except DataError as error:
            hint = requirement if error.hint == error.default_hint else error.hint
            raise DataError(error.message, hint=hint) from error
        if is_empty:
            names = " and ".join(map(str, self.files[:2]))
            raise DataError(f"no example for the task {self.id} in {names}", hint=requirement)


def fold_of(opt: Opt) -> str:
    """Return the fold of the datatype: `valid` for `valid:stream`, `train` by default."""
    return Datatype(opt.text("datatype", "train")).fold


def named_path(opt: Opt, needed: str = "a file of data") -> Path:
    """Return the path in `datafile` or `datapath`. Raises DialogueError if it is no file or folder."""
    task, name = opt.text("task", "task"), "datafile" if opt.get("datafile") else "datapath"
    value = opt.get(name)
    if not value:
        hint = f"Set it with {task}:datafile=PATH, or --datafile PATH"
        raise DialogueError(f"the task {task} needs {needed}", hint=hint)
    path = expanduser(str(value))  # task strings parse numbers
    if not isfile(path) and not isdir(path):
        raise DialogueError(f"file or folder not found: {path}", hint="Choose a file or folder that exists.")
    return Path(path)


def data_file(opt: Opt, *suffixes: str) -> Path:
    """Return the file of `named_path`; in a folder, the file with one of the suffixes that `file_of_fold` chooses."""
    path = named_path(opt)
    if path.is_file():
        return path
    return file_of_fold(opt, path, [file for suffix in suffixes for file in path.glob(f"*{suffix}")])


def file_of_fold(opt: Opt, folder: Path, files: Iterable[Path], kind: str = "data") -> Path:
    """Return the only file with the fold in its name, or the only file. Raises DialogueError."""
    fold = fold_of(opt)
    fitting = sorted(file for file in files if file.is_file())
    chosen = [file for file in fitting if _is_of_fold(file, fold)] or fitting
    if len(chosen) != 1:
        names = ", ".join(file.name for file in chosen[:5]) or "none"
        hint = f"Put {fold} into the name of one file, or choose the file with datafile=PATH. Suitable files: {names}"
        raise DialogueError(f"the folder {folder} does not have exactly one file of {kind} for {fold}", hint=hint)
    return chosen[0]


def _is_of_fold(file: Path, fold: str) -> bool:
    words = file.name.lower().replace("-", "_").replace(".", "_").split("_")
    return any(word.startswith(FOLD_NAMES[fold]) for word in words)
