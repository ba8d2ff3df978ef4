"""All errors of this package, as a tree.

    InvestigatorError
    ├── UserError                  your mistake; the command exits with 2
    │   ├── QuestionError          the question cannot be asked
    │   ├── PageError              the page does not exist or cannot be drawn
    │   ├── FolderError            the folder cannot be investigated
    │   │   └── UnknownDocumentError   the folder contains no such document
    │   ├── SettingsError          a setting is unknown or invalid
    │   ├── TemplateError          a prompt template cannot be used
    │   ├── MissingPackageError    an optional package is not installed
    │   ├── CredentialError        a key is missing or was rejected
    │   ├── UnknownRunError        no such investigation in the workspace
    │   ├── EvaluationDataError    an evaluation file cannot be used
    │   ├── DialogueError          a message, an agent or a world is used wrongly
    │   │   ├── DialogueFormatError       a line of a dialogue file cannot be read
    │   │   ├── DialogueValueError        an argument or option has an invalid value
    │   │   ├── DialogueTypeError         an argument has the wrong type
    │   │   ├── DialogueUnsupportedError  the operation is not supported
    │   │   ├── MetricsError       metrics cannot be combined
    │   │   └── UnknownTaskError   no task, teacher or agent with that name
    │   ├── WorkspaceLockedError   another run is writing to the workspace
    │   └── ForeignFileError       a file of the workspace is a link, a pipe, or not this user's
    └── RunError                   the run failed; the command exits with 1
        ├── EngineError            an engine did not reply
        │   ├── EngineUnreachableError   the server is down or cut the connection
        │   ├── EngineTimeoutError       the server did not reply in time
        │   ├── SilentReplyError         the model ended without writing a reply
        │   ├── ContextTooLongError      the prompt does not fit the context
        │   ├── RateLimitError           the server accepts no more calls for now (429)
        │   └── ReplayError              a recording does not contain the reply
        ├── ModelDownloadError     a model could not be fetched from its hub
        ├── ReplyError             a reply could not be read
        ├── ReaderError            a document could not be read
        │   └── SourceChangedError   its file has changed since it was read
        ├── StoreError             the workspace failed
        │   ├── DiskFullError      no space is left for the workspace
        │   ├── DamagedDocumentError  the stored data of a document was changed
        │   └── DamagedDatabaseError  a database of the workspace is damaged or foreign
        ├── EmbedderError          text could not be embedded
        ├── ClusterError           a cluster cannot be reached or used
        │   └── ShardLostError     parts of the index do not reply
        └── WorkerError            a copy of a world failed in its thread

Each error carries a `hint`: one sentence that says what to do next. Errors of other libraries are translated in the
file that imports the library, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from investigator.secrets import redacted


def in_words(error: Exception) -> str:
    """Return the message of an error, without a system error's number: `Is a directory`."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


class InvestigatorError(Exception):
    """Base class of all errors that this package raises on purpose.

    `hint` says what to do next; if it is empty, the hint of the class is used. Known secrets are redacted in the
    message and the hint.
    """

    default_hint: ClassVar[str] = ""
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.message = redacted(message)
        self.hint = redacted(hint) or self.default_hint
        super().__init__(self.message)


class UserError(InvestigatorError):
    """The caller made a mistake, for example in a setting, a folder, a template or a question."""

    exit_code = 2


def expect(
    value: object, kinds: type | tuple[type, ...], called: str, error: Callable[[str], UserError] = UserError
) -> None:
    """Raise an error such as `only must be str, not int` if a value does not have one of the given types. `called` is
    the name of the value in the message.
    """
    named = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, named) or (isinstance(value, bool) and bool not in named):
        wanted = " or ".join("None" if kind is type(None) else kind.__name__ for kind in named)
        raise error(f"{called} must be {wanted}, not {type(value).__name__}")


class QuestionError(UserError):
    """The question is empty or too long."""

    default_hint = 'Ask one question in plain words, for example: investigator ask FOLDER "Who signed it?"'


class PageError(UserError):
    """The document has no such page, or the page cannot be rendered."""

    default_hint = "Only pages of PDF documents can be shown, counted from 1; other formats are shown as text."


class FolderError(UserError):
    """The folder is missing or unreadable, or contains nothing that can be read."""

    default_hint = "Choose an existing folder with documents."


class UnknownDocumentError(FolderError):
    """The folder contains no document with that name."""

    default_hint = "List the documents with: investigator status FOLDER --json"


class SettingsError(UserError):
    """A setting has an unknown name or an invalid value."""

    default_hint = "See the options with --help."


class TemplateError(UserError):
    """A prompt template is missing, broken, or uses an unknown variable."""

    default_hint = "Compare the template with the shipped template in prompts/."


class MissingPackageError(UserError):
    """An optional package is required but not installed."""


class CredentialError(UserError):
    """A provider requires a key, or rejected the one that was given."""


class UnknownRunError(UserError):
    """The workspace contains no investigation with that id."""

    default_hint = "List the investigations with: investigator runs FOLDER"


class EvaluationDataError(UserError):
    """A file of questions, queries, documents or judgements cannot be used for an evaluation."""

    default_hint = "Correct the file, or choose another one; --help describes the expected contents."


class DialogueError(UserError, RuntimeError):
    """A message, an agent, a teacher or a world is used in an unsupported way."""

    default_hint = "See the documentation of the class."


class DialogueFormatError(DialogueError, ValueError):
    """A line of a file of dialogues, examples or conversations cannot be read."""

    default_hint = "Correct the line, or omit the file."


class DialogueValueError(DialogueError, ValueError):
    """An argument or option of an agent, teacher or world has an invalid value."""


class DialogueTypeError(DialogueError, TypeError):
    """An agent, teacher or world has the wrong type for this use."""


class DialogueUnsupportedError(DialogueError, NotImplementedError):
    """An agent, a teacher or a world of this kind does not support the operation."""


class UnknownTaskError(DialogueError):
    """No task, teacher, agent or module has that name."""

    default_hint = "List the tasks with: investigator tasks"


class MetricsError(DialogueError, ValueError):
    """Metrics cannot be combined, or none were reported."""

    default_hint = "Combine only reports of the same kind, in which each metric has one type."


class WorkspaceLockedError(UserError):
    """Another process is writing to the same workspace."""

    default_hint = (
        "Add --wait to start when the other run has ended, or give this run its own workspace with --workspace DIR."
    )


class ForeignFileError(UserError):
    """A workspace file was replaced by one that this user's program did not write."""

    default_hint = "Remove it if you know what it is, or choose another directory with --workspace DIR."


class RunError(InvestigatorError):
    """The run failed, although the call was correct."""

    exit_code = 1


class EngineError(RunError):
    """An engine could not give a reply.

    `retryable` says whether the same call may succeed later.
    """

    default_hint = "Everything learned so far is kept: run the same command again to resume."
    retryable: bool = False


class EngineUnreachableError(EngineError):
    """The model server is down, refused the connection, or dropped it."""

    default_hint = "Start the model server or correct its address, then run the same command again to resume."
    retryable = True


class EngineTimeoutError(EngineError):
    """The model server did not reply in time."""

    default_hint = "Raise the limit with --set chat.timeout=300, then run the same command again to resume."
    retryable = True


class SilentReplyError(EngineError):
    """The model ended without writing a reply: it only thought, or used up its output limit."""


class ContextTooLongError(EngineError):
    """The prompt does not fit into the model's context window."""

    default_hint = (
        "Choose a model with a larger context, or show it less of a document: --set research.query.characters=2000"
    )


class RateLimitError(EngineError):
    """The provider accepts no more calls for now.

    `retry_after` is the requested wait in seconds, if the provider gave one.
    """

    default_hint = "Wait a while, then run the same command again: it resumes where it stopped."
    retryable = True

    def __init__(self, message: str, *, retry_after: float | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class ReplayError(EngineError):
    """A recording contains no reply to this prompt."""

    default_hint = "Record the run again: the prompts, the documents, their vectors or the settings have changed since."


class ModelDownloadError(RunError):
    """A model could not be downloaded, or does not match the description on its hub."""

    default_hint = "Wait a while, then run the same command again: the download so far is kept."


class ReplyError(RunError):
    """The reply does not contain the requested record."""


class ReaderError(RunError):
    """One document could not be read; the other documents are still read."""


class SourceChangedError(ReaderError):
    """The file of a document was deleted, or has changed since it was read."""

    default_hint = "Bring the index up to date with: investigator index FOLDER"


class StoreError(RunError):
    """The workspace database or its vector index failed."""

    default_hint = (
        "Check the workspace folder. You can delete index.db there: the index is rebuilt from the documents. "
        "runs.db contains the runs and memories, which exist nowhere else."
    )


class DiskFullError(StoreError):
    """The disk that holds the workspace is full."""

    default_hint = "Free some space, then run the same command again: finished work is kept."


class DamagedDocumentError(StoreError):
    """The stored text of documents is damaged, or differs from their files."""

    default_hint = "Read the damaged documents again from the files: investigator index --verify FOLDER"

    def __init__(self, message: str, *, document_ids: tuple[str, ...] = (), hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.document_ids = document_ids


class DamagedDatabaseError(StoreError):
    """A workspace database is damaged, or an earlier version created it."""

    default_hint = (
        "Run: investigator index FOLDER (the next question or search does so, too). A damaged index is rebuilt from "
        "the documents; the readable runs and memories of a damaged runs.db are moved to a new one, and the damaged "
        "file is kept."
    )


class EmbedderError(RunError):
    """The embedding model could not be loaded or used."""


class ClusterError(RunError):
    """A cluster cannot be reached, or cannot do the work."""

    default_hint = "Fix the problem, then run the same command again: finished shards are kept."


class ShardLostError(ClusterError):
    """Parts of the index do not reply, because their worker has ended or is slow."""

    default_hint = "Run the same command again when the workers are back."


class WorkerError(RunError):
    """A copy of a world failed in its thread; the cause is the original error."""

    default_hint = "Fix the problem, then run the world again; its other copies have finished their turns."
