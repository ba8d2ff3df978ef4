"""A teacher whose examples lie in a file that the options name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from investigator.dialogue.agents import Shared
from investigator.dialogue.options import Opt
from investigator.dialogue.teachers import DialogTeacher
from investigator.tasks.reading import data_file

Fields = Mapping[str, object]
"""The fields of a message: `text`, `labels`, and what else the task knows."""


class FileTeacher(DialogTeacher):
    """Base of the teachers of one file, which `datafile` or `datapath` names; subclasses give `examples`.

    Raises DialogueError where no file is named or fits, DialogueFormatError where it cannot be read.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".jsonl",)

    def __init__(self, opt: Mapping[str, object], shared: Shared | None = None) -> None:
        options = Opt.of(opt)
        self.file = data_file(options, *self.suffixes)
        super().__init__(Opt({**options, "datafile": str(self.file)}), shared)

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        """The fields of each example, and whether it starts an episode."""
        raise NotImplementedError

    def setup_data(self, datafile: str) -> Iterator[tuple[Fields, bool]]:
        """The examples, for the base."""
        yield from self.examples()
