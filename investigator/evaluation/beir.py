"""A test collection in the layout of BEIR (Thakur et al. 2021): a corpus, queries, and judgements of which fit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import Field, StrictStr

from investigator.errors import EvaluationDataError
from investigator.evaluation.lines import ForeignRow, rows_of, text_lines

Judgements = Mapping[str, Mapping[str, int]]
"""By query id and document id: how well the document fits, 0 for not at all."""


class CorpusRow(ForeignRow):
    """A document of the corpus."""

    id: str = Field(alias="_id", min_length=1)
    title: str = ""
    text: StrictStr

    @property
    def content(self) -> str:
        """Title and text, which are searched as one."""
        return f"{self.title}\n{self.text}".strip() if self.title.strip() else self.text


class QueryRow(ForeignRow):
    """A query."""

    id: str = Field(alias="_id", min_length=1)
    text: StrictStr = Field(min_length=1)


@dataclass(frozen=True)
class Collection:
    """Documents, the queries that have a fitting one, and the judgements of these."""

    documents: tuple[CorpusRow, ...]
    queries: tuple[QueryRow, ...]
    judgements: Judgements

    def fingerprint(self) -> str:
        """Return a hash of the documents: equal when neither ids nor words differ."""
        digest = hashlib.sha256()
        for row in sorted(self.documents, key=lambda row: row.id):
            digest.update(f"{len(row.id)} {len(row.content)}\n{row.id}{row.content}".encode())
        return digest.hexdigest()


def read_collection(corpus: Path, queries: Path, qrels: Path, limit: int | None = None) -> Collection:
    """Return a collection from its three files, with the first `limit` of the queries that have a fitting document.

    Raises EvaluationDataError for a file that is missing or empty, a broken line, an id that comes twice, and
    judgements of queries or documents that are not there.
    """
    documents, asked = _by_id(corpus, CorpusRow, "documents"), _by_id(queries, QueryRow, "queries")
    judgements = _judgements(qrels)
    _check_known(qrels, "queries", judgements.keys(), asked)
    _check_known(qrels, "documents", [d for fits in judgements.values() for d in fits], documents)
    judged = [row for row in asked.values() if any(fit > 0 for fit in judgements.get(row.id, {}).values())][:limit]
    if not judged:
        raise EvaluationDataError(f"by {qrels} no query has a document that fits")
    return Collection(tuple(documents.values()), tuple(judged), {row.id: judgements[row.id] for row in judged})


_Row = TypeVar("_Row", CorpusRow, QueryRow)


def _by_id(file: Path, kind: type[_Row], what: str) -> dict[str, _Row]:
    found: dict[str, _Row] = {}
    for number, row in rows_of(file, kind):
        if row.id in found:
            raise EvaluationDataError(f"line {number} of {file}: the id {row.id} was there before")
        found[row.id] = row
    if not found:
        raise EvaluationDataError(f"the file {file} holds no {what}")
    return found


class _Judgement(NamedTuple):
    line: int
    query_id: str
    document_id: str
    fit: int


def _judgements(file: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for one in _judgement_lines(file):
        fits = found.setdefault(one.query_id, {})
        if fits.setdefault(one.document_id, one.fit) != one.fit:
            pair = f"{one.query_id} and {one.document_id}"
            raise EvaluationDataError(f"line {one.line} of {file} judges {pair} otherwise than a line before")
    if not found:
        raise EvaluationDataError(f"the file {file} holds no judgements")
    return found


def _judgement_lines(file: Path) -> Iterator[_Judgement]:
    """Return the lines of BEIR (query, document, fit; tabs) or TREC (query, 0, document, fit).

    A heading is passed over.
    """
    for index, (number, line) in enumerate(text_lines(file)):
        cells = line.split("\t") if "\t" in line else line.split()
        try:
            if len(cells) not in (3, 4):
                raise ValueError
            yield _Judgement(number, cells[0].strip(), cells[-2].strip(), int(cells[-1]))
        except ValueError as error:
            if index == 0 and len(cells) in (3, 4):
                continue
            hint = "A line holds: query id, document id, a whole number; in TREC's form a 0 stands after the query id."
            raise EvaluationDataError(f"line {number} of {file} is no judgement: {line[:80]!r}", hint=hint) from error


def _check_known(file: Path, what: str, named: Iterable[str], known: Mapping[str, object]) -> None:
    unknown = [name for name in dict.fromkeys(named) if name not in known]
    if unknown:
        raise EvaluationDataError(
            f"{file} judges {len(unknown):,} {what} that are not there; the first is {unknown[0]}",
            hint="Name the corpus, the queries and the judgements of one collection.",
        )
