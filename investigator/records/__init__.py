"""The values that travel through the package: frozen, typed, with one wire form."""

from investigator.records.answers import (
    Answer,
    AnswerStatus,
    Caution,
    Claim,
    ClaimStatus,
    Conflict,
    ConflictSide,
    Coverage,
    Decision,
    Forecast,
    Investigation,
    Replayed,
    Round,
    RunList,
    RunSummary,
    Search,
    Slot,
    StopReason,
    UnprovenClaim,
    Unreadable,
    Usage,
    together,
    usage_of,
)
from investigator.records.base import Record
from investigator.records.batches import (
    AskedQuestions,
    CellStatus,
    Matrix,
    MatrixCell,
    MatrixDocument,
    QuestionOutcome,
)
from investigator.records.decoding import Decoding, Inference
from investigator.records.documents import (
    Chunk,
    Document,
    FileRecord,
    FileStatus,
    FolderStatus,
    Heading,
    Imprint,
    IndexedFile,
    LeftOut,
    LeftOutFiles,
    LeftOutReason,
    PageSpan,
    Passage,
    Quote,
    SearchHit,
    SplitDocument,
    Standing,
)
from investigator.records.engines import Traits, UsedEngine, Writing
from investigator.records.events import (
    Answered,
    BatchEnded,
    Embedded,
    Event,
    FileRead,
    Notice,
    Planned,
    Progressed,
    Reflected,
    Remembered,
    Started,
    Surveyed,
    Thought,
)
from investigator.records.exchanges import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    BearingReply,
    BearingVariables,
    DocumentCard,
    Evidence,
    FinishReason,
    Need,
    PlanReply,
    PlanVariables,
    Prompt,
    ProposedClaim,
    ProposedStep,
    QuestionVariables,
    ReflectReply,
    ReflectVariables,
    RepairVariables,
    Reply,
    TermFrequency,
    ThinkReply,
    ThinkVariables,
)
from investigator.records.memories import Finding, Knowledge, KnownInfo, Memory, PointStatus, Reflection, Relation
from investigator.records.pages import MarkKind, PageLine, PageMark, PageView
from investigator.records.parts import (
    AnswerTable,
    Constraint,
    ConstraintKind,
    ConstraintMatch,
    MatchState,
    MissingEdition,
    NearMiss,
    OpenPart,
    Part,
    QuestionKind,
    RowVerdict,
    TableRow,
)
from investigator.records.plans import SUMMARY, Plan, PlanStep, Status
from investigator.records.tables import Computation, Operation, QuotedCell, Table, TableCell, TextSpan
from investigator.records.templates import TemplateFolder, TemplateProblem, TemplateVersion
from investigator.records.verification import CheckedQuote, QuoteState, VerifiedReport
