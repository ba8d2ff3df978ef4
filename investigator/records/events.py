"""The events of an investigation, as they happen: one record for each step.

Command line, report and other watchers read this one stream; its last event is always `Answered`, that of many
questions `BatchEnded`.
"""

from __future__ import annotations

from pydantic import Field

from investigator.records.answers import Investigation
from investigator.records.base import Foreign, Record
from investigator.records.batches import AskedQuestions, Matrix
from investigator.records.documents import FileRecord
from investigator.records.exchanges import Need
from investigator.records.memories import Memory, Reflection
from investigator.records.parts import Part, QuestionKind
from investigator.records.plans import PlanStep


class FileRead(Record):
    """A file was opened: file `done` of `total`, and the status of it and of the files inside it.

    A file whose content has not changed has the status `unchanged`; `reason` says so if it was renamed.
    """

    done: int
    total: int
    files: tuple[FileRecord, ...] = Field(min_length=1)

    @property
    def file(self) -> FileRecord:
        """The file itself."""
        return self.files[0]


class Embedded(Record):
    """Chunks got their vectors, or their sentences did: `done` of `total` chunks so far."""

    done: int
    total: int
    sentences: bool = False


class Notice(Record):
    """Something the user should know, in one sentence."""

    text: Foreign


class Progressed(Record):
    """One of many equal steps is done: step `done` of `total` of a phase, with a short note."""

    phase: str
    done: int
    total: int
    about: tuple[str, ...] = ()


class Started(Record):
    """The investigation begins, or continues after it was stopped."""

    run_id: str
    engine: str
    documents: int
    resumed: bool


class Thought(Record):
    """The kind, the needs and the parts of the question were worked out."""

    needs: tuple[Need, ...]
    parts: tuple[Part, ...] = ()
    kind: QuestionKind = QuestionKind.FACT


class Surveyed(Record):
    """Every document of the folder was examined: how many hold what is asked for, and how many may."""

    documents: int
    yes: int
    unclear: int


class Planned(Record):
    """A round was planned: its strategy, its steps, and the documents that the planner invented."""

    round: int
    strategy: str
    steps: tuple[PlanStep, ...]
    refused_document_ids: tuple[str, ...] = ()


class Remembered(Record):
    """A document was asked and its reply remembered: step `done` of `total` of the round."""

    round: int
    done: int
    total: int
    memory: Memory
    calls: int
    seconds: float


class Reflected(Record):
    """A round was reviewed."""

    reflection: Reflection


class Answered(Record):
    """The investigation has ended; `investigation.answer` is set."""

    investigation: Investigation


class BatchEnded(Record):
    """Many questions were asked; the last event of a batch."""

    outcome: Matrix | AskedQuestions


Event = (
    FileRead
    | Embedded
    | Notice
    | Progressed
    | Started
    | Thought
    | Surveyed
    | Planned
    | Remembered
    | Reflected
    | Answered
    | BatchEnded
)
