"""Parses a reply in any form: tries JSON first, then the free text that a small model may write instead."""

from __future__ import annotations

from typing import TypeVar, cast

from investigator.asking.replies.free_answer import read_free_answer, with_ids_apart
from investigator.asking.replies.free_ask import read_free_ask
from investigator.asking.replies.points import read_point
from investigator.asking.replies.structured import read_record
from investigator.asking.replies.thoughts import without_thoughts
from investigator.errors import ReplyError
from investigator.records import AnswerReply, AskReply, Record

R = TypeVar("R", bound=Record)


def read_reply(text: str, reply_type: type[R]) -> R:
    """Return the record in a reply: from JSON (see `read_record`), or from free text if the record allows that.

    An `AskReply` and an `AnswerReply` can be written as free text; the point of an `AskReply` is None if none can be
    read. Raises ReplyError with a message that explains the fault to the model.
    """
    try:
        record = read_record(text, reply_type)
    except ReplyError:
        free = _read_free(without_thoughts(text), reply_type)
        if free is None:
            raise
        return cast(R, free)
    return cast(R, _completed(record, text))


def _read_free(text: str, reply_type: type[Record]) -> Record | None:
    if issubclass(reply_type, AskReply):
        return read_free_ask(text)
    if issubclass(reply_type, AnswerReply):
        return read_free_answer(text)
    return None


def _completed(record: Record, text: str) -> Record:
    """Return the record, completed with a score that was written next to the JSON, or with evidence ids that were
    written inside the claims.
    """
    if isinstance(record, AskReply) and "point" not in record.model_fields_set:
        return record.changed(point=read_point(text))
    if isinstance(record, AnswerReply):
        return AnswerReply(claims=tuple(with_ids_apart(claim) for claim in record.claims))
    return record
