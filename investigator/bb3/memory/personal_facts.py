"""What users and chats said about themselves: kept over restarts, seen and changed by their owners."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from pydantic import Field
from sqlalchemy import ColumnElement, Connection, Row, Select, delete, func, insert, select, text, update

from investigator.bb3.memory.fact_tables import FACT_TABLES, FACT_TERMS, personal_facts
from investigator.bb3.records import PersonalFact, Speaker
from investigator.errors import DialogueError
from investigator.records import Record
from investigator.store.corpus import in_batches
from investigator.store.database import Database, get_meta, set_meta
from investigator.store.schema import meta

_T = personal_facts.c
_MATCHES = """
    SELECT rowid FROM personal_fact_terms WHERE personal_fact_terms MATCH :query
    ORDER BY bm25(personal_fact_terms, 0.0, 1.0), rowid DESC LIMIT :most
"""
_CLAIMS = """
    SELECT f.claim FROM personal_fact_terms t JOIN personal_facts f ON f.id = t.rowid
    WHERE personal_fact_terms MATCH :query AND f.speaker = :speaker AND f.id <> :but
"""
_NEWEST = """
    SELECT rowid FROM personal_fact_terms WHERE personal_fact_terms MATCH :query ORDER BY rowid DESC LIMIT :most
"""
_PUT_TERMS = "INSERT INTO personal_fact_terms (rowid, owner, terms) VALUES (:id, :owner, :terms)"
_DROP_TERMS = (
    "DELETE FROM personal_fact_terms WHERE rowid IN (SELECT id FROM personal_facts WHERE user = :user {which})"
)
_PLAIN = re.compile(r"[a-z0-9]+")


class FactText(Record):
    """What is to be remembered of a speaker: the text, what it says in few words, and what it can be found by.

    `terms` are words of it; `marks` are what it can be found by besides.
    """

    speaker: Speaker
    text: str
    claim: str
    terms: tuple[str, ...]
    marks: tuple[str, ...] = ()


class FactSource(Record):
    """Where something was said; without a chat it was written by hand."""

    chat_id: str = ""
    turn: int | None = Field(default=None, ge=1)


class KeptFact(Record):
    """A fact as it is kept; `claim` is what it says in few words.

    The user's turns are counted over all chats, and `uses` are the replies that it went into.
    """

    id: int = Field(ge=1)
    user: str
    speaker: Speaker
    text: str
    claim: str
    source: FactSource
    created: datetime
    turns_since_used: int
    uses: int

    @property
    def fact(self) -> PersonalFact:
        """What the modules see of it."""
        return PersonalFact(id=self.id, speaker=self.speaker, text=self.text)


class PersonalFacts:
    """The facts of all users of a workspace. Several threads and processes may change those of one user at once.

    A change is one transaction, which waits for others to end. Raises StoreError and its kinds.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        database.add_tables(FACT_TABLES, FACT_TERMS)

    def users(self) -> tuple[str, ...]:
        """Those of whom something is remembered, sorted."""
        with self._database.begin() as connection:
            return tuple(connection.execute(select(_T.user).distinct().order_by(_T.user)).scalars())

    def count(self, user: str) -> int:
        """How many facts a user has."""
        with self._database.begin() as connection:
            return int(connection.execute(select(func.count()).where(_T.user == user)).scalar_one())

    def facts(self, user: str, *, after: int = 0, most: int | None = None) -> tuple[KeptFact, ...]:
        """A user's facts in the order in which they came, those with ids above `after`."""
        with self._database.begin() as connection:
            return self._read(connection, user, _of(user).where(_T.id > after).order_by(_T.id).limit(most))

    def get(self, user: str, ids: Sequence[int]) -> tuple[KeptFact, ...]:
        """Those of a user's facts that have these ids, in the order of the ids given."""
        with self._database.begin() as connection:
            return self._by_ids(connection, user, ids)

    def latest(self, user: str, most: int) -> tuple[KeptFact, ...]:
        """The facts that were made or used last, in the order in which they came."""
        with self._database.begin() as connection:
            found = self._read(connection, user, _of(user).order_by(_T.used_at.desc(), _T.id.desc()).limit(most))
        return tuple(sorted(found, key=lambda fact: fact.id))

    def matching(self, user: str, terms: Collection[str], most: int) -> tuple[KeptFact, ...]:
        """The user's facts that have some of the terms, best (BM25) first, the newest of equals."""
        if not terms:
            return ()
        values = {"query": _query(user, terms, "OR"), "most": most}
        with self._database.begin() as connection:
            ids = connection.execute(text(_MATCHES), values).scalars().all()
            return self._by_ids(connection, user, ids)

    def newest(self, user: str, most: int) -> tuple[KeptFact, ...]:
        """The user's facts that came last, newest first."""
        with self._database.begin() as connection:
            return self._read(connection, user, _of(user).order_by(_T.id.desc()).limit(most))

    def newest_of_each(
        self, user: str, marks: Collection[str], most: int = 1, terms: Collection[str] = ()
    ) -> tuple[KeptFact, ...]:
        """Of each mark the user's facts that have it and came last; where terms are given, those with some of them."""
        found: set[int] = set()
        with self._database.begin() as connection:
            for mark in marks:
                query = _query(user, (mark,), "OR")
                query += f" AND {_query(user, terms, 'OR')}" if terms else ""
                found.update(connection.execute(text(_NEWEST), {"query": query, "most": most}).scalars())
            return self._by_ids(connection, user, sorted(found))

    def add(
        self,
        user: str,
        new: FactText,
        source: FactSource,
        now: datetime,
        repeats: Callable[[str], bool] | None = None,
    ) -> KeptFact | None:
        """Keep a fact; None where the speaker has one of the same text already, or one whose claim `repeats` accepts.

        Only claims that have all terms of the new one are shown to `repeats`.
        """
        with self._writing() as connection:
            if self._is_kept(connection, user, new, repeats):
                return None
            return self._by_ids(connection, user, [_insert(connection, user, new, source, now)])[0]

    def add_anew(self, user: str, new: FactText, source: FactSource, now: datetime) -> KeptFact:
        """Keep a fact as the newest, whatever it repeats; it takes the place of one of the same text."""
        with self._writing() as connection:
            same = connection.execute(select(_T.id).where(*_same(user, new))).scalar()
            if same is not None:
                _delete(connection, user, same)
            return self._by_ids(connection, user, [_insert(connection, user, new, source, now)])[0]

    def add_all(self, user: str, news: Iterable[FactText], source: FactSource, now: datetime) -> int:
        """Keep facts in one transaction, but those of a text that the speaker has already; gives how many were kept."""
        kept = 0
        with self._writing() as connection:
            for new in news:
                if not self._same_text(connection, user, new):
                    _insert(connection, user, new, source, now)
                    kept += 1
        return kept

    def edit(self, user: str, fact_id: int, new: FactText) -> KeptFact:
        """Give a fact another text. Raises DialogueError where there is no such fact, or another one of that text."""
        with self._writing() as connection:
            self._must_be_kept(connection, user, fact_id)
            if self._same_text(connection, user, new, but=fact_id):
                raise DialogueError("this is remembered already", hint="Delete one of the two.")
            change = update(personal_facts).where(_T.user == user, _T.id == fact_id)
            connection.execute(change.values(speaker=new.speaker.value, text=new.text, claim=new.claim))
            _drop_terms(connection, user, fact_id)
            _put_terms(connection, fact_id, user, new)
            return self._by_ids(connection, user, [fact_id])[0]

    def delete(self, user: str, fact_id: int) -> None:
        """Forget a fact. Raises DialogueError where there is no such fact."""
        with self._writing() as connection:
            self._must_be_kept(connection, user, fact_id)
            _delete(connection, user, fact_id)

    def forget(self, user: str) -> int:
        """Forget everything of a user; gives the number of facts."""
        with self._writing() as connection:
            _drop_terms(connection, user)
            connection.execute(delete(meta).where(meta.c.key == _turn_key(user)))
            return connection.execute(delete(personal_facts).where(_T.user == user)).rowcount

    def end_turn(self, user: str, used: Collection[int]) -> None:
        """A turn of the user is over, in which some facts were used."""
        with self._writing() as connection:
            turn = _turn_of(connection, user) + 1
            set_meta(connection, _turn_key(user), str(turn))
            change = update(personal_facts).where(_T.user == user).values(used_at=turn, uses=_T.uses + 1)
            for part in in_batches(sorted(used)):
                connection.execute(change.where(_T.id.in_(part)))

    def set_unused(self, user: str, fact_id: int, turns: int) -> None:
        """Have a fact seem unused for so many turns: for facts that come from elsewhere."""
        with self._writing() as connection:
            used_at = _turn_of(connection, user) - turns
            connection.execute(update(personal_facts).where(_T.user == user, _T.id == fact_id).values(used_at=used_at))

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """A transaction that is the only one to write from its beginning: what it has read is true until its end."""
        with self._database.begin() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            connection.exec_driver_sql("PRAGMA secure_delete = ON")  # what is forgotten is not left in the file
            yield connection

    def _read(self, connection: Connection, user: str, query: Select[tuple[object, ...]]) -> tuple[KeptFact, ...]:
        turn = _turn_of(connection, user)
        return tuple(_kept(row, turn) for row in connection.execute(query))

    def _by_ids(self, connection: Connection, user: str, ids: Sequence[int]) -> tuple[KeptFact, ...]:
        found = {}
        for part in in_batches(ids):
            found.update({fact.id: fact for fact in self._read(connection, user, _of(user).where(_T.id.in_(part)))})
        return tuple(found[fact_id] for fact_id in ids if fact_id in found)

    def _is_kept(self, connection: Connection, user: str, new: FactText, repeats: Callable[[str], bool] | None) -> bool:
        if self._same_text(connection, user, new):
            return True
        if repeats is None or not new.terms:
            return False
        values = {"query": _query(user, new.terms, "AND"), "speaker": new.speaker.value, "but": 0}
        return any(map(repeats, connection.execute(text(_CLAIMS), values).scalars()))

    def _same_text(self, connection: Connection, user: str, new: FactText, but: int = 0) -> bool:
        return connection.execute(select(_T.id).where(*_same(user, new), _T.id != but)).first() is not None

    def _must_be_kept(self, connection: Connection, user: str, fact_id: int) -> None:
        if connection.execute(select(_T.id).where(_T.user == user, _T.id == fact_id)).first() is None:
            raise DialogueError(
                f"nothing is remembered under the number {fact_id}",
                hint="List what is remembered with: investigator memory FOLDER list",
            )


def _of(user: str) -> Select[tuple[object, ...]]:
    return select(personal_facts).where(_T.user == user)


def _kept(row: Row[tuple[object, ...]], turn: int) -> KeptFact:
    of = row._mapping
    return KeptFact(
        id=of["id"],
        user=of["user"],
        speaker=of["speaker"],
        text=of["text"],
        claim=of["claim"],
        source=FactSource(chat_id=of["chat_id"], turn=of["turn"]),
        created=of["created"],
        turns_since_used=turn - of["used_at"],
        uses=of["uses"],
    )


def _turn_key(user: str) -> str:
    return f"turns of {user}"


def _turn_of(connection: Connection, user: str) -> int:
    return int(get_meta(connection, _turn_key(user)) or 0)


def _insert(connection: Connection, user: str, new: FactText, source: FactSource, now: datetime) -> int:
    values = {
        **{"user": user, "speaker": new.speaker.value, "text": new.text, "claim": new.claim},
        **{"chat_id": source.chat_id, "turn": source.turn, "created": now.isoformat()},
        **{"used_at": _turn_of(connection, user), "uses": 0},
    }
    (key,) = connection.execute(insert(personal_facts).values(values)).inserted_primary_key or (0,)
    _put_terms(connection, key, user, new)
    return int(key)


def _same(user: str, new: FactText) -> tuple[ColumnElement[bool], ...]:
    return (_T.user == user, _T.speaker == new.speaker.value, _T.text == new.text)


def _delete(connection: Connection, user: str, fact_id: int) -> None:
    _drop_terms(connection, user, fact_id)
    connection.execute(delete(personal_facts).where(_T.user == user, _T.id == fact_id))


def _put_terms(connection: Connection, fact_id: int, user: str, new: FactText) -> None:
    terms = " ".join(map(_term, sorted({*new.terms, *new.marks})))
    values = {"id": fact_id, "owner": _owner(user), "terms": terms}
    connection.execute(text(_PUT_TERMS), values)


def _drop_terms(connection: Connection, user: str, fact_id: int | None = None) -> None:
    which = "" if fact_id is None else "AND id = :id"
    values = {"user": user} if fact_id is None else {"user": user, "id": fact_id}
    connection.execute(text(_DROP_TERMS.format(which=which)), values)


def _owner(user: str) -> str:
    return hashlib.sha256(user.encode()).hexdigest()[:24]


def _term(word: str) -> str:
    """A word as the full-text index keeps it whole, whatever its script."""
    return word if _PLAIN.fullmatch(word) else "0x" + word.encode().hex()


def _query(user: str, terms: Collection[str], joined: str) -> str:
    words = f" {joined} ".join(f'"{_term(word)}"' for word in sorted(terms))
    return f'owner : "{_owner(user)}" AND terms : ({words})'
