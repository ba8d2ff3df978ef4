"""The requests of clients, their outcomes and their errors, shared by the page, the API and the agents' tools."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Generic, TypeVar

from pydantic import Field

from investigator.records import AnswerStatus, Investigation, Quote, Record
from investigator.services.run_records import LONGEST_QUESTION

_Item = TypeVar("_Item")


class Items(Record, Generic[_Item]):
    """Part of a list; `next` is the address of the next part, empty at the end."""

    items: tuple[_Item, ...]
    next: str = ""


class JobKind(StrEnum):
    """A job answers a question, asks each document several (`matrix`, one per line), writes a report on a subject
    (`report`), reads a folder for the first time (`read`), or updates its index with all vectors (`index`).
    """

    INVESTIGATE = "investigate"
    MATRIX = "matrix"
    REPORT = "report"
    READ = "read"
    INDEX = "index"


class JobState(StrEnum):
    """The state of a job. A waiting or running job resumes when the server starts again."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"

    @property
    def has_ended(self) -> bool:
        """Return True if the job has ended."""
        return self not in (JobState.WAITING, JobState.RUNNING)


class JobRequest(Record):
    """A question about a folder, which is identified by its name on the server; see `Investigator.investigate`."""

    folder: str = Field(default="", max_length=200, description="may be omitted if one folder is served")
    question: str = Field(default="", max_length=10 * LONGEST_QUESTION)
    mission: str | None = Field(default=None, max_length=5_000)
    strategy: str | None = Field(default=None, max_length=5_000)
    only: tuple[str, ...] = Field(
        default=(), max_length=1_000, description="ids or patterns of the documents to search"
    )
    after: str = Field(default="", max_length=100, description="id of the run that the question follows up on")
    as_of: date | None = Field(default=None, description="the day as of which to answer; by default the day of the run")
    fresh: bool = Field(default=False, description="start over; do not resume an earlier run")
    model: str = Field(default="", max_length=300, description="one of the models on offer; empty: the first")
    kind: JobKind = JobKind.INVESTIGATE
    outline: str = Field(default="", max_length=50_000, description="outline of a report; empty: it is planned")
    update: bool = Field(default=False, description="write only the sections of a report that are out of date")


class Problem(Record):
    """An error with advice: the problem details of RFC 9457 with a hint."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = ""
    hint: str = ""


class ServerJob(Record):
    """One request and its status. `run_id` is known once the run has started."""

    id: str
    request: JobRequest
    created: str = Field(description="ISO 8601 in UTC")
    state: JobState = JobState.WAITING
    run_id: str = ""
    problem: Problem | None = None


class LoggedEvent(Record):
    """A stored event of a job: its number within the job, its time, its kind, and the record as JSON."""

    number: int = Field(ge=1)
    at: float = Field(description="Unix time in seconds")
    kind: str
    body: str


class JobEnded(Record):
    """The last event of a job: how it ended, and the status of its answer, if any."""

    state: JobState
    run_id: str = ""
    answer_status: AnswerStatus | None = None
    problem: Problem | None = None


class JobOutcome(Record):
    """A job and, once it has started, the record of its run."""

    job: ServerJob
    investigation: Investigation | None = None


class Folder(Record):
    """A served folder: its name in addresses, and its path."""

    name: str
    path: str


class Excerpt(Record):
    """A span of a document's text, and the length of the whole text in characters."""

    document_id: str
    title: str
    start: int
    end: int
    characters: int
    page: int | None = None
    text: str


class TurnState(StrEnum):
    """The state of a chat turn. A stopped or failed turn is not part of the conversation."""

    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


class SpokenReply(Record):
    """A chat reply: its text, its proven quotes, and a description of everything that supports it. A `canned` reply
    replaces a reply that failed or was unsafe; its turn is not part of the conversation.
    """

    text: str
    canned: bool = False
    is_read: bool = Field(default=True, description="false if no language model has read the documents for it")
    quotes: tuple[Quote, ...] = ()
    lost: tuple[str, ...] = Field(default=(), description="why quotes are withheld: no longer in the files")
    rests_on: tuple[str, ...] = Field(default=(), description="decisions, query, memory, passages, withheld text")


class ChatTurn(Record):
    """A user's turn, and the reply so far; `step` is the current activity."""

    number: int = Field(ge=1)
    said: str
    state: TurnState = TurnState.RUNNING
    step: str = ""
    reply: SpokenReply | None = None
    problem: Problem | None = None


class Chat(Record):
    """A conversation about a folder, oldest turn first. It outlives the server, and is kept until somebody deletes
    it.
    """

    id: str
    folder: str
    turns: tuple[ChatTurn, ...] = ()

    @property
    def is_busy(self) -> bool:
        """Return True if a reply is in progress."""
        return bool(self.turns) and self.turns[-1].state is TurnState.RUNNING


class ChatSummary(Record):
    """A stored conversation: its first message, and the number of turns."""

    id: str
    created: str = Field(description="ISO 8601 in UTC")
    said: str
    turns: int


class NewTurn(Record):
    """A client's message in a chat."""

    text: str


class NewChat(Record):
    """The folder for a new chat, given by its name on the server; it may be omitted if one folder is served."""

    folder: str = ""


def kind_of(event: type[Record]) -> str:
    """Return the name of an event kind in streams: `remembered`, `ended`."""
    return event.__name__.removeprefix("Job").lower()


ENDED = kind_of(JobEnded)
"""The kind of the last event of a job or a chat turn."""
TURN = "turn"
"""The kind of the earlier events of a chat turn, which contain the turn so far."""
