"""The events of an investigation: one record for each step, as it happens.

The command line, the report and other observers read this stream; its last event is `Answered`, or `BatchEnded` for
many questions, whose outcome is recorded here, too.
"""

from __future__ import annotations

from pydantic import Field

from investigator.records.answers import Investigation, Usage
from investigator.records.base import Foreign, Record
from investigator.records.documents import FileRecord
from investigator.records.matrices import MatrixCell, MatrixDocument, MatrixTable
from investigator.records.memories import Memory, Reflection
from investigator.records.parts import Fit, Part
from investigator.records.plans import PlanStep, Scope
from investigator.records.standing import StandingUpdate


class Matrix(MatrixTable):
    """A matrix with the run that holds its calls, who answered and who checked it, and what it cost."""

    id: str = ""
    engine: str
    checked_by: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0

    @classmethod
    def of(cls, run: Investigation) -> Matrix:
        """Return the matrix of a run that has one, and is finished."""
        assert run.matrix is not None
        return cls(
            **dict(run.matrix),
            id=run.id,
            engine=run.setup.engine,
            checked_by=run.answer.check.by if run.answer is not None else "",
            usage=run.usage,
            seconds=round(run.elapsed, 3),
        )


class QuestionOutcome(Record):
    """The outcome of one of many questions: its investigation, or the reason why there is none."""

    question: str
    investigation: Investigation | None = None
    failure: str = ""


class AskedQuestions(Record):
    """The outcomes of many questions about the whole folder, in order."""

    outcomes: tuple[QuestionOutcome, ...]
    usage: Usage = Usage()
    seconds: float = 0.0


class FileRead(Record):
    """A file was opened: file `done` of `total`, with its status and the status of the files inside it. If the file's
    content is unchanged, its status is `unchanged`, and its `reason` says whether the file was renamed.
    """

    done: int
    total: int
    files: tuple[FileRecord, ...] = Field(min_length=1)

    @property
    def file(self) -> FileRecord:
        """Return the record of the file itself."""
        return self.files[0]


class Embedded(Record):
    """Vectors of chunks, or of their sentences, were computed: `done` of `total` chunks so far."""

    done: int
    total: int
    sentences: bool = False


class Notice(Record):
    """A notice for the user, in one sentence."""

    text: Foreign


class Progressed(Record):
    """Progress of a phase: step `done` of `total` equal steps, with a short note."""

    phase: str
    done: int
    total: int
    about: tuple[str, ...] = ()

    @property
    def is_last(self) -> bool:
        """Return True if this is the last step of its phase."""
        return self.done >= self.total

    @property
    def title(self) -> str:
        """Return the phase and its progress."""
        return f"{self.phase} {self.done}/{self.total}"


class Filled(Progressed):
    """A row of a matrix was filled: its document and its cells."""

    document: MatrixDocument
    cells: tuple[MatrixCell, ...]


class Started(Record):
    """The investigation begins, or continues after it was stopped."""

    run_id: str
    engine: str
    documents: int
    resumed: bool


class Planned(Record):
    """A round was planned: its strategy, its steps, and the documents that the planner invented.

    `read_as` is the question as it is investigated, `decides` whether every document must be decided.
    """

    round: int
    strategy: str
    steps: tuple[PlanStep, ...]
    refused_document_ids: tuple[str, ...] = ()
    read_as: str = ""
    parts: tuple[str, ...] = ()
    decides: Scope = Scope.SOME


class Remembered(Record):
    """A document was asked and its reply remembered: step `done` of `total` in the round."""

    round: int
    done: int
    total: int
    memory: Memory
    calls: int
    seconds: float


class Reflected(Record):
    """A round was reviewed, because a part of the question is still open."""

    reflection: Reflection


class Written(Record):
    """An answer was written; it is checked next, or a further round closes its open parts. `lead` is its beginning,
    which nobody has checked.
    """

    round: int
    parts: tuple[Part, ...]
    lead: Foreign = ""


class Checked(Record):
    """The statements of the answer were checked: how many of them are shown, and how many are withheld."""

    shown: int
    withheld: int
    fit: Fit


class Answered(Record):
    """The investigation has ended; `investigation.answer` is set."""

    investigation: Investigation


class BatchEnded(Record):
    """Many questions were asked; this is the last event of a batch, or of an update of standing questions."""

    outcome: Matrix | AskedQuestions | StandingUpdate


Event = (
    FileRead
    | Embedded
    | Notice
    | Progressed
    | Filled
    | Started
    | Planned
    | Remembered
    | Written
    | Reflected
    | Checked
    | Answered
    | BatchEnded
)
