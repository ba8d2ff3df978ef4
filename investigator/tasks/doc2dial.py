"""Conversations about documents, as in Doc2Dial (Feng et al. 2020): its JSON, or JSONL with one conversation per line.
A line has `turns` (or `conversation`), each with a speaker and a text; if a conversation ends with a question, the
reply is in `reference`. `doc2dial` goes through a conversation reply by reply, `doc2dial:last` asks only for the last
reply, and `doc2dial:search` asks whether the last turn needs a search.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pydantic import AliasChoices, Field, TypeAdapter

from investigator.files.text_lines import json_document, json_rows
from investigator.tasks.file_teacher import Fields, FileTeacher, Id, TaskRow

ASKERS: Final = frozenset({"user", "u", "human", "customer", "student", "usr"})
"""The names of speakers who ask questions. If no speaker has such a name, the first speaker is the one who asks."""

SEARCH, NO_SEARCH = "search", "do not search"


class _TurnRow(TaskRow):
    speaker: str = Field(validation_alias=AliasChoices("speaker", "role", "id"))
    text: str = Field(validation_alias=AliasChoices("text", "utterance"))


class _PassageRow(TaskRow):
    document_id: Id = ""
    title: str = ""
    text: str


class ConversationRow(TaskRow):
    """A conversation with its expected last reply and the supporting passages, if known."""

    id: Id = Field("", validation_alias=AliasChoices("id", "dial_id"))
    turns: tuple[_TurnRow, ...] = Field(validation_alias=AliasChoices("turns", "conversation"), min_length=1)
    reference: str | None = Field(None, validation_alias=AliasChoices("reference", "response"))
    doc_id: Id | None = None
    contexts: tuple[_PassageRow, ...] = ()
    knowledge_text: tuple[str, ...] = ()
    answerability: str | None = None
    search: bool | None = None

    @property
    def about(self) -> Fields:
        """Return the fields that describe the whole conversation."""
        return _known({"conversation_id": self.id, "document": self.doc_id})

    @property
    def about_reference(self) -> Fields:
        """Return the fields that describe the expected reply."""
        documents = [context.document_id for context in self.contexts if context.document_id]
        passages = [*(context.text for context in self.contexts), *self.knowledge_text]
        return _known({"documents": documents, "passages": passages, "answerability": self.answerability})


class _Doc2Dial(TaskRow):
    dial_data: Mapping[str, Mapping[str, tuple[ConversationRow, ...]]]


class DefaultTeacher(FileTeacher):
    """Goes through each conversation as an episode: the text is the asker's turn, and the label is the reply to it."""

    suffixes = (".jsonl", ".json")
    expected = "Doc2Dial's JSON, or one conversation per line: turns with speaker and text, and a reply"

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        for row in self.rows():
            for index, (_, fields) in enumerate(exchanges(row)):
                yield fields, index == 0

    def rows(self) -> Iterator[ConversationRow]:
        """Yield the conversations in the file."""
        if self.file.suffix == ".jsonl":
            yield from (row for _, row in json_rows(self.file, ConversationRow))
        elif content := json_document(self.file, TypeAdapter(_Doc2Dial)):
            for documents in content.dial_data.values():
                for conversations in documents.values():
                    yield from conversations


class LastTeacher(DefaultTeacher):
    """Shows a conversation up to its last reply, which is the label."""

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        for row in self.rows():
            for turns, fields in exchanges(row)[-1:]:
                yield {**fields, "text": _history(row, turns)}, True


class SearchTeacher(DefaultTeacher):
    """Shows a conversation; the label is the decision on whether its last turn needs a search."""

    expected = "one conversation per line with turns, at least one of them with search: true or false"

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        for row in self.rows():
            if row.search is not None:
                decision = {"labels": (SEARCH if row.search else NO_SEARCH,), "label_candidates": (SEARCH, NO_SEARCH)}
                yield {"text": _history(row, len(row.turns)), **decision, **row.about}, True


def exchanges(row: ConversationRow) -> list[tuple[int, Fields]]:
    """Return the number of turns before each reply, and the fields of a message: the text consists of all turns since
    the last reply, and the label is the reply.
    """
    askers = {turn.speaker.casefold() for turn in row.turns} & ASKERS or {row.turns[0].speaker.casefold()}
    complete: list[tuple[int, Fields]] = []
    pending: list[str] = []
    has_asked = False
    for number, turn in enumerate(row.turns):
        asks = turn.speaker.casefold() in askers
        if has_asked and not asks:
            complete.append((number, {"text": "\n".join(pending), "labels": (turn.text,), **row.about}))
            pending, has_asked = [], False
        else:
            pending.append(turn.text)
            has_asked = has_asked or asks
    if row.reference is not None and has_asked:
        fields = {"text": "\n".join(pending), "labels": (row.reference,), **row.about, **row.about_reference}
        complete.append((len(row.turns), fields))
    return complete


def _history(row: ConversationRow, turns: int) -> str:
    return "\n".join(turn.text for turn in row.turns[:turns])


def _known(fields: Fields) -> Fields:
    return {key: value for key, value in fields.items() if value}
