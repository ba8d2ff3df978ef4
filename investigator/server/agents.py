"""Six tools for agents, served with the Model Context Protocol. Replies are short, with a cursor for the rest. The
tools only read; the settings of the server limit the cost of an investigation.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from http import HTTPStatus
from itertools import accumulate
from typing import Annotated, TypeVar

from pydantic import Field

from investigator.errors import NotFoundError
from investigator.records import Document, Passage, Quote, Record
from investigator.reports.folder import READ
from investigator.reports.inert import inert_line, inert_prose
from investigator.reports.terminal import investigation_text
from investigator.reports.wording import file_words, plural
from investigator.server.desk import Desk
from investigator.server.problems import ServerError
from investigator.server.records import JobRequest, JobState

_Item = TypeVar("_Item")

MOST_OCTETS = 4_000
"""Size limit for the text of a reply, in UTF-8 bytes: at three or more bytes per token, a reply with its record stays
under 2,000 tokens.
"""
LONGEST_WAIT = 20
_MOST_NAMES = 1_500  # maximum size in bytes of the list of names in a reply
_MOST_SOURCES = 12
_POSITION = re.compile(r"((?P<page>page|slide|sheet) |(?P<line>(text )?line) )?(?P<number>[0-9]{1,12})")
_SLICE = 0.2  # seconds between checks of a job that a call waits for

Cursor = Annotated[int, Field(ge=0, description="cursor at which to continue: `next` of the previous reply")]
FolderName = Annotated[
    str, Field(description="one of the folders that `status` lists; may be omitted if there is only one")
]


class PassagePlace(Record):
    """The place of a passage or a quote."""

    document: str
    start: int
    end: int
    place: str


class SearchReply(Record):
    """Passages, best first."""

    passages: tuple[PassagePlace, ...]


class MentionsReply(Record):
    """Documents that contain all words of a query, by id; `complete` is False if some text could not be searched."""

    documents: tuple[str, ...]
    count: int
    complete: bool
    next: int | None = None


class InvestigationReply(Record):
    """The state of an investigation; `status` is the status of its answer, `checked_by` the engine that checked its
    statements, and `next` the cursor for the rest of its text.
    """

    id: str
    state: JobState
    status: str = ""
    checked_by: str = ""
    sources: tuple[PassagePlace, ...] = ()
    next: int | None = None


class PassageReply(Record):
    """A span of a document."""

    document: str
    start: int
    end: int
    characters: int
    next: int | None = None


class StatusReply(Record):
    """The contents of a folder, and its unreadable files."""

    folder: str
    folders: tuple[str, ...]
    documents: tuple[str, ...]
    unreadable: tuple[str, ...] = ()
    next: int | None = None


class AgentTools:
    """The tools. Each returns text for the model, and the same facts as a record for the program that runs the model;
    it raises ServerError, InvestigatorError or pydantic's ValidationError on failure.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @property
    def every(self) -> tuple[Callable[..., tuple[str, Record]], ...]:
        """Return all tools, in the usual order of use."""
        running = (self.start_investigation, self.get_investigation)
        return (self.search, self.list_mentions, *running, self.read_passage, self.status)

    def search(
        self, query: str, limit: Annotated[int, Field(ge=1, le=10)] = 5, folder: FolderName = ""
    ) -> tuple[str, SearchReply]:
        """Find passages using keyword and vector search, best first. No language model reads them."""
        hits = self._desk.folder(folder).investigator.search(query, limit=limit)
        passages, _ = _page([hit.passage for hit in hits], 0, lambda passage: passage.place)
        each = MOST_OCTETS // max(1, len(passages)) - _MOST_NAMES // 10
        lines = [f"{passage.place}\n{_beginning(inert_line(passage.text), each)}" for passage in passages]
        return "\n\n".join(lines) or "Nothing was found.", SearchReply(passages=tuple(map(_place, passages)))

    def list_mentions(self, words: str, folder: FolderName = "", cursor: Cursor = 0) -> tuple[str, MentionsReply]:
        """List every document that contains all these words, or a phrase in double quotation marks."""
        mentions = self._desk.folder(folder).investigator.mentions(words)
        shown, rest = _page([own.passages[0] for own in mentions.documents], cursor, lambda passage: passage.place)
        each = (MOST_OCTETS - _MOST_NAMES) // max(1, len(shown))
        lines = [f"{passage.place} {_beginning(inert_line(passage.text), each)}" for passage in shown]
        count, complete = len(mentions.documents), mentions.complete
        documents = tuple(passage.document_id for passage in shown)
        whole = "every file was searched" if complete else "some files could not be searched"
        counted = f"{plural(count, 'document')} of {mentions.searched:,}; {whole}."
        reply = MentionsReply(documents=documents, count=count, complete=complete, next=rest)
        return "\n".join((counted, *lines)), reply

    def start_investigation(
        self, question: str, only: list[str] | None = None, after: str = "", folder: FolderName = ""
    ) -> tuple[str, InvestigationReply]:
        """Start answering a question with proven quotes; returns an id at once, for get_investigation.

        `only` limits it to documents, by id or pattern; `after` is the id of the investigation that the question
        follows up on.
        """
        follows = self._desk.job(after).run_id if after else ""
        job = self._desk.submit(JobRequest(folder=folder, question=question, only=tuple(only or ()), after=follows))
        return f"Started: {job.id}", InvestigationReply(id=job.id, state=job.state)

    def get_investigation(
        self, id: str, wait_seconds: Annotated[float, Field(ge=0, le=LONGEST_WAIT)] = 0, cursor: Cursor = 0
    ) -> tuple[str, InvestigationReply]:
        """Return an answer with its sources, or its progress; waits at most 20 seconds, so call it again if needed."""
        ends_at = time.monotonic() + wait_seconds
        while not (job := self._desk.job(id)).state.has_ended and time.monotonic() < ends_at:
            time.sleep(_SLICE)
        if job.problem is not None:
            raise ServerError(job.problem.status, job.problem.detail, job.problem.hint)
        reply = InvestigationReply(id=id, state=job.state)
        if not job.run_id:
            return f"The investigation is {job.state.value}.", reply
        investigator = self._desk.kept(id)[0].investigator
        record = investigator.current(investigator.show(job.run_id))
        text = inert_prose(investigation_text(record).plain)
        end = cursor + len(_beginning(text[cursor:]))
        reply = reply.changed(next=end if end < len(text) else None)
        if record.answer is not None:
            reply = reply.changed(status=record.answer.status, checked_by=record.answer.check.by)
            sources, _ = _page(record.answer.citations[:_MOST_SOURCES], 0, lambda quote: quote.place)
            reply = reply.changed(sources=tuple(map(_place, sources)) if not cursor else ())
        return text[cursor:end], reply

    def read_passage(self, document: str, place: str = "0", folder: FolderName = "") -> tuple[str, PassageReply]:
        """Read a document from a position: an offset (`start` of a source, or `next`), `page 4`, or `line 12`."""
        try:
            whole = self._desk.folder(folder).investigator.document(document)
        except NotFoundError as error:
            raise ServerError(HTTPStatus.NOT_FOUND, error.message, "`status` lists the documents.") from error
        start, size = _offset(whole, place), len(whole.text)
        end = start + len(_beginning(whole.text[start:]))
        while len(shown := inert_prose(whole.text[start:end])) > MOST_OCTETS:  # escaping makes a text longer
            end = (start + end + 1) // 2
        span = PassageReply(document=document, start=start, end=end, characters=size, next=end if end < size else None)
        return shown, span

    def status(self, folder: FolderName = "", cursor: Cursor = 0) -> tuple[str, StatusReply]:
        """List the documents of a folder, the unreadable files with reasons, and the served folders."""
        served = self._desk.folder(folder)
        files = served.investigator.status(compare=False).files
        read = [file.path for file in files if file.status in READ]
        failed = [f"{file.path}: {file_words(file)}" for file in files if file.status not in READ]
        shown, rest = _page(read, cursor, str)
        record = StatusReply(
            folder=served.name,
            folders=tuple(self._desk.folders),
            documents=tuple(shown),
            unreadable=tuple(_page(failed, 0, str)[0]) if not cursor else (),
            next=rest,
        )
        lines = [f"{plural(len(read), 'document')} can be searched in {served.name}.", *shown]
        lines += ["Could not be read:", *record.unreadable] if record.unreadable else []
        return inert_prose("\n".join(lines)), record


def _place(span: Passage | Quote) -> PassagePlace:
    return PassagePlace(document=span.document_id, start=span.start, end=span.end, place=span.place)


def _beginning(text: str, octets: int = MOST_OCTETS) -> str:
    """Return as much of the text as fits within the limit, but at least one character."""
    first = text[:octets].encode("utf-8", "replace")[:octets].decode("utf-8", "ignore")
    return text[: max(1, len(first))]


def _page(items: Sequence[_Item], cursor: int, name: Callable[[_Item], str]) -> tuple[Sequence[_Item], int | None]:
    """Return as many items from the cursor on as have names that fit within the limit, but at least one, and the cursor
    for the rest, if any.
    """
    ends = [0, *accumulate(len(name(item).encode("utf-8", "replace")) for item in items[cursor:])]
    end = cursor + sum(before < _MOST_NAMES for before in ends[:-1])
    return items[cursor:end], end if end < len(items) else None


def _offset(document: Document, place: str) -> int:
    """Return the offset of a position in a document. Raises ServerError."""
    position = _POSITION.fullmatch(place.strip().lower())
    if position is None:
        hint = "Use an offset, or a position such as: page 4, line 12"
        raise ServerError(HTTPStatus.UNPROCESSABLE_ENTITY, f"{place[:40]!r} is not a position", hint)
    number, text = int(position["number"]), document.text
    if position["page"]:
        starts = {page.page: page.start for page in document.pages if page.page is not None}
    elif position["line"]:
        starts = dict(enumerate([0, *(newline.end() for newline in re.finditer("\n", text))], start=1))
    else:
        starts = {number: number} if number < len(text) else {}
    if number not in starts:
        held = f"{plural(len(text), 'character')} and {plural(len(document.pages), 'page')}"
        failure = f"{document.id} has no {place.strip()}: it has {held}"
        raise ServerError(HTTPStatus.UNPROCESSABLE_ENTITY, failure)
    return starts[number]
