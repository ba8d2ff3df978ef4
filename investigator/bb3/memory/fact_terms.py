"""Stores the search terms for facts about users in a full-text table of SQLite or a plain table of PostgreSQL."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Protocol

from sqlalchemy import Connection, delete, func, insert, select, text

from investigator.store.corpus import in_batches
from investigator.store.database import Database
from investigator.store.schema import fact_terms, personal_facts

_MATCHES = """
    SELECT rowid FROM personal_fact_terms WHERE personal_fact_terms MATCH :query
    ORDER BY bm25(personal_fact_terms, 0.0, 1.0), rowid DESC LIMIT :most
"""
_WITH_ALL = "SELECT rowid FROM personal_fact_terms WHERE personal_fact_terms MATCH :query ORDER BY rowid"
_NEWEST = "SELECT rowid FROM personal_fact_terms WHERE personal_fact_terms MATCH :query ORDER BY rowid DESC LIMIT :most"
_PUT = "INSERT INTO personal_fact_terms (rowid, owner, terms) VALUES (:id, :owner, :terms)"
_DROP = 'DELETE FROM personal_fact_terms WHERE rowid IN (SELECT id FROM personal_facts WHERE "user" = :user {which})'
_PLAIN = re.compile(r"[a-z0-9]+")
_K1, _B, _LEAST = 1.2, 0.75, 1e-6  # as in SQLite's bm25


class FactTerms(Protocol):
    """The search terms for all facts in a database, keyed by fact id; each call is part of the caller's transaction."""

    def put(self, connection: Connection, user: str, fact_id: int, terms: Collection[str]) -> None:
        """Store the terms for a new fact."""

    def drop(self, connection: Connection, user: str, fact_id: int | None = None) -> None:
        """Delete the terms for one of a user's facts, or for all of them; call this before deleting the facts
        themselves.
        """

    def matching(self, connection: Connection, user: str, terms: Collection[str], most: int) -> Sequence[int]:
        """Return the ids of the user's facts that contain at least one of the terms, sorted by BM25 score, then from
        newest to oldest.
        """

    def with_all(self, connection: Connection, user: str, terms: Collection[str]) -> Sequence[int]:
        """Return the ids of the user's facts that contain all of the terms."""

    def newest(self, connection: Connection, user: str, mark: str, terms: Collection[str], most: int) -> Sequence[int]:
        """Return the ids of the user's facts that have the mark and, if terms are given, at least one of the terms,
        newest first.
        """


class FullTextTerms:
    """Keeps terms in a full-text table of a SQLite database."""

    def put(self, connection: Connection, user: str, fact_id: int, terms: Collection[str]) -> None:
        words = " ".join(map(_word, sorted(terms)))
        connection.execute(text(_PUT), {"id": fact_id, "owner": _owner(user), "terms": words})

    def drop(self, connection: Connection, user: str, fact_id: int | None = None) -> None:
        which = "" if fact_id is None else "AND id = :id"
        values = {"user": user} if fact_id is None else {"user": user, "id": fact_id}
        connection.execute(text(_DROP.format(which=which)), values)

    def matching(self, connection: Connection, user: str, terms: Collection[str], most: int) -> Sequence[int]:
        values = {"query": _query(user, terms, "OR"), "most": most}
        return connection.execute(text(_MATCHES), values).scalars().all()

    def with_all(self, connection: Connection, user: str, terms: Collection[str]) -> Sequence[int]:
        return connection.execute(text(_WITH_ALL), {"query": _query(user, terms, "AND")}).scalars().all()

    def newest(self, connection: Connection, user: str, mark: str, terms: Collection[str], most: int) -> Sequence[int]:
        query = _query(user, (mark,), "OR")
        query += f" AND {_query(user, terms, 'OR')}" if terms else ""
        return connection.execute(text(_NEWEST), {"query": query, "most": most}).scalars().all()


class PlainTerms:
    """Keeps terms in a plain table, one per row; results have the same order as those from a full-text table."""

    def put(self, connection: Connection, user: str, fact_id: int, terms: Collection[str]) -> None:
        rows = [{"fact_id": fact_id, "term": word, "owner": _owner(user)} for word in sorted({*map(_word, terms)})]
        if rows:
            connection.execute(insert(fact_terms), rows)

    def drop(self, connection: Connection, user: str, fact_id: int | None = None) -> None:
        one = () if fact_id is None else (fact_terms.c.fact_id == fact_id,)
        connection.execute(delete(fact_terms).where(fact_terms.c.owner == _owner(user), *one))

    def matching(self, connection: Connection, user: str, terms: Collection[str], most: int) -> Sequence[int]:
        words = [_word(term) for term in sorted(terms)]
        having = self._having(connection, user, words)
        points = self._points(connection, having, words)
        return sorted(having, key=lambda fact_id: (-points[fact_id], -fact_id))[:most]

    def with_all(self, connection: Connection, user: str, terms: Collection[str]) -> Sequence[int]:
        words = {*map(_word, terms)}
        having = self._having(connection, user, sorted(words))
        return sorted(fact_id for fact_id, found in having.items() if found == words)

    def newest(self, connection: Connection, user: str, mark: str, terms: Collection[str], most: int) -> Sequence[int]:
        found = set(self._having(connection, user, [_word(mark)]))
        if terms:
            found &= self._having(connection, user, sorted({*map(_word, terms)})).keys()
        return sorted(found, reverse=True)[:most]

    def _having(self, connection: Connection, user: str, words: Sequence[str]) -> dict[int, set[str]]:
        """Map each fact of a user to the given words that it contains; facts that contain none of the words are
        omitted.
        """
        some = (fact_terms.c.owner == _owner(user), fact_terms.c.term.in_(words))
        having: dict[int, set[str]] = {}
        for fact_id, word in connection.execute(select(fact_terms.c.fact_id, fact_terms.c.term).where(*some)):
            having.setdefault(fact_id, set()).add(word)
        return having

    def _points(self, connection: Connection, having: Mapping[int, Set[str]], words: Sequence[str]) -> dict[int, float]:
        """Return each fact's BM25 score for the words, computed as in SQLite: the owner counts as a word."""
        of_each, of_term = fact_terms.c.fact_id, fact_terms.c.term
        sizes, held = Counter[int](), Counter[str]()
        for part in in_batches(sorted(having)):
            counted = select(of_each, func.count()).where(of_each.in_(part)).group_by(of_each)
            sizes.update({fact_id: size + 1 for fact_id, size in connection.execute(counted)})
        counted_words = select(of_term, func.count()).where(of_term.in_(words)).group_by(of_term)
        held.update({word: number for word, number in connection.execute(counted_words)})
        facts = connection.execute(select(func.count()).select_from(personal_facts)).scalar_one()
        mean = (connection.execute(select(func.count()).select_from(fact_terms)).scalar_one() + facts) / max(facts, 1)
        weights = {word: max(_LEAST, math.log((facts - held[word] + 0.5) / (held[word] + 0.5))) for word in words}
        points = dict.fromkeys(having, 0.0)
        for fact_id, found in having.items():
            share = (_K1 + 1.0) / (1.0 + _K1 * (1.0 - _B + _B * sizes[fact_id] / mean))
            for word in words:  # summed in SQLite's order, because another order would change the last digits
                points[fact_id] += weights[word] * share if word in found else 0.0
        return points


def terms_of(database: Database) -> FactTerms:
    """Return the search term store for a database."""
    return PlainTerms() if database.is_shared else FullTextTerms()


def _owner(user: str) -> str:
    return hashlib.sha256(user.encode()).hexdigest()[:24]


def _word(term: str) -> str:
    """Return a term in a form that no full-text index splits, in any script."""
    return term if _PLAIN.fullmatch(term) else "0x" + term.encode().hex()


def _query(user: str, terms: Collection[str], joined: str) -> str:
    words = f" {joined} ".join(f'"{_word(term)}"' for term in sorted(terms))
    return f'owner : "{_owner(user)}" AND terms : ({words})'
