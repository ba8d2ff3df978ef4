"""What happens during an investigation, as it happens: one record for each step.

Command line, report and other watchers read this one stream; its last event is always `Answered`.
"""

from __future__ import annotations

from pydantic import Field

from investigator.records.answers import Investigation
from investigator.records.base import Record
from investigator.records.documents import FileRecord
from investigator.records.exchanges import Need
from investigator.records.memories import Memory, Reflection
from investigator.records.plans import PlanStep


class FileRead(Record):
    """A file was opened: the how-manieth of how many, and what became of it and of the files inside it.

    A file whose content is what it was has the status `unchanged`; `reason` says so where it was renamed.
    """

    done: int
    total: int
    files: tuple[FileRecord, ...] = Field(min_length=1)

    @property
    def file(self) -> FileRecord:
        """The file itself."""
        return self.files[0]


class Embedded(Record):
    """Chunks got their vectors: how many of how many so far."""

    done: int
    total: int


class Notice(Record):
    """Something the user should know, in one sentence."""

    text: str


class Progressed(Record):
    """One of many equal steps is done: the how-manieth of how many of a phase, and in words what is known so far."""

    phase: str
    done: int
    total: int
    about: tuple[str, ...] = ()


class Started(Record):
    """The investigation begins, or goes on after it was stopped."""

    run_id: str
    engine: str
    documents: int
    resumed: bool


class Thought(Record):
    """It was worked out what must be known."""

    needs: tuple[Need, ...]


class Planned(Record):
    """A round was planned: its strategy, its steps, and the documents that the planner invented."""

    round: int
    strategy: str
    steps: tuple[PlanStep, ...]
    refused_document_ids: tuple[str, ...] = ()


class Remembered(Record):
    """A document was asked and its reply remembered: the how-manieth step of how many of the round."""

    round: int
    done: int
    total: int
    memory: Memory
    calls: int
    seconds: float


class Reflected(Record):
    """A round was thought over."""

    reflection: Reflection


class Answered(Record):
    """The investigation has ended; `investigation.answer` is set."""

    investigation: Investigation


Event = FileRead | Embedded | Notice | Progressed | Started | Thought | Planned | Remembered | Reflected | Answered
