"""The stored chats of a server, which survive a restart and are kept until a user deletes them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import delete, func, insert, select

from investigator.secrets import redacted
from investigator.server.records import ChatSummary, ChatTurn
from investigator.store.database import Database
from investigator.store.schema import chat_turns, served_chats

_MOST_KEPT = 200
"""Maximum number of chats per folder; when there are more, the oldest is deleted."""


class ChatLedger:
    """Stores the chats about a folder, without known secrets. Thread-safe. Raises StoreError or a subclass."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, chat_id: str, created: str) -> None:
        """Store a new chat, and delete the oldest if there are too many."""
        with self._database.begin() as connection:
            connection.execute(insert(served_chats).values(id=chat_id, created=created))
            old = select(served_chats.c.key).order_by(served_chats.c.key.desc()).offset(_MOST_KEPT)
            connection.execute(delete(served_chats).where(served_chats.c.key.in_(old)))

    def keep(self, chat_id: str, turn: ChatTurn) -> None:
        """Store the current state of a turn."""
        values = {"chat": chat_id, "number": turn.number, "said": redacted(turn.said)}
        record = redacted(turn.model_dump_json())
        this = (chat_turns.c.chat == chat_id) & (chat_turns.c.number == turn.number)
        with self._database.begin() as connection:
            connection.execute(delete(chat_turns).where(this))
            connection.execute(insert(chat_turns).values(record=record, **values))

    def turns(self, chat_id: str) -> tuple[ChatTurn, ...] | None:
        """Return the turns of a chat, oldest first; None if the chat does not exist."""
        known = select(served_chats.c.key).where(served_chats.c.id == chat_id)
        query = select(chat_turns.c.record).where(chat_turns.c.chat == chat_id).order_by(chat_turns.c.number)
        with self._database.begin() as connection:
            if connection.execute(known).first() is None:
                return None
            return tuple(ChatTurn.model_validate_json(record) for record in connection.execute(query).scalars())

    def summaries(self) -> tuple[ChatSummary, ...]:
        """Return the non-empty chats, newest first."""
        counted = select(chat_turns.c.chat, func.count().label("turns"), func.min(chat_turns.c.number).label("first"))
        counts = counted.group_by(chat_turns.c.chat).subquery()
        first = (chat_turns.c.chat == counts.c.chat) & (chat_turns.c.number == counts.c.first)
        query = (
            select(served_chats.c.id, served_chats.c.created, chat_turns.c.said, counts.c.turns)
            .join(counts, counts.c.chat == served_chats.c.id)
            .join(chat_turns, first)
            .order_by(served_chats.c.key.desc())
        )
        with self._database.begin() as connection:
            rows: list[Mapping[str, object]] = [dict(row) for row in connection.execute(query).mappings()]
        return tuple(ChatSummary.model_validate(row) for row in rows)

    def forget(self, chat_id: str) -> None:
        """Delete a chat with everything said in it, including from the file."""
        with self._database.alone() as connection:
            connection.execute(delete(served_chats).where(served_chats.c.id == chat_id))
