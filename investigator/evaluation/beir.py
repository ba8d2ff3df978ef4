"""Reads a test collection in BEIR format (Thakur et al. 2021): a corpus, queries, and relevance judgements."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, StrictStr

from investigator.errors import DataError
from investigator.evaluation.lines import RowWithId, rows_by_id
from investigator.files.text_lines import text_lines

Judgements = Mapping[str, Mapping[str, int]]
"""The relevance of each document for each query, keyed by query id and document id; 0 means not relevant."""


class CorpusRow(RowWithId):
    """A document of the corpus."""

    id: str = Field(alias="_id", min_length=1)
    title: str = ""
    text: StrictStr

    @property
    def content(self) -> str:
        """Return the title and the text, which are searched together."""
        return f"{self.title}\n{self.text}".strip() if self.title.strip() else self.text


class QueryRow(RowWithId):
    """A query."""

    id: str = Field(alias="_id", min_length=1)
    text: StrictStr = Field(min_length=1)


@dataclass(frozen=True)
class Collection:
    """Documents, the queries with at least one relevant document, and the judgements about them."""

    documents: tuple[CorpusRow, ...]
    queries: tuple[QueryRow, ...]
    judgements: Judgements

    def fingerprint(self) -> str:
        """Return a hash of the documents' ids and texts."""
        digest = hashlib.sha256()
        for row in sorted(self.documents, key=lambda row: row.id):
            digest.update(f"{len(row.id)} {len(row.content)}\n{row.id}{row.content}".encode())
        return digest.hexdigest()


def read_collection(corpus: Path, queries: Path, qrels: Path, limit: int | None = None) -> Collection:
    """Read a collection from its three files, keeping only the first `limit` queries that have a relevant document.
    Raises DataError for a missing or empty file, an invalid line, a duplicate id, or a judgement about an
    unknown query or document.
    """
    documents = rows_by_id(corpus, CorpusRow, "documents")
    known = rows_by_id(queries, QueryRow, "queries")
    judgements = _judgements(qrels)
    judged = {document for fits in judgements.values() for document in fits}
    for what, unknown in (("queries", judgements.keys() - known), ("documents", judged - documents.keys())):
        if unknown:
            raise DataError(
                f"{qrels} judges {len(unknown):,} unknown {what}; the first is {min(unknown)}",
                hint="Use corpus, queries and judgements from the same collection.",
            )
    relevant = [row for name, row in known.items() if any(fit > 0 for fit in judgements.get(name, {}).values())][:limit]
    if not relevant:
        raise DataError(f"{qrels} has no query with a relevant document")
    return Collection(tuple(documents.values()), tuple(relevant), {row.id: judgements[row.id] for row in relevant})


def _judgements(file: Path) -> dict[str, dict[str, int]]:
    """Read judgements, grouped by query, in the format of BEIR (query, document, relevance; separated by tabs) or TREC
    (query, 0, document, relevance). A heading is skipped.
    """
    hint = "A line contains query id, document id and a whole number; in TREC's format a 0 follows the query id."
    judgements: dict[str, dict[str, int]] = {}
    for index, (number, line) in enumerate(text_lines(file)):
        cells = [cell.strip() for cell in (line.split("\t") if "\t" in line else line.split())]
        is_whole = len(cells) in (3, 4)
        if not is_whole or not cells[-1].lstrip("-").isdecimal():
            if index == 0 and is_whole:
                continue
            raise DataError(f"line {number} of {file} is not a judgement: {line[:80]!r}", hint=hint)
        query, document, fit = cells[0], cells[-2], int(cells[-1])
        if judgements.setdefault(query, {}).setdefault(document, fit) != fit:
            raise DataError(f"line {number} of {file} contradicts an earlier line on {query} and {document}")
    if not judgements:
        raise DataError(f"the file {file} contains no judgements")
    return judgements
