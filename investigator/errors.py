"""All errors of this package, as a tree.

    InvestigatorError
    ├── UserError                  your mistake; the command exits with 2
    │   ├── QuestionError          the question cannot be asked
    │   ├── NotFoundError          no investigation, document, page, task or agent with that name
    │   ├── FolderError            the folder cannot be investigated
    │   ├── SettingsError          a setting is unknown or invalid, or needs a package that is not installed
    │   ├── TemplateError          a prompt template cannot be used
    │   ├── CredentialError        a key is missing or was rejected
    │   ├── DataError              a file of questions, dialogues or judgements cannot be used
    │   ├── DialogueError          a message, an agent or a world is used wrongly
    │   ├── WorkspaceLockedError   another run is writing to the workspace
    │   └── ForeignFileError       a file of the workspace is a link, a pipe, or not this user's
    └── RunError                   the run failed; the command exits with 1
        ├── EngineError            a model did not reply, or could not embed a text
        │   ├── EngineTimeoutError       the server did not reply in time
        │   ├── SilentReplyError         the model ended without writing a reply
        │   ├── ContextTooLongError      the prompt does not fit the context
        │   └── ReplayError              a recording does not contain the reply
        ├── ReplyError             a reply could not be read
        ├── ReaderError            a document could not be read
        │   └── SourceChangedError   its file has changed since it was read
        ├── StoreError             the workspace failed
        │   ├── DiskFullError      no space is left for the workspace
        │   ├── UnreadableRunError    a stored run is damaged, or of another version
        │   ├── DamagedDocumentError  the stored data of a document was changed
        │   └── DamagedDatabaseError  a database of the workspace is damaged or foreign
        └── ClusterError           a cluster cannot be reached or used
            └── ShardLostError     parts of the index do not reply

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

    `hint` says what to do next, and `command` what to do on the command line; if both are empty, the hint of the class
    is used. `advice` is the part that also holds elsewhere, as on a page. Known secrets are redacted. `address` is that
    of the model's server, if they contain it: it stays readable on a page, where others are defanged.
    """

    default_hint: ClassVar[str] = ""
    address = ""
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "", command: str = "") -> None:
        self.message, self.advice = redacted(message), redacted(hint)
        self.hint = f"{self.advice} {redacted(command)}".strip() or self.default_hint
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


class NotFoundError(UserError):
    """No investigation, document, page, task, teacher or agent has that name."""

    default_hint = "List the investigations with: investigator show FOLDER"


class FolderError(UserError):
    """The folder is missing or unreadable, or contains nothing that can be read."""

    default_hint = "Choose an existing folder with documents."


class SettingsError(UserError):
    """A setting has an unknown name or an invalid value, or a package that it needs is not installed."""

    default_hint = "See the options with --help."


class TemplateError(UserError):
    """A prompt template is missing, broken, or uses an unknown variable."""

    default_hint = "Compare the template with the shipped template in prompts/."


class CredentialError(UserError):
    """A provider requires a key, or rejected the one that was given."""


class DataError(UserError, ValueError):
    """A file of questions, dialogues, documents or judgements, or a line of it, cannot be used."""

    default_hint = "Correct the file, or choose another one; --help describes the expected contents."


class DialogueError(UserError, NotImplementedError, TypeError, ValueError):
    """A message, an agent, a teacher, a world or a metric is used in an unsupported way.

    ParlAI raises one of the other classes, or RuntimeError, in the same place.
    """

    default_hint = "See the documentation of the class."


class WorkspaceLockedError(UserError):
    """Another process is writing to the same workspace."""

    default_hint = "Wait until it has ended, or give this run its own workspace with --workspace DIR."


class ForeignFileError(UserError):
    """A workspace file was replaced by one that this user's program did not write."""

    default_hint = "Remove it if you know what it is, or choose another directory with --workspace DIR."


class RunError(InvestigatorError):
    """The run failed, although the call was correct."""

    exit_code = 1


class EngineError(RunError):
    """A model could not give a reply, or not embed a text.

    `retryable` says whether the same call may succeed later.
    """

    default_hint = "Everything learned so far is kept: run the same command again to resume."

    def __init__(self, message: str, *, hint: str = "", retryable: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.retryable = retryable


class EngineTimeoutError(EngineError):
    """The model server did not reply in time."""

    default_hint = "Raise the limit with --set chat.timeout=300, then run the same command again to resume."

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint, retryable=True)


class SilentReplyError(EngineError):
    """The model ended without writing a reply: it only thought, or used up its output limit."""


class ContextTooLongError(EngineError):
    """The prompt does not fit into the model's context window."""

    default_hint = (
        "Choose a model with a larger context, or show it less of a document: --set research.query.characters=2000"
    )


class ReplayError(EngineError):
    """A recording contains no reply to this prompt."""

    default_hint = "Record the run again: the prompts, the documents, their vectors or the settings have changed since."


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


class UnreadableRunError(StoreError):
    """The record of a run is damaged, or another version of this program wrote it."""

    default_hint = "Ask the question again: this begins a new run."


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


class ClusterError(RunError):
    """A cluster cannot be reached, or cannot do the work."""

    default_hint = "Fix the problem, then run the same command again: finished shards are kept."


class ShardLostError(ClusterError):
    """Parts of the index do not reply, because their worker has ended or is slow."""

    default_hint = "Run the same command again when the workers are back."
