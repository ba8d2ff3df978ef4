"""Puts a sub-question to a document, and remembers what it says (seed: generative_agents, "Query")."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_ask
from investigator.asking.repair import ReadReply
from investigator.errors import FolderError
from investigator.language.addressed import addresses_model
from investigator.language.normalise import one_line
from investigator.proof.quotes import Sources
from investigator.records import (
    SUMMARY,
    AskReply,
    AskVariables,
    DocumentReply,
    Memory,
    Quote,
    Reading,
    ShownDocument,
    Verdict,
)
from investigator.research.memory_stream import MemoryStream
from investigator.research.planner import resolved
from investigator.research.research_settings import DEFAULT_MISSION, ReadingLimits
from investigator.research.shown_documents import shown_document
from investigator.research.standalone import default_client, open_library
from investigator.retrieval.library import Library

_TOGETHER = 5
"""Number of documents that are asked together for the document id "summary"."""


class Query:
    """Queries one document or, with the document id "summary", the most promising documents together.

    `db_dir` is the workspace of an index, unless an open `library` is given; without `client` the built-in finder
    answers. `wordings` are other wordings of the question to search the document for.
    """

    def __init__(
        self,
        target_doc_id: str,
        main_question: str,
        memory_stream: MemoryStream,
        db_dir: str | Path,
        *,
        client: EngineClient | None = None,
        library: Library | None = None,
        sources: Sources | None = None,
        mission: str = DEFAULT_MISSION,
        wordings: Sequence[str] = (),
        limits: ReadingLimits | None = None,
    ) -> None:
        self.target_doc_id = target_doc_id
        self.main_question = main_question
        self.memory_stream = memory_stream
        self._client = client or default_client()
        self._library = library or open_library(db_dir)
        self._sources = sources or Sources(self._library.document)
        self._mission = mission
        self._wordings = tuple(wordings)
        self._limits = limits or ReadingLimits()

    def run(self, prompt_template_path: str | Path | None, sub_question: str) -> bool:
        """Ask, and remember the reply. Return False if the reply's point could not be read; the reply is kept anyway.

        Raises FolderError for an unknown document, EngineError, TemplateError, StoreError, and the signal BudgetSpent.
        """
        reading = self.examine(sub_question, Path(prompt_template_path) if prompt_template_path else None)
        return self.remember(sub_question, reading).point is not None

    def save(self, sub_question: str, reply: str, point: int | None) -> Memory:
        """Remember a reply and its point (0..100; None if it could not be read)."""
        return self.remember(sub_question, Reading(reply=reply, point=point))

    def remember(self, sub_question: str, reading: Reading) -> Memory:
        """Remember the reading of the document."""
        return self.memory_stream.add(self.target_doc_id, sub_question, reading)

    def examine(self, sub_question: str, template: Path | None = None) -> Reading:
        """Return what the document says. Nothing is remembered yet, so documents can be examined side by side.

        Raises the same errors as `run`.
        """
        variables = self.variables(sub_question)
        reply = self._client.ask("query/ask", variables, AskReply, template=template, smaller=less_to_ask)
        readings = readings_in(reply, variables, self._sources)
        return readings[0] if self.target_doc_id != SUMMARY else _together(variables.documents, readings)

    def variables(self, sub_question: str) -> AskVariables:
        """Return the variables of the prompt for a sub-question."""
        queries = (sub_question, self.main_question, *self._wordings)
        cards = {card.document_id: card for card in self._library.cards((self.main_question,))}
        if self.target_doc_id not in (SUMMARY, *cards):
            hint = "To list the documents, run: investigator index FOLDER --dry-run --json"
            raise FolderError(f"unknown document {self.target_doc_id}", hint=hint)
        targets = tuple(cards)[:_TOGETHER] if self.target_doc_id == SUMMARY else (self.target_doc_id,)
        shown = (
            shown_document(
                self._library,
                name,
                queries,
                sub_question,
                self._limits,
                match=cards[name].match,
                is_reranked=True,
            )
            for name in targets
        )
        return AskVariables(
            main_question=self.main_question,
            mission=self._mission,
            documents=tuple(shown),
            most_quotes=self._limits.most_quotes,
        )


def examined(client: EngineClient, sources: Sources, variables: AskVariables) -> tuple[Reading, ...]:
    """Return what each document of a prompt says. Raises EngineError, TemplateError, StoreError, and the signal
    BudgetSpent.
    """
    return readings_in(client.ask("query/ask", variables, AskReply, smaller=less_to_ask), variables, sources)


def readings_in(reply: ReadReply[AskReply], variables: AskVariables, sources: Sources) -> tuple[Reading, ...]:
    """Return what each document of a prompt says according to the reply, with its quotes as they stand in the
    documents.

    A document that the reply leaves out says nothing on the question; if the reply cannot be read, all are unread.
    """
    if reply.value is None:
        return tuple(Reading(reply=reply.raw) for _ in variables.documents)
    replies = _by_document(reply.value.readings, [document.document_id for document in variables.documents])
    readings = [
        _reading(document, replies.get(document.document_id), sources, variables) for document in variables.documents
    ]
    if reply.in_part:  # the engine's context was too small for all of the text
        readings = [own.changed(whole=False) for own in readings]
    return tuple(readings)


def _by_document(replies: Sequence[DocumentReply], known: Sequence[str]) -> dict[str, DocumentReply]:
    """Return the replies by document id; the only reply belongs to the only document, whatever id it gives."""
    if len(known) == 1:
        return dict(zip(known, replies[:1], strict=False))
    named: dict[str, DocumentReply] = {}
    for reply in replies:
        name = resolved(reply.document, known)
        if name is not None:
            named.setdefault(name, reply)
    return named


def _reading(
    document: ShownDocument, reply: DocumentReply | None, sources: Sources, variables: AskVariables
) -> Reading:
    if reply is None:
        silent = Verdict.NOT_STATED if len(variables.documents) > 1 else Verdict.UNREAD
        point = 0 if silent is Verdict.NOT_STATED else None
        return Reading(reply="", verdict=silent, point=point, whole=document.whole, addressed=document.addresses_model)
    quotes, failed = located(document, reply.quotes[: variables.most_quotes], sources)
    return Reading(
        reply=reply.reply,
        point=reply.point,
        verdict=reply.verdict if reply.point is not None else Verdict.UNREAD,
        head=one_line(reply.head),
        quotes=quotes,
        failed_quotes=failed,
        addressed=document.addresses_model or any(True for _ in addresses_model(reply.reply)),
        whole=document.whole,
    )


def located(
    document: ShownDocument, texts: Sequence[str], sources: Sources
) -> tuple[tuple[Quote, ...], tuple[str, ...]]:
    """Return the quotes as they stand in the document, in the passages that were shown, and the texts that do not."""
    near = [(passage.start, passage.start + len(passage.text)) for passage in document.passages]
    quotes: dict[Quote, None] = {}
    failed: list[str] = []
    for text in texts:
        quote = sources[document.document_id].quote(text, near) if text.strip() else None
        if quote is not None:
            quotes[quote] = None
        elif text.strip():
            failed.append(text)
    return tuple(quotes), tuple(failed)


def _together(documents: Sequence[ShownDocument], readings: Sequence[Reading]) -> Reading:
    """Return the readings of several documents as one, for the document id "summary"."""
    order = [(reading.verdict.is_evidence, reading.point or -1) for reading in readings]
    best = readings[order.index(max(order))] if readings else Reading(reply="", point=0)
    replies = (
        f"{document.document_id}: {reading.reply}"
        for document, reading in zip(documents, readings, strict=True)
        if reading.verdict.is_evidence
    )
    return best.changed(
        reply=" ".join(replies) or best.reply,
        quotes=tuple(
            dict.fromkeys(
                quote
                for reading in readings
                if reading is best or reading.verdict.is_evidence
                for quote in reading.quotes
            )
        ),
        failed_quotes=tuple(text for reading in readings for text in reading.failed_quotes),
        addressed=any(reading.addressed for reading in readings),
        whole=False,
    )
