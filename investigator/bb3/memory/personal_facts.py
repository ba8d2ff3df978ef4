"""Stores facts that users and chats stated about themselves; they survive restarts, and users can view and change
them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from pydantic import Field
from sqlalchemy import (
    Connection,
    RowMapping,
    Select,
    delete,
    func,
    insert,
    select,
    update,
)

from investigator.bb3.records import Speaker
from investigator.errors import DialogueError
from investigator.records import Record
from investigator.store.corpus import in_batches
from investigator.store.database import Database, get_meta, set_meta
from investigator.store.schema import meta, personal_facts

_FACTS = personal_facts
_T = _FACTS.c
_LONGEST_USER = 500
_LONGEST_COUNT = 9  # maximum number of digits; longer numbers are never stored


class FactText(Record):
    """A fact to remember about a speaker."""

    speaker: Speaker
    text: str


class FactSource(Record):
    """The turn in which a fact was stated; without a chat, the user added the fact directly."""

    chat_id: str = ""
    turn: int | None = Field(default=None, ge=1)


class KeptFact(Record):
    """A stored fact; `created` is when it was last stated. `turns_since_used` counts the user's turns in all chats, and
    `uses` counts the replies that used the fact.
    """

    id: int = Field(ge=1)
    user: str
    speaker: Speaker
    text: str
    source: FactSource
    created: datetime
    turns_since_used: int
    uses: int


class PersonalFacts:
    """The facts about all users of a workspace; a user's name can be any text. Several threads and processes may use
    the same facts concurrently. Each change is a transaction, which waits for other transactions to end. Raises
    StoreError, and DialogueError if a user's name is blank or too long.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def users(self) -> tuple[str, ...]:
        """Return the names of users with memories, sorted."""
        with self._database.begin() as connection:
            return tuple(connection.execute(select(_T.user).distinct().order_by(_T.user)).scalars())

    def count(self, user: str) -> int:
        """Return the number of a user's facts."""
        with self._reading(user) as connection:
            return int(connection.execute(select(func.count()).where(_T.user == user)).scalar_one())

    def memories(self, user: str, most: int | None = None) -> tuple[KeptFact, ...]:
        """Return a user's facts, oldest first."""
        with self._reading(user) as connection:
            return self._read(connection, user, _of(user).order_by(_T.id).limit(most))

    def latest(self, user: str, most: int) -> tuple[KeptFact, ...]:
        """Return the most recently created or used facts, oldest first."""
        with self._reading(user) as connection:
            found = self._read(connection, user, _of(user).order_by(_T.used_at.desc(), _T.id.desc()).limit(most))
        return tuple(sorted(found, key=lambda fact: fact.id))

    def with_ids(self, user: str, ids: Collection[int]) -> tuple[KeptFact, ...]:
        """Return a user's facts with these ids, in their order."""
        with self._reading(user) as connection:
            return self._by_ids(connection, user, ids)

    def claims(self, user: str, most: int) -> dict[int, str]:
        """Return the vectors of a user's facts in written form, by id, newest first. A vector is "" if it has not been
        computed.
        """
        with self._reading(user) as connection:
            query = select(_T.id, _T.claim).where(_T.user == user).order_by(_T.id.desc()).limit(most)
            return {fact_id: claim for fact_id, claim in connection.execute(query)}

    def set_claims(self, user: str, claims: Mapping[int, str]) -> None:
        """Store the vectors of facts, in written form."""
        with self._writing(user) as connection:
            self._change(connection, user, claims, lambda row: {"claim": claims[row["id"]]})

    def put(self, user: str, new: FactText, source: FactSource, now: datetime) -> KeptFact | None:
        """Store a fact; return None if the speaker already has one with the same text."""
        with self._writing(user) as connection:
            if self._same(connection, user, new) is not None:
                return None
            return self._by_ids(connection, user, [self._insert(connection, user, new, source, now)])[0]

    def put_all(self, user: str, news: Iterable[FactText], source: FactSource, now: datetime) -> int:
        """Store facts in one transaction, except those whose text the speaker already has; return the number stored."""
        kept = 0
        with self._writing(user) as connection:
            for new in news:
                if self._same(connection, user, new) is None:
                    self._insert(connection, user, new, source, now)
                    kept += 1
        return kept

    def restate(self, user: str, fact_id: int, now: datetime) -> None:
        """Record that a fact was stated again."""
        with self._writing(user) as connection:
            self._change(connection, user, (fact_id,), lambda _: {"created": now.isoformat()})

    def replace(self, user: str, fact_id: int, written: Callable[[Speaker], FactText]) -> KeptFact:
        """Change the text of a speaker's fact. Raises DialogueError if the fact does not exist, or another one has that
        text.
        """
        with self._writing(user) as connection:
            new = written(self._kept_under(connection, user, fact_id).speaker)
            if self._same(connection, user, new) not in {None, fact_id}:
                raise DialogueError("this is already remembered", hint="Delete one of the two memories.")
            self._change(connection, user, (fact_id,), lambda _: {"text": new.text, "claim": ""})
            return self._by_ids(connection, user, [fact_id])[0]

    def delete(self, user: str, fact_id: int) -> None:
        """Delete a fact. Raises DialogueError if the fact does not exist."""
        with self._writing(user) as connection:
            self._kept_under(connection, user, fact_id)
            self._delete(connection, user, fact_id)

    def forget(self, user: str) -> int:
        """Delete all facts about a user, and return the number of deleted facts."""
        with self._writing(user) as connection:
            connection.execute(delete(meta).where(meta.c.key == _turn_key(user)))
            return connection.execute(delete(_FACTS).where(_T.user == user)).rowcount

    def end_turn(self, user: str, used: Collection[int] = ()) -> None:
        """End a user's turn in which these facts were used; all other facts become one turn older."""
        with self._writing(user) as connection:
            turn = _turn_of(connection, user) + 1
            set_meta(connection, _turn_key(user), str(turn))
            self._change(connection, user, used, lambda row: {"used_at": turn, "uses": row["uses"] + 1})

    def set_ages(self, user: str, ages: Mapping[int, int]) -> None:
        """Set the ages of imported facts: the number of turns since each was last used."""
        with self._writing(user) as connection:
            turn = _turn_of(connection, user)
            self._change(connection, user, ages, lambda row: {"used_at": turn - ages[row["id"]]})

    def _read(self, connection: Connection, user: str, query: Select[tuple[object, ...]]) -> tuple[KeptFact, ...]:
        turn = _turn_of(connection, user)
        return tuple(_kept(row, turn) for row in connection.execute(query).mappings())

    def _by_ids(self, connection: Connection, user: str, ids: Collection[int]) -> tuple[KeptFact, ...]:
        found = {}
        for part in in_batches(list(ids)):
            found.update({fact.id: fact for fact in self._read(connection, user, _of(user).where(_T.id.in_(part)))})
        return tuple(found[fact_id] for fact_id in ids if fact_id in found)

    def _same(self, connection: Connection, user: str, new: FactText) -> int | None:
        """Return the id of the speaker's fact with the same text, if there is one."""
        query = select(_T.id).where(_T.user == user, _T.speaker == new.speaker.value, _T.text == new.text)
        return connection.execute(query).scalar()

    def _change(
        self,
        connection: Connection,
        user: str,
        ids: Collection[int],
        changed: Callable[[RowMapping], Mapping[str, str | int]],
    ) -> None:
        """Update facts of a user, if they exist."""
        for part in in_batches(sorted(ids)):
            for row in connection.execute(_of(user).where(_T.id.in_(part))).mappings().all():
                connection.execute(update(_FACTS).where(_T.id == row["id"]).values(dict(changed(row))))

    def _kept_under(self, connection: Connection, user: str, fact_id: int) -> KeptFact:
        found = self._by_ids(connection, user, [fact_id])
        if not found:
            raise DialogueError(
                f"no memory has the number {fact_id}",
                hint="List the memories with: investigator memory FOLDER list",
            )
        return found[0]

    def _insert(self, connection: Connection, user: str, new: FactText, source: FactSource, now: datetime) -> int:
        values = {
            **{"user": user, "speaker": new.speaker.value, "text": new.text, "claim": ""},
            **{"chat_id": source.chat_id, "turn": source.turn, "created": now.isoformat()},
            **{"used_at": _turn_of(connection, user), "uses": 0},
        }
        (key,) = connection.execute(insert(_FACTS), values).inserted_primary_key or (0,)
        return int(key)

    def _delete(self, connection: Connection, user: str, fact_id: int) -> None:
        connection.execute(delete(_FACTS).where(_T.user == user, _T.id == fact_id))

    @contextmanager
    def _reading(self, user: str) -> Iterator[Connection]:
        _check_user(user)
        with self._database.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self, user: str) -> Iterator[Connection]:
        """Open a transaction that blocks other writers from the start, so that no other process can change what it has
        read.
        """
        _check_user(user)
        with self._database.alone() as connection:
            yield connection


def _check_user(user: str) -> None:
    """Raise DialogueError for a name that is blank, too long, or not valid text."""
    problem = ""
    if all(unicodedata.category(character)[0] in "ZC" for character in user):
        problem = "blank"
    elif len(user) > _LONGEST_USER:
        problem = f"too long: {len(user):,} characters, more than the limit of {_LONGEST_USER}"
    elif any(unicodedata.category(character) == "Cs" for character in user):
        problem = "no text"
    if problem:
        raise DialogueError(
            f"the user's name is {problem}",
            hint="Use a readable name such as anna; on the command line, --user may be omitted.",
        )


def _of(user: str) -> Select[tuple[object, ...]]:
    return select(_FACTS).where(_T.user == user)


def _kept(of: RowMapping, turn: int) -> KeptFact:
    return KeptFact(
        id=of["id"],
        user=of["user"],
        speaker=of["speaker"],
        text=of["text"],
        source=FactSource(chat_id=of["chat_id"], turn=of["turn"]),
        created=of["created"],
        turns_since_used=turn - of["used_at"],
        uses=of["uses"],
    )


def _turn_key(user: str) -> str:
    return f"turns of {user}"


def _turn_of(connection: Connection, user: str) -> int:
    counted = get_meta(connection, _turn_key(user)) or ""
    return int(counted) if counted.isdecimal() and len(counted) <= _LONGEST_COUNT else 0
