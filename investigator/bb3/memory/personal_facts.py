"""Facts that users and chats said about themselves: kept over restarts, seen and changed by their owners."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

from pydantic import Field, ValidationError
from sqlalchemy import (
    Connection,
    RowMapping,
    Select,
    delete,
    func,
    insert,
    select,
    text,
    update,
)

from investigator.bb3.records import Speaker
from investigator.errors import DialogueError
from investigator.records import Record
from investigator.store.adoption import UNSORTED_FACTS
from investigator.store.corpus import in_batches
from investigator.store.database import Database, get_meta, set_meta
from investigator.store.row_codes import standing, stands, with_code
from investigator.store.schema import meta, personal_facts
from investigator.store.user_key import user_key

_FACTS = personal_facts
_T = _FACTS.c
_LONGEST_USER = 500
_LONGEST_COUNT = 9  # digits; what is longer was not counted here
_MATCHES = """
    SELECT rowid FROM personal_fact_terms WHERE personal_fact_terms MATCH :query
    ORDER BY bm25(personal_fact_terms, 0.0, 1.0), rowid DESC LIMIT :most
"""
_WITH_TERMS = """
    SELECT f.* FROM personal_fact_terms t JOIN personal_facts f ON f.id = t.rowid
    WHERE personal_fact_terms MATCH :query AND f.speaker = :speaker
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
    """A fact to remember about a speaker: the text, its content in few words, and the words that find it.

    `terms` are words of it; `marks` are what it can be found by besides.
    """

    speaker: Speaker
    text: str
    claim: str
    terms: tuple[str, ...]
    marks: tuple[str, ...] = ()


class FactSource(Record):
    """The source of a fact; one without a chat was written by hand."""

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


class PersonalFacts:
    """The facts of all users of a workspace; a user is any text. Several threads and processes may use it at once.

    A change is one transaction, which waits for others to end. A fact that was changed outside this program counts for
    nothing. Raises DialogueError for a user's name that is blank or too long, StoreError and its kinds.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._key = user_key()

    def users(self) -> tuple[str, ...]:
        """Return those of whom something is remembered, sorted."""
        with self._database.begin() as connection:
            return tuple(sorted({row["user"] for row in standing(connection, self._key, _FACTS, select(_FACTS))}))

    def count(self, user: str) -> int:
        """Return how many facts a user has."""
        with self._reading(user) as connection:
            return int(connection.execute(select(func.count()).where(_T.user == user)).scalar_one())

    def memories(self, user: str, most: int | None = None) -> tuple[KeptFact, ...]:
        """Return a user's facts in the order in which they came."""
        with self._reading(user) as connection:
            return self._read(connection, user, _of(user).order_by(_T.id).limit(most))

    def latest(self, user: str, most: int) -> tuple[KeptFact, ...]:
        """Return the facts that were made or used last, in the order in which they came."""
        with self._reading(user) as connection:
            found = self._read(connection, user, _of(user).order_by(_T.used_at.desc(), _T.id.desc()).limit(most))
        return tuple(sorted(found, key=lambda fact: fact.id))

    def newest(self, user: str, most: int) -> tuple[KeptFact, ...]:
        """Return the facts that came last, newest first."""
        with self._reading(user) as connection:
            return self._read(connection, user, _of(user).order_by(_T.id.desc()).limit(most))

    def matching(self, user: str, terms: Collection[str], most: int) -> tuple[KeptFact, ...]:
        """Return the user's facts that have some of the terms, best (BM25) first, the newest of equals."""
        with self._reading(user) as connection:
            if not terms:
                return ()
            values = {"query": _query(user, terms, "OR"), "most": most}
            return self._by_ids(connection, user, connection.execute(text(_MATCHES), values).scalars().all())

    def newest_of_each(
        self, user: str, marks: Collection[str], most: int = 1, terms: Collection[str] = ()
    ) -> tuple[KeptFact, ...]:
        """Return of each mark the user's facts that have it and came last; if terms are given, and some of them."""
        found: set[int] = set()
        with self._reading(user) as connection:
            for mark in marks:
                query = _query(user, (mark,), "OR")
                query += f" AND {_query(user, terms, 'OR')}" if terms else ""
                found.update(connection.execute(text(_NEWEST), {"query": query, "most": most}).scalars())
            return self._by_ids(connection, user, sorted(found))

    def put(
        self,
        user: str,
        new: FactText,
        source: FactSource,
        now: datetime,
        repeats: Callable[[str], bool] | None = None,
    ) -> KeptFact | None:
        """Keep a fact; None if the speaker has one of the same text already, or one whose claim `repeats` accepts.

        Only claims that have all terms of the new one are shown to `repeats`.
        """
        with self._writing(user) as connection:
            if self._is_kept(connection, user, new, repeats):
                return None
            return self._by_ids(connection, user, [self._insert(connection, user, new, source, now)])[0]

    def put_anew(self, user: str, new: FactText, source: FactSource, now: datetime) -> KeptFact:
        """Keep a fact as the newest, whatever it repeats; it takes the place of one of the same text."""
        with self._writing(user) as connection:
            same = self._same(connection, user, new)
            if same is not None:
                _delete(connection, user, same)
            return self._by_ids(connection, user, [self._insert(connection, user, new, source, now)])[0]

    def put_all(self, user: str, news: Iterable[FactText], source: FactSource, now: datetime) -> int:
        """Keep facts in one transaction, but those whose text the speaker has already; return how many were kept."""
        kept = 0
        with self._writing(user) as connection:
            for new in news:
                if not self._is_kept(connection, user, new):
                    self._insert(connection, user, new, source, now)
                    kept += 1
        return kept

    def replace(self, user: str, fact_id: int, written: Callable[[Speaker], FactText]) -> KeptFact:
        """Give a fact of a speaker another text.

        Raises DialogueError if there is no such fact, or another one of that text.
        """
        with self._writing(user) as connection:
            new = written(self._kept_under(connection, user, fact_id).speaker)
            if self._same(connection, user, new) not in {None, fact_id}:
                raise DialogueError("this is remembered already", hint="Delete one of the two.")
            self._change(connection, user, (fact_id,), lambda _: {"text": new.text, "claim": new.claim})
            _drop_terms(connection, user, fact_id)
            _put_terms(connection, fact_id, user, new)
            return self._by_ids(connection, user, [fact_id])[0]

    def delete(self, user: str, fact_id: int) -> None:
        """Forget a fact. Raises DialogueError if there is no such fact."""
        with self._writing(user) as connection:
            self._kept_under(connection, user, fact_id)
            _delete(connection, user, fact_id)

    def forget(self, user: str) -> int:
        """Forget everything of a user; return the number of facts."""
        with self._writing(user) as connection:
            _drop_terms(connection, user)
            connection.execute(delete(meta).where(meta.c.key == _turn_key(user)))
            return connection.execute(delete(_FACTS).where(_T.user == user)).rowcount

    def end_turn(self, user: str, used: Collection[int] = ()) -> None:
        """A turn with the user is over in which these facts were used; the other ones are one turn older."""
        with self._writing(user) as connection:
            turn = _turn_of(connection, user) + 1
            set_meta(connection, _turn_key(user), str(turn))
            self._change(connection, user, used, lambda row: {"used_at": turn, "uses": row["uses"] + 1})

    def set_ages(self, user: str, ages: Mapping[int, int]) -> None:
        """Have facts that come from elsewhere seem unused for so many turns each."""
        with self._writing(user) as connection:
            turn = _turn_of(connection, user)
            self._change(connection, user, ages, lambda row: {"used_at": turn - ages[row["id"]]})

    def find_taken_over(self, written: Callable[[str, Speaker], FactText]) -> None:
        """Make what facts are found by that were taken over without it; those that are no facts of ours are deleted."""
        with self._database.begin() as connection:
            if get_meta(connection, UNSORTED_FACTS) is None:
                return
            connection.exec_driver_sql("DELETE FROM personal_fact_terms")
            for row in [*standing(connection, self._key, _FACTS, select(_FACTS))]:
                try:
                    fact = _kept(row, 0)
                    _check_user(fact.user)
                    _put_terms(connection, fact.id, fact.user, written(fact.text, fact.speaker))
                except (ValidationError, DialogueError):
                    connection.execute(delete(_FACTS).where(_T.id == row["id"]))
            connection.execute(delete(meta).where(meta.c.key == UNSORTED_FACTS))

    def _read(self, connection: Connection, user: str, query: Select[tuple[object, ...]]) -> tuple[KeptFact, ...]:
        turn = _turn_of(connection, user)
        return tuple(_kept(row, turn) for row in standing(connection, self._key, _FACTS, query))

    def _by_ids(self, connection: Connection, user: str, ids: Sequence[int]) -> tuple[KeptFact, ...]:
        """Those of a user's facts that have these ids, in the order of the ids given."""
        found = {}
        for part in in_batches(ids):
            found.update({fact.id: fact for fact in self._read(connection, user, _of(user).where(_T.id.in_(part)))})
        return tuple(found[fact_id] for fact_id in ids if fact_id in found)

    def _is_kept(
        self, connection: Connection, user: str, new: FactText, repeats: Callable[[str], bool] | None = None
    ) -> bool:
        if self._same(connection, user, new) is not None:
            return True
        if repeats is None or not new.terms:
            return False
        values = {"query": _query(user, new.terms, "AND"), "speaker": new.speaker.value}
        rows = connection.execute(text(_WITH_TERMS), values).mappings()
        return any(repeats(row["claim"]) for row in rows if stands(self._key, _FACTS, row))

    def _same(self, connection: Connection, user: str, new: FactText) -> int | None:
        """Return the id of the fact that the speaker has of the same text; one that does not stand is deleted."""
        query = select(_FACTS).where(_T.user == user, _T.speaker == new.speaker.value, _T.text == new.text)
        row = connection.execute(query).mappings().first()
        if row is None or stands(self._key, _FACTS, row):
            return row["id"] if row is not None else None
        _delete(connection, user, row["id"])
        return None

    def _change(
        self,
        connection: Connection,
        user: str,
        ids: Collection[int],
        changed: Callable[[RowMapping], Mapping[str, str | int]],
    ) -> None:
        """Write other values into facts of a user, those that are there and stand."""
        for part in in_batches(sorted(ids)):
            for row in [*standing(connection, self._key, _FACTS, _of(user).where(_T.id.in_(part)))]:
                values = with_code(self._key, _FACTS, {**row, **changed(row)})
                connection.execute(update(_FACTS).where(_T.id == row["id"]).values(values))

    def _kept_under(self, connection: Connection, user: str, fact_id: int) -> KeptFact:
        found = self._by_ids(connection, user, [fact_id])
        if not found:
            raise DialogueError(
                f"nothing is remembered under the number {fact_id}",
                hint="List what is remembered with: investigator memory FOLDER list",
            )
        return found[0]

    def _insert(self, connection: Connection, user: str, new: FactText, source: FactSource, now: datetime) -> int:
        values = {
            **{"user": user, "speaker": new.speaker.value, "text": new.text, "claim": new.claim},
            **{"chat_id": source.chat_id, "turn": source.turn, "created": now.isoformat()},
            **{"used_at": _turn_of(connection, user), "uses": 0},
        }
        (key,) = connection.execute(insert(_FACTS), with_code(self._key, _FACTS, values)).inserted_primary_key or (0,)
        _put_terms(connection, key, user, new)
        return int(key)

    @contextmanager
    def _reading(self, user: str) -> Iterator[Connection]:
        _check_user(user)
        with self._database.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self, user: str) -> Iterator[Connection]:
        """A transaction that is the only one to write from its beginning: what it has read is true until its end."""
        with self._reading(user) as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            connection.exec_driver_sql("PRAGMA secure_delete = ON")  # what is forgotten is not left in the file
            yield connection


def _check_user(user: str) -> None:
    """Refuse a name that nobody can read: a blank one would be somebody else in every spelling."""
    problem = ""
    if all(unicodedata.category(character)[0] in "ZC" for character in user):
        problem = "blank"
    elif len(user) > _LONGEST_USER:
        problem = f"too long: {len(user):,} characters, the most are {_LONGEST_USER}"
    elif any(unicodedata.category(character) == "Cs" for character in user):
        problem = "no text"
    if problem:
        raise DialogueError(
            f"the user's name is {problem}",
            hint="Name one that can be read, as anna; on the command line --user may be left out.",
        )


def _of(user: str) -> Select[tuple[object, ...]]:
    return select(_FACTS).where(_T.user == user)


def _kept(of: RowMapping, turn: int) -> KeptFact:
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
    counted = get_meta(connection, _turn_key(user)) or ""
    return int(counted) if counted.isdecimal() and len(counted) <= _LONGEST_COUNT else 0


def _delete(connection: Connection, user: str, fact_id: int) -> None:
    _drop_terms(connection, user, fact_id)
    connection.execute(delete(_FACTS).where(_T.user == user, _T.id == fact_id))


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
