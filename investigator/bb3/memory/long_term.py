"""Keeps what users and chats stated about themselves, as dated facts that are found by their meaning."""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sqlalchemy import Connection, Select, bindparam, delete, insert, select, update

from investigator.bb3.memory.text import says_nothing
from investigator.bb3.records import Speaker
from investigator.engines.base import Embedder
from investigator.errors import DialogueError
from investigator.language.normalise import one_line
from investigator.language.terms import words
from investigator.records import Record
from investigator.store.database import Database, get_meta, set_meta
from investigator.store.schema import meta, personal_facts

LONGEST_MEMORY = 2_000
"""Maximum number of characters in a memory. A longer text is not a fact about somebody, and would leave little room for
the rest of a prompt.
"""
NEAR = 0.25
"""The lowest cosine similarity of a memory that is found by meaning."""
_T = personal_facts.c
_MOST_EMBEDDED = 1_000  # maximum number of memories that one search embeds; memories added by hand have no vector yet
_MOST_SEARCHED = 20_000  # maximum number of memories that a search compares, the newest ones
_COMPARED = 8  # number of nearest memories that are compared with a new one
_LONGEST_USER = 500
_LIST = "List the memories with: investigator dialogue memory FOLDER list"
_KNOWN = "this is already remembered"


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


@dataclass(frozen=True)
class LongTermMemory:
    """The memories of all users of a workspace; a user's name can be any text. Several threads and processes may use
    the same memories concurrently. Each change is a transaction, which waits for other transactions to end. Memories
    are single lines: whitespace is collapsed and control characters are removed, so that none can imitate a line of a
    prompt. Raises StoreError, EngineError, and DialogueError for a blank or too long user's name.
    """

    database: Database
    embedder: Embedder
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def users(self) -> tuple[str, ...]:
        """Return the names of users with memories, sorted."""
        with self.database.begin() as connection:
            return tuple(connection.execute(select(_T.user).distinct().order_by(_T.user)).scalars())

    def memories(self, user: str) -> tuple[KeptFact, ...]:
        """Return a user's memories, oldest first."""
        return self._read(user, _of(user).order_by(_T.id))

    def latest(self, user: str, most: int) -> tuple[KeptFact, ...]:
        """Return the most recently created or used memories, oldest first."""
        facts = self._read(user, _of(user).order_by(_T.used_at.desc(), _T.id.desc()).limit(most))
        return tuple(sorted(facts, key=lambda fact: fact.id))

    def nearest(self, user: str, text: str, most: int, least: float = -1.0) -> tuple[KeptFact, ...]:
        """Return the memories whose meaning is nearest to that of the text, nearest first, without those whose cosine
        similarity is less than `least`. The newest 20,000 memories are compared; of those without a vector, the newest
        1,000 are embedded, and the others are left out.
        """
        known = self._vectors(user)
        if not known:
            return ()
        (vector,) = self.embedder.embed([memory_line(text)[:LONGEST_MEMORY]])
        rows = np.stack([_row(written, len(vector)) for written in known.values()]).astype(np.float32)
        cosines: list[float] = (rows @ vector / np.maximum(np.linalg.norm(rows, axis=1), 1.0)).tolist()
        near = sorted(zip(cosines, known, strict=True), reverse=True)[:most]
        return self._with_ids(user, [key for cosine, key in near if cosine >= least])

    def search(self, user: str, query: str, most: int = 20) -> tuple[KeptFact, ...]:
        """Return the memories whose meaning is near to that of the query, nearest first."""
        return self.nearest(user, query, most, NEAR)

    def add(self, user: str, memory: str, speaker: Speaker = Speaker.PARTNER) -> KeptFact:
        """Remember text about a speaker. Raises DialogueError if it is empty, too long or already remembered."""
        kept = self._put(user, speaker, _checked_line(memory), FactSource())
        if kept is None:
            raise DialogueError(_KNOWN, hint=_LIST)
        return kept

    def remember(
        self, user: str, memory: str, speaker: Speaker, source: FactSource, *, again: bool = True
    ) -> KeptFact | None:
        """Remember a module's output for a turn; return None if it is empty, too long, or has the words of an existing
        memory of the speaker. With `again`, that memory is recorded as stated again.
        """
        line = memory_line(memory)
        if says_nothing(line) or len(line) > LONGEST_MEMORY:
            return None
        for fact in self.nearest(user, line, _COMPARED):
            if fact.speaker is speaker and words(fact.text) == words(line):
                if again:
                    with self._writing(user) as connection:
                        _set(connection, user, "created", {fact.id: self.now().isoformat()})
                return None
        return self._put(user, speaker, line, source)

    def edit(self, user: str, number: int, memory: str) -> KeptFact:
        """Change a memory's text. Raises DialogueError if it does not exist, or another one has that text."""
        with self._writing(user) as connection:
            fact, line = _fact(connection, user, number), _checked_line(memory)
            if _same(connection, user, fact.speaker, line) not in {None, number}:
                raise DialogueError(_KNOWN, hint="Delete one of the two memories.")
            connection.execute(update(personal_facts).where(_T.id == number).values(text=line, claim=""))
            return fact.changed(text=line)

    def delete(self, user: str, number: int) -> None:
        """Delete a memory. Raises DialogueError if the memory does not exist."""
        with self._writing(user) as connection:
            _fact(connection, user, number)
            connection.execute(delete(personal_facts).where(_T.id == number))

    def forget(self, user: str) -> int:
        """Delete all memories of a user, and return their number."""
        with self._writing(user) as connection:
            connection.execute(delete(meta).where(meta.c.key == _turn_key(user)))
            return connection.execute(delete(personal_facts).where(_T.user == user)).rowcount

    def end_turn(self, user: str, used: Collection[int] = ()) -> None:
        """End a user's turn in which these memories were used; all other memories become one turn older."""
        with self._writing(user) as connection:
            turn = _turn_of(connection, user) + 1
            set_meta(connection, _turn_key(user), str(turn))
            if used:  # a search for no ids reads all memories of the user
                change = update(personal_facts).where(_T.user == user, _T.id.in_(used))
                connection.execute(change.values(used_at=turn, uses=_T.uses + 1))

    def set_ages(self, user: str, ages: Mapping[int, int]) -> None:
        """Set the ages of imported memories: the number of turns since each was last used."""
        with self._writing(user) as connection:
            turn = _turn_of(connection, user)
            _set(connection, user, "used_at", {fact_id: turn - age for fact_id, age in ages.items()})

    def _vectors(self, user: str) -> dict[int, str]:
        """Return a user's written vectors, newest memory first; missing ones, or of another embedder, are computed."""
        prefix = f"{self.embedder.name} "
        _check_user(user)
        newest = select(_T.id, _T.claim).where(_T.user == user).order_by(_T.id.desc()).limit(_MOST_SEARCHED)
        with self.database.begin() as connection:
            written = {fact_id: claim for fact_id, claim in connection.execute(newest)}
        missing = [fact_id for fact_id, claim in written.items() if not claim.startswith(prefix)]
        if facts := self._with_ids(user, missing[:_MOST_EMBEDDED]):
            vectors = self.embedder.embed([fact.text for fact in facts])
            computed = {fact.id: prefix + _written(vector) for fact, vector in zip(facts, vectors, strict=True)}
            with self._writing(user) as connection:
                _set(connection, user, "claim", computed)
            written.update(computed)
        return {key: claim.removeprefix(prefix) for key, claim in written.items() if claim.startswith(prefix)}

    def _with_ids(self, user: str, ids: Collection[int]) -> tuple[KeptFact, ...]:
        """Return a user's memories with these ids, at most a thousand, in their order."""
        facts = {fact.id: fact for fact in self._read(user, _of(user).where(_T.id.in_(ids)))}
        return tuple(facts[fact_id] for fact_id in ids if fact_id in facts)

    def _read(self, user: str, query: Select[tuple[object, ...]]) -> tuple[KeptFact, ...]:
        _check_user(user)
        with self.database.begin() as connection:
            return _facts(connection, user, query)

    def _put(self, user: str, speaker: Speaker, text: str, source: FactSource) -> KeptFact | None:
        """Store a memory; return None if the speaker already has one with the same text."""
        with self._writing(user) as connection:
            if _same(connection, user, speaker, text) is not None:
                return None
            values = {
                **{"user": user, "speaker": speaker.value, "text": text, "claim": ""},
                **{"chat_id": source.chat_id, "turn": source.turn, "created": self.now().isoformat()},
                **{"used_at": _turn_of(connection, user), "uses": 0},
            }
            (key,) = connection.execute(insert(personal_facts), values).inserted_primary_key or (0,)
            return _fact(connection, user, int(key))

    @contextmanager
    def _writing(self, user: str) -> Iterator[Connection]:
        """Open a transaction that blocks other writers from the start, so that none can change what it has read."""
        _check_user(user)
        with self.database.alone() as connection:
            yield connection


def memory_line(text: str) -> str:
    """Return the text on one line, without control characters and lone surrogates."""
    return one_line("".join(char for char in text if char.isspace() or unicodedata.category(char) not in {"Cc", "Cs"}))


def _checked_line(memory: str) -> str:
    line = memory_line(memory)
    if not line:
        raise DialogueError("the memory is empty", hint='Write a text, for example: "I have a dog."')
    check_length("the memory", line)
    return line


def check_length(memory: str, line: str) -> None:
    """Raise DialogueError if the line of a memory, which the error calls `memory`, is too long."""
    if len(line) > LONGEST_MEMORY:
        problem = f"{memory} has {len(line):,} characters, more than the limit of {LONGEST_MEMORY:,}"
        raise DialogueError(problem, hint="Shorten it, or put it into a document in the folder.")


def _check_user(user: str) -> None:
    """Raise DialogueError for a name that is blank, too long, or not valid text."""
    categories = {unicodedata.category(character) for character in user}
    problems = {
        "blank": all(category[0] in "ZC" for category in categories),
        f"too long: {len(user):,} characters, more than the limit of {_LONGEST_USER}": len(user) > _LONGEST_USER,
        "no text": "Cs" in categories,
    }
    for problem in (problem for problem, holds in problems.items() if holds):
        hint = "Use a readable name such as anna; on the command line, --user may be omitted."
        raise DialogueError(f"the user's name is {problem}", hint=hint)


def _of(user: str) -> Select[tuple[object, ...]]:
    return select(personal_facts).where(_T.user == user)


def _facts(connection: Connection, user: str, query: Select[tuple[object, ...]]) -> tuple[KeptFact, ...]:
    turn = _turn_of(connection, user)
    return tuple(
        KeptFact(
            **{name: row[name] for name in ("id", "user", "speaker", "text", "created", "uses")},
            source=FactSource(chat_id=row["chat_id"], turn=row["turn"]),
            turns_since_used=turn - row["used_at"],
        )
        for row in connection.execute(query).mappings()
    )


def _fact(connection: Connection, user: str, number: int) -> KeptFact:
    facts = _facts(connection, user, _of(user).where(_T.id == number))
    if not facts:
        raise DialogueError(f"no memory has the number {number}", hint=_LIST)
    return facts[0]


def _same(connection: Connection, user: str, speaker: Speaker, text: str) -> int | None:
    """Return the id of the speaker's memory with the same text, if there is one."""
    query = select(_T.id).where(_T.user == user, _T.speaker == speaker.value, _T.text == text)
    return connection.execute(query).scalar()


def _set(connection: Connection, user: str, column: str, values: Mapping[int, str | int]) -> None:
    """Set one column of a user's memories, if they exist."""
    change = update(personal_facts).where(_T.user == user, _T.id == bindparam("of_id"))
    if rows := [{"of_id": fact_id, "new": value} for fact_id, value in values.items()]:
        connection.execute(change.values({column: bindparam("new")}), rows)


def _turn_key(user: str) -> str:
    return f"turns of {user}"


def _turn_of(connection: Connection, user: str) -> int:
    written = get_meta(connection, _turn_key(user)) or ""
    return int(written) if re.fullmatch(r"[0-9]{1,9}", written) else 0  # longer numbers are never stored


def _written(vector: npt.NDArray[np.float32]) -> str:
    """Return a vector as text, with a byte for each dimension."""
    return base64.b64encode((vector * (127 / np.abs(vector).max())).round().astype(np.int8).tobytes()).decode()


def _row(written: str, dimensions: int) -> npt.NDArray[np.int8]:
    """Return a vector from its written form; a damaged one becomes zeros."""
    try:
        row = np.frombuffer(base64.b64decode(written), dtype=np.int8)
    except ValueError:
        row = np.zeros(0, dtype=np.int8)
    return row if len(row) == dimensions else np.zeros(dimensions, dtype=np.int8)
